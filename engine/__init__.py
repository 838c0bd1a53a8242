"""Numerics of hard discs that aggregate, collide and jam; knows no window.

    scenario = engine.load_scenario("lattice-2500")
    simulation = engine.create(scenario)
    simulation.advance(until_clusters=1)
    frame = simulation.frame()

Importing this module is light; numba and the kernels come with the first `create`, `restore` or `warm_up`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.aggregation.system import AggregationSystem
from engine.checkpoint_checks import check_checkpoint
from engine.errors import InputError
from engine.hard_discs.system import HardDiscSystem
from engine.jamming.system import JammingSystem
from engine.scenario import Scenario, load_scenario
from engine.state_file import as_in_file, open_scenario
from engine.system import carries_on, find, register, system_of
from engine.warming import warm_up

if TYPE_CHECKING:
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


def create(scenario: Scenario, state: InitialState | None = None) -> Simulation:
    """The simulation of a scenario, at time 0.

    Parameters
    ----------
    scenario : what is simulated. Where a file decides the discs, the scenario of the simulation has their number and
        volume fraction.
    state : what `engine.initial.initial_state` gives for this scenario, where it has been made before.

    Raises
    ------
    InputError
        The scenario cannot be run.
    """
    from engine.initial import initial_state

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
    known = find(checkpoint.system)
    if known is None or checkpoint.method not in known.methods:
        raise InputError(f"this version cannot restore a checkpoint of {checkpoint.system}, {checkpoint.method}")
    return known.restore(checkpoint)
