"""The side panel with the live plots. GUI thread only.

It is a plain QWidget, made to be put into a dock of 300 to 400 px width by the window. It subscribes to nothing: the
window brings what the session's signals say to the GUI thread and calls the methods below.

PlotsPanel(plots_of, parent=None)
    ``plots_of(system)``: the plots of a system, classes of `aggviewer.plots.plot.Plot`, numbered by their order as the
    keys are. The panel knows no system.

    - ``set_kind(system)``: the system whose plots are shown; ``kind``, ``cards``: those.
    - ``set_runs(runs)``: one ``RunStyle(name, method, variant)`` or two; at the start one that is event-driven. The
      method decides the colour, variant 1 is a second run of the same method. Short names ("ED", "f = 0.5") read best.
      A run that was there before keeps its data, also where it goes on with another method; ``runs``: those.
    - ``begin(run=0)``: the next data belong to other discs; clears that run. Call it for ``session.system_changed``.
    - ``refresh(analysis, run=0)``: draw a ``session.data.Analysis`` of the present system. At most some 7 times a
      second; hidden and folded plots are drawn when they are shown.
    - ``clear()``: back to the empty states.
    - ``show_only(number)``: one plot alone, None for all; ``focus_plot(number)``: the same plot again brings all back
      (the command behind the keys). ``shown``: the number that is alone, or None.
    - ``set_theme(dark)``.
    - signal ``place_asked(x, y)``: the person wants to see a place, in the coordinates of the discs.

The panel stops its timers when it is closed or destroyed.
"""

from aggviewer.plots.panel import PlotsPanel
from aggviewer.plots.runs import RunStyle

__all__ = ["PlotsPanel", "RunStyle"]
