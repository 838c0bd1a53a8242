"""Numerics of hard discs that aggregate, collide and jam; knows no window.

    scenario = engine.load_scenario("lattice-2500")
    simulation = engine.create(scenario)
    simulation.advance(until_clusters=1)
    frame = simulation.frame()

Importing this module is light; numba and the kernels come with the first `create`, `restore` or `warm_up`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.scenario import Scenario, load_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from engine.simulation import Checkpoint, History, Simulation
    from engine.state import InitialState

__version__ = "0.2.0"

__all__ = [
    "InputError",
    "Scenario",
    "__version__",
    "carry_on",
    "check_checkpoint",
    "create",
    "load_scenario",
    "open_scenario",
    "restore",
    "warm_up",
]


def open_scenario(path_or_name: str | Path) -> Scenario:
    """The scenario of anything that can be opened: a TOML file, a bundled name or a state file (.csv).

    A state file becomes a scenario that starts from it, with its velocities and, where it says them, its box and
    boundary. Raises InputError for anything that cannot be used.
    """
    from engine.state_file import open_scenario as run

    return run(path_or_name)


def create(scenario: Scenario, state: InitialState | None = None) -> Simulation:
    """The simulation of a scenario, at time 0. Raises InputError where the scenario cannot be run.

    state : what `engine.initial.initial_state` gives for this scenario, where it has been made before.

    The scenario of the simulation says the count and the volume fraction that a file has decided.
    """
    from engine.initial import initial_state
    from engine.state_file import as_in_file

    state = initial_state(scenario) if state is None else state
    return _begin(as_in_file(scenario, state.radii, state.box), state)


def carry_on(simulation: Simulation, scenario: Scenario) -> Simulation:
    """The same discs under another `[aggregation]` section: the other method, rigid instead of deformable clusters.

    It starts from the last state in which nothing overlaps, at the time of that state (`simulation.settled()`), and
    keeps velocities, names of clusters and history; the moment of the change stands in the history twice. Events,
    steps and invariants are counted anew. `simulation` stays as it is. Raises InputError where `scenario` asks for
    other discs, another box or another system.
    """
    from engine.state_file import as_in_file

    scenario = as_in_file(scenario, simulation.radii, simulation.box)
    key = scenario.first_difference(simulation.scenario, apart_from="aggregation")
    if key is not None:
        raise InputError(f"{key} can only be chosen at the start", key)
    if scenario.system != "aggregation":
        raise InputError(f"{scenario.system} has one method only: there is none to carry on with", "system")
    return _begin(scenario, simulation.state(), simulation.settled().time, simulation.history())


def _begin(scenario: Scenario, state: InitialState, time: float = 0.0, past: History | None = None) -> Simulation:
    if scenario.system == "hard-discs":
        from engine.hard_discs.simulation import HardDiscGas

        return HardDiscGas(scenario, state)
    if scenario.system == "jamming":
        from engine.jamming.simulation import JammingPacking

        return JammingPacking(scenario, state)
    if scenario.aggregation.method == "time-stepping":
        from engine.aggregation.time_stepping.simulation import TimeStepping

        return TimeStepping(scenario, state, time=time, past=past)
    from engine.aggregation.event_driven.simulation import EventDriven

    return EventDriven(scenario, state, time=time, past=past)


def restore(checkpoint: Checkpoint) -> Simulation:
    """The simulation as it was when `checkpoint` was taken; it goes on bit for bit.

    The arrays are trusted: what comes from a file goes through `check_checkpoint` before.
    """
    if (checkpoint.system, checkpoint.method) == ("aggregation", "event-driven"):
        from engine.aggregation.event_driven.simulation import EventDriven

        return EventDriven.from_checkpoint(checkpoint)
    if (checkpoint.system, checkpoint.method) == ("aggregation", "time-stepping"):
        from engine.aggregation.time_stepping.simulation import TimeStepping

        return TimeStepping.from_checkpoint(checkpoint)
    if (checkpoint.system, checkpoint.method) == ("hard-discs", "event-driven"):
        from engine.hard_discs.simulation import HardDiscGas

        return HardDiscGas.from_checkpoint(checkpoint)
    if (checkpoint.system, checkpoint.method) == ("jamming", "linear-programs"):
        from engine.jamming.simulation import JammingPacking

        return JammingPacking.from_checkpoint(checkpoint)
    raise InputError(f"this version cannot restore a checkpoint of {checkpoint.system}, {checkpoint.method}")


def check_checkpoint(checkpoint: Checkpoint) -> None:
    """Refuse, with InputError, a checkpoint from a file that `restore` must not be given. O(N log N)."""
    from engine.checkpoint_checks import check_checkpoint as run

    run(checkpoint)


def warm_up(report: Callable[[int, int, str], None] | None = None, method: str = "event-driven") -> float:
    """Compile all kernels that `method` needs, or load them from the cache; returns the seconds it took.

    method : ``event-driven``, ``time-stepping``, ``hard-discs`` or ``jamming``, as `Scenario.kernels` says.
    report : called between the stages with (stages done, stages in all, what comes next).
    """
    from engine.warming import warm_up as run

    return run(report, method)
