"""What the application needs to know of a system: how it is measured, drawn and spoken of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.session.measuring import SystemAnalysis
from aggviewer.session.saved.packing_pool import PackingPool
from engine.system import system

if TYPE_CHECKING:
    from aggviewer.parameters.layout import Layout
    from aggviewer.plots.plot import Plot


class SystemView:
    """Base, and what a system without a view of its own looks like.

    Parameters
    ----------
    name : of the system, as in the scenario.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def analysis(self, pool: PackingPool) -> SystemAnalysis:
        """How states are measured; a new object for each lane. No Qt. pool : the jammed packings of the session."""
        return SystemAnalysis()

    def plots(self) -> tuple[type[Plot], ...]:
        """The plots, in the order of their keys. Imported only here: pyqtgraph takes its time."""
        return ()

    def layout(self) -> Layout:
        """What the inspector has for the system's own table. Imported only here, for Qt."""
        from aggviewer.parameters.layout import plain_layout

        described = system(self.name)
        return plain_layout(described.title, described.table)
