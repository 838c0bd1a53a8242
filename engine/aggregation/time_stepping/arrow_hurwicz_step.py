"""One iteration of the schemes (3.17) and (3.22) on the arrays of a group, and its residuals.

A group that does not converge is projected: its links are set to contact one after the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.vectors import (
    Vector,
    along_axis,
    dot,
    every,
    less_square,
    minus,
    place,
    plus,
    times,
    within,
)
from engine.kernels import inlined, inner, vector_field
from engine.records import Record, Records

STRIDE_RADII = 0.2  # the most that a body moves in one iteration, in radii
LAMBDA_MAX = 2.0  # greatest multiplier
GAP_SHARE, SWEEPS_OF_GAPS = 0.5, 200  # share of a gap that the first sweep of a projection closes; it decreases to zero
MAX_SWEEPS = 3000

displacement, put_displacement = vector_field("dx", "dy", "dz")
old_displacement, put_old_displacement = vector_field("old_dx", "old_dy", "old_dz")
force, put_force = vector_field("fx", "fy", "fz")
lower_limit, put_lower_limit = vector_field("x_low", "y_low", "z_low")
upper_limit, put_upper_limit = vector_field("x_high", "y_high", "z_high")


@inlined
def reset_body(body: Record) -> None:
    """Reset displacement, now and one iteration ago, and force."""
    none = every(0.0, displacement(body))
    put_displacement(body, none)
    put_old_displacement(body, none)
    put_force(body, none)


@inlined
def link_vector(bodies: Records, links: Records, k: int) -> tuple[int, int, Vector, float]:
    """Bodies of link k, the vector between its discs, and φ / s, which the link keeps."""
    link = links[k]
    a = link.a
    b = link.b
    d = minus(plus(place(link), displacement(bodies[a])), displacement(bodies[b]))
    phi = less_square(link.sigma2, d) * link.per_s
    link.phi = phi
    return a, b, d, phi


@inlined
def factor_of_force(multiplier: float, phi: float, alpha: float, gamma: float) -> float:
    """Factor of the vector between the discs of a link in α ∂L/∂D plus the γ term of (3.22)."""
    return alpha * (1.0 - 2.0 * multiplier) - 2.0 * gamma * multiplier * phi


@inlined
def add_force(a: Record, b: Record, lean: float, d: Vector, q: float) -> None:
    """Add the force q d to body a and subtract it from body b, weighted by `lean` of GROUP_LINK."""
    put_force(a, plus(force(a), times((1.0 + lean) * q, d)))
    put_force(b, minus(force(b), times((1.0 - lean) * q, d)))


@inlined
def add_force_of_link(bodies: Records, links: Records, k: int, alpha: float, gamma: float) -> None:
    """Add the force of link k to its bodies."""
    a, b, d, phi = link_vector(bodies, links, k)
    q = factor_of_force(links[k].multiplier, phi, alpha, gamma)
    add_force(bodies[a], bodies[b], links[k].lean, d, q)


@inlined
def next_move(body: Record, friction: float, damped: bool) -> Vector:
    """X_new - X with X_new = [2 X - (1 - c/2) X_old - G] / (1 + c/2) (3.23), or X - G (3.17)."""
    w = body.mobility
    if not damped:
        return times(-w, force(body))
    keep = 1.0 - 0.5 * friction
    divide = 1.0 / (1.0 + 0.5 * friction)
    x = displacement(body)
    ahead = minus(minus(times(2.0, x), times(keep, old_displacement(body))), times(w, force(body)))
    return minus(times(divide, ahead), x)


@inlined
def shorter_by(move: Vector, stride: float) -> float:
    """The factor that shortens a move to the stride; 1 if it is not longer."""
    length2 = dot(move, move)
    return float(stride / np.sqrt(length2)) if length2 > stride * stride else 1.0


@inlined
def displace_body(body: Record, by: Vector) -> None:
    """Move a body, within its limits."""
    put_displacement(body, within(plus(displacement(body), by), lower_limit(body), upper_limit(body)))


@inlined
def move_bodies(bodies: Records, count: int, friction: float, damped: bool, conserving: bool) -> None:
    """Move every body, within stride and limits, and set the forces to 0.

    conserving : if one move must be shortened, all are, by the same factor, so that the centre of mass is conserved.
    """
    least = 1.0
    if conserving:
        for a in range(count):
            body = bodies[a]
            if body.mobility > 0.0:
                least = min(least, shorter_by(next_move(body, friction, damped), body.stride))
    for a in range(count):
        body = bodies[a]
        x = displacement(body)
        if body.mobility == 0.0:
            put_force(body, every(0.0, x))
            continue
        move = next_move(body, friction, damped)
        put_force(body, every(0.0, x))
        shorter = least if conserving else shorter_by(move, body.stride)
        if shorter < 1.0:
            move = times(shorter, move)
        put_old_displacement(body, x)
        displace_body(body, move)


@inlined
def update_multipliers(
    bodies: Records,
    links: Records,
    wake: NDArray[np.int32],
    count: int,
    alpha: float,
    beta: float,
    gamma: float,
    tolerance: float,
) -> tuple[float, float, int]:
    """λ := λ + β φ(X_new) on [0, 2], then the forces with it. Returns max |φ|, max |min(λ, -φ)|, frozen bodies to wake.

    A frozen body must be woken if one of its links is farther from contact than the tolerance.
    """
    worst = 0.0
    natural = 0.0
    wakes = 0
    for k in range(count):
        a, b, d, phi = link_vector(bodies, links, k)
        multiplier = min(max(links[k].multiplier + beta * phi, 0.0), LAMBDA_MAX)
        links[k].multiplier = multiplier
        off = abs(phi)
        if off > worst:
            worst = off
        natural = max(natural, abs(min(multiplier, -phi)))
        if off > tolerance:
            if bodies[a].mobility == 0.0:
                wake[wakes] = a
                wakes += 1
            if bodies[b].mobility == 0.0:
                wake[wakes] = b
                wakes += 1
        add_force(bodies[a], bodies[b], links[k].lean, d, factor_of_force(multiplier, phi, alpha, gamma))
    return worst, natural, wakes


@inlined
def largest_gradient(bodies: Records, count: int, alpha: float) -> float:
    """Largest |∂L/∂D| of a body that may move, relative to its radius."""
    worst = 0.0
    for a in range(count):
        body = bodies[a]
        if body.mobility > 0.0:
            size = body.stride / STRIDE_RADII
            worst = max(worst, dot(force(body), force(body)) / (size * size))
    return float(np.sqrt(worst) / alpha)


@inlined
def wake_unbalanced(bodies: Records, wake: NDArray[np.int32], count: int, most: float) -> int:
    """List the frozen bodies on which links exert more force than `most`, in radii; returns how many there are."""
    wakes = 0
    for a in range(count):
        body = bodies[a]
        size = body.stride / STRIDE_RADII
        if body.mobility == 0.0 and dot(force(body), force(body)) > (most * size) ** 2:
            wake[wakes] = a
            wakes += 1
    return wakes


@inner
def project(
    bodies: Records,
    links: Records,
    wake: NDArray[np.int32],
    count: int,
    tolerance: float,
    gap_share: float,
) -> tuple[float, float, int]:
    """One sweep that sets link after link to contact: overlaps completely, gaps by the share `gap_share`.

    Returns the largest overlap, the largest |φ|, and the number of bodies to wake.
    """
    deepest = 0.0
    worst = 0.0
    wakes = 0
    for k in range(count):
        a, b, d, phi = link_vector(bodies, links, k)
        square = dot(d, d)
        worst = max(worst, abs(phi))
        deepest = max(deepest, phi)
        share = 1.0 if phi > 0.0 else gap_share
        if share == 0.0 or abs(phi) <= 0.25 * tolerance:
            continue
        one = bodies[a]
        two = bodies[b]
        wa = one.mobility * (1.0 + links[k].lean)
        wb = two.mobility * (1.0 - links[k].lean)
        if abs(phi) > tolerance:
            if one.mobility == 0.0:
                wake[wakes] = a
                wakes += 1
            if two.mobility == 0.0:
                wake[wakes] = b
                wakes += 1
        if wa + wb == 0.0:
            continue
        sigma = np.sqrt(links[k].sigma2)
        if square > 1e-24 * links[k].sigma2:
            share *= (sigma / np.sqrt(square) - 1.0) / (wa + wb)
            move = times(share, d)
        else:  # coincident centres have no direction: use a fixed one
            move = along_axis(sigma / (wa + wb), 0, d)
        displace_body(one, times(wa, move))
        displace_body(two, times(-wb, move))
    return deepest, worst, wakes
