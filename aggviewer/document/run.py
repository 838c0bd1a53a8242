"""What belongs to the discs of a run: the view of the picture, selected and hidden discs, and marks (measurements and
notes in the picture), as plain data for session files."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Annotated, Any, ClassVar

import numpy as np
from annotated_types import Gt, Lt, MaxLen
from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator
from pydantic.dataclasses import dataclass

from aggviewer.document.mark_kinds import KINDS, MarkKind, Quantity, VisibleDiscs
from aggviewer.document.model import DocumentModel, FieldUse
from engine.arrays import Floats
from engine.errors import MAX_COUNT, InputError
from engine.selection import Selection
from engine.words import count

MOST_MARKS = 200
"""The most marks of a run."""

MAX_TEXT = 200
"""The most characters in the text of a mark."""

Coordinate = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]
DiscNumber = Annotated[int, Field(ge=0, lt=2**31)]


class Anchor(BaseModel):
    """Where an end of a mark is fixed: at a place, or at the centre of a disc, which it follows.

    Attributes
    ----------
    x, y : the place, in the scenario's unit of length; for a disc, where it was when it was chosen (in space the first
        two of its coordinates).
    disc : the number of the disc; None for a place.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    x: Coordinate
    y: Coordinate
    disc: DiscNumber | None = None


class Mark(BaseModel):
    """A measurement or a note.

    Attributes
    ----------
    kind : a name in `KINDS`.
    anchors : where its ends are fixed, as many as the kind has points.
    text : its name, or the words of a note; empty for none.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")  # files of earlier versions have more keys

    kind: str
    anchors: Annotated[tuple[Anchor, ...], Field(max_length=8)]
    text: Annotated[str, Field(max_length=MAX_TEXT)] = ""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Mark:
        if self.kind not in KINDS:
            raise ValueError(f"there are no marks of the kind {self.kind}")
        if len(self.anchors) != len(self.of_kind.hints):
            raise ValueError(f"{self.kind} has {len(self.of_kind.hints)} ends, not {len(self.anchors)}")
        return self

    @property
    def of_kind(self) -> MarkKind:
        """The entry of `KINDS` for the kind of this mark."""
        return KINDS[self.kind]

    def points(self, discs: VisibleDiscs) -> list[Floats]:
        """The places of its ends, (d,) each; empty if one of them is on a disc that is hidden or does not exist, and in
        space for a kind that belongs to the plane."""
        if len(discs.box) == 3 and not self.of_kind.in_space:
            return []
        found = [point_of(anchor, discs) for anchor in self.anchors]
        return [point for point in found if point is not None] if all(point is not None for point in found) else []

    def measure(self, discs: VisibleDiscs) -> Sequence[Quantity]:
        """The numbers that the mark measures; none if one of its ends is on a missing disc, or if it is too large to be
        measured."""
        points = self.points(discs)
        try:
            return self.of_kind.measure(points, discs) if points else ()
        except InputError:
            return ()

    def words(self, discs: VisibleDiscs) -> str:
        """Its label in the picture: its text and its numbers."""
        quantities = self.measure(discs)
        numbers = self.of_kind.summary(quantities) if quantities else ""
        return ": ".join(part for part in (self.text, numbers) if part)


def point_of(anchor: Anchor, discs: VisibleDiscs) -> Floats | None:
    """The place of an anchor, (d,); None on a disc that is hidden or is not there, and in space beside spheres."""
    if anchor.disc is None:
        return np.array([anchor.x, anchor.y]) if len(discs.box) == 2 else None
    if anchor.disc >= len(discs.positions) or not np.isfinite(discs.positions[anchor.disc]).all():
        return None
    return np.array(discs.positions[anchor.disc])


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
    marks: Annotated[tuple[Mark, ...], MaxLen(MOST_MARKS)] = ()

    @staticmethod
    def none(count: int) -> RunMarks:
        """No marks for `count` discs: none selected, hidden or measured."""
        nothing = Selection.none(count)
        return RunMarks(nothing, nothing)

    @property
    def count(self) -> int:
        """The number of discs in the run."""
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


FiniteNumber = Annotated[float, Field(allow_inf_nan=False)]


class CameraPlace(BaseModel):
    """The view of a picture that does not show the whole box.

    Attributes
    ----------
    x, y, z : the world point in the middle of the picture; z is that of spheres, and 0 for discs.
    scale : pixels per world unit.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    x: FiniteNumber
    y: FiniteNumber
    scale: Annotated[float, Gt(0.0), Lt(inf)]
    z: FiniteNumber = 0.0


def _discs(number: int) -> str:
    return "1 {disc}" if number == 1 else f"{count(number)} {{discs}}"


def _marked(before: RunMarks, after: RunMarks) -> str:
    if before.selected != after.selected:
        return f"selecting {_discs(len(after.selected)) if after.selected else 'nothing'}"
    if before.hidden != after.hidden:
        return f"hiding {_discs(len(after.hidden))}" if after.hidden else "showing all {discs}"
    return _marks_changed(before.marks, after.marks)


def _marks_changed(before: tuple[Mark, ...], after: tuple[Mark, ...]) -> str:
    if not after and len(before) > 1:
        return "deleting all marks"
    if len(after) > len(before):
        return after[-1].of_kind.label.lower()
    place = next((k for k, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(after))
    verb = "deleting" if len(after) < len(before) else "moving"
    if len(after) == len(before) and before[place].text != after[place].text:
        verb = "naming"
    return f"{verb} {before[place].of_kind.label.lower()}"


class RunModel(DocumentModel):
    """Settings for the discs of a run. Each run that can be restored has its own values, and new discs begin with new
    ones (`aggviewer.session.marking.Marking`).

    Attributes
    ----------
    camera : the view of the picture; None while the whole box is kept in view. Two pictures side by side share it.
    marks : the selected and hidden discs, and the measurements and notes in the picture.
    """

    namespace: ClassVar[str] = "run"

    camera: Annotated[CameraPlace | None, FieldUse("moving the picture", layout=True, by_run=True, keeps_redo=True)] = (
        None
    )
    marks: Annotated[
        RunMarks, FieldUse(by_run=True, words=_marked, fits=lambda now, value: now.count == value.count)
    ] = RunMarks.none(0)
