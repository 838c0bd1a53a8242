"""The inspector rows that act on the run at once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from PyQt6.QtCore import QObject, QTimer

from aggviewer.parameters.form import ParameterForm
from engine.errors import InputError
from engine.scenario import Scenario

_INTERVAL_MS = 33  # a drag sends no more often than this


class LiveRows(QObject):
    """Sends edits of the live keys. Shows their running values, keys without effect with the reason, and rejected
    values.

    During a drag, the first value is sent at once, further values 30 times a second, and the last value always.

    Parameters
    ----------
    form : the inspector.
    session : its ``set_parameter(key, value)`` is called.
    base : the running scenario.

    Attributes
    ----------
    wanted : dotted key to a value that was set but not yet confirmed by the session; shown instead of the running
        value.
    errors : dotted key to the message at its field.
    """

    def __init__(self, form: ParameterForm, session: Any, base: Scenario, parent: QObject) -> None:
        super().__init__(parent)
        self._form = form
        self._rows = {key: row for key, row in form.rows.items() if key in form.live}
        self._session = session
        self._base = base
        self._methods: frozenset[str] = frozenset()
        self.wanted: dict[str, Any] = {}
        self.errors: dict[str, str] = {}
        self._waiting: dict[str, Any] = {}  # not sent yet
        self._under_way: dict[str, list[Any]] = {}  # sent, in order
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._flush)

    def set_scenario(self, scenario: Scenario, replaced: bool) -> None:
        """Set the running scenario. replaced : it is a different scenario, so pending edits are dropped."""
        if replaced:
            for values in (self.wanted, self._waiting, self._under_way, self.errors):
                values.clear()
        else:
            self._confirm(scenario)
        self._base = scenario

    def _confirm(self, scenario: Scenario) -> None:
        """Drop pending edits that the session has confirmed or that were changed elsewhere meanwhile."""
        for key in list(self.wanted):
            value, sent = scenario.value(key), self._under_way.get(key, [])
            if value in sent:
                del sent[: sent.index(value) + 1]
                if not sent and key not in self._waiting:
                    self._drop(key)
            elif value != self._base.value(key):
                self._drop(key)

    def set_methods(self, methods: Collection[str]) -> None:
        """The running methods; empty: the scenario's method."""
        if self._methods != frozenset(methods):
            self._methods = frozenset(methods)
            self.show()

    @property
    def methods(self) -> frozenset[str]:
        """Set the running methods, if they differ from the scenario's."""
        return self._methods

    def end(self) -> None:
        """Send pending values, and stop."""
        self._flush()
        self._timer.stop()

    def edit(self, key: str, value: Any) -> bool:
        """Change the run. An invalid value is not sent but gets a message at its field; returns False then."""
        try:
            good = self._base.with_values({key: value}).value(key)
        except InputError as error:
            self.refuse(key, str(error))
            return False
        self.errors.clear()
        self.wanted[key] = self._waiting[key] = good
        if not self._timer.isActive():
            self._flush()
        self.show()
        return True

    def refuse(self, key: str, message: str) -> None:
        """Return to the running value, with a message at the field."""
        self._drop(key)
        self.errors = {key: self._rows[key].in_words(message)}
        self.show()

    def show(self) -> None:
        """Update the rows."""
        with self._form.laid_out_once():
            self._show_all()

    def _show_all(self) -> None:
        without_effect = self._form.layout_shown.inert(self.value, self._methods)
        for key, row in self._rows.items():
            row.set_inert(without_effect.reasons.get(key, ""))
            row.show_message(self.errors.get(key, ""))  # first, because a rejected text stays during editing
            row.show_value(self.value(key), False)
        for title, section in self._form.sections.items():
            section.set_note(without_effect.notes.get(title, ""))
        self._form.set_aside(without_effect.aside)

    def value(self, key: str) -> Any:
        """The pending value of a key, else the running one."""
        return self.wanted[key] if key in self.wanted else self._base.value(key)

    def _drop(self, key: str) -> None:
        """Return to the running value."""
        for values in (self.wanted, self._waiting, self._under_way):
            values.pop(key, None)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for key, value in waiting.items():
            self._under_way.setdefault(key, []).append(value)
            self._session.set_parameter(key, value)
        if waiting:
            self._timer.start()
