"""The numerics of hard discs and spheres that aggregate, collide and jam, without any user interface.

    scenario = engine.load_scenario("lattice-2500")
    simulation = engine.create(scenario)
    simulation.run(until_clusters=1)
    engine.plot(simulation)

Importing this module is quick: numba and the kernels are loaded by the first `create`, `restore` or `warm_up`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.aggregation.system import AggregationSystem
from engine.capabilities import Copying, merging
from engine.errors import InputError, either, typed_path
from engine.frame import Frame, Plugged, Start, living
from engine.hard_discs.system import HardDiscSystem
from engine.jamming.system import JammingSystem
from engine.saved import check_checkpoint
from engine.scenario import Scenario, load_scenario
from engine.state_file import as_in_file, open_scenario
from engine.system import carried, carries_on, find, register, system_of, throws
from engine.version import __version__
from engine.warming import warm_up

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from engine.files import FileFrame
    from engine.merges import MergeTree
    from engine.simulation import Checkpoint, Simulation
    from engine.state import InitialState

SYSTEMS = (
    AggregationSystem(),
    HardDiscSystem(),
    JammingSystem(),
)
"""The program's own systems; plug-ins register more."""

for _system in SYSTEMS:
    register(_system)

__all__ = [
    "InputError",
    "Scenario",
    "__version__",
    "carry_on",
    "check_checkpoint",
    "copy",
    "create",
    "load_scenario",
    "measures",
    "merge_tree",
    "open_scenario",
    "open_session",
    "plot",
    "restore",
    "select",
    "throw",
    "unwrapped",
    "warm_up",
]


def create(scenario: Scenario, state: InitialState | None = None) -> Simulation:
    """Make the simulation of a scenario, at time 0.

    Parameters
    ----------
    scenario : what is simulated. If it starts from a file, the simulation's scenario has the number and the volume
        fraction of the discs in the file.
    state : the initial state of this scenario, if `engine.initial.initial_state` has been called already.

    Raises
    ------
    InputError
        The scenario cannot be run.
    """
    from engine.initial import initial_state

    state = initial_state(scenario) if state is None else state
    scenario = as_in_file(scenario, state.radii, state.box)
    kind = system_of(scenario)
    if scenario.velocities.spin and not kind.turns(scenario):
        raise InputError("velocities.spin must be 0 where nothing turns", "velocities.spin")
    return kind.create(scenario, state)


def carry_on(simulation: Simulation, scenario: Scenario) -> Simulation:
    """Make a simulation that continues with the same discs but other settings of their system.

    Such settings are the method, or rigid instead of deformable clusters. The simulation starts from the last state
    without overlaps (`simulation.settled()`), at the time of that state. It keeps velocities, cluster labels and
    history; the history has two entries at the time of the change. Events, steps and invariants are counted from 0.

    Parameters
    ----------
    simulation : the one to continue; it is not changed.
    scenario : may differ from that of `simulation` only in the table of the system. Where nothing turns any more, its
        ``velocities.spin`` becomes 0.

    Raises
    ------
    InputError
        The scenario differs in something else, or the system has only one method.
    """
    scenario = carried(as_in_file(scenario, simulation.radii, simulation.box))
    kind, before = system_of(simulation.scenario), simulation.scenario
    if before.velocities.spin and not kind.turns(scenario):
        before = before.with_values({"velocities.spin": scenario.velocities.spin})
    key = scenario.first_difference(before, apart_from=kind.table)
    if key is not None:
        raise InputError(f"{key} can only be set at the start", key)
    able = carries_on(kind)
    if able is None:
        raise InputError(f"{kind.name} has only one method, so no other can continue its runs", "system")
    return able.create_continued(simulation, scenario)


def throw(
    simulation: Simulation,
    disc: int,
    position: Sequence[float] | None = None,
    velocity: Sequence[float] | None = None,
) -> Simulation:
    """Make a simulation that continues after one disc or sphere was moved and thrown.

    If discs join, the whole cluster of the disc moves with it and gets the velocity. If clusters turn, the disc gets it
    by an impulse J at its centre: the velocity of its cluster changes by J / M and its spin by I⁻¹ (a × J), where a is
    from the centre of mass to the disc. The new simulation starts from the
    last state without overlaps (`simulation.settled()`), at the time of that state, and keeps the history. Conserved
    quantities are measured from the new state on.

    Parameters
    ----------
    simulation : the one to continue; it is not changed.
    disc : its number.
    position : (d,), the new place of its centre. If it is not free, the disc stops where it touches another disc or a
        wall. None leaves it where it is.
    velocity : (d,), its new velocity; None for its present one.

    Raises
    ------
    InputError
        There is no such disc, the numbers are invalid, or discs of this system cannot be moved by hand.
    """
    from engine.throwing import thrown_state

    kind = system_of(simulation.scenario)
    able = throws(kind)
    if able is None:
        raise InputError(f"discs of the system {kind.name} cannot be moved by hand", "system")
    state, body = thrown_state(simulation, disc, position, velocity, kind.joins)
    return able.thrown(simulation, state, body)


def restore(checkpoint: Checkpoint) -> Simulation:
    """Restore the simulation of a checkpoint. It continues bit for bit.

    The arrays are not checked: call `check_checkpoint` first if the checkpoint comes from a file.

    Raises
    ------
    InputError
        No system of this version has made it, or its plug-in is not loaded.
    """
    known = find(checkpoint.system)
    if known is None or checkpoint.method not in known.methods:
        raise InputError(f"this version cannot restore a checkpoint of {checkpoint.system}, {checkpoint.method}")
    return known.restore(checkpoint)


def open_session(path: str | Path, lane: int | None = None) -> Simulation:
    """The simulation of a session file (``.aggsession``), which continues bit for bit.

        simulation = engine.open_session("final.aggsession")
        simulation.run(until_time=simulation.time + 10.0)

    Parameters
    ----------
    path : the file, of *Save* in the window or of ``aggviewer run --out``.
    lane : which run of a comparison, 0 or 1; not needed for a file with one run.

    Raises
    ------
    InputError
        The file cannot be used, or it holds a comparison and `lane` does not say which run. The message names the file.
    """
    from engine.files.session_file import read_checkpoints

    file = typed_path(path)
    found = read_checkpoints(file)
    if lane is None and len(found) > 1:
        raise InputError(f"{file} holds a comparison of two runs: pass lane=0 or lane=1", "lane")
    if lane not in (None, *range(len(found))):
        raise InputError(f"lane must be {either(map(str, range(len(found))))} for {file}, not {lane!r}", "lane")
    return restore(found[lane or 0])


def measures(
    simulation: Simulation, indicators: Collection[str] | None = None, start: Frame | None = None
) -> dict[str, Any]:
    """What ``aggviewer run --json`` writes, of a simulation as it is now: the same keys, from the same code.

        start = simulation.frame()
        simulation.run(until_time=50.0)
        found = engine.measures(simulation, start=start)
        found["indicators"]["mean_square_displacement"]

    Numbers that are not finite are None, as in JSON; so are the seconds that a run took. For discs that deform in
    steps, the state is the last one without overlaps (`simulation.settled()`).

    Parameters
    ----------
    simulation : what is measured; it is not changed.
    indicators : the names of those that are wanted, None for all.
    start : the frame from which displacements count; without it what compares with a start is None.

    Raises
    ------
    InputError
        There is no such indicator; the message names all.
    """
    from math import nan

    from engine.runs.loop import Ended
    from engine.runs.summary import json_value, measured

    if living(simulation) is None:
        raise InputError(f"a simulation can be measured, not {type(simulation).__name__}")
    if not isinstance(start, Frame | None):
        raise InputError(f"start must be a frame of the simulation, not {type(start).__name__}", "start")
    kind, frame = system_of(simulation.scenario), simulation.settled()
    if indicators is not None:
        indicators = (indicators,) if isinstance(indicators, str) else tuple(indicators)
        known = [one.name for one in kind.chosen(None)]
        for name in indicators:
            if name not in known:
                raise InputError(f"there is no indicator {name!r} of {kind.name}; there are {', '.join(known)}")
    reached = simulation.advance(simulation.time, 0.0, max_events=0)
    begun = None if start is None else Start.of(start, simulation.box)
    ended = Ended(reached, nan, "finished" if reached.finished else "")
    found = measured(simulation, frame, ended, compile_s=nan, setup_s=nan, indicators=indicators, start=begun)
    return {name: None if value == "" else json_value(value) for name, value in found.items()}


def unwrapped(shown: Simulation | Frame | FileFrame | Iterable[Frame | FileFrame]) -> NDArray[np.float64]:
    """Positions along the paths of the discs, which go on across the edges of a periodic box.

        start = engine.unwrapped(simulation)
        simulation.run(until_time=10.0)
        square = ((engine.unwrapped(simulation) - start) ** 2).sum(axis=1).mean()

        paths = engine.unwrapped(engine.files.read("trajectory.gsd"))  # (K, N, d)

    They count from the start of the run, also for a simulation of `open_session`. Discs that bounce count the edges
    that they cross, in files too. Of discs that stick the paths follow from the start and the record of merges; of
    frames of such a run, from one to the next.

    Parameters
    ----------
    shown : a simulation, one of its frames or a frame of a file, or several frames of one run in order.

    Returns
    -------
    (N, d), or (K, N, d) of several frames.

    Raises
    ------
    InputError
        The paths are not known, for example because discs were thrown by hand, or because frames are too far apart.
    """
    from engine.paths import paths

    return paths(shown)


def copy(simulation: Simulation) -> Simulation:
    """Copy a simulation in its present state. Both continue bit for bit, independently."""
    return simulation.copy() if isinstance(simulation, Copying) else restore(simulation.checkpoint())


def merge_tree(simulation: Simulation) -> MergeTree:
    """Which clusters became which, and when: the merges of a run so far, as a tree in plain arrays.

        tree = engine.merge_tree(simulation)
        root = tree.node_of(17)  # the cluster that disc 17 belongs to
        scipy.cluster.hierarchy.dendrogram(tree.linkage(root))

    Raises
    ------
    InputError
        The discs of this simulation do not join, or it keeps no record of merges.
    """
    from engine.merges import merge_tree

    able = merging(simulation)
    if able is None:
        raise InputError(
            f"{simulation.system} has no record of merges; only systems whose discs join have one", "system"
        )
    return merge_tree(able.merge_log())


def select(simulation: Simulation, condition: str, frame: Frame | None = None) -> NDArray[np.bool_]:
    """Which discs of a simulation meet a condition: a mask for its arrays, (N,) bool.

    Discs keep their numbers for the whole run, also when clusters merge, so the mask picks the same discs later.

    ::

        large = engine.select(simulation, "size > 50 and speed < 0.1")
        simulation.frame().positions[large]

    A condition may have the names of the system's fields (those of ``--color-by``), ``disc``, ``x``, ``y``, ``radius``,
    ``mass``, and ``vx`` and ``vy`` where discs fly, numbers, ``+ - * / **``, comparisons, ``and``, ``or``, ``not``,
    brackets, and the functions sqrt, log, log10, exp, abs, sin, cos and floor of each disc, and min, max and mean of
    all discs, as in ``size == max(size)``.

    Parameters
    ----------
    simulation : what runs.
    condition : what the discs must meet.
    frame : the state in which they must; by default the present one.

    Raises
    ------
    InputError
        It is not a condition, or it names something that discs do not have. The message says what is allowed.
    """
    from engine.selection.quantities import where

    if not isinstance(condition, str):
        raise InputError(f"a condition must be a text such as 'speed > 1', not {condition!r}", "condition")
    frame = simulation.frame() if frame is None else frame
    return where(condition, frame, simulation, system_of(simulation.scenario)).mask


def plot(
    shown: Simulation | Frame | FileFrame,
    ax: Axes | None = None,
    color_by: str | None = None,
    colormap: str | None = None,
    turn: Sequence[float] | None = None,
    slab: Sequence[float] | None = None,
    picture: str = "auto",
) -> Axes:
    """Draw discs with matplotlib.

    The discs are circles in the units of the scenario, so they keep their size when zooming. Discs that cross an edge
    of a periodic box are drawn on both sides. Spheres are drawn in perspective, with light.

    Parameters
    ----------
    shown : a simulation, one of its frames, or a frame that was read from a file.
    ax : where to draw; None makes a figure.
    color_by : the name of a field of the system, such as ``"speed"``; None for its first field.
    colormap : the name of a colour map, such as ``"batlow"``; None for the default.
    turn : how a box in space is turned, as a quaternion (w, x, y, z), of any length but 0, that takes its axes to those
        of the picture (right, up, towards the viewer); None for a view from above.
    slab : the part of a box in space that is drawn, between two planes across the line of sight: shares of its depth
        from the back, 0, to the front, 1; None for all of it.
    picture : what the discs are in a PDF or SVG: ``"drawn"``, vectors, or ``"rendered"``, an image under vector text,
        with the pixels per inch of ``savefig(…, dpi=300)``. ``"auto"`` is rendered in space and for more than 20 000
        discs.

    Returns
    -------
    The axes.

    Raises
    ------
    InputError
        `shown` cannot be drawn, the discs have no such quantity, `turn`, `slab` or `picture` are none, or matplotlib is
        not installed.
    """
    from engine.plotting.discs import plot

    return plot(shown, ax, color_by, colormap, turn, slab, picture)


def _picture(shown: Any) -> bytes | None:
    from engine.plotting.discs import png

    return png(shown)


def _run(simulation: Simulation, *how: Any) -> Any:
    from engine.runs.loop import run

    return run(simulation, *how)


Plugged.picture = staticmethod(_picture)
Plugged.run = staticmethod(_run)
