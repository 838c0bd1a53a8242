"""Systems: the kinds of simulation (discs that stick, that bounce, that jam, and those of plug-ins) and their registry.

A system is described by one instance of a subclass of `System` in its own folder (``engine/<folder>/system.py``), which
the list in ``engine/__init__.py`` names. Nothing outside its folder compares names of systems.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Arrays
from engine.errors import InputError
from engine.fields import ARRANGEMENT, DIRECTION, FIELDS, SPEED, Field
from engine.frame import Frame, Start
from engine.indicators import Indicator, Problems, as_json, measure, registered
from engine.scenario import Scenario, describe
from engine.scenario.section import SYSTEMS, Section
from engine.selection.clusters import CLUSTER_FIELDS, ClusterField
from engine.simulation import Checkpoint, History, Progress, Simulation
from engine.state import InitialState
from engine.words import count, typeset

if TYPE_CHECKING:
    from engine.analysis import Sample
    from engine.analysis.sample import PackedDiscs


@dataclass(frozen=True)
class Clock:
    """The names of a system's time.

    Parameters
    ----------
    symbol, name, unit : such as ``"t"`` and ``"time"``; the unit is "" for the scenario's unit of time.
    counts : whether it is a whole number, such as that of iterations, instead of simulation time.
    step, step_tip : what the smallest step is called, and one sentence about it.
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
    name : its key in JSON.
    label : for people, with gaps for discs or spheres (`engine.words`); "" for a number that only JSON has.
    told : formats the value for display.
    """

    name: str
    label: str = ""
    told: Callable[[Any], Any] = lambda value: value


class System(ABC):
    """A kind of simulation: its table in the scenario, making simulations, and their properties.

    Importing a system loads no kernels: its methods import what needs them.

    Attributes
    ----------
    name, title : the value of ``system`` in a scenario, and the name for people.
    title_in_space : the name for people where it moves spheres; "" for the same.
    heading : the heading of its scenarios in lists, with gaps for discs or spheres (`engine.words`); "" for the title.
    table, section : the name and the type of its table in a scenario.
    clock : what its time is called.
    fields : the quantities of each disc (`engine.fields.Field`). Discs are coloured by the first one if the chosen
        field does not exist in this system.
    cluster_fields : the quantities of each cluster, columns of tables of clusters; used only where discs join.
    history : the type of its history.
    results : the numbers that a run ends with; `results_of` gives their values.
    methods : the names of the methods by which it can be computed. A checkpoint names one of them.
    method_key : the dotted key of a scenario that chooses the method; "" for a system with one method.
    joins : whether discs join clusters, in which they may touch or overlap.
    overlaps : whether any two discs may overlap, because discs do not interact.
    forgives : the deepest overlap in a file that `start_radii` removes, as a share of the sum of two radii.
    moves : whether discs have velocities, so that momentum and kinetic energy are defined.
    shears : whether its discs can flow with the images of a sheared box.
    rests_as_a_whole : whether discs in a periodic box start with zero total momentum.
    has_forces : whether frames may have a network of contacts with forces.
    dimensions : of the box, 2 or 3, in which it can run.
    endless : why a run does not end by itself, as the beginning of a sentence; "" if it ends.
    end : where a run ends by itself, in the words that follow *until*.
    origin : the plug-in that it comes from; "" for a system of the program itself.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    title_in_space: ClassVar[str] = ""
    heading: ClassVar[str] = ""
    table: ClassVar[str]
    section: ClassVar[type[Section]]
    clock: ClassVar[Clock]
    fields: ClassVar[tuple[Field, ...]] = (SPEED, DIRECTION, *ARRANGEMENT)
    cluster_fields: ClassVar[tuple[ClusterField, ...]] = CLUSTER_FIELDS
    history: ClassVar[type[History]] = History
    results: ClassVar[tuple[Result, ...]] = ()
    methods: ClassVar[tuple[str, ...]]
    method_key: ClassVar[str] = ""
    joins: ClassVar[bool] = False
    overlaps: ClassVar[bool] = False
    forgives: ClassVar[float] = 0.0
    moves: ClassVar[bool] = True
    rests_as_a_whole: ClassVar[bool] = False
    shears: ClassVar[bool] = False
    has_forces: ClassVar[bool] = False
    dimensions: ClassVar[tuple[int, ...]] = (2,)
    endless: ClassVar[str] = ""
    end: ClassVar[str] = "the end"
    origin: str = ""

    @property
    def all_fields(self) -> tuple[Field, ...]:
        """The quantities of each disc: `fields`, and those that plug-ins have added to every system."""
        return (*self.fields, *FIELDS.parts)

    @abstractmethod
    def create(self, scenario: Scenario, state: InitialState) -> Simulation:
        """Make the simulation of a scenario from a state, at time 0. Raises InputError if it cannot be run."""

    @abstractmethod
    def restore(self, checkpoint: Checkpoint) -> Simulation:
        """Restore the simulation of a checkpoint, bit for bit. The arrays are not checked."""

    @abstractmethod
    def check_checkpoint(self, arrays: Arrays, scenario: Scenario) -> None:
        """Raise InputError unless `restore` can safely be given these arrays, which may come from any file."""

    def check(self, scenario: Scenario) -> None:  # noqa: B027
        """Raise InputError if the tables of a scenario of this system are inconsistent."""

    def turns(self, scenario: Scenario) -> bool:
        """Whether bodies of a scenario turn, so that ``velocities.spin`` has a meaning."""
        return False

    def start_radii(self, state: InitialState) -> NDArray[np.float64]:
        """The radii (N,) with which discs of a file start. Raises InputError if they cannot start."""
        return state.radii

    def method(self, scenario: Scenario) -> str:
        """The method by which a scenario is computed, one of `methods`."""
        return self.methods[0]

    def kernels(self, scenario: Scenario) -> str:
        """The name of the set of kernels that a scenario needs, one of `kernel_sets` or `rare_kernel_sets`."""
        return self.kernel_sets()[0]

    def kernel_sets(self) -> tuple[str, ...]:
        """The names of this system's sets of kernels, each of which `engine.warm_up` compiles as a whole."""
        return (self.name,)

    def rare_kernel_sets(self) -> tuple[str, ...]:
        """The names of further sets, which are compiled only when a scenario needs them."""
        return ()

    def rehearsals(self, kernels: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Small scenarios, each with a name, that together use every kernel of a set (see `engine.warm_up`)."""
        own: dict[str, Any] = {"system": self.name}
        yield "lattice", {"discs.count": 9} | own
        loose: dict[str, Any] = {"discs.count": 30, "discs.arrangement": "random"}
        yield "random discs", loose | {"box.boundary": "periodic"} | own
        yield "dense discs", loose | {"discs.volume_fraction": 0.55} | own

    def analyse(
        self,
        simulation: Simulation,
        frame: Frame,
        only: Collection[str] | None = None,
        start: Start | None = None,
        problems: Problems | None = None,
    ) -> dict[str, Any]:
        """Measure the indicators of a frame of `simulation`, with those of plug-ins: values by name, ready for JSON.

        The value is None if an indicator is not defined.

        Parameters
        ----------
        only : the names of those that are wanted, None for all.
        start : of the run, see `start`.
        problems : gets a sentence for each indicator that fails, whose value is None; without it, its error is raised.
        """
        from engine.capabilities import packed

        chosen = self.chosen(only)
        packs = packed(simulation)
        packing = None if packs is None else packs.packing()
        measured = measure(self.sample(simulation, frame, packing, start), chosen, problems)
        return as_json(measured, chosen, problems)

    def start(self, simulation: Simulation, only: Collection[str] | None = None) -> Start | None:
        """The present state of `simulation` as the start of a run, for `analyse` of a later one.

        None if no indicator compares with it. only : as of `analyse`.
        """
        if not any(one.since_start or "start" in one.needs for one in self.chosen(only)):
            return None
        return Start.of(simulation.frame(), simulation.box)

    def chosen(self, only: Collection[str] | None) -> tuple[Indicator, ...]:
        """The indicators of these names, None for all: those of the system, then those of plug-ins."""
        known = (*self.indicators(), *registered())
        return tuple(one for one in known if only is None or one.name in only)

    def indicators(self) -> tuple[Indicator, ...]:
        """The indicators that are measured of this system. They are imported late, because they need kernels."""
        from engine.analysis import MOTION, STRUCTURE

        return (*STRUCTURE, *MOTION) if self.moves else STRUCTURE

    def sample(
        self,
        simulation: Simulation,
        frame: Frame,
        packing: PackedDiscs | None = None,
        start: Start | None = None,
    ) -> Sample:
        """A frame of `simulation` as a sample to be measured. `packing` has the contacts with forces, `start` where the
        discs began, if known."""
        from engine.analysis import Sample

        return Sample(
            frame.positions,
            simulation.radii * frame.radius_factor,
            simulation.box,
            periodic=frame.around(simulation),
            velocities=frame.velocities if self.moves else None,
            masses=simulation.masses,
            cluster=frame.cluster,
            spin=frame.fields.get("spin"),
            images=frame.fields.get("images"),
            start=None if start is None else start.positions,
            start_velocities=None if start is None or not self.moves else start.velocities,
            packing=packing,
            joins=self.joins,
            shear_rate=frame.shear_rate,
            strain=frame.strain,
        )

    def results_of(self, simulation: Simulation) -> dict[str, Any]:
        """The present values of `results` by name, ready for JSON."""
        return {}

    def words(self, progress: Progress, rate: float) -> str:
        """A line of text on the progress of a run. `rate` is the number of physical events per second."""
        clusters = f"M = {count(progress.clusters)}  " if self.joins else ""
        return f"{self.clock.symbol} = {typeset(progress.time)}  {clusters}{typeset(rate, '.2g')} events/s"

    def gravity(self, scenario: Scenario) -> tuple[float, ...]:
        """The acceleration of all discs, a number for each axis; () for none."""
        return ()

    def prepares(self, scenario: Scenario) -> bool:
        """Whether making the simulation moves the discs away from where the scenario arranges them."""
        return False

    def ends(self, scenario: Scenario) -> bool:
        """Whether a run of this scenario ends by itself."""
        return not self.endless

    def share_done(self, simulation: Simulation, progress: Progress) -> float | None:
        """The fraction of a run that is over, 0…1; None if it is unknown."""
        return None


def register(system: System) -> None:
    """Add a system, which scenarios may name from now on. Raises InputError if its name or table is taken."""
    SYSTEMS.add(system)


def systems() -> tuple[System, ...]:
    """All systems, in the order in which they were registered."""
    return tuple(known for known in SYSTEMS.parts if isinstance(known, System))


def system(name: str) -> System:
    """The system of this name. Raises InputError, which names the known ones, where there is none."""
    known = find(name)
    if known is None:
        raise InputError(f'system must be {describe("system").allowed}, not "{name}"', "system")
    return known


def find(name: str) -> System | None:
    """The system of this name, or None; for names that may come from any file."""
    return next((known for known in systems() if known.name == name), None)


def known_fields() -> tuple[Field, ...]:
    """One field for each name that any system has, for files that do not say of which system they are."""
    found: dict[str, Field] = {}
    for known in systems():
        for field in known.all_fields:
            found.setdefault(field.name, field)
    return tuple(found.values())


def system_of(scenario: Scenario) -> System:
    """The registered system that a scenario names. InputError if its plug-in is not loaded."""
    return system(scenario.system)


def gravity_of(scenario: Scenario) -> tuple[float, ...]:
    """The acceleration of all discs in a scenario, a number for each axis; () for none."""
    known = find(scenario.system)
    return () if known is None else known.gravity(scenario)


def gravity_in(frame: Frame) -> tuple[float, ...]:
    """The acceleration of all discs of a frame, a number for each axis; () for none, or if the frame does not know."""
    return () if frame.discs is None else gravity_of(frame.discs.scenario)


def system_of_kernels(kernels: str) -> System:
    """The system that has this set of kernels. Raises InputError, which names all sets, where none has."""
    for known in systems():
        if kernels in (*known.kernel_sets(), *known.rare_kernel_sets()):
            return known
    names = ", ".join(name for known in systems() for name in (*known.kernel_sets(), *known.rare_kernel_sets()))
    raise InputError(f"kernels must be one of {names}, not {kernels}")


def turns(scenario: Scenario) -> bool:
    """Whether bodies of a scenario turn; False for a system that is unknown."""
    known = find(scenario.system)
    return known is not None and known.turns(scenario)


def carried(scenario: Scenario) -> Scenario:
    """The scenario of a run that continues under this one: without ``velocities.spin`` where nothing turns any more, so
    that it can begin anew."""
    if scenario.velocities.spin and not turns(scenario):
        return scenario.with_values({"velocities.spin": 0.0})
    return scenario


def method_of(scenario: Scenario) -> str:
    """The method by which a scenario is computed, one of those of its system."""
    return system_of(scenario).method(scenario)


def concerns(scenario: Scenario, key: str) -> bool:
    """Whether a dotted key has an effect in a scenario: it does not belong to the table of another system."""
    table = key.partition(".")[0]
    return all(table != other.table or other.name == scenario.system for other in systems())


@runtime_checkable
class CarriesOn(Protocol):
    """A system with several methods, between which a run can be switched."""

    def create_continued(self, simulation: Simulation, scenario: Scenario) -> Simulation:
        """Make the simulation of a scenario from the last state without overlaps of another one, with its time, history
        and merges. `simulation` is not changed."""
        ...


def carries_on(system: System) -> CarriesOn | None:
    """The system if its runs can be switched between methods, else None."""
    return system if isinstance(system, CarriesOn) else None


@runtime_checkable
class Throws(Protocol):
    """A system in which a person can move a disc and throw it while the run is paused."""

    def thrown(self, simulation: Simulation, state: InitialState, body: NDArray[np.intp]) -> Simulation:
        """Make a simulation that continues from `state`: that of `simulation`, except for the positions and velocities
        of the discs `body`, (K,). `simulation` is not changed."""
        ...


def throws(system: System) -> Throws | None:
    """The system if its discs can be moved and thrown by hand, else None."""
    return system if isinstance(system, Throws) else None
