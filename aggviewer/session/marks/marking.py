"""Holds what is marked in the discs that run: changed, undone and saved with them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

from psygnal import Signal

from aggviewer.document.history import Step, UndoHistory
from aggviewer.session.data import SystemInfo
from aggviewer.session.marks.model import MAX_TEXT, MOST, Mark
from aggviewer.session.marks.run_marks import RunMarks
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError
from engine.selection import Selection
from engine.system import system_of


class Marking:
    """Holds the `RunMarks` of the discs that run; each change is a step that can be undone. Any thread.

    Other discs begin without marks. Each run that can be brought back has its own.

    changed : emitted after every change, on the thread that makes it.
    """

    changed = Signal()

    def __init__(self, history: UndoHistory) -> None:
        self._history = history
        self._lock = threading.RLock()
        self._system: SystemInfo | None = None
        self._value = RunMarks.none(0)
        self._kept: WeakKeyDictionary[SystemInfo, RunMarks] = WeakKeyDictionary()
        self._coming: SessionState | None = None  # that is being opened

    @property
    def value(self) -> RunMarks:
        """The present value."""
        return self._value

    def follow(self, system: SystemInfo) -> None:
        """These discs are simulated from now on."""
        with self._lock:
            before, self._system = self._system, system
            if before is not None:
                self._kept[before] = self._value
            if self._coming is not None:
                self._value = RunMarks.of_saved(self._coming.picked, self._coming.marks, system.count)
            elif system in self._kept:
                self._value = self._kept[system]
            elif before is None or not _same_discs(before, system):
                self._value = RunMarks.none(system.count)
            self._coming = None
        self.changed.emit()

    def resume(self, state: SessionState) -> None:
        """The discs of this session come next."""
        self._coming = state

    # discs

    def select(self, selected: Selection) -> None:
        """Select these discs and no others. Nothing where they are of other discs."""
        words = "selecting nothing" if not selected else f"selecting {_discs(len(selected))}"
        self._set(lambda now: replace(now, selected=selected), words)

    def hide(self, hidden: Selection) -> None:
        """Hide these discs and show all others. Nothing where they are of other discs."""
        words = "showing all discs" if not hidden else f"hiding {_discs(len(hidden))}"
        self._set(lambda now: replace(now, hidden=hidden), words)

    # measurements and notes

    def add(self, mark: Mark) -> int:
        """Add a mark at the end and return its place in the list. InputError where there is no more room."""
        if len(self._value.marks) >= MOST:
            raise InputError(f"there can be {MOST} marks; delete some of them first")
        self._set_marks(lambda marks: (*marks, mark), _words("", mark))
        return len(self._value.marks) - 1

    def change(self, place: int, mark: Mark, verb: str = "moving") -> None:
        """Put another mark in the place of one."""
        if place < len(self._value.marks):
            self._set_marks(lambda marks: (*marks[:place], mark, *marks[place + 1 :]), _words(verb, mark))

    def rename(self, place: int, text: str) -> None:
        """Another name, or other words of a note; cut off after `MAX_TEXT` characters."""
        mark = self._value.marks[place].model_copy(update={"text": " ".join(text.split())[:MAX_TEXT]})
        self.change(place, mark, "naming")

    def remove(self, place: int) -> None:
        """Remove a mark."""
        if place < len(self._value.marks):
            words = _words("deleting", self._value.marks[place])
            self._set_marks(lambda marks: (*marks[:place], *marks[place + 1 :]), words)

    def clear_marks(self) -> None:
        """Remove all measurements and notes."""
        self._set_marks(lambda _: (), "deleting all marks")

    def _set_marks(self, change: Callable[[tuple[Mark, ...]], tuple[Mark, ...]], words: str) -> None:
        self._set(lambda now: replace(now, marks=change(now.marks)), words)

    def _set(self, change: Callable[[RunMarks], RunMarks], words: str) -> None:
        """Change the value, as a step that can be undone."""
        with self._lock:
            before, after = self._value, change(self._value)
            if after == before or not after.selected.count == after.hidden.count == before.count:
                return
            self._value = after
            self._history.push(_Change(words, before, after, self._give))
        self.changed.emit()

    def _give(self, value: RunMarks) -> None:
        """Set it without another step; nothing where other discs run now."""
        if value.count == self._value.count:
            self._value = value
            self.changed.emit()


class _Change(Step):
    """What is marked has changed. give : sets it."""

    def __init__(self, words: str, before: RunMarks, after: RunMarks, give: Callable[[RunMarks], None]) -> None:
        super().__init__(words)
        self._before, self._after, self._give = before, after, give

    def undo(self) -> None:
        """Set what there was before."""
        self._give(self._before)

    def redo(self) -> None:
        """Set what there was after."""
        self._give(self._after)


def _same_discs(one: SystemInfo, other: SystemInfo) -> bool:
    """Whether two runs begin with the same discs."""
    if one.count != other.count or one.scenario.system != other.scenario.system:
        return False
    return one.scenario.first_difference(other.scenario, apart_from=system_of(one.scenario).table) is None


def _discs(number: int) -> str:
    return "1 disc" if number == 1 else f"{number} discs"


def _words(verb: str, mark: Mark) -> str:
    return f"{verb} {mark.of_kind.label.lower()}".strip()
