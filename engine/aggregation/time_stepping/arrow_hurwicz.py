"""Minimising the energy of links under non-overlap: Arrow–Hurwicz, plain (3.17) and damped (3.22), safeguarded.

Bodies (discs, or whole clusters) are displaced by D from their positions; a link k joins bodies a and b, with d =
base_k + D_a - D_b the vector between the two linked discs and σ_k the sum of their radii. With

    W = Σ |d_k|² / 2 (3.5),   φ_k = σ_k² - |d_k|² (3.4),   L = W + Σ λ_k φ_k (3.8)

the gradient of L with respect to D_a is Σ (1 - 2 λ_k) d_k. Lengths are in units of the radius: φ is divided by s_k =
(σ_k / 2)², so α, β, γ, c and the tolerance are dimensionless.

**Masses.** The centre of mass is conserved: a link moves its bodies in inverse proportion to their masses, and if one
move of a group must be shortened, all its moves are. Of the force of a link, disc a gets the share m_b / (m_a + m_b),
so that a light disc between heavy ones converges as fast as equal discs do; this is (3.8) with each link weighted by
the reduced mass of its discs. Each cluster has a mobility.

**Convergence.** W >= Σ σ_k² / 2 for every state without overlaps, so any state with all links at contact is a minimum,
and it satisfies the KKT conditions with λ = 1/2 and gradient 0. A group has converged there when |φ| <= tolerance on
every link and its multipliers balance the forces to ten tolerances, in radii (|φ| alone would leave up to 60). If not
all links can be at contact at once, a link may end stretched: then λ_k = 0, and the full conditions |min(λ_k, -φ_k)| <=
tolerance and |∂L/∂D| <= tolerance are required, also for bodies that have not moved.

**Adaptive coefficients.** While a group approaches the minimum, β grows to twice its value, and c with it: this takes a
third fewer iterations than fixed values (docs/time-stepping.md). α and γ stay fixed: chains of discs become unstable
for larger values.

**Safeguards against divergence.** Multipliers are kept in [0, 2]; no body moves more than a fifth of its radius in an
iteration; a group that gets worse or stalls is restarted with α, β, γ halved and c divided by √2; after MAX_RESTARTS
restarts, or when iterations run out, the group counts as not converged and its contacts are set by successive
projection of single links: overlaps completely, gaps by a share that decreases to zero.
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

# `mode` of a group: a step of the scheme, or a sweep of the projection
DESCEND, PROJECT = 0, 1
# what `iterate` returns, NOT_CONVERGED after a projection
GOES_ON, CONVERGED, NOT_CONVERGED = 0, 1, 2

MAX_RESTARTS = 4
PATIENCE = 120  # iterations without a lower residual after which a group has stalled
SLACK_OF_FORCES = 10.0  # multiple of the tolerance within which forces count as balanced, once all links are at contact
BETA_GROWTH, MOST_BETA = 1.15, 2.0  # growth factor of β in an iteration with progress, and its limit
FRICTION_MOST = 1.9  # of a group whose β has grown
DIVERGED = 8.0  # residual above which a group has diverged; the deepest possible overlap has 4


@inlined
def restart(
    bodies: Records,
    links: Records,
    group: Record,
) -> None:
    """Reset a group to its start: no displacement, at rest, λ = 1/2, with the corresponding forces.

    bodies : (n,) of BODY; links : (m,) of GROUP_LINK; group : one row of GROUP. The first `group.bodies` and
        `group.links` are those of the group.
    """
    for a in range(group.bodies):
        reset_body(bodies[a])
    gamma = group.gamma * group.scale if group.damped else 0.0
    for k in range(group.links):
        links[k].multiplier = 0.5
        add_force_of_link(bodies, links, k, group.alpha * group.scale, gamma)
    group.best = group.best_merit = np.inf
    group.speed = 1.0
    group.since_best = 0


@inner
def begin(
    bodies: Records,
    links: Records,
    wake: NDArray[np.int32],
    group: Record,
) -> None:
    """Start the minimisation of a group.

    bodies : (n,) of BODY and links : (m,) of GROUP_LINK, as in `iterate`; wake : (n,), gets the frozen bodies that must
        move at once.
    """
    group.mode = DESCEND
    group.iterations = 0
    group.restarts = 0
    group.sweeps = 0
    group.scale = 1.0
    restart(bodies, links, group)
    group.wakes = 0
    group.residual = 0.0
    for k in range(group.links):
        off = abs(links[k].phi)
        group.residual = max(group.residual, off)
        if off > group.tolerance:
            for a in (links[k].a, links[k].b):
                if bodies[a].mobility == 0.0:
                    wake[group.wakes] = a
                    group.wakes += 1
    group.start = group.residual


@inner
def iterate(
    bodies: Records,
    links: Records,
    wake: NDArray[np.int32],
    group: Record,
) -> int:
    """One iteration of a group, or one sweep of the projection.

    Parameters
    ----------
    bodies, links
        (n,) and (m,). Those of the group are the first ``group.bodies`` of BODY and ``group.links`` of GROUP_LINK.
    wake
        (n,). Gets the ``group.wakes`` frozen bodies (possibly with duplicates) that the caller must wake before the
        next iteration.
    group
        One row of GROUP.

    Returns
    -------
    int
        GOES_ON, CONVERGED, or NOT_CONVERGED at the end of the projection.
    """
    tolerance = group.tolerance
    if group.mode == PROJECT:
        sweep = group.sweeps
        group.sweeps = sweep + 1
        share = max(0.0, GAP_SHARE * (1.0 - sweep / SWEEPS_OF_GAPS))
        deepest, worst, wakes = project(bodies, links, wake, group.links, tolerance, share)
        group.wakes = wakes
        group.residual = worst
        done = wakes == 0 and (worst <= tolerance or (share == 0.0 and deepest <= tolerance))
        return NOT_CONVERGED if done or sweep == MAX_SWEEPS else GOES_ON
    scale = group.scale
    damped = group.damped != 0
    alpha = group.alpha * scale
    gamma = group.gamma * scale if damped else 0.0
    speed = group.speed
    friction = group.c * np.sqrt(scale)
    # c = 0.8 damps twice the default β as well as c = 0.6 damps that itself
    friction = max(friction, min(FRICTION_MOST, friction * speed**0.4))
    move_bodies(bodies, group.bodies, friction, damped, group.conserving != 0)
    beta = group.beta * scale * speed
    worst, natural, wakes = update_multipliers(bodies, links, wake, group.links, alpha, beta, gamma, tolerance)
    group.iterations += 1
    group.wakes = wakes
    group.residual = worst
    if wakes == 0:
        if worst <= tolerance and largest_gradient(bodies, group.bodies, alpha) <= SLACK_OF_FORCES * tolerance:
            return CONVERGED
        if natural <= tolerance and largest_gradient(bodies, group.bodies, alpha) <= tolerance:
            group.wakes = wake_unbalanced(bodies, wake, group.bodies, alpha * tolerance)
            return GOES_ON if group.wakes > 0 else CONVERGED
    group.since_best += 1
    if worst < 0.99 * group.best:
        group.best = worst
        group.since_best = 0
        if group.adaptive and group.restarts == 0:
            group.speed = min(MOST_BETA, BETA_GROWTH * speed)
    else:  # if links must end stretched, max |φ| cannot decrease, but the other conditions may
        merit = max(natural, largest_gradient(bodies, group.bodies, alpha))
        if merit < 0.99 * group.best_merit:
            group.best_merit = merit
            group.since_best = 0
    diverged = max(DIVERGED, 2.0 * group.start)
    spent = group.iterations >= group.max_iterations
    # written so that a NaN residual counts as diverged
    if group.adaptive and not spent and not (worst <= diverged and group.since_best <= PATIENCE):
        if group.restarts < MAX_RESTARTS:
            group.restarts += 1
            group.scale *= 0.5
            restart(bodies, links, group)
            return GOES_ON
        spent = True
    if not group.adaptive and not (worst <= 8.0 * diverged and group.since_best <= 10 * PATIENCE):
        spent = True
    if spent:
        restart(bodies, links, group)
        group.mode = PROJECT
    return GOES_ON


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
    """Bodies of link k, the vector between its discs (length), and φ / s, which the link keeps.

    bodies : (n,) of BODY; links : (m,) of GROUP_LINK.
    """
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
    """Add the force of link k to its bodies.

    bodies : (n,) of BODY; links : (m,) of GROUP_LINK; alpha, gamma : α, and γ for the damped scheme, else 0.
    """
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

    bodies : (n,) of BODY, of which the first `count` are moved. conserving : if one move must be shortened, all are, by
        the same factor, so that the centre of mass is conserved.
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

    bodies : (n,) of BODY; links : (m,) of GROUP_LINK, of which the first `count` are taken; wake : (n,), gets the
        bodies to wake.
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
    """Largest |∂L/∂D| of a body that may move, relative to its radius. bodies : (n,) of BODY, of which `count` are
    taken."""
    worst = 0.0
    for a in range(count):
        body = bodies[a]
        if body.mobility > 0.0:
            size = body.stride / STRIDE_RADII
            worst = max(worst, dot(force(body), force(body)) / (size * size))
    return float(np.sqrt(worst) / alpha)


@inlined
def wake_unbalanced(bodies: Records, wake: NDArray[np.int32], count: int, most: float) -> int:
    """List the frozen bodies on which links exert more force than `most`, in radii; returns how many there are.

    bodies : (n,) of BODY, of which the first `count` are taken; wake : (n,), gets the list.
    """
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

    bodies : (n,) of BODY; links : (m,) of GROUP_LINK, of which the first `count` are taken; wake : (n,), gets the
        bodies to wake. Returns the largest overlap, the largest |φ|, and the number of bodies to wake.
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
