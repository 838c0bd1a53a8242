"""Which discs are selected and which are hidden: one value for all that runs side by side, kept, undone and saved."""

from __future__ import annotations

import base64
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from psygnal import Signal

from aggviewer.session.data import SystemInfo
from aggviewer.session.saved.state import MAX_PICKED
from aggviewer.session.undo.history import History, Step
from engine.selection import Selection
from engine.system import system_of


@dataclass(frozen=True)
class Picked:
    """Which discs are selected, and which are hidden; both of the same number of discs."""

    selected: Selection
    hidden: Selection

    @staticmethod
    def nothing(count: int) -> Picked:
        """No disc is selected, all are shown."""
        none = Selection.none(count)
        return Picked(none, none)

    @property
    def count(self) -> int:
        """N."""
        return self.selected.count

    def to_text(self) -> str:
        """As text for a session file; "" where nothing is selected or hidden."""
        if not self.selected and not self.hidden:
            return ""
        bits = zlib.compress(self.selected.bits.tobytes() + self.hidden.bits.tobytes(), 9)
        return f"{self.count}:{base64.b85encode(bits).decode('ascii')}"

    @staticmethod
    def of_text(text: str, count: int) -> Picked:
        """What `to_text` gave; nothing where the text is not of so many discs, or damaged."""
        number, _, coded = text.partition(":")
        size = (count + 7) // 8
        try:
            if not text or len(text) > MAX_PICKED or int(number) != count:
                raise ValueError
            unpacked = zlib.decompressobj()
            data = unpacked.decompress(base64.b85decode(coded), 2 * size + 1)
            if len(data) != 2 * size or unpacked.unconsumed_tail:
                raise ValueError
        except (ValueError, zlib.error):
            return Picked.nothing(count)
        bits = np.frombuffer(data, np.uint8)
        found = [Selection.of(np.unpackbits(part, count=count).view(bool)) for part in (bits[:size], bits[size:])]
        return Picked(*found)


class Picking:
    """Holds what is picked of the discs that run. Any thread.

    Discs keep their numbers, so that what is picked stays picked when clusters merge, when the run begins again, and
    under another method; other discs begin with nothing. Each run that can be brought back has its own.

    changed : emitted after every change, on the thread that makes it.
    """

    changed = Signal()

    def __init__(self, history: History) -> None:
        self._history = history
        self._lock = threading.RLock()
        self._system: SystemInfo | None = None
        self._value = Picked.nothing(0)
        self._kept: WeakKeyDictionary[SystemInfo, Picked] = WeakKeyDictionary()
        self._coming: str | None = None  # of a session that is being opened

    @property
    def value(self) -> Picked:
        """What is picked now."""
        return self._value

    def select(self, selected: Selection) -> None:
        """Select these discs and no others; a step that can be undone. Nothing where they are of other discs."""
        words = "selecting nothing" if not selected else f"selecting {_discs(len(selected))}"
        self._set(lambda now: Picked(selected, now.hidden), words)

    def hide(self, hidden: Selection) -> None:
        """Hide these discs and show all others; a step that can be undone. Nothing where they are of other discs."""
        words = "showing all discs" if not hidden else f"hiding {_discs(len(hidden))}"
        self._set(lambda now: Picked(now.selected, hidden), words)

    def follow(self, system: SystemInfo) -> None:
        """These discs are simulated from now on."""
        with self._lock:
            before, self._system = self._system, system
            if before is not None:
                self._kept[before] = self._value
            if self._coming is not None:
                self._value = Picked.of_text(self._coming, system.count)
            elif system in self._kept:
                self._value = self._kept[system]
            elif before is None or not _same_discs(before, system):
                self._value = Picked.nothing(system.count)
            self._coming = None
        self.changed.emit()

    def resume(self, text: str) -> None:
        """What was picked in a session whose discs come next, see `Picked.to_text`."""
        self._coming = text

    def _set(self, change: Callable[[Picked], Picked], words: str) -> None:
        with self._lock:
            before = self._value
            after = change(before)
            if after.selected.count != after.hidden.count or after == before:
                return
            self._value = after
            self._history.push(PickStep(words, before, after, self._give))
        self.changed.emit()

    def _give(self, value: Picked) -> None:
        """Set it without another step; nothing where other discs run now."""
        if value.count == self._value.count:
            self._value = value
            self.changed.emit()


class PickStep(Step):
    """Other discs were selected or hidden. give : sets what is picked."""

    def __init__(self, words: str, before: Picked, after: Picked, give: Callable[[Picked], None]) -> None:
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


def _discs(number: int) -> str:
    return "1 disc" if number == 1 else f"{number} discs"
