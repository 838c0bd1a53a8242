"""The marks in a run as one value: selected and hidden discs, measurements and notes."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from annotated_types import MaxLen
from pydantic import ConfigDict, model_serializer, model_validator
from pydantic.dataclasses import dataclass

from aggviewer.document.marks.model import MOST, Mark
from engine.limits import MAX_COUNT
from engine.selection import Selection

MAX_SETS = 4 << 20
"""The most characters of the text that lists selected and hidden discs."""


@dataclass(frozen=True, config=ConfigDict(arbitrary_types_allowed=True, extra="forbid"))
class RunMarks:
    """An immutable value, replaced as a whole when something changes (`dataclasses.replace`).

    Discs keep their numbers for the whole run, so it stays valid when clusters merge, when the run restarts, and with
    another method. Its JSON has two keys: ``discs``, the text of both sets, and ``marks``.

    Attributes
    ----------
    selected : the discs that are selected.
    hidden : the discs that are not shown; a set of the same number of discs.
    marks : measurements and notes in the picture.
    """

    selected: Selection
    hidden: Selection
    marks: Annotated[tuple[Mark, ...], MaxLen(MOST)] = ()

    @staticmethod
    def none(count: int) -> RunMarks:
        """No marks for `count` discs: none selected, hidden or measured."""
        nothing = Selection.none(count)
        return RunMarks(nothing, nothing)

    @property
    def count(self) -> int:
        """The number of all discs."""
        return self.selected.count

    def of_count(self, count: int) -> RunMarks:
        """These marks for `count` discs; sets of another number of discs are dropped."""
        return self if self.count == count else replace(RunMarks.none(count), marks=self.marks)

    @model_validator(mode="before")
    @classmethod
    def _from_json(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        if not value.keys() <= {"discs", "marks"}:
            raise ValueError("marks of a run have the keys discs and marks")
        selected, hidden = _sets(value.get("discs", ""))
        return {"selected": selected, "hidden": hidden, "marks": value.get("marks", ())}

    @model_serializer
    def _to_json(self) -> dict[str, Any]:
        return {"discs": self._sets_text(), "marks": [mark.model_dump() for mark in self.marks]}

    def _sets_text(self) -> str:
        """The text that lists selected and hidden discs; empty if there are none."""
        if not self.selected and not self.hidden:
            return ""
        bits = zlib.compress(self.selected.bits.tobytes() + self.hidden.bits.tobytes(), 9)
        return f"{self.count}:{base64.b85encode(bits).decode('ascii')}"


def _sets(text: Any) -> tuple[Selection, Selection]:
    """The sets of a text from a file. ValueError if it is invalid; two empty sets if it is incomplete."""
    if not isinstance(text, str) or len(text) > MAX_SETS:
        raise ValueError(f"discs must be a text of at most {MAX_SETS} characters")
    number, _, coded = text.partition(":")
    try:
        count = int(number) if text else 0
        if not 0 <= count <= MAX_COUNT:
            raise ValueError
        size = (count + 7) // 8
        unpacked = zlib.decompressobj()
        data = unpacked.decompress(base64.b85decode(coded), 2 * size + 1) if count else b""
        if len(data) != 2 * size or unpacked.unconsumed_tail:
            raise ValueError
    except (ValueError, zlib.error):
        count, size, data = 0, 0, b""
    bits = np.frombuffer(data, np.uint8)
    selected, hidden = (np.unpackbits(part, count=count).view(bool) for part in (bits[:size], bits[size:]))
    return Selection.of(selected), Selection.of(hidden)
