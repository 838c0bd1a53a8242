"""How discs that jam are measured. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aggviewer.session.data import Analysis
from aggviewer.session.measuring import MeasuredState, StateCopy, StateIndicators, SystemAnalysis
from aggviewer.session.saved.packing_pool import PackingPool
from engine.capabilities import packed
from engine.frame import Frame, Network, StressPatch
from engine.scenario import Scenario
from engine.simulation import Simulation

if TYPE_CHECKING:
    from engine.analysis import PooledPackings


@dataclass(frozen=True, eq=False)
class JammingData:
    """What the plots of discs that jam draw beside the indicators and the history. The indicators are those of the
    packing as it is then, None if its contacts are not known.

    Parameters
    ----------
    scenario : as it is tuned at present.
    ended : no linear program is left to be solved.
    pooled : all packings of this session that have jammed with these settings, None if they are not kept.
    patches : where the packing has further self-stresses.
    arrangement : the indicators that need no contacts, as attributes.
    """

    scenario: Scenario
    ended: bool = False
    pooled: PooledPackings | None = None
    patches: tuple[StressPatch, ...] = ()
    arrangement: Any = None


@dataclass(frozen=True)
class ObservedPacking:
    """scenario : as it is tuned; ended : no linear program is left to be solved; jammed : and that is why; network : of
    the frame, which is never written to again, None before contacts carry a force."""

    scenario: Scenario
    ended: bool
    jammed: bool
    network: Network | None


class PackingAnalysis(SystemAnalysis):
    """Measures packings, and keeps those that have jammed in a pool: its own, until the session shares its one."""

    def __init__(self) -> None:
        self._pool = PackingPool()

    def share(self, pool: PackingPool) -> None:
        """An analysis that adds to the same pool of jammed packings."""
        self._pool = pool

    def branch(self) -> PackingAnalysis:
        """Another analysis that remembers what this one has seen, with a pool of its own of the same packings."""
        other = PackingAnalysis()
        other._pool.take_in(self._pool.kept())
        return other

    def observe(self, simulation: Simulation, frame: Frame, moment: MeasuredState) -> ObservedPacking:
        """Copies of what the indicators need beside the positions. On the simulation's thread."""
        packing = packed(simulation)
        jammed = moment.ended and packing is not None and packing.packing().jammed
        return ObservedPacking(simulation.scenario, moment.ended, jammed, frame.network)

    def measure(self, sample: StateCopy) -> Analysis:
        """Measure the indicators that are wanted. On the analyst's thread."""
        found, patches = None, ()
        discs, observed = sample.discs, sample.observed
        from engine import analysis as engine_analysis  # takes a while, and nothing before needs it

        def state() -> engine_analysis.Sample:
            return engine_analysis.Sample(
                sample.positions, sample.radii, discs.box, periodic=discs.periodic, joins=False
            )

        arrangement = StateIndicators(sample.system.scenario.system, state)
        there = arrangement.measure(sample.wanted)
        if observed.network is not None:
            patches = observed.network.patches
            found = engine_analysis.analyse_packing(
                engine_analysis.Held(sample.positions, sample.radii, discs.box, discs.periodic, observed.network)
            )
        if observed.jammed and found is not None:
            self._pool.add(observed.scenario, found.samples)
        pooled = self._pool.pooled(observed.scenario)
        data = JammingData(observed.scenario, observed.ended, pooled, patches, arrangement)
        return sample.analysis(found, data, there)
