"""Changes of the view as steps that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from psygnal import EmissionInfo

from aggviewer.session.undo.history import History, Step
from aggviewer.session.undo.words import change_of_view
from aggviewer.session.view import ViewModel


class ViewStep(Step):
    """A field of the view has another value. give(value) : sets it without another step."""

    def __init__(self, name: str, before: Any, after: Any, give: Callable[[str, Any], None]) -> None:
        super().__init__(change_of_view(name, before, after), name)
        self._name, self._before, self._after = name, before, after
        self._give = give

    def undo(self) -> None:
        self._give(self._name, self._before)

    def redo(self) -> None:
        self._give(self._name, self._after)

    def absorb(self, newer: Step) -> None:
        super().absorb(newer)
        assert isinstance(newer, ViewStep)
        self._after = newer._after


class ViewSteps:
    """Watches the view model, whoever changes it, and puts every change on the history. One thread changes the view."""

    def __init__(self, view: ViewModel, history: History) -> None:
        self._view = view
        self._history = history
        self._values = view.model_dump()
        self._silent = False
        view.events.connect(self._on_change)

    def close(self) -> None:
        """Stop watching."""
        self._view.events.disconnect(self._on_change)

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """What changes meanwhile is no step."""
        before, self._silent = self._silent, True
        try:
            yield
        finally:
            self._silent = before

    def _on_change(self, change: EmissionInfo) -> None:
        name, after = change.signal.name, change.args[0]
        before, self._values[name] = self._values[name], after
        if not self._silent and before != after:
            self._history.push(ViewStep(name, before, after, self._give))

    def _give(self, name: str, value: Any) -> None:
        with self.unrecorded():
            setattr(self._view, name, value)
