"""One iteration of the schemes (3.17) and (3.22) on the arrays of a group, and how far it is from a minimum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping.group_arrays import (
    DX,
    DY,
    GX,
    GY,
    LAMBDA,
    MOBILITY,
    OX,
    OY,
    STRIDE,
    STRIDE_RADII,
    X_HIGH,
    X_LOW,
    Y_HIGH,
    Y_LOW,
    gap,
)
from engine.kernels import inlined

LAMBDA_MAX = 2.0


@inlined
def force(multiplier: float, phi: float, alpha: float, gamma: float) -> float:
    """Step along the vector between the discs of a link: α ∂L/∂D and the γ term of (3.22)."""
    return alpha * (1.0 - 2.0 * multiplier) - 2.0 * gamma * multiplier * phi


@inlined
def push(body: NDArray[np.float64], a: int, b: int, dx: float, dy: float, q: float) -> None:
    """Add q (dx, dy) to body a and take it from body b."""
    body[a, GX] += q * dx
    body[a, GY] += q * dy
    body[b, GX] -= q * dx
    body[b, GY] -= q * dy


@inlined
def pull(
    body: NDArray[np.float64], lf: NDArray[np.float64], li: NDArray[np.int32], k: int, alpha: float, gamma: float
) -> None:
    """Add the force of link k to its bodies."""
    a, b, dx, dy, phi = gap(body, lf, li, k)
    push(body, a, b, dx, dy, force(lf[k, LAMBDA], phi, alpha, gamma))


@inlined
def move_bodies(body: NDArray[np.float64], count: int, friction: float, damped: bool) -> None:
    """X_new = [2 X - (1 - c/2) X_old - G] / (1 + c/2) (3.23), or X - G (3.17), within stride and limits; G := 0."""
    keep = 1.0 - 0.5 * friction
    divide = 1.0 / (1.0 + 0.5 * friction)
    for a in range(count):
        gx = body[a, GX]
        gy = body[a, GY]
        body[a, GX] = 0.0
        body[a, GY] = 0.0
        w = body[a, MOBILITY]
        if w == 0.0:
            continue
        x = body[a, DX]
        y = body[a, DY]
        if damped:
            mx = (2.0 * x - keep * body[a, OX] - w * gx) * divide - x
            my = (2.0 * y - keep * body[a, OY] - w * gy) * divide - y
        else:
            mx = -w * gx
            my = -w * gy
        length2 = mx * mx + my * my
        stride = body[a, STRIDE]
        if length2 > stride * stride:
            shorter = stride / np.sqrt(length2)
            mx *= shorter
            my *= shorter
        body[a, OX] = x
        body[a, OY] = y
        body[a, DX] = min(max(x + mx, body[a, X_LOW]), body[a, X_HIGH])
        body[a, DY] = min(max(y + my, body[a, Y_LOW]), body[a, Y_HIGH])


@inlined
def weigh_links(
    body: NDArray[np.float64],
    lf: NDArray[np.float64],
    li: NDArray[np.int32],
    wake: NDArray[np.int32],
    count: int,
    alpha: float,
    beta: float,
    gamma: float,
    tolerance: float,
) -> tuple[float, float, int]:
    """λ := λ + β φ(X_new) on [0, 2], then the forces with it. Returns max |φ|, max |min(λ, -φ)|, frozen bodies to wake.

    A frozen body is to wake where a link of it is farther from contact than the tolerance.
    """
    worst = 0.0
    natural = 0.0
    wakes = 0
    for k in range(count):
        a, b, dx, dy, phi = gap(body, lf, li, k)
        multiplier = min(max(lf[k, LAMBDA] + beta * phi, 0.0), LAMBDA_MAX)
        lf[k, LAMBDA] = multiplier
        off = abs(phi)
        if off > worst:
            worst = off
        natural = max(natural, abs(min(multiplier, -phi)))
        if off > tolerance:
            if body[a, MOBILITY] == 0.0:
                wake[wakes] = a
                wakes += 1
            if body[b, MOBILITY] == 0.0:
                wake[wakes] = b
                wakes += 1
        push(body, a, b, dx, dy, force(multiplier, phi, alpha, gamma))
    return worst, natural, wakes


@inlined
def steepest(body: NDArray[np.float64], count: int, alpha: float) -> float:
    """Largest |∂L/∂D| of a body that may move, relative to its radius."""
    worst = 0.0
    for a in range(count):
        if body[a, MOBILITY] > 0.0:
            size = body[a, STRIDE] / STRIDE_RADII
            worst = max(worst, (body[a, GX] ** 2 + body[a, GY] ** 2) / (size * size))
    return float(np.sqrt(worst) / alpha)


@inlined
def wake_unbalanced(body: NDArray[np.float64], wake: NDArray[np.int32], count: int, most: float) -> int:
    """List the frozen bodies on which links exert more force than `most` radii; returns how many there are."""
    wakes = 0
    for a in range(count):
        size = body[a, STRIDE] / STRIDE_RADII
        if body[a, MOBILITY] == 0.0 and body[a, GX] ** 2 + body[a, GY] ** 2 > (most * size) ** 2:
            wake[wakes] = a
            wakes += 1
    return wakes
