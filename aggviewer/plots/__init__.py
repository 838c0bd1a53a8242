"""The side panel with the live plots. GUI thread only.

It is a plain QWidget, made to be put into a dock of 300 to 400 px width by the window. It subscribes to nothing: the
window brings what the session's signals say to the GUI thread (`PlotsPanel.set_kind`, `set_runs`, `begin`, `refresh`).
It stops its timers when it is closed or destroyed.
"""

from aggviewer.plots.panel import PlotsPanel
from aggviewer.plots.runs import RunStyle

__all__ = ["PlotsPanel", "RunStyle"]
