"""The marks of the discs that run: added, changed, removed, undone, saved."""

from __future__ import annotations

from collections.abc import Sequence

from aggviewer.document.history import History
from aggviewer.session.data import SystemInfo
from aggviewer.session.marks.model import MAX_TEXT, MOST, Mark
from aggviewer.session.of_run import OfRun
from engine.errors import InputError

Marks = tuple[Mark, ...]


class Marking(OfRun[Marks, Sequence[Mark]]):
    """Holds the marks of the discs that run, see `OfRun`; each change is a step that can be undone. Any thread."""

    def __init__(self, history: History) -> None:
        super().__init__(history, ())

    def _blank(self, system: SystemInfo) -> Marks:
        return ()

    def _from_saved(self, saved: Sequence[Mark], system: SystemInfo) -> Marks:
        return tuple(saved)

    def add(self, mark: Mark) -> int:
        """Add a mark at the end and return its place in the list. InputError where there is no more room."""
        if len(self._value) >= MOST:
            raise InputError(f"there can be {MOST} marks; delete some of them first")
        self._set(lambda now: (*now, mark), _words("", mark))
        return len(self._value) - 1

    def change(self, place: int, mark: Mark, verb: str = "moving") -> None:
        """Put another mark in the place of one."""
        self._set(lambda now: (*now[:place], mark, *now[place + 1 :]) if place < len(now) else None, _words(verb, mark))

    def rename(self, place: int, text: str) -> None:
        """Another name, or other words of a note; cut off after `MAX_TEXT` characters."""
        mark = self._value[place].model_copy(update={"text": " ".join(text.split())[:MAX_TEXT]})
        self.change(place, mark, "naming")

    def remove(self, place: int) -> None:
        """Remove a mark."""
        if place < len(self._value):
            words = _words("deleting", self._value[place])
            self._set(lambda now: (*now[:place], *now[place + 1 :]), words)

    def clear(self) -> None:
        """Remove all."""
        self._set(lambda _: (), "deleting all marks")


def _words(verb: str, mark: Mark) -> str:
    return f"{verb} {mark.of_kind.label.lower()}".strip()
