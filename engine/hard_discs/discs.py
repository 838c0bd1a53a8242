"""The arrays that hold the state of a gas of hard discs.

Disc i, 0 <= i < N, is numbered in the order of a space-filling curve; ``original[i]`` is its number in the caller's
order. Values that are read together are fields of one record; what exists once is in the record `state`. All times are
relative to the beginning of the present epoch, so that they keep their digits however long a run is.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.kernels import elements, inlined, lent
from engine.records import in_space, record

MOTION = record("f8 x y vx vy time radius renewal", "i4 hits flags")
"""The motion of a disc, one cache line, all that predictions of its neighbours read: position and velocity at `time`;
its radius at the beginning of the epoch; the time at which it is next predicted in full, which is that of its next
collision, inf for none; hits : its collisions; flags : below."""

SPACE_MOTION = in_space(MOTION)
"""`MOTION` of a sphere: 80 bytes, two cache lines wherever it begins."""

ENTRY = record("f8 event last_contact", "i4 what partner_hits image_x image_y")
"""What else belongs to a disc, half a cache line.

event : the time of its next event, inf for none: `renewal`, or before that it leaves its shell; last_contact : the time
of its last contact, -inf for none; what : what happens at `renewal`: the number of the partner of a collision, or one
of the kinds below; partner_hits : collisions that the partner had had when this was predicted, by which a stale event
is recognised; image_x, image_y : how often it has crossed the periodic box along each axis.
"""

SPACE_ENTRY = in_space(ENTRY)
"""`ENTRY` of a sphere."""

PLACE = record("f4 x y radius")
"""A disc in the grid: its reference point, the centre of its shell; its radius, rounded up."""

SPACE_PLACE = in_space(PLACE)
"""`PLACE` of a sphere."""

LEVEL = record(
    "f8 columns_per_length rows_per_length layers_per_length largest smallest", "i8 columns rows layers first_cell"
)
"""A grid of cells for discs of similar size: cells per unit of length, largest and smallest radius as in `PLACE`;
number of columns, rows and layers (1 in the plane), and the block of `lists` that is its first cell."""

BIN = record("i4 block used")
"""A bin of the event calendar: its newest block in `waiting`, -1 for none, and how many numbers that holds."""

COMING = record("f8 time", "i4 disc")
"""An event of the present bin: its time and its disc. It still holds where the disc's own event has that time."""

CONTACT = record("f8 time", "i4 one other")
"""A collision: its time and its two discs; `other` is -1 for a wall."""

ROW = record(
    "f8 time kinetic_energy collisions virial volume_fraction thermal_energy heat"
    " strain virial_xx virial_yy virial_zz virial_xy flight_xx flight_yy flight_zz flight_xy"
)
"""A row of the history (`engine.hard_discs.fields.GasHistory`); `collisions` counts pairs. Only in a shear flow: the
strain, parts of the virial, and Σ m c_a c_b of the thermal velocities."""

STATE = record(
    # the box, the settings, and what follows from both; what belongs to z is 0 in the plane
    "f8 lx ly lz half_x half_y half_z gx gy gz restitution wall_restitution contact_time"
    # shear: rate of the flow along x; strain at the beginning of the epoch; how far images may move before the discs
    # near them search again
    " shear_rate strain drift"
    " growth_rate"  # of all radii relative to those at the beginning of the epoch; 1/time
    " final_factor"  # `radius_factor` at which growth ends
    " growth_end"  # the time at which it ends
    " first_fraction"  # volume fraction with the radii at the start of the run
    " rest_kinetic"  # kinetic energy below which, under gravity with a contact time, all discs count as at rest
    " wanted_kinetic"  # kinetic energy to which growing discs are led back
    # the epoch began at epoch + epoch_rest; the rest is 0, but for epochs that an earlier version has begun
    " now epoch epoch_rest"
    " epoch_end"  # the next epoch begins at this time at the latest
    " radius_factor"  # radii at the beginning of the epoch over those at the start of the run
    # shells and neighbour lists
    " shell_radius"
    " list_pad"  # two shell radii, rounded up: how far beyond contact a neighbour list reaches
    " list_factor"  # growth of the radii within the epoch that the lists allow for
    " largest_radius reach_slack"
    " bins_per_time"  # of the event calendar
    # measured: kinetic energy; how much of it is the motion of all discs together, 0 between walls; the integral of the
    # rest over time up to the beginning of the epoch, and of all of it from there to `kinetic_since`; the virial
    " kinetic_energy kinetic_com kinetic_integral kinetic_since virial"
    # momentum that each wall has taken from discs, along its axis
    " push_left push_right push_bottom push_top push_front push_back"
    " virial_xx virial_yy virial_zz virial_xy"  # its parts, of discs in a flow
    " z_virial z_kinetic_integral z_last"  # virial, integral and Z at the last check of the pressure during growth
    " stall_time stall_bound",  # the clock at the last check for a collapse, and by how much it has to advance
    # settings: 0 or 1
    "i8 periodic gravity equal_masses growing count_impacts"
    " sheared"  # there is a shear flow, or there was one
    " collapsed"  # a collapse has been reported, and the run continues
    " listed"  # neighbour lists are kept
    " count level_count"
    # neighbour lists and cells: blocks of `lists` that were never used begin at `blocks_used`; a chain of those given
    # back begins at `free_block` (-1 for none); how many there are of both kinds
    " blocks_used free_block blocks_free"
    # event queue: the same of `waiting`
    " waiting_used free_waiting waiting_free"
    " bin_mask"  # number of bins less one; the number is a power of two
    " bin"  # the present bin, counted from the beginning of the epoch
    " queued"  # numbers in all bins
    " coming_at coming_end coming_size"  # those of the present bin that are still to come, and how many fit
    " late_count late_size"  # those that were added to the present bin later
    # counters of events
    " pair_collisions wall_collisions stale_events shell_events stabilising_events three_body_events"
    " epoch_events epoch_length epochs"
    " work pair_tests"  # pairs tested by predictions
    " jumps"  # over an empty calendar
    # the history
    " rows row_step next_row"
    # numbers of collisions at which the clock and the pressure are checked next
    " stall_check z_check"
    " quiet",  # epochs in a row at whose end all discs were at rest
)
"""Values that exist once."""

# kinds of events, values of `what` below 0; SHELL: the disc leaves its shell
NOTHING, SHELL, WALL_LEFT, WALL_RIGHT, WALL_BOTTOM, WALL_TOP, WALL_FRONT, WALL_BACK = range(-1, -9, -1)

NOWHERE = np.float32(1e30)  # a coordinate of none
BIN_ROOM = 15  # discs in a block of `waiting`, a cache line; then the number of the next block of the bin, -1 for none
LINE = 16  # numbers of 4 bytes in a cache line, and in a block of `waiting`
FINE = 512  # parts of a bin into which its events are sorted when it is opened

# flags: the nearest image of a neighbour may lie across the edge of the box; a wall is within reach; at rest on a wall,
# so that gravity does not act along that axis; the next event is a stabilising one; the level of the disc from bit 8 on
EDGE, NEAR_WALLS, HELD_X, HELD_Y, STABILISING, HELD_Z = 1, 2, 4, 8, 16, 32
ACROSS = 64  # neighbours may be images that move with a shear flow
HELD = HELD_X | HELD_Y | HELD_Z
LEVEL_BIT = 8

MOST_ROWS = 8192  # of the history
RING = 1024  # newest collisions that are kept
STALL_AFTER = 256  # collisions between two checks for a collapse of many discs
AT_REST = 1e-13  # speed of collapsed discs over a typical one
FEW = 5  # most discs in an early check for a collapse
STALL_BACK = 32  # newest collisions that it examines
HISTOGRAM = 2048  # separations at impact are counted from -2048 to 2048 units in the last place
MAX_LEVELS = 8  # of the grid


class RowLayout(NamedTuple):
    """How the arrays of discs or of spheres are laid out: types of rows, and numbers in blocks of `lists`.

    A block of a list has neighbours, from the third last number on its whole length (in the first block) and the next
    block of the same list. A block of a cell has all x of its discs, all y, all z where there are such (in `spots`),
    the numbers of these discs, -1 for none, and at its end the next block of the cell.

    motion, entry, place : the types of rows; line : numbers in a block; cell_room : discs of a cell in one block.
    """

    motion: np.dtype[np.void]
    entry: np.dtype[np.void]
    place: np.dtype[np.void]
    line: int
    cell_room: int


PLANAR = RowLayout(MOTION, ENTRY, PLACE, 16, 5)
SPATIAL = RowLayout(SPACE_MOTION, SPACE_ENTRY, SPACE_PLACE, 32, 7)


class DiscArrays(NamedTuple):
    """The whole state of discs. What of it a checkpoint holds is declared in `engine.hard_discs.saved`.

    Kernels take the arrays and pass on `pointers` to them. The state of spheres is a `SphereArrays`; annotations that
    say `DiscArrays` mean both.
    """

    motion: NDArray[Any]  # (N,) MOTION
    entry: NDArray[Any]  # (N,) ENTRY
    place: NDArray[Any]  # (N,) PLACE
    mass: NDArray[np.float64]  # (N,), or (1,) where all are equal
    original: NDArray[np.int32]  # (N,)
    # blocks of as many numbers as the layout says: the neighbour list of each disc or the beginning of it, where lists
    # are kept; then the cells of the grid, all levels after one another; then what lists and cells need further
    lists: NDArray[np.int32]
    spots: NDArray[np.float32]  # the same memory: reference points of the discs of cells
    levels: NDArray[Any]  # (MAX_LEVELS,) LEVEL
    found: NDArray[np.int32]  # (N + numbers in a block,) scratch: result of a search for neighbours
    bins: NDArray[Any]  # BIN
    waiting: NDArray[np.int32]  # blocks of LINE numbers, discs whose events are in the bins
    coming: NDArray[Any]  # COMING, sorted; the second half is scratch
    late: NDArray[Any]  # COMING, a heap
    fine: NDArray[np.int32]  # (FINE + 1,) scratch
    newest: NDArray[Any]  # (RING,) CONTACT
    log: NDArray[Any]  # (MOST_ROWS,) ROW
    impacts: NDArray[np.int64]  # (2 HISTOGRAM + 1,) separations at impact in units in the last place of sigma
    state: Any  # a record, STATE


PLANE = len(DiscArrays._fields)
"""``len(st) > PLANE`` tells spheres from discs. In a kernel it is a constant of the type of the parameter `st`, and the
branch that is not taken is dropped before it is typed."""

_make: Any = namedtuple
SphereArrays: Any = _make("SphereArrays", (*DiscArrays._fields, "space"))
"""The whole state of spheres: the fields of `DiscArrays`, with rows as in `SPATIAL`, and `space`, which is 1."""


def dimensions_of(st: DiscArrays) -> int:
    """2 for discs, 3 for spheres."""
    if len(st) > PLANE:
        return 3
    return 2


def axes_of(st: DiscArrays) -> str:
    """The names of the axes, as fields are called after them."""
    return "xyz" if len(st) > PLANE else "xy"


def periodic_of(st: DiscArrays) -> Periodic:
    """Along which axes the box is periodic."""
    return Periodic.of_code(int(st.state.periodic), dimensions_of(st))


def box_of(st: DiscArrays) -> NDArray[np.float64]:
    """The sides of the box, (d,), length."""
    return np.array([st.state[f"l{axis}"] for axis in axes_of(st)])


def gravity_of(st: DiscArrays) -> tuple[float, ...]:
    """The gravity of the scenario, (d,), length per time²."""
    return tuple(float(st.state[f"g{axis}"]) for axis in axes_of(st))


def layout_of(st: DiscArrays) -> RowLayout:
    """How the arrays of this number of dimensions are laid out."""
    return SPATIAL if len(st) > PLANE else PLANAR


_SPACE_LINE, _SPACE_CELL_ROOM = SPATIAL.line, SPATIAL.cell_room
_PLANE_LINE, _PLANE_CELL_ROOM = PLANAR.line, PLANAR.cell_room


@inlined
def line_of(st: DiscArrays) -> int:
    """Numbers in a block of `lists`."""
    if len(st) > PLANE:
        return _SPACE_LINE
    return _PLANE_LINE


@inlined
def next_of(st: DiscArrays) -> int:
    """Where a block of `lists` has the number of the next one of the same list or cell, or of those given back."""
    return line_of(st) - 1


@inlined
def list_room(st: DiscArrays) -> int:
    """Neighbours in a block of `lists`; in the first block of a list its whole length stands there."""
    return line_of(st) - 2


@inlined
def cell_room(st: DiscArrays) -> int:
    """Discs of a cell in one block; so far apart are the x, y, z and the number of a disc there."""
    if len(st) > PLANE:
        return _SPACE_CELL_ROOM
    return _PLANE_CELL_ROOM


@inlined
def numbers_of(st: DiscArrays) -> int:
    """Where the numbers of the discs of a cell begin in a block, after all their coordinates."""
    if len(st) > PLANE:
        return 3 * _SPACE_CELL_ROOM
    return 2 * _PLANE_CELL_ROOM


@inlined
def pointers(st: DiscArrays) -> DiscArrays:
    """The arrays as `engine.kernels.elements`, each indexed with one number."""
    if len(st) > PLANE:
        return SphereArrays(  # type: ignore[no-any-return]
            elements(st.motion),
            elements(st.entry),
            elements(st.place),
            elements(st.mass),
            elements(st.original),
            elements(st.lists),
            elements(st.spots),
            elements(st.levels),
            elements(st.found),
            elements(st.bins),
            elements(st.waiting),
            elements(st.coming),
            elements(st.late),
            elements(st.fine),
            elements(st.newest),
            elements(st.log),
            elements(st.impacts),
            lent(st.state),
            st.space,  # type: ignore[attr-defined]
        )
    return DiscArrays(
        elements(st.motion),
        elements(st.entry),
        elements(st.place),
        elements(st.mass),
        elements(st.original),
        elements(st.lists),
        elements(st.spots),
        elements(st.levels),
        elements(st.found),
        elements(st.bins),
        elements(st.waiting),
        elements(st.coming),
        elements(st.late),
        elements(st.fine),
        elements(st.newest),
        elements(st.log),
        elements(st.impacts),
        lent(st.state),
    )
