"""How discs that stick are measured. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis
from aggviewer.session.measuring import Moment, Sample, SystemAnalysis
from engine.aggregation.section import Aggregation
from engine.capabilities import converging
from engine.simulation import Frame, Simulation

if TYPE_CHECKING:
    from engine.aggregation.time_stepping.frame import Convergence


@dataclass(frozen=True)
class Minimisations:
    """convergence : how those of the last steps went, None for a method without, and for a state of before;
    tolerance : of them, as it is tuned."""

    convergence: Convergence | None = None
    tolerance: float = 1.0


@dataclass(frozen=True)
class Observed:
    """cluster : (N,) int32, a copy."""

    cluster: NDArray[np.int32]
    minimisations: Minimisations


class AggregateAnalysis(SystemAnalysis):
    """The indicators of aggregates, and how the minimisations of time stepping went."""

    def observe(self, simulation: Simulation, frame: Frame, moment: Moment) -> Observed:
        """See `SystemAnalysis.observe`."""
        found, able = Minimisations(), converging(simulation)
        if not moment.past and able is not None:
            found = Minimisations(able.convergence(), simulation.scenario.section(Aggregation).damping.tolerance)
        return Observed(frame.cluster.copy(), found)

    def measure(self, sample: Sample) -> Analysis:
        """See `SystemAnalysis.measure`."""
        from engine.analysis import analyse  # takes a while, and nothing before the first measurement needs it

        system, observed = sample.system, sample.observed
        found = analyse(sample.positions, system.radii, system.box, periodic=system.periodic, cluster=observed.cluster)
        return Analysis(system, sample.time, found, sample.history, observed.minimisations)
