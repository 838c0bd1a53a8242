"""Measuring discs that bounce. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.analyst import MeasuredState, StateCopy, StateIndicators, SystemAnalysis
from aggviewer.session.data import Analysis, DiscSet
from engine.arrays import Floats
from engine.capabilities import counting
from engine.frame import Frame, Start
from engine.geometry.nearest import unwrapped
from engine.hard_discs.pressure import Stretch
from engine.scenario import Scenario
from engine.simulation import Simulation
from engine.state import without_flow

if TYPE_CHECKING:
    from engine.analysis import Sample
    from engine.hard_discs.measures import GasMeasures
    from engine.hard_discs.rheology import FlowingDiscs

_MOST = 2048  # most displacements that are kept; beyond it every second one is dropped
_SINCE_START = {
    "mean_square_displacement",
    "velocity_autocorrelation",
}  # collected into curves
_NONE: NDArray[np.float64] = np.empty(0)

_SLABS = 24  # of the velocity profile
_A_SLAB = 20  # least number of discs in one, on average

ImpactHistogram = tuple[NDArray[np.float64], NDArray[np.int64]]
"""Edges (K + 1,) and counts (K,) of |r_ij| - σ_ij at impact, in units in the last place of σ_ij."""


@dataclass(frozen=True, eq=False)
class VelocityProfile:
    """Velocities along x in slabs across y, (K,) each.

    y : middle of each; velocity : mean of v_x, nan in an empty slab; error : its standard error.
    """

    y: NDArray[np.float64]
    velocity: NDArray[np.float64]
    error: NDArray[np.float64]


def velocity_profile(positions: Floats, velocities: Floats, height: float) -> VelocityProfile:
    """The profile of a state in up to `_SLABS` slabs. positions, velocities : (N, d); height : L_y."""
    slabs = max(1, min(_SLABS, len(positions) // _A_SLAB))
    slab = np.minimum((positions[:, 1] * (slabs / height)).astype(np.intp), slabs - 1)
    number = np.bincount(slab, minlength=slabs)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.asarray(np.bincount(slab, velocities[:, 0], slabs) / number, np.float64)
        squares = np.bincount(slab, np.square(velocities[:, 0] - mean[slab]), slabs)
        error = np.asarray(np.sqrt(squares / (number * (number - 1.0))), np.float64)
    middle = np.asarray((np.arange(slabs) + 0.5) * (height / slabs), np.float64)
    return VelocityProfile(middle, mean, error)


@dataclass(frozen=True, eq=False)
class GasData:
    """Data for the plots of discs that bounce, in addition to indicators and history.

    Parameters
    ----------
    scenario : with its present settings.
    stretches : parts of the run with the same restitution, in order; empty if unknown, as for a recording.
    measures : sums over all collisions since the start, None for a past state or a recording.
    impacts : separations at impact, None if they are not counted.
    displacement : times since the start (K,), and the mean square displacements at these times (K,).
    start_speed_squared : mean v² at the start, in a periodic box relative to the centre of mass.
    autocorrelation : the same times and the velocity autocorrelations; nan if nothing moved at the start.
    flow : what is needed to measure a flow; profile : its velocities in the state. None without a flow.
    shear_rate : of the state; that of the scenario may have been changed since.
    """

    scenario: Scenario
    stretches: tuple[Stretch, ...] = ()
    measures: GasMeasures | None = None
    impacts: ImpactHistogram | None = None
    displacement: tuple[NDArray[np.float64], NDArray[np.float64]] = (_NONE, _NONE)
    start_speed_squared: float = 0.0
    autocorrelation: tuple[NDArray[np.float64], NDArray[np.float64]] = (_NONE, _NONE)
    flow: FlowingDiscs | None = None
    profile: VelocityProfile | None = None
    shear_rate: float = 0.0


@dataclass
class ObservedGas:
    """Copies of what a frame has in addition to positions, and the simulation's own counts. images : (N, d) int32, None
    if the file has none."""

    velocities: NDArray[np.float64]
    images: NDArray[np.int32] | None
    data: GasData


class _SinceStart:
    """Displacements and velocity autocorrelations of a run since its first measured state."""

    def __init__(self, state: StateCopy) -> None:
        from engine.analysis.state import without_drift  # late, since it loads kernels

        observed, box = state.observed, state.discs.box
        positions = unwrapped(state.positions, observed.images, box, state.strain)
        thermal = without_flow(observed.velocities, state.positions, state.shear_rate, box)
        self.start = Start(positions, thermal.copy())
        seen = without_drift(thermal, state.discs.masses, periodic=state.discs.periodic)
        self.speed_squared = float(np.square(seen).sum()) / state.disc_set.count
        self._began = state.time
        self._times: list[float] = []
        self._squared: list[float] = []
        self._alignments: list[float] = []

    def remember(self, time: float, squared: float, alike: float) -> None:
        """Add values; a run that continues from an earlier state replaces later ones."""
        while self._times and self._times[-1] >= time - self._began:
            for one in (self._times, self._squared, self._alignments):
                one.pop()
        self._times.append(time - self._began)
        self._squared.append(squared)
        self._alignments.append(alike)
        if len(self._times) > _MOST:
            for one in (self._times, self._squared, self._alignments):
                del one[1::2]

    def up_to(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Times since the start, mean square displacements and velocity autocorrelations, up to a time."""
        times = np.array(self._times)
        end = int(np.searchsorted(times, time - self._began, side="right"))
        return times[:end], np.array(self._squared[:end]), np.array(self._alignments[:end])


class GasAnalysis(SystemAnalysis):
    """The analysis of a gas. Remembers the initial state of each run as long as the run may be restored."""

    def __init__(self) -> None:
        self._starts: WeakKeyDictionary[DiscSet, _SinceStart] = WeakKeyDictionary()

    def begin(self, simulation: Simulation) -> None:
        """Let the simulation count the separations at impact."""
        counter = counting(simulation)
        if counter is not None:
            counter.count_impacts = True

    def observe(self, simulation: Simulation, frame: Frame, measured: MeasuredState) -> ObservedGas:
        """Copy what the indicators need in addition to positions. On the simulation's thread."""
        images, data = frame.fields.get("images"), self.count(simulation, measured)
        return ObservedGas(frame.velocities.copy(), None if images is None else images.copy(), data)

    def count(self, simulation: Simulation, measured: MeasuredState) -> GasData:
        """The sums over all collisions. On the simulation's thread."""
        counter, data = counting(simulation), GasData(simulation.scenario)
        if counter is not None:
            data = replace(data, stretches=counter.stretches(), flow=counter.flowing_discs())
            if not measured.past:
                data = replace(data, measures=counter.measures(), impacts=counter.impact_histogram())
        return data

    def sample(self, state: StateCopy) -> Sample:
        """A state as a sample of the engine."""
        return sample_of(state)

    def measure(self, state: StateCopy) -> Analysis:
        """Measure a state, including the changes since the first measured state of these discs."""
        disc_set, data = state.disc_set, state.observed.data
        moved = self._starts.get(disc_set)
        if moved is None:
            moved = self._starts[disc_set] = _SinceStart(state)
        found = indicators_of(state, moved.start)
        there = found.measure(None if state.wanted_indicators is None else state.wanted_indicators | _SINCE_START)
        if found.mean_square_displacement is not None and data.measures is not None:
            alike = np.nan if found.velocity_autocorrelation is None else found.velocity_autocorrelation
            moved.remember(state.time, found.mean_square_displacement, alike)
        times, squared, alikes = moved.up_to(state.time)
        data = replace(
            data,
            displacement=(times, squared),
            autocorrelation=(times, alikes),
            start_speed_squared=moved.speed_squared,
        )
        if data.flow is not None:
            profile = velocity_profile(state.positions, state.observed.velocities, float(state.discs.box[1]))
            data = replace(data, profile=profile, shear_rate=state.shear_rate)
        return state.analysis(found, data, there)


def indicators_of(state: StateCopy, start: Start) -> StateIndicators:
    """The indicators of a state. start : of the first measured state."""
    return StateIndicators(
        state.disc_set.scenario.system,
        lambda: sample_of(state, start=start.positions, start_velocities=start.velocities),
    )


def sample_of(state: StateCopy, **start: NDArray[np.float64]) -> Sample:
    """A state as a sample of the engine. start : positions and velocities (N, d) at the start, if it is compared with
    them."""
    observed = state.observed
    return state.sample(velocities=observed.velocities, images=observed.images, joins=False, **start)
