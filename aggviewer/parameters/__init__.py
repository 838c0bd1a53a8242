"""The side panel with the parameters. GUI thread only.

It is a plain QWidget, made to be put into a dock of 300 to 400 px width by the window. It subscribes to nothing: the
window brings what the session's signals say to the GUI thread and calls the methods below.

ParametersPanel(session, layouts, parent=None)
    The inspector; ``layouts``: what each system has of its own (`aggviewer.parameters.layout`), by its name. The panel
    knows no system. Calls only ``session.load(scenario)`` and ``session.set_parameter(key, value)``.

    Most keys restart the run: edits of them are a draft. The live keys (those that the model of the scenario lets
    change while it runs, and what a layout adds) change what runs: an edit is sent at once, during a drag some 30 times
    a second and the last value always. The session answers with a scenario that holds it, or with a message at the key.

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

``in_words(message)``: a message of the engine with the names of fields in place of dotted keys.

The panel stops its timers when it is closed or destroyed.
"""

from aggviewer.parameters.draft import in_words
from aggviewer.parameters.panel import ParametersPanel

__all__ = ["ParametersPanel", "in_words"]
