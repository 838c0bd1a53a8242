"""What discs that stick look like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from aggviewer.session.data import LaneStatus, Status
from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.publish.shown import Shown
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.style import numbers
from aggviewer.systems.aggregation.keys import FRACTION, METHOD, STEP
from aggviewer.systems.base import Reading, Readings, Side, SystemView
from engine.aggregation.section import Aggregation
from engine.scenario import Scenario
from engine.system import method_of

if TYPE_CHECKING:
    from aggviewer.parameters.layout import Layout
    from aggviewer.plots.plot import Plot
    from aggviewer.plots.runs import RunStyle
    from aggviewer.systems.desk import Desk
    from aggviewer.widgets.command import Command

_OTHER = {"event-driven": "time-stepping", "time-stepping": "event-driven"}
_METHODS = {"event-driven": ("Event-driven", "ED"), "time-stepping": ("Time stepping", "TS")}


class AggregationView(SystemView):
    """Ballistic aggregation, event-driven or by time steps."""

    heading = "Discs that stick"
    events = "Merges and wall reflections"
    offers = frozenset({"frames", "methods", "jam"})

    def analysis(self, pool: PackingPool) -> SystemAnalysis:
        """See `SystemView.analysis`."""
        from aggviewer.systems.aggregation.analysis import AggregateAnalysis

        return AggregateAnalysis()

    def plots(self) -> tuple[type[Plot], ...]:
        """See `SystemView.plots`."""
        from aggviewer.systems.aggregation.box_counting import BoxCountingPlot
        from aggviewer.systems.aggregation.coarsening import CoarseningPlot
        from aggviewer.systems.aggregation.contacts import ContactsPlot
        from aggviewer.systems.aggregation.convergence_plot import ConvergencePlot
        from aggviewer.systems.aggregation.pair_distribution import PairDistributionPlot

        return BoxCountingPlot, PairDistributionPlot, ContactsPlot, CoarseningPlot, ConvergencePlot

    def layout(self) -> Layout:
        """See `SystemView.layout`."""
        from aggviewer.systems.aggregation.parameters import LAYOUT

        return LAYOUT

    def commands(self, desk: Desk) -> Iterable[Command]:
        """See `SystemView.commands`: the methods, and two time steps side by side."""
        from aggviewer.systems.aggregation.commands import method_commands

        return method_commands(desk)

    def readings(self, status: Status, shown: Shown | None) -> Readings:
        """See `SystemView.readings`."""
        usual = super().readings(status, shown)
        text = f"M = {numbers.count(status.clusters)}"
        tip = f"M: number of clusters, of N = {numbers.count(status.count)} discs"
        return Readings(usual.moment, Reading(text, tip), usual.rate)

    def progress(self, status: LaneStatus) -> str:
        """See `SystemView.progress`."""
        failed = status.steps.get("not_converged", 0)
        words = f"M = {numbers.count(status.clusters)}"
        return f"{words}, {numbers.count(failed)} not converged" if failed else words

    def side(self, scenario: Scenario) -> Side:
        """See `SystemView.side`: the method, and the time step of one that has steps."""
        if method_of(scenario) == "event-driven":
            return Side(METHOD, _METHODS)
        adaptive = scenario.section(Aggregation).time_stepping.step == "adaptive"
        return Side(METHOD, _METHODS, FRACTION if adaptive else STEP)

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """See `SystemView.opposite`: the other method."""
        return {METHOD: _OTHER[method_of(scenario)]}

    def runs(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """See `SystemView.runs`: ED and TS, or the time steps of two that are alike."""
        from aggviewer.plots.runs import RunStyle

        methods = [method_of(scenario) for scenario in scenarios]
        if len(methods) < 2 or methods[0] != methods[1]:
            return [RunStyle(_METHODS[method][1], method) for method in methods]
        return [
            RunStyle(_step_name(scenario), method, variant)
            for variant, (scenario, method) in enumerate(zip(scenarios, methods, strict=True))
        ]


def _step_name(scenario: Scenario) -> str:
    stepping = scenario.section(Aggregation).time_stepping
    if method_of(scenario) == "event-driven":
        return "ED"
    return f"f = {stepping.fraction:g}" if stepping.step == "adaptive" else f"Δt = {stepping.step:g}"
