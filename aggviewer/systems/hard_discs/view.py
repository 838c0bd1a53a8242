"""What discs that bounce look like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aggviewer.session.data import LaneStatus
from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.style import numbers
from aggviewer.systems.base import Side, SystemView
from engine.hard_discs.section import HardDiscs
from engine.scenario import Scenario

if TYPE_CHECKING:
    from aggviewer.parameters.layout import Layout
    from aggviewer.plots.plot import Plot
    from aggviewer.plots.runs import RunStyle

RESTITUTION = "hard_discs.restitution"
_INELASTIC = 0.9  # the restitution that elastic discs are compared with


class HardDiscsView(SystemView):
    """A gas of hard discs."""

    heading = "Discs that bounce"
    events = "Collisions of two discs and with walls"

    def analysis(self, pool: PackingPool) -> SystemAnalysis:
        """See `SystemView.analysis`."""
        from aggviewer.systems.hard_discs.analysis import GasAnalysis

        return GasAnalysis()

    def plots(self) -> tuple[type[Plot], ...]:
        """See `SystemView.plots`."""
        from aggviewer.systems.hard_discs.energy_decay import EnergyDecayPlot
        from aggviewer.systems.hard_discs.fluctuations import FluctuationsPlot
        from aggviewer.systems.hard_discs.mean_square_displacement import MeanSquareDisplacementPlot
        from aggviewer.systems.hard_discs.pair_correlation import PairCorrelationPlot
        from aggviewer.systems.hard_discs.pressure import PressurePlot
        from aggviewer.systems.hard_discs.separations import SeparationsPlot
        from aggviewer.systems.hard_discs.speeds import SpeedsPlot

        return (
            EnergyDecayPlot,
            SpeedsPlot,
            PressurePlot,
            PairCorrelationPlot,
            FluctuationsPlot,
            MeanSquareDisplacementPlot,
            SeparationsPlot,
        )

    def layout(self) -> Layout:
        """See `SystemView.layout`."""
        from aggviewer.systems.hard_discs.parameters import LAYOUT

        return LAYOUT

    def progress(self, status: LaneStatus) -> str:
        """See `SystemView.progress`."""
        return f"{numbers.count(status.events.get('collision', 0))} collisions"

    def side(self, scenario: Scenario) -> Side:
        """See `SystemView.side`: the restitution."""
        return Side(key=RESTITUTION)

    def opposite(self, scenario: Scenario) -> dict[str, Any]:
        """See `SystemView.opposite`: collisions with or without loss."""
        return {RESTITUTION: 1.0 if scenario.section(HardDiscs).restitution < 1.0 else _INELASTIC}

    def runs(self, scenarios: Sequence[Scenario]) -> list[RunStyle]:
        """See `SystemView.runs`: their restitutions."""
        from aggviewer.plots.runs import RunStyle

        return [
            RunStyle(f"ε = {scenario.section(HardDiscs).restitution:g}", "event-driven", variant)
            for variant, scenario in enumerate(scenarios)
        ]
