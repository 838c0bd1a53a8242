"""A value that belongs to the discs that run, such as what is selected: kept, undone and saved with them."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from psygnal import Signal

from aggviewer.document.history import History, Step
from aggviewer.session.data import SystemInfo
from engine.system import system_of

Value = TypeVar("Value")
Saved = TypeVar("Saved")


class OfRun(ABC, Generic[Value, Saved]):
    """Holds the value of the discs that run. Any thread.

    Discs keep their numbers, so that the value stays when clusters merge, when the run begins again, and under another
    method; other discs begin with a blank one. Each run that can be brought back has its own.

    changed : emitted after every change, on the thread that makes it.
    """

    changed = Signal()

    def __init__(self, history: History, blank: Value) -> None:
        self._history = history
        self._lock = threading.RLock()
        self._system: SystemInfo | None = None
        self._value = blank
        self._kept: WeakKeyDictionary[SystemInfo, Value] = WeakKeyDictionary()
        self._coming: Saved | None = None  # of a session that is being opened

    @abstractmethod
    def _blank(self, system: SystemInfo) -> Value:
        """Of other discs, to begin with."""

    @abstractmethod
    def _from_saved(self, saved: Saved, system: SystemInfo) -> Value:
        """What a session file holds for these discs."""

    def _fits(self, value: Value) -> bool:
        """Whether a value from the history is one of the discs that run now."""
        return True

    @property
    def value(self) -> Value:
        """As it is now."""
        return self._value

    def follow(self, system: SystemInfo) -> None:
        """These discs are simulated from now on."""
        with self._lock:
            before, self._system = self._system, system
            if before is not None:
                self._kept[before] = self._value
            if self._coming is not None:
                self._value = self._from_saved(self._coming, system)
            elif system in self._kept:
                self._value = self._kept[system]
            elif before is None or not _same_discs(before, system):
                self._value = self._blank(system)
            self._coming = None
        self.changed.emit()

    def resume(self, saved: Saved) -> None:
        """What there was in a session whose discs come next."""
        self._coming = saved

    def _set(self, change: Callable[[Value], Value | None], words: str) -> None:
        """Change it, as a step that can be undone. None changes nothing."""
        with self._lock:
            before = self._value
            after = change(before)
            if after is None or after == before:
                return
            self._value = after
            self._history.push(ValueStep(words, before, after, self._give))
        self.changed.emit()

    def _give(self, value: Value) -> None:
        """Set it without another step; nothing where other discs run now."""
        if self._fits(value):
            self._value = value
            self.changed.emit()


class ValueStep(Step, Generic[Value]):
    """A value became another one. give : sets it."""

    def __init__(self, words: str, before: Value, after: Value, give: Callable[[Value], None]) -> None:
        super().__init__(words)
        self._before, self._after, self._give = before, after, give

    def undo(self) -> None:
        """See `Step`."""
        self._give(self._before)

    def redo(self) -> None:
        """See `Step`."""
        self._give(self._after)


def _same_discs(one: SystemInfo, other: SystemInfo) -> bool:
    """Whether two runs begin with the same discs."""
    if one.count != other.count or one.scenario.system != other.scenario.system:
        return False
    return one.scenario.first_difference(other.scenario, apart_from=system_of(one.scenario).table) is None
