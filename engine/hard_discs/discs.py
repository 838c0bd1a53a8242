"""The arrays in which a gas of hard discs is kept, and what they mean.

Disc i, 0 <= i < N, stands in the engine's order (along a space-filling curve); `original` names it for the caller. Its
motion is one cache line: eight float64 of `rec` from 8 i on; what the queue and the lists need are eight int32 of `ri`.
All times are relative to an epoch, so that they never lose digits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import elements, inlined

# rec: position and velocity at time T, time of its event (inf: none), radius at the epoch, time of the last contact
X, Y, VX, VY, T, EVENT, R, LAST = range(8)

# ri: what happens at EVENT (a partner, or one of the kinds below), collisions of that partner when it was predicted,
# own collisions, neighbours in the queue, length and start of the list in `pool`, flags
WHAT, PARTNER_HITS, HITS, NEXT, PREV, LENGTH, START, FLAGS = range(8)

NOTHING, SHELL, WALL_LEFT, WALL_RIGHT, WALL_BOTTOM, WALL_TOP = -1, -2, -3, -4, -5, -6

# values of PREV: first of its bin; in the heap (NEXT: its place there); in no queue
FIRST, HEAPED, OUT = -1, -2, -3

# FLAGS: the box's edge may lie between it and a neighbour; walls within reach; borne by a wall, so that gravity does
# not act along that axis; its event is one of discs that overlap; level of its grid from bit 8 on
EDGE, NEAR_WALLS, BORNE_X, BORNE_Y, STABILISING = 1, 2, 4, 8, 16
BORNE = BORNE_X | BORNE_Y
LEVEL_BIT = 8

# si
(
    PERIODIC,
    EQUAL_MASSES,
    MASK,  # bins of the calendar - 1, a power of two - 1
    BIN,  # the present one
    HEAP,  # events in the heap
    QUEUED,  # events in bins
    POOL_TOP,
    LEVELS,
    PAIRS,
    WALLS,
    STALE,
    SHELLS,
    STABILISED,
    THREE_BODY,
    EPOCH_EVENTS,
    EPOCH_LENGTH,
    WORK,
    ROWS,
    ROW_STEP,
    NEXT_ROW,
    GROWING,
    COLLAPSED,  # a collapse has been named, and the run goes on
    COUNT_IMPACTS,
    EPOCHS,
    STALL_CHECK,  # collisions at which the clock is looked at next
    TESTS,  # pairs looked at
    ROOTS,  # square roots taken for pairs
    JUMPS,
    Z_CHECK,
    GRAVITY,
    COUNT,  # discs
    POOL_SIZE,
    QUIET,  # epochs in a row at whose end all were at rest
) = range(33)
SI_LENGTH = 40

# sf
(
    NOW,
    LX,
    LY,
    HALF_X,
    HALF_Y,
    GX,
    GY,
    RESTITUTION,
    WALL_RESTITUTION,
    GAMMA,  # relative growth of all radii a time, at the epoch
    CONTACT_TIME,
    SHELL_RADIUS,
    PAD,  # two shells, rounded up: what a list reaches beyond touching
    LIST_FACTOR,  # growth of radii that the lists allow for
    LARGEST,  # radius
    PER_BIN,  # 1 / width of a bin
    REBASE,  # time at which a new epoch begins at the latest
    EPOCH,
    EPOCH_REST,  # compensated sum: the epoch is EPOCH + EPOCH_REST
    KINETIC,
    KINETIC_COM,
    KINETIC_TIME,  # integral of KINETIC
    KINETIC_SINCE,
    VIRIAL,
    FACTOR,  # present radii are the first ones times this, at the epoch
    STALL_TIME,
    STALL_BOUND,
    REACH_SLACK,
    MEAN_KINETIC,  # wanted while it grows
    Z_VIRIAL,
    Z_KINETIC_TIME,
    FRACTION,
    Z_LAST,
    REST_KINETIC,  # below it, under gravity with a contact time, all are at rest
    GROWTH_FACTOR,  # FACTOR at which growth ends
    GROWTH_END,  # and when, from the epoch on
) = range(36)
SF_LENGTH = 40

# log: columns of a row of the history
LOG_TIME, LOG_KINETIC, LOG_COLLISIONS, LOG_VIRIAL, LOG_FRACTION = range(5)
LOG_COLUMNS = 5
MOST_ROWS = 8192
RING = 1024
STALL_AFTER = 256  # collisions within which the clock has to move
HISTOGRAM = 2048  # impact separations are counted from -2048 to 2048 units in the last place
MAX_LEVELS = 8


class Discs(NamedTuple):
    """All of the state, as arrays of one dimension: a copy of each is an exact checkpoint.

    Kernels take the arrays and hand on `pointers` to them.
    """

    rec: NDArray[np.float64]  # (8 N,)
    ri: NDArray[np.int32]  # (8 N,)
    ref: NDArray[np.float32]  # (2 N,) reference points: centres of the shells
    mass: NDArray[np.float64]  # (N,), or (1,) where all are equal
    images: NDArray[np.int32]  # (2 N,) crossings of the periodic box
    original: NDArray[np.int32]  # (N,)
    pool: NDArray[np.uint32]  # neighbour lists; the entry before a list is its capacity
    bins: NDArray[np.int32]  # first event of each bin, -1 for none
    heap: NDArray[np.uint32]  # (N,) events of the present bin
    cell: NDArray[np.int32]  # first disc of each cell, all levels after one another
    cell_next: NDArray[np.int32]  # (N,)
    grid_f: NDArray[np.float64]  # (3 MAX_LEVELS,) cells a length in x and y, largest radius
    grid_i: NDArray[np.int64]  # (3 MAX_LEVELS,) columns, rows, first cell
    found: NDArray[np.uint32]  # scratch: candidates of a search
    ring_time: NDArray[np.float64]  # (RING,) the newest collisions
    ring_pair: NDArray[np.int32]  # (2 RING,)
    log: NDArray[np.float64]  # (MOST_ROWS LOG_COLUMNS,) the history, row by row
    impacts: NDArray[np.int64]  # (2 HISTOGRAM + 1,) separations at impact in units in the last place of sigma
    si: NDArray[np.int64]
    sf: NDArray[np.float64]


SCRATCH = frozenset({"found"})


def line_aligned(length: int, dtype: type[np.generic]) -> NDArray[Any]:
    """Zeros, (length,), that start on a cache line."""
    size = np.dtype(dtype).itemsize
    raw = np.zeros(length + 64 // size, dtype)
    start = (-raw.ctypes.data % 64) // size
    return raw[start : start + length]


@inlined
def pointers(st: Discs) -> Discs:
    """The same arrays as `engine.kernels.elements`, each indexed with one number."""
    return Discs(
        elements(st.rec),
        elements(st.ri),
        elements(st.ref),
        elements(st.mass),
        elements(st.images),
        elements(st.original),
        elements(st.pool),
        elements(st.bins),
        elements(st.heap),
        elements(st.cell),
        elements(st.cell_next),
        elements(st.grid_f),
        elements(st.grid_i),
        elements(st.found),
        elements(st.ring_time),
        elements(st.ring_pair),
        elements(st.log),
        elements(st.impacts),
        elements(st.si),
        elements(st.sf),
    )
