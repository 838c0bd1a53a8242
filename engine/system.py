"""What a system is: discs that stick, that bounce, that jam, and whatever a plug-in adds; and the registry of them.

A system is described once, by one instance of a subclass of `System` in its own room (``engine/<room>/system.py``), and
named in one list (``engine/__init__.py``). Nothing outside its room compares names of systems.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from numpy.typing import NDArray

from engine.errors import InputError
from engine.fields import CONTACTS, SPEED, Field
from engine.indicators import Indicator, as_json, measure, registered
from engine.scenario import Scenario, describe, tables
from engine.scenario.section import Section
from engine.simulation import Checkpoint, Frame, History, Progress, Simulation
from engine.state import InitialState

if TYPE_CHECKING:
    from engine.analysis import Sample
    from engine.analysis.sample import PackedDiscs

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Clock:
    """What the time of a system counts, in words for people.

    Parameters
    ----------
    symbol, name, unit : ``"t"``, ``"time"``; the unit is "" for the scenario's own.
    counts : whole numbers, such as iterations, instead of simulation time.
    step, step_tip : the name of the smallest step and one sentence about it.
    """

    symbol: str
    name: str
    unit: str
    counts: bool
    step: str
    step_tip: str


@dataclass(frozen=True)
class Result:
    """A number that a run of a system ends with.

    Parameters
    ----------
    name : in JSON.
    label : for people, "" for what only JSON has.
    told : what people read instead of the value.
    """

    name: str
    label: str = ""
    told: Callable[[Any], Any] = lambda value: value


class System(ABC):
    """One kind of simulation: its table in the scenario, how it is made, and what is known of it beforehand.

    Importing a system is light: what needs compiled kernels is imported by the methods.

    Attributes
    ----------
    name, title : the value of ``system`` in a scenario, and the same for people; table : the name of its table.
    section : the model of that table.
    clock : what its time counts.
    fields : what each disc has (`engine.fields.Field`); the first one is what discs are coloured by where nothing that
        the system has is chosen.
    history : its columns, described.
    results : what `results_of` gives.
    methods : how it may be computed; a checkpoint names one of them.
    method_key : the dotted key of a scenario that says by which of them, "" where there is but one.
    joins : whether discs join clusters, in which they may touch or overlap; else every disc is on its own.
    overlaps : whether any two discs may overlap: they do not see each other.
    moves : whether discs have velocities, so that momentum and kinetic energy mean something.
    rests_as_a_whole : in a periodic box the discs start without total momentum.
    has_forces : frames may have a network of contacts that carry forces.
    endless : why a run does not end by itself, the beginning of a sentence; "" where it does.
    origin : the plug-in that it comes from, "" for a system of the program itself.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    table: ClassVar[str]
    section: ClassVar[type[Section]]
    clock: ClassVar[Clock]
    fields: ClassVar[tuple[Field, ...]] = (SPEED, CONTACTS)
    history: ClassVar[type[History]] = History
    results: ClassVar[tuple[Result, ...]] = ()
    methods: ClassVar[tuple[str, ...]]
    method_key: ClassVar[str] = ""
    joins: ClassVar[bool] = False
    overlaps: ClassVar[bool] = False
    moves: ClassVar[bool] = True
    rests_as_a_whole: ClassVar[bool] = False
    has_forces: ClassVar[bool] = False
    endless: ClassVar[str] = ""
    origin: str = ""

    @abstractmethod
    def create(self, scenario: Scenario, state: InitialState) -> Simulation:
        """The simulation of a scenario, from `state`, at time 0. InputError where it cannot be run."""

    @abstractmethod
    def restore(self, checkpoint: Checkpoint) -> Simulation:
        """The simulation as it was when `checkpoint` was taken, bit for bit; its arrays are trusted."""

    @abstractmethod
    def check_checkpoint(self, arrays: Arrays, scenario: Scenario) -> None:
        """Raise InputError where `restore` must not be given these arrays, which may come from any file."""

    def check(self, scenario: Scenario) -> None:  # noqa: B027
        """Raise InputError where the tables of a scenario of this system do not fit together."""

    def method(self, scenario: Scenario) -> str:
        """How a scenario is computed, one of `methods`."""
        return self.methods[0]

    def kernels(self, scenario: Scenario) -> str:
        """The name of the set of kernels that a scenario needs, one of `kernel_sets`."""
        return self.kernel_sets()[0]

    def kernel_sets(self) -> tuple[str, ...]:
        """What `engine.warm_up` can be asked for on behalf of this system."""
        return (self.name,)

    def rehearsals(self, kernels: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Scenarios, each with its name, that go through every kernel of a set together (see `engine.warm_up`)."""
        own: dict[str, Any] = {"system": self.name}
        yield "lattice", {"discs.count": 9} | own
        loose: dict[str, Any] = {"discs.count": 30, "discs.arrangement": "random"}
        yield "random discs", loose | {"box.boundary": "periodic"} | own
        yield "dense discs", loose | {"discs.volume_fraction": 0.55} | own

    def analyse(self, simulation: Simulation, frame: Frame, only: Collection[str] | None = None) -> dict[str, Any]:
        """The indicators of a state of `simulation`, by their names in JSON, those that plug-ins have registered too;
        None for what has no meaning here. only : the names of those that are wanted, None for all."""
        from engine.capabilities import packed

        known = (*self.indicators(), *registered())
        chosen = tuple(one for one in known if only is None or one.name in only)
        packs = packed(simulation)
        packing = None if packs is None else packs.packing()
        return as_json(measure(self.sample(simulation, frame, packing), chosen), chosen)

    def indicators(self) -> tuple[Indicator, ...]:
        """What is measured of states of this system. They are imported late: measuring needs compiled kernels."""
        from engine.analysis import STRUCTURE

        return STRUCTURE

    def sample(self, simulation: Simulation, frame: Frame, packing: PackedDiscs | None = None) -> Sample:
        """A state of `simulation`, to be measured. packing : the contacts with their forces, where they are known."""
        from engine.analysis import Sample

        return Sample(
            frame.positions,
            simulation.radii * frame.radius_factor,
            simulation.box,
            periodic=simulation.periodic,
            velocities=frame.velocities if self.moves else None,
            masses=simulation.masses,
            cluster=frame.cluster,
            images=frame.fields.get("images"),
            packing=packing,
            joins=self.joins,
        )

    def results_of(self, simulation: Simulation) -> dict[str, Any]:
        """The values of `results` now, by their names, ready for JSON."""
        return {}

    def words(self, progress: Progress, rate: float) -> str:
        """Where a run is, for people; rate : physical events a second."""
        clusters = f"M = {progress.clusters}  " if self.joins else ""
        return f"{self.clock.symbol} = {progress.time:.4g}  {clusters}{rate:.2g} events/s"

    def prepares(self, scenario: Scenario) -> bool:
        """Whether making the simulation moves the discs, so that it does not begin as they are arranged."""
        return False

    def ends(self, scenario: Scenario) -> bool:
        """Whether a run of this scenario ends by itself."""
        return not self.endless

    def share_done(self, simulation: Simulation, progress: Progress) -> float | None:
        """The share of a run that is over, 0…1, as far as the system itself knows; None where it does not."""
        return None


def register(system: System) -> None:
    """Make a system known: from now on scenarios may name it. InputError where a name or a table is taken."""
    for other in systems():
        if other.name == system.name or other.table == system.table:
            raise InputError(f"there is a system {other.name} with the table {other.table} already", "system")
    tables.add(system)


def systems() -> tuple[System, ...]:
    """All systems, in the order in which they were registered."""
    return tuple(known for known in tables.registered() if isinstance(known, System))


def system(name: str) -> System:
    """The system of this name. Raises InputError, which names the known ones, where there is none."""
    known = find(name)
    if known is None:
        raise InputError(f'system must be {describe("system").allowed}, not "{name}"', "system")
    return known


def find(name: str) -> System | None:
    """The system of this name, None where there is none: the name may be that of a file which says nothing."""
    return next((known for known in systems() if known.name == name), None)


def system_of(scenario: Scenario) -> System:
    """The system that a scenario is about."""
    return system(scenario.system)


def system_of_kernels(kernels: str) -> System:
    """The system that has this set of kernels. InputError, which names all sets, where none has."""
    for known in systems():
        if kernels in known.kernel_sets():
            return known
    names = ", ".join(name for known in systems() for name in known.kernel_sets())
    raise InputError(f"kernels must be one of {names}, not {kernels}")


def method_of(scenario: Scenario) -> str:
    """How a scenario is computed, one of the methods of its system."""
    return system_of(scenario).method(scenario)


def concerns(scenario: Scenario, key: str) -> bool:
    """Whether a dotted key says something about the system of a scenario: it is not one of another system's table."""
    table = key.partition(".")[0]
    return all(table != other.table or other.name == scenario.system for other in systems())


@runtime_checkable
class CarriesOn(Protocol):
    """A system of several methods, of which one can go on where another one was."""

    def carry_on(self, scenario: Scenario, state: InitialState, time: float, past: History | None) -> Simulation:
        """The simulation of a scenario, from the state that another method has reached at `time`, with its history."""
        ...


def carries_on(system: System) -> CarriesOn | None:
    """The system where one of its methods can go on from another one."""
    return system if isinstance(system, CarriesOn) else None
