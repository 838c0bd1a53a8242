"""Measuring discs that jam. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aggviewer.session.data import Analysis
from aggviewer.session.measuring import MeasuredState, StateCopy, StateIndicators, SystemAnalysis
from engine.frame import Frame, Network, StressPatch
from engine.scenario import Scenario
from engine.simulation import Simulation


@dataclass(frozen=True, eq=False)
class JammingData:
    """Data for the plots of discs that jam, in addition to indicators and history. The indicators are those of the
    packing at that time, None if its contacts are not known.

    Parameters
    ----------
    scenario : with its present settings.
    ended : whether the chain of linear programs has ended.
    patches : the patches with extra self-stresses.
    arrangement : the indicators that do not need contacts, as attributes.
    """

    scenario: Scenario
    ended: bool = False
    patches: tuple[StressPatch, ...] = ()
    arrangement: Any = None


@dataclass(frozen=True)
class ObservedPacking:
    """scenario : with its present settings; ended : whether the chain has ended; network : of the frame (never
    modified), None before contacts carry forces."""

    scenario: Scenario
    ended: bool
    network: Network | None


class PackingAnalysis(SystemAnalysis):
    """Measures packings."""

    def observe(self, simulation: Simulation, frame: Frame, moment: MeasuredState) -> ObservedPacking:
        """Copy what the indicators need in addition to positions. On the simulation's thread."""
        return ObservedPacking(simulation.scenario, moment.ended, frame.network)

    def count(self, simulation: Simulation, moment: MeasuredState) -> JammingData:
        """The settings. On the simulation's thread."""
        return JammingData(simulation.scenario, moment.ended)

    def measure(self, sample: StateCopy) -> Analysis:
        """Measure the wanted indicators. On the analysis thread."""
        found, patches = None, ()
        discs, observed = sample.discs, sample.observed
        from engine import analysis as engine_analysis  # slow, and not needed before

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
        data = JammingData(observed.scenario, observed.ended, patches, arrangement)
        return sample.analysis(found, data, there, arrangement.problems)
