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

from engine.aggregation.time_stepping.arrow_hurwicz_step import (
    GAP_SHARE,
    MAX_SWEEPS,
    SWEEPS_OF_GAPS,
    add_force_of_link,
    largest_gradient,
    move_bodies,
    project,
    reset_body,
    update_multipliers,
    wake_unbalanced,
)
from engine.kernels import inlined, inner
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
    """Reset a group to its start: no displacement, at rest, λ = 1/2, with the corresponding forces."""
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
    """Start the minimisation of a group; `wake` gets the frozen bodies that must move at once."""
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
        Those of the group are the first ``group.bodies`` of BODY and ``group.links`` of GROUP_LINK.
    wake
        Gets the ``group.wakes`` frozen bodies (possibly with duplicates) that the caller must wake before the next
        iteration.
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
