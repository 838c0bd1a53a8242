"""What belongs to the discs that run, as they come and go, and the changes of what is marked in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from psygnal import Signal

from aggviewer.document.document import Document
from aggviewer.document.marks.model import MAX_TEXT, MOST, Mark
from aggviewer.document.marks.run_marks import RunMarks
from aggviewer.document.run import RunModel
from aggviewer.document.state import FieldPath
from aggviewer.session.data import SystemInfo
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError
from engine.selection import Selection
from engine.system import system_of

_MARKS: FieldPath = (RunModel.namespace, "marks")
_CAMERA: FieldPath = (RunModel.namespace, "camera")


class Marking:
    """Lets a document follow the discs that run, and changes the `RunMarks` in it. Any thread.

    Other discs begin without marks, and the picture of a box with other sides shows all of it.

    changed : emitted after every change of the marks, on the thread that makes it.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        self._document = document
        self._system: SystemInfo | None = None
        self._coming: SessionState | None = None  # that is being opened
        document.run.events.marks.connect(self._on_changed)

    @property
    def value(self) -> RunMarks:
        """The present value."""
        return self._document.run.marks

    def _on_changed(self) -> None:
        self.changed.emit()

    def follow(self, system: SystemInfo) -> None:
        """These discs are simulated from now on."""
        before, self._system = self._system, system
        coming, self._coming = self._coming, None
        self._document.follow(system, self._begin(before, system, coming))

    def _begin(
        self, before: SystemInfo | None, system: SystemInfo, coming: SessionState | None
    ) -> Mapping[FieldPath, Any] | None:
        """Values for discs that are new, None where they are those of before once more."""
        if coming is not None:
            saved = coming.document.values
            return {**saved, _MARKS: saved.get(_MARKS, RunMarks.none(0)).of_count(system.count)}
        if before is not None and _same_discs(before, system):
            return None
        same_box = before is None or np.array_equal(before.box, system.box)
        return {_MARKS: RunMarks.none(system.count), _CAMERA: self._document.run.camera if same_box else None}

    def resume(self, state: SessionState) -> None:
        """The discs of this session come next."""
        self._coming = state

    # discs

    def select(self, selected: Selection) -> None:
        """Select these discs and no others. Nothing where they are of other discs."""
        self._set(lambda now: replace(now, selected=selected))

    def hide(self, hidden: Selection) -> None:
        """Hide these discs and show all others. Nothing where they are of other discs."""
        self._set(lambda now: replace(now, hidden=hidden))

    # measurements and notes

    def add(self, mark: Mark) -> int:
        """Add a mark at the end and return its place in the list. InputError where there is no more room."""
        if len(self.value.marks) >= MOST:
            raise InputError(f"no more than {MOST} marks are possible; delete some first")
        self._set_marks(lambda marks: (*marks, mark))
        return len(self.value.marks) - 1

    def change(self, place: int, mark: Mark) -> None:
        """Put another mark in the place of one."""
        if place < len(self.value.marks):
            self._set_marks(lambda marks: (*marks[:place], mark, *marks[place + 1 :]))

    def rename(self, place: int, text: str) -> None:
        """Another name, or other words of a note; cut off after `MAX_TEXT` characters."""
        self.change(place, self.value.marks[place].model_copy(update={"text": " ".join(text.split())[:MAX_TEXT]}))

    def remove(self, place: int) -> None:
        """Remove a mark."""
        if place < len(self.value.marks):
            self._set_marks(lambda marks: (*marks[:place], *marks[place + 1 :]))

    def clear_marks(self) -> None:
        """Remove all measurements and notes."""
        self._set_marks(lambda _: ())

    def _set_marks(self, change: Callable[[tuple[Mark, ...]], tuple[Mark, ...]]) -> None:
        self._set(lambda now: replace(now, marks=change(now.marks)))

    def _set(self, change: Callable[[RunMarks], RunMarks]) -> None:
        """Change the value, as a step that can be undone."""
        with self._document.lock:
            before, after = self.value, change(self.value)
            if after != before and after.selected.count == after.hidden.count == before.count:
                self._document.run.marks = after


def _same_discs(one: SystemInfo, other: SystemInfo) -> bool:
    """Whether two runs begin with the same discs."""
    if one.count != other.count or one.scenario.system != other.scenario.system:
        return False
    return one.scenario.first_difference(other.scenario, apart_from=system_of(one.scenario).table) is None
