"""One iteration of the schemes (3.17) and (3.22) on the arrays of a group, and its residuals.

A group that does not converge is projected: its links are set to contact one after the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined, inner
from engine.records import Record, Records

STRIDE_RADII = 0.2  # the most that a body moves in one iteration, in radii
LAMBDA_MAX = 2.0  # greatest multiplier
GAP_SHARE, SWEEPS_OF_GAPS = 0.5, 200  # share of a gap that the first sweep of a projection closes; it decreases to zero
MAX_SWEEPS = 3000


@inlined
def reset_body(body: Record) -> None:
    """Reset displacement, now and one iteration ago, and force."""
    body.dx = body.dy = 0.0
    body.old_dx = body.old_dy = 0.0
    body.fx = body.fy = 0.0


@inlined
def link_vector(bodies: Records, links: Records, k: int) -> tuple[int, int, float, float, float]:
    """Bodies of link k, the vector between its discs, and φ / s, which the link keeps."""
    link = links[k]
    a = link.a
    b = link.b
    dx = link.x + bodies[a].dx - bodies[b].dx
    dy = link.y + bodies[a].dy - bodies[b].dy
    phi = (link.sigma2 - dx * dx - dy * dy) * link.per_s
    link.phi = phi
    return a, b, dx, dy, phi


@inlined
def force(multiplier: float, phi: float, alpha: float, gamma: float) -> float:
    """Factor of the vector between the discs of a link in α ∂L/∂D plus the γ term of (3.22)."""
    return alpha * (1.0 - 2.0 * multiplier) - 2.0 * gamma * multiplier * phi


@inlined
def add_force(a: Record, b: Record, lean: float, dx: float, dy: float, q: float) -> None:
    """Add the force q (dx, dy) to body a and subtract it from body b, weighted by `lean` of GROUP_LINK."""
    qa = (1.0 + lean) * q
    qb = (1.0 - lean) * q
    a.fx += qa * dx
    a.fy += qa * dy
    b.fx -= qb * dx
    b.fy -= qb * dy


@inlined
def add_force_of_link(bodies: Records, links: Records, k: int, alpha: float, gamma: float) -> None:
    """Add the force of link k to its bodies."""
    a, b, dx, dy, phi = link_vector(bodies, links, k)
    q = force(links[k].multiplier, phi, alpha, gamma)
    add_force(bodies[a], bodies[b], links[k].lean, dx, dy, q)


@inlined
def next_move(body: Record, friction: float, damped: bool) -> tuple[float, float]:
    """X_new - X with X_new = [2 X - (1 - c/2) X_old - G] / (1 + c/2) (3.23), or X - G (3.17)."""
    w = body.mobility
    if not damped:
        return -w * body.fx, -w * body.fy
    keep = 1.0 - 0.5 * friction
    divide = 1.0 / (1.0 + 0.5 * friction)
    x = body.dx
    y = body.dy
    mx = (2.0 * x - keep * body.old_dx - w * body.fx) * divide - x
    my = (2.0 * y - keep * body.old_dy - w * body.fy) * divide - y
    return mx, my


@inlined
def shorter_by(mx: float, my: float, stride: float) -> float:
    """The factor that shortens the move (mx, my) to the stride; 1 if it is not longer."""
    length2 = mx * mx + my * my
    return float(stride / np.sqrt(length2)) if length2 > stride * stride else 1.0


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
                mx, my = next_move(body, friction, damped)
                least = min(least, shorter_by(mx, my, body.stride))
    for a in range(count):
        body = bodies[a]
        if body.mobility == 0.0:
            body.fx = body.fy = 0.0
            continue
        mx, my = next_move(body, friction, damped)
        body.fx = body.fy = 0.0
        shorter = least if conserving else shorter_by(mx, my, body.stride)
        if shorter < 1.0:
            mx *= shorter
            my *= shorter
        x = body.dx
        y = body.dy
        body.old_dx = x
        body.old_dy = y
        body.dx = min(max(x + mx, body.x_low), body.x_high)
        body.dy = min(max(y + my, body.y_low), body.y_high)


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
        a, b, dx, dy, phi = link_vector(bodies, links, k)
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
        add_force(bodies[a], bodies[b], links[k].lean, dx, dy, force(multiplier, phi, alpha, gamma))
    return worst, natural, wakes


@inlined
def largest_gradient(bodies: Records, count: int, alpha: float) -> float:
    """Largest |∂L/∂D| of a body that may move, relative to its radius."""
    worst = 0.0
    for a in range(count):
        body = bodies[a]
        if body.mobility > 0.0:
            size = body.stride / STRIDE_RADII
            worst = max(worst, (body.fx**2 + body.fy**2) / (size * size))
    return float(np.sqrt(worst) / alpha)


@inlined
def wake_unbalanced(bodies: Records, wake: NDArray[np.int32], count: int, most: float) -> int:
    """List the frozen bodies on which links exert more force than `most`, in radii; returns how many there are."""
    wakes = 0
    for a in range(count):
        body = bodies[a]
        size = body.stride / STRIDE_RADII
        if body.mobility == 0.0 and body.fx**2 + body.fy**2 > (most * size) ** 2:
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
        a, b, dx, dy, phi = link_vector(bodies, links, k)
        square = dx * dx + dy * dy
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
            mx = dx * share
            my = dy * share
        else:  # coincident centres have no direction: use a fixed one
            mx = sigma / (wa + wb)
            my = 0.0
        one.dx = min(max(one.dx + wa * mx, one.x_low), one.x_high)
        one.dy = min(max(one.dy + wa * my, one.y_low), one.y_high)
        two.dx = min(max(two.dx - wb * mx, two.x_low), two.x_high)
        two.dy = min(max(two.dy - wb * my, two.y_low), two.y_high)
    return deepest, worst, wakes
