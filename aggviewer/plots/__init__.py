"""The side panel with the live plots. GUI thread only.

It is a plain QWidget, made to be put into a dock of 300 to 400 px width by the window. It subscribes to nothing: the
window brings what the session's signals say to the GUI thread and calls the methods below.

PlotsPanel(session, parent=None)
    Plots numbered as the keys. Of discs that stick: 1 N(ε), 2 P(r), 3 contacts, 4 clusters and energy, 5 convergence
    (among the others only where a run goes by time steps). Of discs that bounce: 1 energy and Haff's law, 2 speeds, 3
    Z, 4 g(r), 5 density fluctuations, 6 mean square displacement, 7 impact separations. Of discs that jam: 1
    convergence, 2 forces, 3 gaps, 4 contacts per disc, 5 volume fraction. ``session`` is kept for later commands and
    may be None.

    - ``set_kind(system)``: ``"aggregation"``, ``"hard-discs"`` or ``"jamming"``, whose plots are shown; ``kind``,
      ``cards``: those.
    - ``set_runs(runs)``: one ``RunStyle(name, method, variant)`` or two; at the start one that is event-driven. The
      method decides the colour, variant 1 is a second run of the same method. Short names ("ED", "f = 0.5") read best.
      A run that was there before keeps its data, also where it goes on with another method; ``runs``: those.
    - ``set_system(radii, run=0)``: the discs that the next data belong to, radii (N,); clears that run. Call it for
      ``session.system_changed``.
    - ``refresh(indicators, history, time, run=0)``: engine Indicators, engine History (or None) and the simulation time
      they belong to. At most some 7 times a second; hidden and folded plots cost nothing until they are shown.
    - ``refresh_gas(gas, time, run=0)``: the same for discs that bounce, a ``session.data.GasData``.
    - ``refresh_jamming(data, run=0)``: the same for discs that jam, a ``session.data.JammingData``.
    - ``refresh_convergence(convergence, tolerance, run=0)``: engine Convergence (None for a method without) and
      ``aggregation.damping.tolerance``; some 4 times a second.
    - ``clear()``: back to the empty states.
    - ``show_only(number)``: one plot alone, None for all; ``focus_plot(number)``: the same plot again brings all back
      (the command behind the keys 1 to 7). ``shown``: the number that is alone, or None.
    - ``set_theme(dark)``.
    - signal ``place_asked(x, y)``: the person wants to see where a step struggled, in the coordinates of the discs.

The panel stops its timers when it is closed or destroyed.
"""

from aggviewer.plots.panel import PlotsPanel
from aggviewer.plots.runs import RunStyle

__all__ = ["PlotsPanel", "RunStyle"]
