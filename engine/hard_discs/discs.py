"""The arrays in which a gas of hard discs is kept, and what they mean.

Disc i, 0 <= i < N, stands in the engine's order (along a space-filling curve); `original` gives the caller's number of
it. State is read by name: arrays of N discs are structured arrays whose records hold what is read together, and what
there is once stands in one record, `state`. All times are relative to an epoch, so that they never lose digits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import elements, inlined, lent
from engine.records import record

MOTION = record("f8 x y vx vy time event radius last_contact")
"""The motion of a disc, one cache line: place and velocity at `time`; when its next event is (inf: never); its radius
at the epoch; the time of its last contact."""

ENTRY = record("i4 what partner_hits hits next prev length start flags")
"""A disc in the queue of events and in the lists of neighbours: what happens at `event` (the partner, or one of the
kinds below) and how many collisions that partner had when this was predicted; its own collisions; its neighbours in the
queue; length and start of its list in `pool`; flags (below)."""

POINT = record("f4 x y")
"""A reference point: the centre of the shell of a disc."""

CROSSINGS = record("i4 x y")
"""How often a disc has crossed the periodic box along each axis."""

LEVEL = record("f8 columns_per_length rows_per_length largest", "i8 columns rows first_cell")
"""A grid of cells for discs of similar size: cells for each unit of length, largest radius; number of columns and rows,
and the first of its cells in `cell`."""

CONTACT = record("f8 time", "i4 one other")
"""A collision: when, and between which discs; `other` is -1 for a wall."""

ROW = record("f8 time kinetic_energy collisions virial volume_fraction")
"""A row of the history; `collisions` counts pairs."""

STATE = record(
    # the box, the settings, and what follows from both
    "f8 lx ly half_x half_y gx gy restitution wall_restitution contact_time"
    " growth_rate"  # of all radii, relative, a time, at the epoch
    " final_factor"  # `radius_factor` at which growth ends,
    " growth_end"  # and when that is, from the epoch on
    " first_fraction"  # volume fraction with the radii at the start
    " rest_kinetic"  # below it, under gravity with a contact time, all discs are at rest
    " wanted_kinetic"  # while discs grow
    # time: the epoch is the compensated sum epoch + epoch_rest
    " now epoch epoch_rest"
    " epoch_end"  # a new epoch begins then at the latest
    " radius_factor"  # present radii are those at the start times this, at the epoch
    # shells and lists
    " shell_radius"
    " list_pad"  # two shells, rounded up: how far a list reaches beyond touching
    " list_factor"  # growth of radii that the lists allow for
    " largest_radius reach_slack"
    " bins_per_time"  # of the calendar
    # what is measured: energy, its integral over time since `kinetic_since`, sums over collisions
    " kinetic_energy kinetic_com kinetic_integral kinetic_since virial"
    " z_virial z_kinetic_integral z_last"  # at the last look at the pressure while discs grow
    " stall_time stall_bound",  # the clock at the last look at it, and by how much it has to move until the next one
    # settings: 0 or 1
    "i8 periodic gravity equal_masses growing count_impacts"
    " collapsed"  # a collapse has been named, and the run goes on
    # lengths
    " count pool_size pool_top level_count"
    " bin_mask"  # bins of the calendar less one, which is a power of two less one
    " bin"  # the present one
    " heap_size queued"  # events in the heap and in bins
    # counters of events
    " pair_collisions wall_collisions stale_events shell_events stabilising_events three_body_events"
    " epoch_events epoch_length epochs"
    " work pair_tests"  # pairs that predictions have looked at
    " jumps"  # over an empty calendar
    # the history
    " rows row_step next_row"
    # collisions at which the clock and the pressure are looked at next
    " stall_check z_check"
    " quiet",  # epochs in a row at whose end all discs were at rest
)
"""What there is once."""

# kinds of events, values of `what` below 0
NOTHING, SHELL, WALL_LEFT, WALL_RIGHT, WALL_BOTTOM, WALL_TOP = -1, -2, -3, -4, -5, -6

# values of `prev`: first of its bin; in the heap (`next`: its place there); in no queue
FIRST, HEAPED, OUT = -1, -2, -3

# flags: the box's edge may lie between it and a neighbour; walls within reach; held by a wall, so that gravity does
# not act along that axis; its event is one of discs that overlap; level of its grid from bit 8 on
EDGE, NEAR_WALLS, BORNE_X, BORNE_Y, STABILISING = 1, 2, 4, 8, 16
BORNE = BORNE_X | BORNE_Y
LEVEL_BIT = 8

MOST_ROWS = 8192
RING = 1024
STALL_AFTER = 256  # collisions within which the clock has to move
HISTOGRAM = 2048  # impact separations are counted from -2048 to 2048 units in the last place
MAX_LEVELS = 8


class Discs(NamedTuple):
    """All of the state: a copy of each array, and of the record, is an exact checkpoint.

    Kernels take the arrays and hand on `pointers` to them.
    """

    motion: NDArray[Any]  # (N,) MOTION
    entry: NDArray[Any]  # (N,) ENTRY
    reference: NDArray[Any]  # (N,) POINT
    mass: NDArray[np.float64]  # (N,), or (1,) where all are equal
    images: NDArray[Any]  # (N,) CROSSINGS
    original: NDArray[np.int32]  # (N,)
    pool: NDArray[np.uint32]  # neighbour lists; the entry before a list is its capacity
    bins: NDArray[np.int32]  # first event of each bin, -1 for none
    heap: NDArray[np.uint32]  # (N,) discs with an event in the present bin
    cell: NDArray[np.int32]  # first disc of each cell, all levels after one another
    cell_next: NDArray[np.int32]  # (N,) next disc of the same cell
    levels: NDArray[Any]  # (MAX_LEVELS,) LEVEL
    found: NDArray[np.uint32]  # scratch: candidates of a search
    newest: NDArray[Any]  # (RING,) CONTACT, the newest collisions
    log: NDArray[Any]  # (MOST_ROWS,) ROW
    impacts: NDArray[np.int64]  # (2 HISTOGRAM + 1,) separations at impact in units in the last place of sigma
    state: Any  # a record, STATE


SCRATCH = frozenset({"found"})


def state_array(state: Any) -> NDArray[Any]:
    """A copy of the record as an array, (1,)."""
    return np.array([state.tolist()], STATE)


@inlined
def pointers(st: Discs) -> Discs:
    """The same arrays as `engine.kernels.elements`, each indexed with one number."""
    return Discs(
        elements(st.motion),
        elements(st.entry),
        elements(st.reference),
        elements(st.mass),
        elements(st.images),
        elements(st.original),
        elements(st.pool),
        elements(st.bins),
        elements(st.heap),
        elements(st.cell),
        elements(st.cell_next),
        elements(st.levels),
        elements(st.found),
        elements(st.newest),
        elements(st.log),
        elements(st.impacts),
        lent(st.state),
    )
