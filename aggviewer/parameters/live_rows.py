"""The rows of the inspector that change what runs at once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from PyQt6.QtCore import QObject, QTimer

from aggviewer.parameters.form import ParameterForm
from engine.errors import InputError
from engine.scenario import Scenario

_INTERVAL_MS = 33  # a drag sends no more often than this


class LiveRows(QObject):
    """Sends edits of the live keys and shows what runs, what has no effect and why, and what was refused.

    The first value of a drag is sent at once, the next ones 30 times a second, and always the last one.

    Parameters
    ----------
    form : the inspector.
    session : its ``set_parameter(key, value)`` is called.
    base : what runs.

    Attributes
    ----------
    wanted : dotted key to a value that was set and that the session has not confirmed yet; it is shown in place of what
        runs.
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
        """What runs; `replaced`: it is another scenario, which ends all that was wanted of the last one."""
        if replaced:
            for values in (self.wanted, self._waiting, self._under_way, self.errors):
                values.clear()
        else:
            self._confirm(scenario)
        self._base = scenario

    def _confirm(self, scenario: Scenario) -> None:
        """What the session has taken over is wanted no more, and what someone else has changed meanwhile is theirs."""
        for key in list(self.wanted):
            value, sent = scenario.value(key), self._under_way.get(key, [])
            if value in sent:
                del sent[: sent.index(value) + 1]
                if not sent and key not in self._waiting:
                    self._drop(key)
            elif value != self._base.value(key):
                self._drop(key)

    def set_methods(self, methods: Collection[str]) -> None:
        """The methods that run; empty: that of the scenario."""
        if self._methods != frozenset(methods):
            self._methods = frozenset(methods)
            self.show()

    @property
    def methods(self) -> frozenset[str]:
        """The methods that run, where they are not that of the scenario."""
        return self._methods

    def end(self) -> None:
        """Send what waits, and nothing more."""
        self._flush()
        self._timer.stop()

    def edit(self, key: str, value: Any) -> bool:
        """Change what runs. A bad value gets a message at its field and is never sent; False for one."""
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
        """Back to what runs, with a message at the field."""
        self._drop(key)
        self.errors = {key: self._rows[key].in_words(message)}
        self.show()

    def show(self) -> None:
        """Bring the rows in line."""
        with self._form.laid_out_once():
            self._show_all()

    def _show_all(self) -> None:
        without_effect = self._form.layout_shown.inert(self.value, self._methods)
        for key, row in self._rows.items():
            row.set_inert(without_effect.reasons.get(key, ""))
            row.show_message(self.errors.get(key, ""))  # first: a text that is refused stays while it is edited
            row.show_value(self.value(key), False)
        for title, section in self._form.sections.items():
            section.set_note(without_effect.notes.get(title, ""))
        self._form.set_aside(without_effect.aside)

    def value(self, key: str) -> Any:
        """What was set at a key and is on its way, else what runs."""
        return self.wanted[key] if key in self.wanted else self._base.value(key)

    def _drop(self, key: str) -> None:
        """Back to what runs."""
        for values in (self.wanted, self._waiting, self._under_way):
            values.pop(key, None)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for key, value in waiting.items():
            self._under_way.setdefault(key, []).append(value)
            self._session.set_parameter(key, value)
        if waiting:
            self._timer.start()
