"""The rows of the inspector that change what runs at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from PyQt6.QtCore import QObject

from aggviewer.parameters.draft import in_words
from aggviewer.parameters.form import ParameterForm
from aggviewer.parameters.live import LiveValues
from engine.errors import InputError
from engine.scenario import Scenario


class LiveRows(QObject):
    """Sends edits of the live keys and shows what runs, what has no effect and why, and what was refused.

    form : the inspector; base : what runs.
    """

    def __init__(self, form: ParameterForm, session: Any, base: Scenario, parent: QObject) -> None:
        super().__init__(parent)
        self._form = form
        self._rows = {key: row for key, row in form.rows.items() if key in form.live}
        self._values = LiveValues(lambda key, value: session.set_parameter(key, value), self)
        self._base = base
        self._methods: frozenset[str] = frozenset()
        self.errors: dict[str, str] = {}

    @property
    def wanted(self) -> Mapping[str, Any]:
        """Values that were sent and that the session has not confirmed yet."""
        return self._values.wanted

    def set_scenario(self, scenario: Scenario, replaced: bool) -> None:
        """What runs now; `replaced`: it is another scenario, which ends all that was wanted of the last one."""
        if replaced:
            self._values.clear()
            self.errors.clear()
        else:
            self._values.confirm(self._base, scenario)
        self._base = scenario

    def set_methods(self, methods: Collection[str]) -> None:
        """The methods that run; empty: that of the scenario."""
        self._methods = frozenset(methods)
        self.show()

    def edit(self, key: str, value: Any) -> bool:
        """Change what runs. A bad value is told at its field and never sent; False for one."""
        try:
            good = self._base.with_values({key: value}).value(key)
        except InputError as error:
            self.refuse(key, str(error))
            return False
        self.errors.clear()
        self._values.set(key, good)
        self.show()
        return True

    def refuse(self, key: str, message: str) -> None:
        """Back to what runs, with a message at the field."""
        self._values.drop(key)
        self.errors = {key: in_words(message)}
        self.show()

    def show(self) -> None:
        """Bring the rows in line."""
        without_effect = self._form.layout_shown.inert(self._value, self._methods)
        for key, row in self._rows.items():
            row.set_inert(without_effect.reasons.get(key, ""))
            row.show_value(self._value(key), False)
            row.show_message(self.errors.get(key, ""))
        for title, section in self._form.sections.items():
            section.set_note(without_effect.notes.get(title, ""))
        self._form.set_aside(without_effect.aside)

    def _value(self, key: str) -> Any:
        return self.wanted[key] if key in self.wanted else self._base.value(key)
