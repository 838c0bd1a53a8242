"""The side panel with the parameters. GUI thread only.

It is a plain QWidget for a dock 300 to 400 px wide. It does not connect to the session's signals itself: the window
passes them on, on the GUI thread (`ParametersPanel.set_scenario`, `set_busy`, `show_error`). Its timers stop when it is
closed or destroyed.
"""

from aggviewer.parameters.field_row import in_words
from aggviewer.parameters.panel import ParametersPanel

__all__ = ["ParametersPanel", "in_words"]
