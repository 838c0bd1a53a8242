"""The view of discs that jam, and what it measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aggviewer.parameters.editors import Control
from aggviewer.parameters.layout import ADVANCED, BOUNDARY, Layout
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session.analyst import MeasuredState, StateCopy, StateIndicators, SystemAnalysis
from aggviewer.session.data import Analysis, Status
from aggviewer.style import numbers
from aggviewer.systems.base import Reading, Side, SystemView
from aggviewer.systems.jamming.commands import jamming_commands
from aggviewer.systems.jamming.convergence import JamConvergencePlot
from aggviewer.systems.jamming.packing import (
    ForcesPlot,
    GapsPlot,
    JamContactsPlot,
    JamFractionPlot,
    JamStructureFactorPlot,
)
from aggviewer.widgets.command import Command
from aggviewer.widgets.part import Context
from engine.frame import Frame, Network, StressPatch
from engine.jamming.section import Jamming
from engine.scenario import Scenario, describe
from engine.simulation import Simulation

_LIMITS = ("jamming.tolerance_inflation", "jamming.tolerance_displacement", "jamming.max_iterations")
SECTIONS = {"Jamming": ("jamming.start",), ADVANCED: ("jamming.rules", "jamming.solver", *_LIMITS)}
CONTROLS = {
    "jamming.tolerance_inflation": Control(step=1e-14, slider=(1e-14, 1e-2), log=True),
    "jamming.tolerance_displacement": Control(step=1e-14, slider=(1e-14, 1e-2), log=True),
    "jamming.max_iterations": Control(step=1, slider=(10, 1e4), log=True),
}
_SIMPLE = ("discs.count", "discs.radii", BOUNDARY)  # the fraction at the start hardly changes where they jam
LAYOUT = Layout(SECTIONS, CONTROLS, without=frozenset({"Motion"}), simple=_SIMPLE)  # they begin at rest
RULES = "jamming.rules"
_RULES = {"trust-region": "trust region", "calippso": "CALiPPSO"}


class JammingView(SystemView):
    """Packings made by a chain of linear programs."""

    start_word = "Jamming"
    offers = frozenset({"forces", "take_out"})

    def analysis(self) -> SystemAnalysis:
        """A new analysis of packings, one for each lane."""
        return PackingAnalysis()

    def plots(self) -> tuple[Plot, ...]:
        """Six plots, the convergence first."""
        return (
            JamConvergencePlot(),
            ForcesPlot(),
            GapsPlot(),
            JamContactsPlot(),
            JamFractionPlot(),
            JamStructureFactorPlot(),
        )

    def layout(self) -> Layout:
        """The parameters of this system."""
        return LAYOUT

    def commands(self, context: Context) -> Iterator[Command]:
        """Commands that jam the discs on screen, remove some of a packing, and export contacts."""
        return jamming_commands(context)

    def rate(self, status: Status) -> Reading:
        """Iterations per second."""
        text = f"{numbers.rate(status.speed_reached)} {numbers.pace_unit(self.clock)}"
        return Reading(text, "Iterations per second of wall time")

    def side(self, scenario: Scenario) -> Side:
        """The heading of a picture in a comparison: the rules."""
        rules = describe(RULES)
        return Side(text=rules.choices[scenario.section(Jamming).rules], tip=rules.tooltip)

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """The keys that choose the other rules."""
        return {RULES: next(rules for rules in _RULES if rules != scenario.section(Jamming).rules)}

    def run_styles(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """Names and styles of the runs in plots: their rules."""
        return [
            RunStyle(_RULES[scenario.section(Jamming).rules], "event-driven", shade)
            for shade, scenario in enumerate(scenarios)
        ]


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
    """Measures packings: contacts, forces, gaps and rattlers."""

    def observe(self, simulation: Simulation, frame: Frame, measured: MeasuredState) -> ObservedPacking:
        """Copy what the indicators need in addition to positions. On the simulation's thread."""
        return ObservedPacking(simulation.scenario, measured.ended, frame.network)

    def count(self, simulation: Simulation, measured: MeasuredState) -> JammingData:
        """The settings of the run, and whether it has ended. On the simulation's thread."""
        return JammingData(simulation.scenario, measured.ended)

    def measure(self, state: StateCopy) -> Analysis:
        """Measure the wanted indicators. On the analysis thread."""
        found, patches = None, ()
        discs, observed = state.discs, state.observed
        from engine import analysis as engine_analysis  # slow, and not needed before

        def sample() -> engine_analysis.Sample:
            return engine_analysis.Sample(state.positions, state.radii, discs.box, periodic=discs.periodic, joins=False)

        arrangement = StateIndicators(state.disc_set.scenario.system, sample)
        there = arrangement.measure(state.wanted_indicators)
        if observed.network is not None:
            patches = observed.network.patches
            found = engine_analysis.analyse_packing(
                engine_analysis.Held(state.positions, state.radii, discs.box, discs.periodic, observed.network)
            )
        data = JammingData(observed.scenario, observed.ended, patches, arrangement)
        return state.analysis(found, data, there, arrangement.problems)
