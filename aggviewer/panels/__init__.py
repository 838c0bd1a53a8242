"""The side panels: parameters and plots. GUI thread only.

Both are plain QWidgets, made to be put into docks of 300 to 400 px width by the window. They subscribe to nothing:
the window brings what the session's signals say to the GUI thread and calls the methods below.

ParametersPanel(session, parent=None)
    The inspector. Calls only ``session.load(scenario)``.

    - ``set_scenario(scenario)``: what runs now (call it for ``session.scenario_changed``). A scenario that this panel
      sent itself keeps the edits made meanwhile; any other replaces them and takes every message away.
    - ``show_error(key, message)``: a message of the session (an InputError with a dotted key) at its field; a key
      without a field goes to the foot of the panel. Goes away with the next edit.
    - ``set_busy(busy)``: the session builds a scenario (``session.state_changed``); edits made meanwhile wait for it.
    - ``clear_errors()``.
    - ``draft``: the values that differ from what runs, ``{dotted key: value}``; ``apply()``, ``revert()``,
      ``new_seed()`` do what the buttons do.
    - ``set_theme(dark)``.
    - signal ``applied(scenario)``: just before ``session.load``.

PlotsPanel(session, parent=None)
    Four plots, numbered as the keys: 1 N(ε), 2 P(r), 3 contacts, 4 clusters and energy. ``session`` is kept for later
    commands and may be None.

    - ``set_system(radii)``: the discs that the next data belong to, radii (N,); clears. Call it for
      ``session.system_changed``.
    - ``refresh(indicators, history, time)``: engine Indicators, engine History (or None) and the simulation time they
      belong to. At most some 7 times a second; hidden and folded plots cost nothing until they are shown.
    - ``clear()``: back to the empty states.
    - ``show_only(number)``: one plot alone, None for all; ``focus_plot(number)``: the same plot again brings all back
      (the command behind the keys 1 to 4). ``shown``: the number that is alone, or None.
    - ``set_theme(dark)``.

``in_words(message)``: a message of the engine with the names of fields in place of dotted keys.

Both stop their timers when they are closed or destroyed.
"""

from aggviewer.panels.draft import in_words
from aggviewer.panels.parameters import ParametersPanel
from aggviewer.panels.plots import PlotsPanel

__all__ = ["ParametersPanel", "PlotsPanel", "in_words"]
