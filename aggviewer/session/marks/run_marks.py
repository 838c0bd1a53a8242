"""What a person has marked in a run, as one value: discs that are selected or hidden, measurements and notes."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from aggviewer.session.marks.model import Mark
from aggviewer.session.saved.state import MAX_PICKED
from engine.selection import Selection


@dataclass(frozen=True)
class RunMarks:
    """An immutable value; another one takes its place when something changes (`dataclasses.replace`).

    Discs keep their numbers for the whole run, so that it stays valid when clusters merge, when the run begins again,
    and under another method.

    Attributes
    ----------
    selected : the discs that are selected.
    hidden : the discs that are not shown; a set of equally many discs.
    marks : measurements and notes in the picture.
    """

    selected: Selection
    hidden: Selection
    marks: tuple[Mark, ...] = ()

    @staticmethod
    def none(count: int) -> RunMarks:
        """Of `count` discs, of which none is selected, hidden or measured."""
        nothing = Selection.none(count)
        return RunMarks(nothing, nothing)

    @property
    def count(self) -> int:
        """The number of all discs."""
        return self.selected.count

    def sets_text(self) -> str:
        """Which discs are selected and hidden, as text for a session file; empty where none is."""
        if not self.selected and not self.hidden:
            return ""
        bits = zlib.compress(self.selected.bits.tobytes() + self.hidden.bits.tobytes(), 9)
        return f"{self.count}:{base64.b85encode(bits).decode('ascii')}"

    @staticmethod
    def of_saved(sets_text: str, marks: Iterable[Mark], count: int) -> RunMarks:
        """What a session file holds for `count` discs. No disc is selected or hidden where the text is not what
        `sets_text` gave for so many discs."""
        number, _, coded = sets_text.partition(":")
        size = (count + 7) // 8
        try:
            if not sets_text or len(sets_text) > MAX_PICKED or int(number) != count:
                raise ValueError
            unpacked = zlib.decompressobj()
            data = unpacked.decompress(base64.b85decode(coded), 2 * size + 1)
            if len(data) != 2 * size or unpacked.unconsumed_tail:
                raise ValueError
        except (ValueError, zlib.error):
            data = bytes(2 * size)
        bits = np.frombuffer(data, np.uint8)
        selected, hidden = (
            Selection.of(np.unpackbits(part, count=count).view(bool)) for part in (bits[:size], bits[size:])
        )
        return RunMarks(selected, hidden, tuple(marks))
