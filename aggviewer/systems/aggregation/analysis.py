"""Measuring discs that stick. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.analyst import MeasuredState, StateCopy, StateIndicators, SystemAnalysis
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.session.measured_rows import MeasuredRows
from engine.aggregation.section import Aggregation
from engine.capabilities import converging
from engine.frame import Frame
from engine.simulation import Simulation
from engine.words import count, typeset

if TYPE_CHECKING:
    from engine.aggregation.time_stepping.frame import Convergence
    from engine.analysis import ClusterSizeDistribution, Sample

EARLIER = 5
"""The most earlier distributions of cluster sizes in a plot."""

_OF_ROTATION = frozenset({"rotational_share", "angular_momentum"})

_LAST = 20  # last steps that tell whether it converges
_STRUGGLES = 5  # number of those that did not converge that counts as a problem
LONGEST_SUMMARY = "Not converging: 20 of the last 20 steps. Smaller α, β, γ or a smaller step help."
"""The longest text of `Minimisations.summary`, for reserving space."""


@dataclass(frozen=True)
class Minimisations:
    """Results of the minimisations of the last time steps, oldest first; arrays (K,).

    Parameters
    ----------
    time : end of the step.
    iterations : the most of any group of overlapping discs, 0 if nothing met.
    residual : max |φ| divided by the tolerance.
    failed : groups that did not converge.
    place : (K, d), where the most iterations were needed.
    """

    time: NDArray[np.float64]
    iterations: NDArray[np.int64]
    residual: NDArray[np.float64]
    failed: NDArray[np.int64]
    place: NDArray[np.float64]

    @staticmethod
    def of(convergence: Convergence, tolerance: float) -> Minimisations | None:
        """The engine's data with the present tolerance; None before the first step."""
        if len(convergence.time) == 0:
            return None
        return Minimisations(
            convergence.time,
            convergence.iterations,
            convergence.residual / tolerance,
            convergence.not_converged,
            convergence.place,
        )

    @property
    def ago(self) -> NDArray[np.float64]:
        """Number of each step, (K,): 0 for the last one, negative before."""
        return np.arange(1 - len(self.time), 1, dtype=np.float64)

    @property
    def struggling(self) -> bool:
        """Whether the last steps had convergence problems."""
        return bool(np.count_nonzero(self.failed[-_LAST:]) >= _STRUGGLES)

    def worst(self) -> int | None:
        """The hardest of the last steps: a failed one, or else the one with most iterations; None if nothing met."""
        first = max(0, len(self.time) - _LAST)
        order = np.lexsort((self.iterations[first:], self.failed[first:] > 0))
        worst = first + int(order[-1])
        return worst if self.iterations[worst] > 0 or self.failed[worst] > 0 else None

    def summary(self) -> str:
        """A sentence on how well the last steps have converged."""
        if self.struggling:
            bad = int(np.count_nonzero(self.failed[-_LAST:]))
            return (
                f"Not converging: {bad} of the last {min(_LAST, len(self.time))} steps. "
                "Smaller α, β, γ or a smaller step help."
            )
        met = np.flatnonzero(self.iterations)
        last = int(self.iterations[met[-1]]) if len(met) else 0
        bad = int(np.count_nonzero(self.failed))
        iterations = f"{count(last)} iteration{'' if last == 1 else 's'}"
        return f"{iterations}, {count(bad)} of last {count(len(self.time))} steps not converged"

    def describe(self, index: int) -> str:
        """A line that describes one step."""
        iterations = self.iterations[index]
        text = (
            f"t = {typeset(self.time[index], '.4g')}: {count(iterations)} iteration{'' if iterations == 1 else 's'}, "
            f"residual {typeset(self.residual[index], '.2g')} of the tolerance"
        )
        if self.failed[index]:
            groups = self.failed[index]
            text += f"<br>{count(groups)} group{'' if groups == 1 else 's'} not converged: click to see where"
        return text


@dataclass(frozen=True, eq=False)
class SizesAt:
    """The distribution of cluster sizes at a time."""

    time: float
    sizes: ClusterSizeDistribution


class SizesBefore:
    """The earlier distributions of cluster sizes kept from a run: each has at least twice the mean size of the one
    before."""

    def __init__(self) -> None:
        self._earlier: list[SizesAt] = []

    def remember(self, time: float, sizes: ClusterSizeDistribution) -> None:
        """Keep a distribution if the clusters have grown enough. A run that continues from an earlier state replaces
        later ones."""
        self._earlier = [one for one in self._earlier if one.time < time]
        if not self._earlier or sizes.weight_mean >= 2.0 * self._earlier[-1].sizes.weight_mean:
            self._earlier.append(SizesAt(time, sizes))

    def before(self, time: float) -> tuple[SizesAt, ...]:
        """The latest ones before this time, oldest first, without the start, at which discs are single."""
        return tuple(one for one in self._earlier if one.time < time and one.sizes.weight_mean > 1.5)[-EARLIER:]


@dataclass(frozen=True, eq=False)
class Rotation:
    """How clusters turned at the times at which a run was measured, arrays (K,).

    Attributes
    ----------
    time : ascending.
    share : E_rot / E, NaN where nothing moved.
    momentum : total angular momentum about the centre of the box, or the sum of spins in a periodic one.
    """

    time: NDArray[np.float64]
    share: NDArray[np.float64]
    momentum: NDArray[np.float64]


@dataclass(frozen=True)
class AggregateData:
    """Data for the plots of aggregates, in addition to indicators and history.

    Parameters
    ----------
    steps : results of the last minimisations; None for the event-driven method and for a past state.
    sizes : distributions of cluster sizes at earlier times, oldest first.
    rotation : of the clusters up to this time; None where they do not turn.
    """

    steps: Minimisations | None = None
    sizes: tuple[SizesAt, ...] = ()
    rotation: Rotation | None = None


@dataclass(frozen=True)
class ObservedClusters:
    """cluster : (N,) int32, velocities : (N, 2), copies; steps : the last time steps, None for the event-driven method
    and for a past state; past : whether it is a past state; spin : (N,), ω of the cluster of each disc, a copy, None
    where nothing turns."""

    cluster: NDArray[np.int32]
    velocities: NDArray[np.float64]
    steps: Minimisations | None
    past: bool
    spin: NDArray[np.float64] | None = None


class AggregateAnalysis(SystemAnalysis):
    """The indicators of aggregates; `Analysis.data` is an `AggregateData`. Remembers the cluster sizes of each run."""

    def __init__(self) -> None:
        self._sizes: WeakKeyDictionary[DiscSet, SizesBefore] = WeakKeyDictionary()
        self._rotation: WeakKeyDictionary[DiscSet, MeasuredRows] = WeakKeyDictionary()

    def observe(self, simulation: Simulation, frame: Frame, measured: MeasuredState) -> ObservedClusters:
        """Copy what the indicators need in addition to positions. On the simulation's thread."""
        steps = self.count(simulation, measured).steps
        spin = frame.fields.get("spin")
        turning = None if spin is None else spin.copy()
        return ObservedClusters(frame.cluster.copy(), frame.velocities.copy(), steps, measured.past, turning)

    def count(self, simulation: Simulation, measured: MeasuredState) -> AggregateData:
        """The minimisations of the last time steps. On the simulation's thread."""
        able = converging(simulation)
        if measured.past or able is None:
            return AggregateData()
        tolerance = simulation.scenario.section(Aggregation).damping.tolerance
        return AggregateData(Minimisations.of(able.convergence(), tolerance))

    def sample(self, state: StateCopy) -> Sample:
        """A state as a sample of the engine."""
        observed = state.observed
        return state.sample(cluster=observed.cluster, velocities=observed.velocities, spin=observed.spin)

    def measure(self, state: StateCopy) -> Analysis:
        """Measure the wanted indicators. On the analysis thread."""
        disc_set, observed = state.disc_set, state.observed
        found = StateIndicators(disc_set.scenario.system, lambda: self.sample(state))
        always = {"cluster_size_distribution", *(() if observed.spin is None else _OF_ROTATION)}
        there = found.measure(None if state.wanted_indicators is None else state.wanted_indicators | always)
        known = self._sizes.setdefault(disc_set, SizesBefore())
        if not observed.past and found.cluster_size_distribution is not None:
            known.remember(state.time, found.cluster_size_distribution)
        turned = self._rotation.setdefault(disc_set, MeasuredRows())
        if observed.spin is not None and found.angular_momentum is not None:
            share = nan if found.rotational_share is None else found.rotational_share
            turned.remember(state.time, share, found.angular_momentum, past=observed.past)
        rotation = None if observed.spin is None else turned.up_to(state.time)
        data = AggregateData(
            observed.steps, known.before(state.time), None if rotation is None else Rotation(*rotation)
        )
        return state.analysis(found, data, there)
