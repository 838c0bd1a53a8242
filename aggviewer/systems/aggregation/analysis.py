"""How discs that stick are measured. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.measuring import MeasuredState, StateCopy, StateIndicators, SystemAnalysis
from engine.aggregation.section import Aggregation
from engine.capabilities import converging
from engine.frame import Frame
from engine.simulation import Simulation

if TYPE_CHECKING:
    from engine.aggregation.time_stepping.frame import Convergence
    from engine.analysis import ClusterSizeDistribution

EARLIER = 5
"""Earlier distributions of cluster sizes that a plot shows, at most."""

_LAST = 20  # steps that say whether it converges now
_STRUGGLES = 5  # of them that did not converge
LONGEST_SUMMARY = "Not converging: 20 of the last 20 steps. Smaller α, β, γ or a smaller step help."
"""As long as a sentence of `Minimisations.summary` can be, for the room that it needs."""


@dataclass(frozen=True)
class Minimisations:
    """How the minimisations of the last time steps went, oldest first; arrays (K,).

    Parameters
    ----------
    time : end of the step.
    iterations : most that one group of overlapping discs took, 0 where nothing met.
    residual : max |φ| over the tolerance.
    failed : groups that did not converge.
    place : (K, 2), where most iterations were taken.
    """

    time: NDArray[np.float64]
    iterations: NDArray[np.int64]
    residual: NDArray[np.float64]
    failed: NDArray[np.int64]
    place: NDArray[np.float64]

    @staticmethod
    def of(convergence: Convergence, tolerance: float) -> Minimisations | None:
        """What the engine says of them, with the tolerance as it is tuned; None if no step has been made."""
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
        """Number of each step, 0 for the last one, negative before."""
        return np.arange(1 - len(self.time), 1, dtype=np.float64)

    @property
    def struggling(self) -> bool:
        """Whether the last steps do not converge."""
        return bool(np.count_nonzero(self.failed[-_LAST:]) >= _STRUGGLES)

    def worst(self) -> int | None:
        """The step among the last ones that was hardest: one that failed before one that took many iterations; None if
        nothing met."""
        first = max(0, len(self.time) - _LAST)
        order = np.lexsort((self.iterations[first:], self.failed[first:] > 0))
        worst = first + int(order[-1])
        return worst if self.iterations[worst] > 0 or self.failed[worst] > 0 else None

    def summary(self) -> str:
        """A sentence on how it goes."""
        if self.struggling:
            bad = np.count_nonzero(self.failed[-_LAST:])
            return (
                f"Not converging: {bad} of the last {min(_LAST, len(self.time))} steps. "
                "Smaller α, β, γ or a smaller step help."
            )
        met = np.flatnonzero(self.iterations)
        last = int(self.iterations[met[-1]]) if len(met) else 0
        bad = np.count_nonzero(self.failed)
        return f"{last} iteration{'' if last == 1 else 's'}, {bad} of last {len(self.time)} steps not converged"

    def describe(self, index: int) -> str:
        """One step in words."""
        iterations = self.iterations[index]
        text = (
            f"t = {self.time[index]:.4g}: {iterations} iteration{'' if iterations == 1 else 's'}, "
            f"residual {self.residual[index]:.2g} of the tolerance"
        )
        if self.failed[index]:
            count = self.failed[index]
            text += f"<br>{count} group{'' if count == 1 else 's'} not converged: click to see where"
        return text


@dataclass(frozen=True, eq=False)
class SizesAt:
    """A distribution of cluster sizes, and the time that it is of."""

    time: float
    sizes: ClusterSizeDistribution


class SizesBefore:
    """Distributions of cluster sizes that are kept of a run: each has at least twice the mean size of the last."""

    def __init__(self) -> None:
        self._kept: list[SizesAt] = []

    def remember(self, time: float, sizes: ClusterSizeDistribution) -> None:
        """Keep a distribution if the clusters have grown enough. A run that continues from an earlier state replaces
        what came after it."""
        self._kept = [one for one in self._kept if one.time < time]
        if not self._kept or sizes.weight_mean >= 2.0 * self._kept[-1].sizes.weight_mean:
            self._kept.append(SizesAt(time, sizes))

    def before(self, time: float) -> tuple[SizesAt, ...]:
        """The latest ones before this time, the oldest first; without the start, where discs are single."""
        return tuple(one for one in self._kept if one.time < time and one.sizes.weight_mean > 1.5)[-EARLIER:]


@dataclass(frozen=True)
class AggregateData:
    """What the plots of aggregates draw beside the indicators and the history.

    Parameters
    ----------
    steps : how the last minimisations of time stepping went; None for a method without and for a past state.
    sizes : distributions of cluster sizes at earlier times, the oldest first.
    """

    steps: Minimisations | None = None
    sizes: tuple[SizesAt, ...] = ()


@dataclass(frozen=True)
class ObservedClusters:
    """cluster : (N,) int32, velocities : (N, 2), copies; steps : the last time steps, None for a method without and for
    a past state; past : whether the state is an earlier one."""

    cluster: NDArray[np.int32]
    velocities: NDArray[np.float64]
    steps: Minimisations | None
    past: bool


class AggregateAnalysis(SystemAnalysis):
    """The indicators of aggregates; `Analysis.data` is an `AggregateData`. Remembers the cluster sizes of each run."""

    def __init__(self) -> None:
        self._sizes: WeakKeyDictionary[SystemInfo, SizesBefore] = WeakKeyDictionary()

    def observe(self, simulation: Simulation, frame: Frame, moment: MeasuredState) -> ObservedClusters:
        """Copies of what the indicators need beside the positions. On the simulation's thread."""
        steps, able = None, converging(simulation)
        if not moment.past and able is not None:
            steps = Minimisations.of(able.convergence(), simulation.scenario.section(Aggregation).damping.tolerance)
        return ObservedClusters(frame.cluster.copy(), frame.velocities.copy(), steps, moment.past)

    def measure(self, sample: StateCopy) -> Analysis:
        """Measure the indicators that are wanted. On the analyst's thread."""
        system, observed = sample.system, sample.observed
        found = StateIndicators(
            system.scenario.system, lambda: sample.sample(cluster=observed.cluster, velocities=observed.velocities)
        )
        there = found.measure(None if sample.wanted is None else sample.wanted | {"cluster_size_distribution"})
        known = self._sizes.setdefault(system, SizesBefore())
        if not observed.past and found.cluster_size_distribution is not None:
            known.remember(sample.time, found.cluster_size_distribution)
        data = AggregateData(observed.steps, known.before(sample.time))
        return sample.analysis(found, data, there)
