"""Which discs are selected and which are hidden: one value for all that runs side by side, kept, undone and saved."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass

import numpy as np

from aggviewer.document.history import History
from aggviewer.session.data import SystemInfo
from aggviewer.session.of_run import OfRun
from aggviewer.session.saved.state import MAX_PICKED
from engine.selection import Selection


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


class Picking(OfRun[Picked, str]):
    """Holds what is picked of the discs that run, see `OfRun`. Any thread."""

    def __init__(self, history: History) -> None:
        super().__init__(history, Picked.nothing(0))

    def _blank(self, system: SystemInfo) -> Picked:
        return Picked.nothing(system.count)

    def _from_saved(self, saved: str, system: SystemInfo) -> Picked:
        return Picked.of_text(saved, system.count)

    def _fits(self, value: Picked) -> bool:
        return value.count == self._value.count

    def select(self, selected: Selection) -> None:
        """Select these discs and no others; a step that can be undone. Nothing where they are of other discs."""
        words = "selecting nothing" if not selected else f"selecting {_discs(len(selected))}"
        self._set(lambda now: _of_same(Picked(selected, now.hidden)), words)

    def hide(self, hidden: Selection) -> None:
        """Hide these discs and show all others; a step that can be undone. Nothing where they are of other discs."""
        words = "showing all discs" if not hidden else f"hiding {_discs(len(hidden))}"
        self._set(lambda now: _of_same(Picked(now.selected, hidden)), words)


def _of_same(picked: Picked) -> Picked | None:
    """It, where both parts are of equally many discs."""
    return picked if picked.selected.count == picked.hidden.count else None


def _discs(number: int) -> str:
    return "1 disc" if number == 1 else f"{number} discs"
