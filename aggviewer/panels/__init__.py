"""The side panels: parameters and plots. GUI thread only.

Both are plain QWidgets, made to be put into docks of 300 to 400 px width by the window. They subscribe to nothing:
the window brings what the session's signals say to the GUI thread and calls the methods below.

ParametersPanel(session, parent=None)
    The inspector. Calls only ``session.load(scenario)`` and ``session.set_parameter(key, value)``.

    Most keys restart the run: edits of them are a draft. The live keys (``contents.LIVE``: method, clusters, time step,
    damping; of discs that bounce restitution, gravity, growth) change what runs, and which of them there are follows
    from the system that does: an edit is sent at once, during a drag some 30 times a second and the last value always.
    The session answers with a scenario that holds it, or with a message at the key.

    - ``set_scenario(scenario)``: what runs now (call it for ``session.scenario_changed``). A scenario that this panel
      sent itself, and one that differs in live keys or in the seed alone, keeps the edits of the draft; any other
      replaces them and takes every message away. A live value that is on its way stays until its own answer.
    - ``set_methods(methods)``: the methods that run, where that is not the one of the scenario alone (a comparison);
      empty: as the scenario. Rows without an effect are greyed, with the reason.
    - ``show_error(key, message)``: a message of the session (an InputError with a dotted key) at its field, where a
      live key goes back to what runs; a key without a field goes to the foot. Goes away with the next edit.
    - ``set_busy(busy)``: the session builds a scenario (``session.state_changed``); edits made meanwhile wait for it.
    - ``clear_errors()``.
    - ``draft``: the values that differ from what runs, ``{dotted key: value}``; ``apply()``, ``revert()``,
      ``new_seed()`` do what the buttons do.
    - ``set_theme(dark)``.
    - signal ``applied(scenario)``: just before ``session.load``.

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

``in_words(message)``: a message of the engine with the names of fields in place of dotted keys.

Both stop their timers when they are closed or destroyed.
"""

from aggviewer.panels.draft import in_words
from aggviewer.panels.parameters import ParametersPanel
from aggviewer.panels.plots import PlotsPanel
from aggviewer.panels.runs import RunStyle

__all__ = ["ParametersPanel", "PlotsPanel", "RunStyle", "in_words"]
