"""The side panel with the live plots. GUI thread only.

It is a plain QWidget for a dock of 300 to 400 px width. It subscribes to nothing: the window passes on the session's
signals on the GUI thread (`PlotsPanel.set_system`, `set_runs`, `begin`, `refresh`). It stops its timers when it is
closed or destroyed.
"""

from aggviewer.plots.panel import PlotsPanel
from aggviewer.plots.runs import RunStyle

__all__ = ["PlotsPanel", "RunStyle"]
