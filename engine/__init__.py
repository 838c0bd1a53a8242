"""The numerics of hard discs that aggregate, collide and jam, without any user interface.

    scenario = engine.load_scenario("lattice-2500")
    simulation = engine.create(scenario)
    simulation.advance(until_clusters=1)
    frame = simulation.frame()

Importing this module is quick: numba and the kernels are loaded by the first `create`, `restore` or `warm_up`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.aggregation.system import AggregationSystem
from engine.checkpoint_checks import check_checkpoint
from engine.errors import InputError
from engine.hard_discs.system import HardDiscSystem
from engine.jamming.system import JammingSystem
from engine.scenario import Scenario, load_scenario
from engine.selection.choose import select
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
"""The systems of the program itself; plug-ins register more."""

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
    "select",
    "warm_up",
]


def create(scenario: Scenario, state: InitialState | None = None) -> Simulation:
    """Make the simulation of a scenario, at time 0.

    Parameters
    ----------
    scenario : what is simulated. Where it starts from a file, the simulation's scenario has the number and the volume
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
    return system_of(scenario).create(scenario, state)


def carry_on(simulation: Simulation, scenario: Scenario) -> Simulation:
    """Make a simulation that carries on with the same discs but other settings of their system.

    Such settings are the method, or rigid instead of deformable clusters. The simulation starts from the last state
    without overlaps (`simulation.settled()`), at the time of that state. It keeps velocities, labels of clusters and
    history; the moment of the change is in the history twice. Events, steps and invariants are counted from 0.

    Parameters
    ----------
    simulation : where it carries on; it is not changed.
    scenario : may differ from that of `simulation` only in the table of the system.

    Raises
    ------
    InputError
        The scenario differs in something else, or the system has only one method.
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
    """Make the simulation as it was when the checkpoint was taken. It goes on with the same bits.

    The arrays are not checked: call `check_checkpoint` first for a checkpoint that comes from a file.
    """
    known = find(checkpoint.system)
    if known is None or checkpoint.method not in known.methods:
        raise InputError(f"this version cannot restore a checkpoint of {checkpoint.system}, {checkpoint.method}")
    return known.restore(checkpoint)
