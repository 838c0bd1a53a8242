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

from engine.aggregation.system import AggregationSystem
from engine.errors import InputError
from engine.hard_discs.system import HardDiscSystem
from engine.jamming.system import JammingSystem
from engine.scenario import Scenario, load_scenario
from engine.system import carries_on, register, system_of

if TYPE_CHECKING:
    from pathlib import Path

    from engine.simulation import Checkpoint, Simulation
    from engine.state import InitialState

__version__ = "0.2.0"

SYSTEMS = (
    AggregationSystem(),
    HardDiscSystem(),
    JammingSystem(),
)
"""What the program itself can simulate; plug-ins register more."""

for _system in SYSTEMS:
    register(_system)

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
    scenario = as_in_file(scenario, state.radii, state.box)
    return system_of(scenario).create(scenario, state)


def carry_on(simulation: Simulation, scenario: Scenario) -> Simulation:
    """The same discs under another table of their system: the other method, rigid instead of deformable clusters.

    It starts from the last state in which nothing overlaps, at the time of that state (`simulation.settled()`), and
    keeps velocities, names of clusters and history; the moment of the change stands in the history twice. Events,
    steps and invariants are counted anew. `simulation` stays as it is. Raises InputError where `scenario` asks for
    other discs, another box or another system.
    """
    from engine.state_file import as_in_file

    scenario = as_in_file(scenario, simulation.radii, simulation.box)
    kind = system_of(simulation.scenario)
    key = scenario.first_difference(simulation.scenario, apart_from=kind.table)
    if key is not None:
        raise InputError(f"{key} can only be chosen at the start", key)
    able = carries_on(kind)
    if able is None:
        raise InputError(f"{kind.name} has one method only: there is none to carry on with", "system")
    return able.carry_on(scenario, simulation.state(), simulation.settled().time, simulation.history())


def restore(checkpoint: Checkpoint) -> Simulation:
    """The simulation as it was when `checkpoint` was taken; it goes on bit for bit.

    The arrays are trusted: what comes from a file goes through `check_checkpoint` before.
    """
    from engine.system import systems

    for known in systems():
        if checkpoint.system == known.name and checkpoint.method in known.methods:
            return known.restore(checkpoint)
    raise InputError(f"this version cannot restore a checkpoint of {checkpoint.system}, {checkpoint.method}")


def check_checkpoint(checkpoint: Checkpoint) -> None:
    """Refuse, with InputError, a checkpoint from a file that `restore` must not be given. O(N log N)."""
    from engine.checkpoint_checks import check_checkpoint as run

    run(checkpoint)


def warm_up(report: Callable[[int, int, str], None] | None = None, method: str = "event-driven") -> float:
    """Compile a set of kernels, or load them from the cache; returns the seconds it took.

    method : ``event-driven``, ``time-stepping``, ``hard-discs`` or ``jamming``, as `System.kernels` says of a scenario.
    report : called between the stages with (stages done, stages in all, what comes next).
    """
    from engine.warming import warm_up as run

    return run(report, method)
