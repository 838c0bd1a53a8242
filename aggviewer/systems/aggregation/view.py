"""What discs that stick look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.systems.base import SystemView

if TYPE_CHECKING:
    from aggviewer.parameters.layout import Layout
    from aggviewer.plots.plot import Plot


class AggregationView(SystemView):
    """Ballistic aggregation, event-driven or by time steps."""

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
