"""How discs that bounce are measured. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.measuring import Moment, Sample, SystemAnalysis
from engine.capabilities import Counting, counting
from engine.hard_discs.cooling import Stretch
from engine.scenario import Scenario
from engine.simulation import Frame, History, Simulation

if TYPE_CHECKING:
    from engine.analysis import GasIndicators

_MOST = 2048  # displacements that are kept: above it every second one goes


@dataclass(frozen=True, eq=False)
class GasData:
    """What there is to say of discs that bounce, at one time.

    scenario : as it is tuned now; stretches : parts of the run with the same restitution, in order, none where that is
    not known; count : N; periodic : of the box; history : since the start, a GasHistory but of a recording;
    indicators : of the state; measures : engine GasMeasures, None for a state of before or of a recording; impacts :
    edges (K + 1,), in units of the last place of the diameter, and counts (K,) of the separations at impact, None where
    they are not counted; displacement : times since the start (K,) and mean square displacements (K,) as they were
    measured; start_speed_squared : mean v^2 then.
    """

    scenario: Scenario
    stretches: tuple[Stretch, ...]
    count: int
    periodic: bool
    history: History
    indicators: GasIndicators
    measures: Any
    impacts: tuple[NDArray[np.float64], NDArray[np.int64]] | None
    displacement: tuple[NDArray[np.float64], NDArray[np.float64]]
    start_speed_squared: float


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
    def of(simulation: Counting) -> GasFacts:
        """Those of a simulation at its present time."""
        return GasFacts(
            simulation.scenario, simulation.measures(), simulation.impact_histogram(), simulation.stretches()
        )

    def of_before(self) -> GasFacts:
        """Those of them that are also true of an earlier state."""
        return GasFacts(self.scenario, stretches=self.stretches)


@dataclass
class Observed:
    """Copies of what a frame has beside the positions, and the facts. images : (N, 2) int32, None where the file of a
    frame has none."""

    velocities: NDArray[np.float64]
    images: NDArray[np.int32] | None
    facts: GasFacts


class _Displacements:
    """How far the discs of a run have come since the first state that was measured of it."""

    def __init__(self, sample: Sample) -> None:
        self.start = sample.positions.copy()
        observed: Observed = sample.observed
        if observed.images is not None:
            self.start += observed.images * sample.system.box
        self.speed_squared = float(np.square(observed.velocities).sum()) / sample.system.count
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


class GasAnalysis(SystemAnalysis):
    """Remembers how far the discs of each run have come, as long as the run may come back."""

    def __init__(self) -> None:
        self._displacements: WeakKeyDictionary[SystemInfo, _Displacements] = WeakKeyDictionary()

    def begin(self, simulation: Simulation) -> None:
        """Have it count the separations at impact."""
        counter = counting(simulation)
        if counter is not None:
            counter.count_impacts = True

    def observe(self, simulation: Simulation, frame: Frame, moment: Moment) -> Observed:
        """See `SystemAnalysis.observe`."""
        counter = counting(simulation)
        facts = GasFacts(simulation.scenario) if counter is None else GasFacts.of(counter)
        if moment.past:
            facts = facts.of_before()
        images = frame.fields.get("images")
        return Observed(frame.velocities.copy(), None if images is None else images.copy(), facts)

    def measure(self, sample: Sample) -> Analysis:
        """Everything about a state, with the displacements since the first one that was measured of these discs."""
        system, observed, history = sample.system, sample.observed, cast("History", sample.history)
        moved = self._displacements.get(system)
        if moved is None:
            moved = self._displacements[system] = _Displacements(sample)
        found = measured(sample, moved.start)
        facts = observed.facts
        if found.mean_square_displacement is not None and facts.measures is not None:
            moved.remember(sample.time, found.mean_square_displacement)
        gas = GasData(
            facts.scenario,
            facts.stretches,
            system.count,
            system.periodic,
            history,
            found,
            facts.measures,
            facts.impacts,
            moved.up_to(sample.time),
            moved.speed_squared,
        )
        return Analysis(system, sample.time, found, history, gas)


def measured(sample: Sample, start: NDArray[np.float64]) -> GasIndicators:
    """The indicators of a state. start : (N, 2), where the discs were first seen."""
    from engine.analysis import analyse_gas  # takes a while, and nothing before the first measurement needs it

    system, observed = sample.system, sample.observed
    return analyse_gas(
        sample.positions,
        observed.velocities,
        sample.radii,
        system.masses,
        system.box,
        periodic=system.periodic,
        images=observed.images,
        start=start,
    )
