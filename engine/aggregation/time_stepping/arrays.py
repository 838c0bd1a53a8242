"""The arrays in which the time-stepping method keeps its discs, clusters and links, and what they mean.

A cluster is named by one of its discs, 0 <= c < N. It has an anchor: the origin of its frame and the time at which its
motion last changed. Its discs have places in this frame, so a disc is at x + v (t - time) + place as long as the
cluster flies straight, and nothing has to be written for that. Positions at the end of the current step are in a
separate buffer. A group is what one minimisation moves, see `groups` and `arrow_hurwicz`; the calendar determines which
clusters a step can skip, see `calendar`. Lengths, times and masses are in the units of the scenario.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.recent import no_events
from engine.aggregation.section import Aggregation
from engine.aggregation.turning import bodies, top
from engine.geometry.box_tree import DISC, SPACE_DISC
from engine.geometry.cells import usual_radius
from engine.kernels import vector_field
from engine.records import Records, along, in_space, record
from engine.scenario import Scenario
from engine.slices import FIRST_OF_ITS_OWN
from engine.state import InitialState, representatives

CLUSTER = record("f8 vx vy px py mass x y time")
SPACE_CLUSTER = in_space(CLUSTER)
"""A cluster; in space this and the records below have the fields of the third axis too.

vx, vy : velocity; px, py : momentum; mass; x, y : origin of its frame at `time`, inside the box along periodic
axes (length); time : since when it flies straight.
"""

TURNING_CLUSTER = record(
    "f8 x y vx vy time angle spin arm centre_x centre_y px py mass spin_momentum inertia reach",
    "f8 flown_inertia offset_x offset_y undone_at undone_angle image_time disc_angle",
    "i4 undone imaged",
    "i8 spans",
)
SPACE_TURNING_CLUSTER = bodies.turning_in_space(
    TURNING_CLUSTER,
    f"f8 {' '.join(f'undone_{name}' for name in top.ORIENTATION)} {' '.join(f'flown_{name}' for name in top.TENSOR)}",
)
"""A cluster that turns. Fields that CLUSTER has too mean the same, but x, y : its centre of mass at `time`.

angle : φ at `time`, from -π to π; spin : ω (1 / time); arm, reach : how far the centre of a disc, and its edge, are
from the centre of mass at most (length); centre_x, centre_y : the centre of mass in the frame of the body;
spin_momentum : its angular momentum L about its centre of mass; inertia : I, its moment of inertia about it;
disc_angle : not of the cluster but of the disc with this number: how far it is turned in the frame of its cluster;
spans : 1 if it touches an image of itself, so that it turns no more.

The rest is about the step under way. flown_inertia : I, and offset_x, offset_y : how far the centre of mass is from
where it was, before the minimisation; undone : the last step in which its flight was undone; undone_at, undone_angle :
until when that flight lasts then, from the last whole step, and φ there; imaged : the last step in which it meets an
image of itself; image_time : when, from the last whole step.

In space, `engine.aggregation.turning.bodies.turning_in_space` says what is there in the place of angle, spin,
spin_momentum, inertia and disc_angle; q_w … is the orientation at `time`. undone_q_w … and flown_inertia_xx … take the
places of undone_angle and flown_inertia.
"""

NEVER_CHANGED = -2

LINK = record("i4 i j next_i next_j slack before")
"""A link of two discs.

i, j : the discs; next_i, next_j : the next link of either disc, -1 for none; slack : 1 if it was dropped: a pair that a
    minimisation did not bring to contact is linked again only when it overlaps; before : 2 s + slack, where s is the
    last step that changed `slack` and `slack` its value before, or `NEVER_CHANGED`.
"""

NEW_LINK = record("i4 i j next_i next_j row")
"""A new link of the current step.

i, j : the discs; next_i, next_j : the next new link of either cluster, -1 for none; row : its index among all links, -1
    until it has one.
"""

BODY = record("f8 dx dy old_dx old_dy fx fy mobility x_low x_high y_low y_high stride")
SPACE_BODY = in_space(BODY)
TURNING_BODY = record(
    "f8 angle dx dy old_dx old_dy fx fy mobility x_low x_high y_low y_high stride",
)
SPACE_TURNING_BODY = record(
    f"f8 {' '.join((*top.ORIENTATION, *(SPACE_BODY.names or ())))}",
)
"""A body of a group: a disc, or a whole cluster.

dx, dy : displacement; old_dx, old_dy : that of one iteration ago; fx, fy : force, times α; mobility : 0 for a body that
is frozen, 1 for a disc that moves, for a cluster the lightest mass of the group over its own; x_low … y_high : least
and greatest displacement between the walls; stride : the most that it may move in one iteration (length); angle, in
space q_w … q_k : where clusters turn, φ, or the orientation, of a cluster whose flight is undone.
"""

GROUP_LINK = record("f8 x y multiplier sigma2 per_s phi lean", "i4 a b row")
SPACE_GROUP_LINK = in_space(GROUP_LINK)
"""A link of a group.

x, y : vector between its discs at zero displacement (length); multiplier : λ; sigma2 : σ², the square of the distance
at contact; per_s : 1 / s, s = σ² / 4; phi : φ / s, above 0 for an overlap; lean : (m_b - m_a) / (m_a + m_b) of two
discs, 0 of two clusters: a moves by 1 + lean times as much as for equal masses, b by 1 - lean times; a, b : its bodies;
row : its place among all links.
"""

GROUP = record(
    "i8 bodies links mode iterations restarts since_best wakes sweeps",
    "i8 max_iterations damped adaptive conserving",
    "f8 alpha beta gamma c tolerance",
    "f8 scale best residual start best_merit speed",
)
"""The state of the current minimisation.

bodies, links : how many it has; mode : see `arrow_hurwicz`; iterations, restarts : so far; since_best : iterations
since the residual was the least; wakes : frozen bodies that have to be woken; sweeps : of the projection.
max_iterations … tolerance : see `section.Damping`; damped : 1 for (3.22), 0 for (3.17); conserving : 1 if strides
and undone flights must not move the centre of mass along periodic axes, except for equal discs in deformable clusters.
There it moves by only some thousandths of a radius in a run, and the runs stay the same to the bit as in earlier
versions.
scale : of the coefficients, halved at each restart; best, best_merit : least so far; residual : max |φ| / s; start :
the residual at the beginning; speed : factor of β, which grows.
"""

STEP_END = record("f8 time", "i8 clusters", "f8 kinetic_energy")
"""Time, number of clusters and kinetic energy after a step. Row 0 is the start."""

JOIN = record("f8 time", "i4 i j")
"""A merge: the end of its step, and the discs of the new link that joined two clusters. 16 bytes; at most N - 1."""

CONVERGED_STEP = record("f8 time", "i8 iterations not_converged links rounds", "f8 residual x y")
SPACE_CONVERGED_STEP = in_space(CONVERGED_STEP)
"""Convergence data of a step, see `frame.Convergence`."""

SIMULATION = record(
    "i8 clusters phase cursor steps merges walls links fresh inserted",
    "i8 group_state group_cursor hits moved iterations minimisations not_converged restarts rounds work",
    "i8 periodic rigid round_end columns rows step_iterations step_rounds step_failed logged by_cluster undone looked",
    "i8 sparse links_before step_all_iterations step_minimisations step_restarts step_undone",
    "f8 time now dt fixed_step fraction energy fastest box_x box_y largest_radius usual_radius",
    "f8 impulse_x impulse_y drift cell_x cell_y step_residual worst_x worst_y",
)
SPACE_SIMULATION = in_space(SIMULATION)
TURNING_SIMULATION = record(
    "i8 spanning reshaped imaged again",
    "f8 raised widest smallest_radius",
    *(f"{SIMULATION[name].str[1:]} {name}" for name in SIMULATION.names or ()),
)
SPACE_TURNING_SIMULATION = in_space(TURNING_SIMULATION)
"""Scalar values.

clusters : their number; phase : of the step, see below; cursor : progress of the phase (discs, rows of the grid, awake
    clusters, or finished new links); steps, merges, walls : so far; links : used rows of the
links; fresh : new links of this step; inserted : how many of these are among the links.
group_state : see below; group_cursor : bodies of the group around which new contacts have been looked for; hits :
clusters that walls reflect in this step; moved : discs that the minimisation has displaced in this step; iterations,
minimisations, not_converged, restarts, rounds : in whole steps so far; work : done so far, in units of about ten
nanoseconds.
periodic : along which axes the box is (`engine.boundary.Periodic.code`); rigid : 1 where clusters keep their shape;
round_end : number of new links at the beginning of the round, which processes these; columns, rows, in space layers :
of the grid; step_iterations, step_rounds, step_failed : of this step: most iterations of a group, rounds, groups that
have not converged; logged : rows of the history; by_cluster : 1 where the bodies of the group are whole clusters;
undone : groups whose flight was undone; looked : pairs compared in the search for overlaps; sparse : 1 if the current
step only processes what can meet in it, see `calendar`; links_before : used rows of the links before the current step;
step_all_iterations, step_minimisations, step_restarts, step_undone : of this step.
time : of the last whole step; now : the time shown, `time` or later, less than the end of the step; dt : of the step
under way; fixed_step : 0 for an adaptive one; fraction : f of the adaptive step (3.3); energy : kinetic; fastest :
largest speed of a cluster; box_x, box_y : sides of the box; largest_radius; usual_radius : the radius that cells are
made for, the largest one unless a few discs are much larger than the others.
impulse_x, impulse_y : momentum that the walls have given; drift : how far a disc may be from where the grid was made;
cell_x, cell_y : sides of a cell; step_residual : largest max |φ| / s of this step; worst_x, worst_y : a disc of the
group that took most iterations in this step.
Where clusters turn, spanning : clusters that have met an image of themselves; imaged : those that do in this step;
again : 1 once the flight of this step has been repeated because of that; reshaped : clusters whose energy reshaping has
raised; raised : the sum of what it has added and taken; widest : the greatest reach of a cluster that turns;
smallest_radius : of the discs.
"""

NOWHERE = -1  # place of a disc or cluster that is not in the group

# phases of a step over all discs: between two steps, free flight, walls, the counting sort into cells, overlaps; of
# both kinds of steps: minimisation, end; of a sparse step, instead of the first ones: which clusters are awake and meet
# walls, their positions then, overlaps
REST, FLIGHT, REFLECT, COUNT, SORT, DETECT, MINIMISE, FINISH, WAKE, ENTER, MEET = range(11)
# group_state: no group; minimising; searching for new contacts, after its motion or after its flight was undone
NO_GROUP, UNDER_WAY, ENDED, UNDONE_GROUP = range(4)
# statuses of kernels, in addition to those of `engine.slices`: an array is too short, a step is done, or the arrays of
# the calendar are needed
FRESH_FULL, LINKS_FULL, LOG_FULL, AT_STEP, NO_CALENDAR, BUCKETS_FULL = range(FIRST_OF_ITS_OWN, FIRST_OF_ITS_OWN + 6)

CONVERGENCE_KEPT = 256


class Stepping(NamedTuple):
    """The whole state, as arrays; `saved` defines which of them determine the results.

    In space, records are of the types with the fields of the third axis, such as `SPACE_CLUSTER`.
    """

    sim: Records  # (1,) of SIMULATION
    discs: Records  # (N,) of DISC: places in the frame of the cluster, radii, masses
    pos: NDArray[np.float64]  # (N, d) positions at the end of the step under way, as far as they are known
    radius: NDArray[np.float64]  # (N,)
    label: NDArray[np.int32]  # (N,) cluster of each disc
    ring: NDArray[np.int32]  # (N,) next disc of the same cluster, in a circle
    clusters: Records  # (N,) of CLUSTER
    live: NDArray[np.int32]  # (N,) clusters, the first `clusters` valid
    seat: NDArray[np.int32]  # (N,) place of a cluster in `live`
    links: Records  # (L,) of LINK
    head: NDArray[np.int32]  # (N,) first link of a disc
    fresh: Records  # (F,) of NEW_LINK
    chain: NDArray[np.int32]  # (N,) first new link of a cluster, -1 for none
    cell: NDArray[np.int32]  # (N,) grid cell of each disc
    start: NDArray[np.int32]  # (cells + 2,) first slot of each cell
    order: NDArray[np.int32]  # (N,) disc of each slot
    wide: NDArray[np.int32]  # (W,) discs larger than cells are made for, ascending; follows from `radius`
    spots: NDArray[np.float64]  # (N, d) positions by slot
    hit_c: NDArray[np.int32]  # (N,) clusters that walls reflect, the first `hits` valid
    hit: NDArray[np.float64]
    # (N, d) velocity after the reflection; where clusters turn, (N, 3) in the plane: and ω; (N, 9) in space: L and ω
    mark: NDArray[np.int32]  # (N,) clusters that touch a wall: their row in `hit`, -1 for the others
    keys: NDArray[np.int64]  # (F,) scratch: the pairs of new links, to be ordered
    touched: NDArray[np.int32]  # (N,) scratch: discs that one disc overlaps
    brought: NDArray[np.int32]  # (N,) the step in which `pos` of a disc was found last
    shift: NDArray[np.float64]
    # (N, d) by which walls have moved the clusters of `hit_c`, where the step goes by them; where clusters turn, in
    # every step, (N, 3) in the plane: and turned them; (N, 7) in space: and their orientation then
    moved: NDArray[np.int32]  # (N,) discs that the minimisation has displaced, the first `sim.moved` valid
    drift: NDArray[np.float64]  # (N,) displacement by the minimisation in this step, summed
    member: NDArray[np.int32]  # (N,) bodies of the group: disc or cluster
    place: NDArray[np.int32]  # (N,) where a disc or cluster stands in the group
    group: Records  # (1,) of GROUP
    bodies: Records  # (N,) of BODY
    group_links: Records  # (L,) of GROUP_LINK
    wake: NDArray[np.int32]  # (2 L,) frozen bodies of the group to wake
    log: Records  # (K,) of STEP_END
    convergence: Records  # (CONVERGENCE_KEPT,) of CONVERGED_STEP
    merged: NDArray[np.float64]  # (N,) time of the last merge of a cluster, or of the start; nothing follows from it
    joins: Records  # (N,) of JOIN: the record of merges, the first `sim.merges` valid; nothing follows from it
    recent: Records  # the newest events, see `aggregation.recent`
    recent_next: NDArray[np.int64]
    flying: Records  # (1,) of CLUSTER, scratch: where clusters turn, one in its flight between walls


wall_impulse, put_wall_impulse = vector_field("impulse_x", "impulse_y", "impulse_z")
worst_place, put_worst_place = vector_field("worst_x", "worst_y", "worst_z")


def grid_shape(count: int, usual: float, box: NDArray[np.float64]) -> NDArray[np.int64]:
    """Columns, rows and in space layers (d,) of cells a little wider than discs of the usual size, in a box (d,): no
    more than about 8 N of them."""
    even = np.sqrt if len(box) == 2 else np.cbrt
    width = max(2.0 * usual * (1.0 + 1e-9), even(box.prod() / (8.0 * count)), box.max() / 30_000)
    while True:
        cells: NDArray[np.int64] = np.maximum(1, (box / width).astype(np.int64))
        if cells.prod() <= max(8 * count, 30_000):
            return cells
        width *= 1.2  # a flat box, in which cells are higher than the box


def wide_discs(radius: NDArray[np.float64], usual: float) -> NDArray[np.int32]:
    """The discs larger than cells are made for, ascending, (W,)."""
    return np.flatnonzero(radius > usual).astype(np.int32)


_ROWS = {
    (2, False): (CLUSTER, SIMULATION, BODY),
    (2, True): (TURNING_CLUSTER, TURNING_SIMULATION, TURNING_BODY),
    (3, False): (SPACE_CLUSTER, SPACE_SIMULATION, SPACE_BODY),
    (3, True): (SPACE_TURNING_CLUSTER, SPACE_TURNING_SIMULATION, SPACE_TURNING_BODY),
}
"""The types of clusters, of scalar values and of bodies, by the number of dimensions and whether clusters turn."""


def columns_of_hits(dimensions: int, turns: bool) -> tuple[int, int]:
    """How many columns `hit` and `shift` of `Stepping` have."""
    if not turns:
        return dimensions, dimensions
    return (3, 3) if dimensions == 2 else (9, 7)


def allocate(state: InitialState, turns: bool = False) -> Stepping:
    """Arrays for the discs of `state`, filled except for what the scenario sets and `loop.start` derives.

    turns : whether clusters turn.
    """
    n, dimensions = state.positions.shape
    in_plane = dimensions == 2
    cluster, numbers, body = _ROWS[dimensions, turns]
    hits, shifts = columns_of_hits(dimensions, turns)
    discs = np.zeros(n, DISC if in_plane else SPACE_DISC)
    for name, places in zip(along("", dimensions), state.positions.T, strict=True):
        discs[name] = places
    discs["radius"] = state.radii
    discs["mass"] = state.masses
    clusters = np.zeros(n, cluster)
    if turns:
        clusters["undone"] = clusters["imaged"] = NOWHERE
    for name, velocities in zip(along("v", dimensions), state.velocities.T, strict=True):
        clusters[name] = velocities
    clusters["mass"] = state.masses
    sim = np.zeros(1, numbers)
    sim["periodic"] = state.periodic.code
    sim["largest_radius"] = state.radii.max()
    usual = usual_radius(state.radii)
    cells = grid_shape(n, usual, state.box)
    sim["usual_radius"] = usual
    if turns:
        sim["smallest_radius"] = state.radii.min()
    for name, axis, side, number in zip(("columns", "rows", "layers"), "xyz", state.box, cells, strict=False):
        sim[name], sim[f"box_{axis}"], sim[f"cell_{axis}"] = number, side, side / number
    links = 3 * n + 64

    def integers(*shape: int) -> NDArray[np.int32]:
        return np.zeros(shape, np.int32)

    def nowhere(count: int) -> NDArray[np.int32]:
        return np.full(count, NOWHERE, np.int32)

    return Stepping(
        discs=discs,
        pos=state.positions.copy(),
        radius=state.radii.copy(),
        label=representatives(state.cluster).astype(np.int32),
        ring=integers(n),
        clusters=clusters,
        live=integers(n),
        seat=nowhere(n),
        links=np.zeros(links, LINK),
        head=nowhere(n),
        fresh=np.zeros(n + 64, NEW_LINK),
        chain=nowhere(n),
        cell=integers(n),
        start=integers(int(cells.prod()) + 2),
        order=integers(n),
        wide=wide_discs(state.radii, usual),
        spots=np.zeros((n, dimensions)),
        hit_c=integers(n),
        hit=np.zeros((n, hits)),
        mark=nowhere(n),
        moved=integers(n),
        drift=np.zeros(n),
        member=integers(n),
        place=nowhere(n),
        group=np.zeros(1, GROUP),
        bodies=np.zeros(n, body),
        group_links=np.zeros(links, GROUP_LINK if in_plane else SPACE_GROUP_LINK),
        wake=integers(2 * links),
        log=np.zeros(1024, STEP_END),
        convergence=np.zeros(CONVERGENCE_KEPT, CONVERGED_STEP if in_plane else SPACE_CONVERGED_STEP),
        merged=np.zeros(n),
        joins=np.zeros(n, JOIN),
        sim=sim,
        flying=np.zeros(1, cluster),
        **scratch(n, n + 64, shifts),
        **no_events(dimensions),  # type: ignore[arg-type]
    )


def scratch(count: int, fresh: int, columns: int) -> dict[str, Any]:
    """The arrays that are not saved, for this many discs, rows of new links and columns of `shift`."""
    whole = np.int32
    return {
        "keys": np.zeros(fresh, np.int64),
        "touched": np.zeros(count, whole),
        "brought": np.full(count, NOWHERE, whole),
        "shift": np.zeros((count, columns)),
    }


def settings_of(scenario: Scenario) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of a scenario: fields of SIMULATION and of GROUP, with their values."""
    stepping, damping = scenario.section(Aggregation).time_stepping, scenario.section(Aggregation).damping
    step = 0.0 if stepping.step == "adaptive" else stepping.step
    sim = {"rigid": stepping.clusters == "rigid", "fixed_step": step, "fraction": stepping.fraction}
    return sim, damping.model_dump(exclude={"scheme"}) | {"damped": damping.scheme == "damped"}


def take_settings(st: Stepping, scenario: Scenario) -> None:
    """Copy the settings of the scenario into the arrays."""
    for rows, settings in zip((st.sim, st.group), settings_of(scenario), strict=True):
        for name, value in settings.items():
            rows[name] = value
    uneven = st.sim["rigid"] | (np.ptp(st.discs["mass"]) > 0.0)
    st.group["conserving"] = (st.sim["periodic"] > 0) & uneven
