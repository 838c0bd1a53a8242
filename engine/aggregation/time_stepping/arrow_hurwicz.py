"""Minimising the energy of links under non-overlap: Arrow–Hurwicz, plain (3.17) and damped (3.22), safeguarded.

Bodies (discs, or whole clusters) are displaced by D from where they stand; a link k joins bodies a and b, with
d = base_k + D_a - D_b the vector between the two linked discs and σ_k the sum of their radii. With

    W = Σ |d_k|² / 2 (3.5),   φ_k = σ_k² - |d_k|² (3.4),   L = W + Σ λ_k φ_k (3.8)

the gradient of L with respect to D_a is Σ (1 - 2 λ_k) d_k. Lengths enter as in units of the radius: φ is divided by
s_k = (σ_k / 2)², so α, β, γ, c and the tolerance are pure numbers.

**Where it ends.** W >= Σ σ_k² / 2 wherever nothing overlaps, so any state with all links at contact is a minimum, and
it satisfies the KKT conditions with λ = 1/2 and gradient 0. A group ends there when |φ| <= tolerance on every link and
its own multipliers are near enough to balance the forces to ten tolerances, in radii (|φ| alone would leave up to 60).
Where not all links can be at contact at once, a link may end stretched: then λ_k = 0, and the conditions are asked in
full, |min(λ_k, -φ_k)| <= tolerance and |∂L/∂D| <= tolerance, of bodies that have not been moved as well.

**Coefficients evolve.** β of a group that comes closer grows to twice its value, and c with it: a third fewer
iterations than with both fixed (docs/time-stepping.md). α and γ stay: chains of discs leave no room above them.

**What makes divergence impossible.** Multipliers are kept in [0, 2]; no body moves more than a fifth of its radius in
an iteration; a group that grows worse or stalls is taken back to its start with α, β, γ halved and c lowered by √2
("let the coefficients evolve"); after MAX_RESTARTS of these, or when iterations run out, the group counts as not
converged and its contacts are set by successive projection of single links: overlaps at once, gaps by a share that
fades out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping.arrow_hurwicz_step import (
    move_bodies,
    pull,
    steepest,
    wake_unbalanced,
    weigh_links,
)
from engine.aggregation.time_stepping.group_arrays import (
    ADAPTIVE,
    ALPHA,
    BASE_X,
    BASE_Y,
    BEST,
    BEST_MERIT,
    BETA,
    BODIES,
    BODY_A,
    BODY_B,
    BODY_COLUMNS,
    CONVERGED,
    DAMPED,
    DX,
    DY,
    FLOW,
    FRICTION,
    GAMMA,
    GF_LENGTH,
    GI_LENGTH,
    GOES_ON,
    ITERATIONS,
    LAMBDA,
    LINK_COLUMNS,
    LINKS,
    MAX_ITERATIONS,
    MOBILITY,
    MODE,
    NOT_CONVERGED,
    PER_S,
    PHI,
    PROJECT,
    RESIDUAL,
    RESTARTS,
    SCALE,
    SIGMA2,
    SINCE_BEST,
    SPEED,
    START,
    STRIDE,
    STRIDE_RADII,
    SWEEPS,
    TOLERANCE,
    WAKES,
    X_HIGH,
    X_LOW,
    Y_HIGH,
    Y_LOW,
    Coefficients,
)
from engine.aggregation.time_stepping.link_projection import MAX_SWEEPS, PULL, SWEEPS_PULLING, project
from engine.kernels import inlined, inner, kernel

MAX_RESTARTS = 4
PATIENCE = 120  # iterations without a better residual, after which a group has stalled
SLACK_OF_FORCES = 10.0  # forces count as balanced within so many tolerances, once all links are at contact
QUICKEN, QUICKEST = 1.15, 2.0  # β of a group that comes closer grows by so much an iteration, up to this many times
FRICTION_MOST = 1.9  # of a group with such a β
LOST = 8.0  # residual beyond which a group has diverged; the deepest overlap there is has 4


@inlined
def rewind(
    body: NDArray[np.float64],
    lf: NDArray[np.float64],
    li: NDArray[np.int32],
    gi: NDArray[np.int64],
    gf: NDArray[np.float64],
) -> None:
    """Take a group back to where it started: no displacement, at rest, λ = 1/2, forces of that."""
    for a in range(gi[BODIES]):
        for column in range(DX, MOBILITY):
            body[a, column] = 0.0
    gamma = gf[GAMMA] * gf[SCALE] if gi[DAMPED] else 0.0
    for k in range(gi[LINKS]):
        lf[k, LAMBDA] = 0.5
        pull(body, lf, li, k, gf[ALPHA] * gf[SCALE], gamma)
    gf[BEST] = gf[BEST_MERIT] = np.inf
    gf[SPEED] = 1.0
    gi[SINCE_BEST] = 0


@inner
def begin(
    body: NDArray[np.float64],
    lf: NDArray[np.float64],
    li: NDArray[np.int32],
    wake: NDArray[np.int32],
    gi: NDArray[np.int64],
    gf: NDArray[np.float64],
) -> None:
    """Start a group whose bodies and links stand in the arrays; `wake` gets the frozen bodies to wake at once."""
    gi[MODE] = FLOW
    gi[ITERATIONS] = 0
    gi[RESTARTS] = 0
    gi[SWEEPS] = 0
    gf[SCALE] = 1.0
    rewind(body, lf, li, gi, gf)
    gi[WAKES] = 0
    gf[RESIDUAL] = 0.0
    for k in range(gi[LINKS]):
        off = abs(lf[k, PHI])
        gf[RESIDUAL] = max(gf[RESIDUAL], off)
        if off > gf[TOLERANCE]:
            for end in range(2):
                a = li[k, end]
                if body[a, MOBILITY] == 0.0:
                    wake[gi[WAKES]] = a
                    gi[WAKES] += 1
    gf[START] = gf[RESIDUAL]


@inner
def iterate(
    body: NDArray[np.float64],
    lf: NDArray[np.float64],
    li: NDArray[np.int32],
    wake: NDArray[np.int32],
    gi: NDArray[np.int64],
    gf: NDArray[np.float64],
) -> int:
    """One iteration of a group, or one sweep of the projection; returns GOES_ON, CONVERGED or NOT_CONVERGED.

    `wake`, gi[WAKES]: frozen bodies (some perhaps twice) that the caller has to wake before the next one.
    """
    tolerance = gf[TOLERANCE]
    if gi[MODE] == PROJECT:
        sweep = gi[SWEEPS]
        gi[SWEEPS] = sweep + 1
        share = max(0.0, PULL * (1.0 - sweep / SWEEPS_PULLING))
        deepest, worst, wakes = project(body, lf, li, wake, gi[LINKS], tolerance, share)
        gi[WAKES] = wakes
        gf[RESIDUAL] = worst
        done = wakes == 0 and (worst <= tolerance or (share == 0.0 and deepest <= tolerance))
        return NOT_CONVERGED if done or sweep == MAX_SWEEPS else GOES_ON
    scale = gf[SCALE]
    damped = gi[DAMPED] != 0
    alpha = gf[ALPHA] * scale
    gamma = gf[GAMMA] * scale if damped else 0.0
    speed = gf[SPEED]
    friction = gf[FRICTION] * np.sqrt(scale)
    # c = 0.8 damps twice the default β as well as c = 0.6 damps that itself
    friction = max(friction, min(FRICTION_MOST, friction * speed**0.4))
    move_bodies(body, gi[BODIES], friction, damped)
    beta = gf[BETA] * scale * speed
    worst, natural, wakes = weigh_links(body, lf, li, wake, gi[LINKS], alpha, beta, gamma, tolerance)
    gi[ITERATIONS] += 1
    gi[WAKES] = wakes
    gf[RESIDUAL] = worst
    if wakes == 0:
        if worst <= tolerance and steepest(body, gi[BODIES], alpha) <= SLACK_OF_FORCES * tolerance:
            return CONVERGED
        if natural <= tolerance and steepest(body, gi[BODIES], alpha) <= tolerance:
            gi[WAKES] = wake_unbalanced(body, wake, gi[BODIES], alpha * tolerance)
            return GOES_ON if gi[WAKES] > 0 else CONVERGED
    gi[SINCE_BEST] += 1
    if worst < 0.99 * gf[BEST]:
        gf[BEST] = worst
        gi[SINCE_BEST] = 0
        if gi[ADAPTIVE] and gi[RESTARTS] == 0:
            gf[SPEED] = min(QUICKEST, QUICKEN * speed)
    else:  # where links have to end stretched, the conditions may come closer all the same
        merit = max(natural, steepest(body, gi[BODIES], alpha))
        if merit < 0.99 * gf[BEST_MERIT]:
            gf[BEST_MERIT] = merit
            gi[SINCE_BEST] = 0
    lost_at = max(LOST, 2.0 * gf[START])
    spent = gi[ITERATIONS] >= gi[MAX_ITERATIONS]
    # written so that a residual which is not a number counts as lost
    if gi[ADAPTIVE] and not spent and not (worst <= lost_at and gi[SINCE_BEST] <= PATIENCE):
        if gi[RESTARTS] < MAX_RESTARTS:
            gi[RESTARTS] += 1
            gf[SCALE] *= 0.5
            rewind(body, lf, li, gi, gf)
            return GOES_ON
        spent = True
    if not gi[ADAPTIVE] and not (worst <= 8.0 * lost_at and gi[SINCE_BEST] <= 10 * PATIENCE):
        spent = True
    if spent:
        rewind(body, lf, li, gi, gf)
        gi[MODE] = PROJECT
    return GOES_ON


@dataclass(frozen=True)
class Minimum:
    """What `minimise` found.

    positions : (N, 2); multipliers : (K,) λ, 1/2 at a contact that carries no force; residuals : (I,) max |φ| / s
    after each iteration; iterations, restarts; converged : False where the contacts had to be projected.
    """

    positions: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    residuals: NDArray[np.float64]
    iterations: int
    restarts: int
    converged: bool


@kernel
def _go(
    body: NDArray[np.float64],
    lf: NDArray[np.float64],
    li: NDArray[np.int32],
    wake: NDArray[np.int32],
    gi: NDArray[np.int64],
    gf: NDArray[np.float64],
    first: bool,
) -> int:
    """`begin`, or `iterate`, for Python."""
    if first:
        begin(body, lf, li, wake, gi, gf)
        return GOES_ON
    return iterate(body, lf, li, wake, gi, gf)


def minimise(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    links: NDArray[np.int32],
    coefficients: Coefficients | None = None,
) -> Minimum:
    """Minimise the link energy of discs (N, 2) with radii (N,), all free to move, no walls; links (K, 2), K >= 1."""
    count = len(radii)
    body = np.zeros((count, BODY_COLUMNS))
    body[:, MOBILITY] = 1.0
    body[:, [X_LOW, Y_LOW]] = -np.inf
    body[:, [X_HIGH, Y_HIGH]] = np.inf
    body[:, STRIDE] = STRIDE_RADII * radii
    lf, li = np.zeros((len(links), LINK_COLUMNS)), np.zeros((len(links), 3), np.int32)
    i, j = links[:, 0], links[:, 1]
    lf[:, BASE_X : BASE_Y + 1] = positions[i] - positions[j]
    lf[:, SIGMA2] = (radii[i] + radii[j]) ** 2
    lf[:, PER_S] = 4.0 / lf[:, SIGMA2]
    li[:, BODY_A], li[:, BODY_B] = i, j
    gi, gf, wake = np.zeros(GI_LENGTH, np.int64), np.zeros(GF_LENGTH), np.zeros(1, np.int32)
    gi[BODIES], gi[LINKS] = count, len(links)
    (coefficients or Coefficients()).write(gi, gf)
    status = _go(body, lf, li, wake, gi, gf, True)
    residuals = []
    while status == GOES_ON:
        status = _go(body, lf, li, wake, gi, gf, False)
        residuals.append(float(gf[RESIDUAL]))
    return Minimum(
        positions + body[:, DX : DY + 1],
        lf[:, LAMBDA].copy(),
        np.array(residuals),
        int(gi[ITERATIONS]),
        int(gi[RESTARTS]),
        bool(status == CONVERGED),
    )
