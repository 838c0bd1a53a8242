"""What is said of discs that bounce, put together on the analyst's thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, GasData, SystemInfo
from aggviewer.session.engine_face import EngineFace
from engine.hard_discs.cooling import Stretch
from engine.scenario import Scenario
from engine.simulation import Frame, History, Simulation

if TYPE_CHECKING:
    from engine.hard_discs.measures import GasMeasures

_SYSTEM = "hard-discs"
_MOST = 2048  # displacements that are kept: above it every second one goes


@runtime_checkable
class _Counting(Protocol):
    """A simulation of discs that bounce, which counts what happens; a recording of one has only its frames.

    count_impacts : whether separations at impact are counted.
    """

    scenario: Scenario
    count_impacts: bool

    def measures(self) -> GasMeasures:
        """Since the start, or since a setting was changed."""
        ...

    def impact_histogram(self) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        """Edges and counts of the separations at impact."""
        ...

    def stretches(self) -> tuple[Stretch, ...]:
        """Parts of the run with the same restitution."""
        ...


@dataclass(frozen=True, eq=False)
class GasFacts:
    """What the simulation itself has counted, now; without measures for a state of before or of a recording.

    scenario : as it is tuned; measures : engine GasMeasures; impacts : edges and counts of the impact separations;
    stretches : parts of the run with the same restitution, none of a recording.
    """

    scenario: Scenario
    measures: Any = None
    impacts: tuple[NDArray[np.float64], NDArray[np.int64]] | None = None
    stretches: tuple[Stretch, ...] = ()

    @staticmethod
    def of(simulation: _Counting) -> GasFacts:
        """Those of a simulation at its present time."""
        return GasFacts(
            simulation.scenario, simulation.measures(), simulation.impact_histogram(), simulation.stretches()
        )

    def of_before(self) -> GasFacts:
        """Those of them that are also true of an earlier state."""
        return GasFacts(self.scenario, stretches=self.stretches)


@dataclass
class GasSample:
    """A copy of a state and the facts beside it. images : (N, 2) int32, None where the file of a frame has none."""

    time: float
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    images: NDArray[np.int32] | None
    radius_factor: float
    facts: GasFacts

    @staticmethod
    def of(frame: Frame, facts: GasFacts) -> GasSample:
        """Of a frame, whose buffers stay its owner's."""
        images = frame.fields.get("images")
        images = None if images is None else images.copy()
        positions, velocities = frame.positions.copy(), frame.velocities.copy()
        return GasSample(frame.time, positions, velocities, images, frame.radius_factor, facts)


def facts_of(simulation: Simulation, past: bool) -> Callable[[], GasFacts] | None:
    """What is to be asked of a simulation for a state of now or of before; None where its discs do not bounce."""
    if simulation.system != _SYSTEM:
        return None
    if not isinstance(simulation, _Counting):
        return lambda: GasFacts(simulation.scenario)
    return lambda: GasFacts.of(simulation).of_before() if past else GasFacts.of(simulation)


def count_impacts(simulation: Simulation) -> None:
    """Have a simulation count impact separations, where it is one of discs that bounce."""
    if isinstance(simulation, _Counting):
        simulation.count_impacts = True


class _Displacements:
    """How far the discs of a run have come since the first state that was measured of it."""

    def __init__(self, system: SystemInfo, sample: GasSample) -> None:
        self.start = sample.positions.copy()
        if sample.images is not None:
            self.start += sample.images * system.box
        self.speed_squared = float(np.square(sample.velocities).sum()) / system.count
        self._began = sample.time
        self._times: list[float] = []
        self._squared: list[float] = []

    def remember(self, time: float, squared: float) -> None:
        """A run that goes on from an earlier state replaces what came after it."""
        while self._times and self._times[-1] >= time - self._began:
            self._times.pop()
            self._squared.pop()
        self._times.append(time - self._began)
        self._squared.append(squared)
        if len(self._times) > _MOST:
            del self._times[1::2]
            del self._squared[1::2]

    def up_to(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times since the start, and mean square displacements then."""
        times = np.array(self._times)
        end = int(np.searchsorted(times, time - self._began, side="right"))
        return times[:end], np.array(self._squared[:end])


class GasAnalysis:
    """Measures states of one system after another, and remembers how far the discs of each have come, as long as the
    run may come back."""

    def __init__(self, engine: EngineFace) -> None:
        self._engine = engine
        self._displacements: WeakKeyDictionary[SystemInfo, _Displacements] = WeakKeyDictionary()

    def measure(self, system: SystemInfo, sample: GasSample, history: History) -> Analysis:
        """Everything about a state, with the displacements since the first one that was measured of this system."""
        moved = self._displacements.get(system)
        if moved is None:
            moved = self._displacements[system] = _Displacements(system, sample)
        found = self._engine.analyse_gas(
            sample.positions,
            sample.velocities,
            system.radii * sample.radius_factor,
            system.masses,
            system.box,
            system.periodic,
            sample.images,
            moved.start,
        )
        present = sample.facts.measures is not None
        if found.mean_square_displacement is not None and present:
            moved.remember(sample.time, found.mean_square_displacement)
        gas = GasData(
            sample.facts.scenario,
            sample.facts.stretches,
            system.count,
            system.periodic,
            history,
            found,
            sample.facts.measures,
            sample.facts.impacts,
            moved.up_to(sample.time),
            moved.speed_squared,
        )
        return Analysis(system, sample.time, found, history, gas)
