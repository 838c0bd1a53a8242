"""How discs that jam are measured. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from aggviewer.session.data import Analysis
from aggviewer.session.measuring import Moment, Sample, SystemAnalysis
from aggviewer.session.saved.packing_pool import PackingPool
from engine.capabilities import packed
from engine.scenario import Scenario
from engine.simulation import Frame, History, Network, Simulation, StressPatch

if TYPE_CHECKING:
    from engine.analysis import PackingIndicators, PooledPackings


@dataclass(frozen=True, eq=False)
class JammingData:
    """What there is to say of discs that jam, after one program.

    scenario : as it is tuned now; count : N; periodic : of the box; history : since the start, a JammingHistory but of
    a recording; indicators : of the packing as it is then, None where its contacts are not known; ended : no program is
    left to be solved; pooled : all packings of this session that have jammed with these settings, None where they are
    not kept; patches : where the packing has further self-stresses.
    """

    scenario: Scenario
    count: int
    periodic: bool
    history: History
    indicators: PackingIndicators | None
    ended: bool = False
    pooled: PooledPackings | None = None
    patches: tuple[StressPatch, ...] = ()


@dataclass(frozen=True)
class Observed:
    """scenario : as it is tuned; ended : no program is left to be solved; jammed : and that is why; network : of the
    frame, which is never written to again, None before contacts carry a force."""

    scenario: Scenario
    ended: bool
    jammed: bool
    network: Network | None


class PackingAnalysis(SystemAnalysis):
    """A jammed packing goes into the pool."""

    def __init__(self, pool: PackingPool) -> None:
        self._pool = pool

    def observe(self, simulation: Simulation, frame: Frame, moment: Moment) -> Observed:
        """See `SystemAnalysis.observe`."""
        packing = packed(simulation)
        jammed = moment.ended and packing is not None and packing.packing().jammed
        return Observed(simulation.scenario, moment.ended, jammed, frame.network)

    def measure(self, sample: Sample) -> Analysis:
        """See `SystemAnalysis.measure`."""
        found, patches = None, ()
        system, facts, history = sample.system, sample.observed, cast("History", sample.history)
        if facts.network is not None:
            from engine.analysis import Held, analyse_packing  # takes a while

            patches = facts.network.patches
            found = analyse_packing(Held(sample.positions, sample.radii, system.box, system.periodic, facts.network))
        if facts.jammed and found is not None:
            self._pool.add(facts.scenario, found.samples)
        pooled = self._pool.pooled(facts.scenario)
        data = JammingData(facts.scenario, system.count, system.periodic, history, found, facts.ended, pooled, patches)
        return Analysis(system, sample.time, found, history, data)
