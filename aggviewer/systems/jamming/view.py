"""What discs that jam look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.systems.base import SystemView

if TYPE_CHECKING:
    from aggviewer.parameters.layout import Layout
    from aggviewer.plots.plot import Plot


class JammingView(SystemView):
    """Packings that a chain of linear programs makes."""

    def analysis(self, pool: PackingPool) -> SystemAnalysis:
        """See `SystemView.analysis`."""
        from aggviewer.systems.jamming.analysis import PackingAnalysis

        return PackingAnalysis(pool)

    def plots(self) -> tuple[type[Plot], ...]:
        """See `SystemView.plots`."""
        from aggviewer.systems.jamming.contacts import JamContactsPlot
        from aggviewer.systems.jamming.convergence import JamConvergencePlot
        from aggviewer.systems.jamming.power_laws import ForcesPlot, GapsPlot
        from aggviewer.systems.jamming.volume_fraction import JamFractionPlot

        return JamConvergencePlot, ForcesPlot, GapsPlot, JamContactsPlot, JamFractionPlot

    def layout(self) -> Layout:
        """See `SystemView.layout`."""
        from aggviewer.systems.jamming.parameters import LAYOUT

        return LAYOUT
