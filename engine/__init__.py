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

    from engine.simulation import Checkpoint, Simulation
    from engine.state import InitialState

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "Scenario",
    "__version__",
    "check_supported",
    "create",
    "load_scenario",
    "open_scenario",
    "restore",
    "warm_up",
]


def check_supported(scenario: Scenario) -> None:
    """Refuse a system or method that this version does not run."""
    if scenario.system != "aggregation":
        raise InputError(f'system must be "aggregation" in this version, not "{scenario.system}"', "system")


def open_scenario(path_or_name: str | Path) -> Scenario:
    """The scenario of anything that can be opened: a TOML file, a bundled name or a state file (.csv).

    A state file becomes a scenario that starts from it, with its velocities and, where it says them, its box and
    boundary. Raises InputError for anything that cannot be used.
    """
    from engine.initial_file import open_scenario as run

    return run(path_or_name)


def create(scenario: Scenario, state: InitialState | None = None) -> Simulation:
    """The simulation of a scenario, at time 0. Raises InputError where the scenario cannot be run.

    state : what `engine.initial.initial_state` gives for this scenario, where it has been made before.
    """
    check_supported(scenario)
    from engine.initial import initial_state

    start = initial_state(scenario) if state is None else state
    if scenario.aggregation.method == "time-stepping":
        from engine.aggregation.time_stepping import TimeStepping

        return TimeStepping(scenario, start)
    from engine.aggregation.event_driven import EventDriven

    return EventDriven(scenario, start)


def restore(checkpoint: Checkpoint) -> Simulation:
    """The simulation as it was when `checkpoint` was taken; it goes on bit for bit."""
    if (checkpoint.system, checkpoint.method) == ("aggregation", "event-driven"):
        from engine.aggregation.event_driven import EventDriven

        return EventDriven.from_checkpoint(checkpoint)
    if (checkpoint.system, checkpoint.method) == ("aggregation", "time-stepping"):
        from engine.aggregation.time_stepping import TimeStepping

        return TimeStepping.from_checkpoint(checkpoint)
    raise InputError(f"this version cannot restore a checkpoint of {checkpoint.system}, {checkpoint.method}")


def warm_up(report: Callable[[int, int, str], None] | None = None, method: str = "event-driven") -> float:
    """Compile all kernels that `method` needs, or load them from the cache; returns the seconds it took.

    report : called between the stages with (stages done, stages in all, what comes next).
    """
    from engine.warming import warm_up as run

    return run(report, method)
