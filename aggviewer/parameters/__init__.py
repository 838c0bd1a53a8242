"""The side panel with the parameters. GUI thread only.

It is a plain QWidget, made to be put into a dock of 300 to 400 px width by the window. It subscribes to nothing: the
window brings what the session's signals say to the GUI thread (`ParametersPanel.set_scenario`, `set_busy`,
`show_error`). It stops its timers when it is closed or destroyed.
"""

from aggviewer.parameters.draft import in_words
from aggviewer.parameters.panel import ParametersPanel

__all__ = ["ParametersPanel", "in_words"]
