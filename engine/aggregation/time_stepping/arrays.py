"""The arrays in which the time-stepping method keeps its discs, clusters and links, and what they mean.

Discs keep absolute positions; a cluster is named by one of its discs, 0 <= c < N. Two buffers of positions: one holds
the state at the last whole step, the other the step that is under way. `si` and `sf` hold what there is once; `gi`
and `gf` are the control of the group that is being minimised (see `arrow_hurwicz`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.recent import no_events
from engine.aggregation.time_stepping import group_arrays as ga
from engine.geometry.cells import usual_radius
from engine.records import Records
from engine.state import InitialState, representatives

# motion (N, 8): of a cluster
VX, VY, MOMX, MOMY, MASS = range(5)

# pool (L, 5): discs of a link, the next link of either disc (-1: none), and whether it was dropped: what a
# minimisation has not brought to contact is no link until it overlaps again
LINK_I, LINK_J, NEXT_I, NEXT_J, SLACK = range(5)
# fresh (F, 5): discs of a new link, next new link of either cluster, its row in the pool or -1
FRESH_I, FRESH_J, FRESH_NEXT_I, FRESH_NEXT_J, FRESH_ROW = range(5)

# place (N,): where a disc or cluster stands in the group, -1 for nowhere
NOWHERE = -1

# si
(
    M,
    PHASE,
    CURSOR,
    WHICH,  # buffer of positions that holds the last whole step
    STEPS,
    MERGES,
    WALLS,
    LINKS,  # used rows of the pool
    FRESH,  # new links of this step
    INSERTED,  # of these in the pool
    PATCH,  # where the group is, see below
    PATCH_CURSOR,
    HITS,  # clusters that a wall turns round in this step
    MOVED,  # discs that the minimisation has displaced in this step
    ITERATIONS,
    MINIMISATIONS,
    NOT_CONVERGED,
    RESTARTS,
    ROUNDS,
    WORK,
    PERIODIC,
    RIGID,
    ROUND_END,
    COLUMNS,
    ROWS,
    STEP_ITERATIONS,  # of this step: most iterations of a group, rounds, groups not converged
    STEP_ROUNDS,
    STEP_FAILED,
    LOGGED,
    BY_CLUSTER,  # the bodies of the group are whole clusters
    UNDONE,  # groups whose flight was undone
    LOOKED,  # pairs that the search for overlaps has looked at
) = range(32)
SI_LENGTH = 40

# sf
(
    T,  # of the last whole step
    NOW,  # shown: T or later, less than the end of the step
    DT,  # of the step under way
    STEP,  # fixed step, 0 for an adaptive one
    FRACTION,
    ENERGY,
    V_MAX,
    LX,
    LY,
    R_MAX,
    IMPULSE_X,
    IMPULSE_Y,
    DRIFT,  # how far a disc may be from where the grid was made
    WIDTH,
    HEIGHT,
    STEP_RESIDUAL,
    WORST_X,
    WORST_Y,
    R_CELL,  # the radius that cells are made for: R_MAX, unless a few discs are much larger than the others
) = range(19)
SF_LENGTH = 24

# phases of a step
REST, FLIGHT, REFLECT, COUNT, SORT, DETECT, MINIMISE, FINISH = range(8)
# PATCH: no group; it is minimised; its new contacts are looked for, after its motion or after its flight was undone
NO_GROUP, UNDER_WAY, ENDED, UNDONE_GROUP = range(4)
# why a kernel came back
AT_TIME, AT_CLUSTERS, AT_EVENTS, OUT_OF_WORK, NOTHING_MOVES, FRESH_FULL, POOL_FULL, LOG_FULL, AT_STEP = range(9)

# conv (CONVERGENCE_KEPT, 8): end of the step, most iterations, residual, not converged, new links, rounds, where the
# worst group was
CONVERGENCE_KEPT = 256


class Stepping(NamedTuple):
    """All of the state, as arrays: a copy of each is an exact checkpoint."""

    pos: NDArray[np.float64]  # (2, N, 2)
    radius: NDArray[np.float64]  # (N,)
    label: NDArray[np.int32]  # (N,) cluster of each disc
    ring: NDArray[np.int32]  # (N,) next disc of the same cluster, in a circle
    motion: NDArray[np.float64]  # (N, 8)
    live: NDArray[np.int32]  # (N,) clusters, the first M valid
    seat: NDArray[np.int32]  # (N,) place of a cluster in `live`
    pool: NDArray[np.int32]  # (L, 5) links
    head: NDArray[np.int32]  # (N,) first link of a disc
    fresh: NDArray[np.int32]  # (F, 5) new links
    chain: NDArray[np.int32]  # (N,) first new link of a cluster, -1 for none
    cell: NDArray[np.int32]  # (N,) grid cell of each disc
    start: NDArray[np.int32]  # (cells + 2,) first slot of each cell
    order: NDArray[np.int32]  # (N,) disc of each slot
    wide: NDArray[np.int32]  # (W,) discs larger than cells are made for, ascending; follows from `radius`
    sx: NDArray[np.float64]  # (N,) positions by slot
    sy: NDArray[np.float64]
    hit_c: NDArray[np.int32]  # (N,) clusters that a wall turns round, the first HITS valid
    hit: NDArray[np.float64]  # (N, 2) velocity after the reflection
    mark: NDArray[np.int32]  # (N,) clusters that touch a wall: their row in `hit`, -1 for the others
    moved: NDArray[np.int32]  # (N,)
    drift: NDArray[np.float64]  # (N,) displacement by the minimisation in this step, summed
    member: NDArray[np.int32]  # (N,) bodies of the group: disc or cluster
    place: NDArray[np.int32]  # (N,)
    body: NDArray[np.float64]
    lf: NDArray[np.float64]
    li: NDArray[np.int32]
    wake: NDArray[np.int32]
    gi: NDArray[np.int64]
    gf: NDArray[np.float64]
    log_f: NDArray[np.float64]  # (K, 3) time, clusters, kinetic energy after each step; row 0: the start
    conv: NDArray[np.float64]
    recent: Records  # the newest events, see `aggregation.recent`
    recent_next: NDArray[np.int64]
    si: NDArray[np.int64]
    sf: NDArray[np.float64]


def grid_shape(count: int, usual: float, box: NDArray[np.float64]) -> tuple[int, int]:
    """Columns and rows of cells a little wider than discs of the usual size, and no more than 8 N of them."""
    width = 2.0 * usual * (1.0 + 1e-9)
    width = max(width, np.sqrt(box[0] * box[1] / (8.0 * count)), box[0] / 30_000, box[1] / 30_000)
    return max(1, int(box[0] / width)), max(1, int(box[1] / width))


def wide_discs(radius: NDArray[np.float64], usual: float) -> NDArray[np.int32]:
    """The discs larger than cells are made for, ascending, (W,)."""
    return np.flatnonzero(radius > usual).astype(np.int32)


def allocate(state: InitialState, *, rigid: bool) -> Stepping:
    """Arrays for the discs of `state`, filled with what `start` (stepping_loop) does not derive."""
    n = len(state.radii)
    pos = np.zeros((2, n, 2))
    pos[0] = state.positions
    motion = np.zeros((n, 8))
    motion[:, VX : VY + 1] = state.velocities
    motion[:, MASS] = state.masses
    si = np.zeros(SI_LENGTH, np.int64)
    sf = np.zeros(SF_LENGTH)
    si[PERIODIC], si[RIGID], si[BY_CLUSTER] = state.periodic, rigid, rigid
    sf[LX], sf[LY] = state.box
    sf[R_MAX] = state.radii.max()
    sf[R_CELL] = usual_radius(state.radii)
    si[COLUMNS], si[ROWS] = grid_shape(n, float(sf[R_CELL]), state.box)
    sf[WIDTH], sf[HEIGHT] = sf[LX] / si[COLUMNS], sf[LY] / si[ROWS]
    links = 3 * n + 64

    def integers(*shape: int) -> NDArray[np.int32]:
        return np.zeros(shape, np.int32)

    def nowhere(count: int) -> NDArray[np.int32]:
        return np.full(count, NOWHERE, np.int32)

    return Stepping(
        pos=pos,
        radius=state.radii.copy(),
        label=representatives(state.cluster).astype(np.int32),
        ring=integers(n),
        motion=motion,
        live=integers(n),
        seat=nowhere(n),
        pool=integers(links, 5),
        head=nowhere(n),
        fresh=integers(n + 64, 5),
        chain=nowhere(n),
        cell=integers(n),
        start=integers(int(si[COLUMNS] * si[ROWS]) + 2),
        order=integers(n),
        wide=wide_discs(state.radii, float(sf[R_CELL])),
        sx=np.zeros(n),
        sy=np.zeros(n),
        hit_c=integers(n),
        hit=np.zeros((n, 2)),
        mark=nowhere(n),
        moved=integers(n),
        drift=np.zeros(n),
        member=integers(n),
        place=nowhere(n),
        body=np.zeros((n, ga.BODY_COLUMNS)),
        lf=np.zeros((links, ga.LINK_COLUMNS)),
        li=integers(links, 3),
        wake=integers(2 * links),
        gi=np.zeros(ga.GI_LENGTH, np.int64),
        gf=np.zeros(ga.GF_LENGTH),
        log_f=np.zeros((1024, 3)),
        conv=np.zeros((CONVERGENCE_KEPT, 8)),
        si=si,
        sf=sf,
        **no_events(),  # type: ignore[arg-type]
    )


def grow(st: Stepping, *names: str) -> Stepping:
    """The same state with twice the rows in the arrays named."""
    changes: dict[str, Any] = {}
    for name in names:
        old = getattr(st, name)
        new = np.zeros((2 * len(old), *old.shape[1:]), old.dtype)
        new[: len(old)] = old
        changes[name] = new
    return st._replace(**changes)
