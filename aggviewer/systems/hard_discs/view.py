"""What discs that bounce look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.systems.base import SystemView

if TYPE_CHECKING:
    from aggviewer.parameters.layout import Layout
    from aggviewer.plots.plot import Plot


class HardDiscsView(SystemView):
    """A gas of hard discs."""

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
