"""Marks in the picture, measurements and notes, as plain data for session files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from aggviewer.document.marks.kinds import KINDS, Floats, MarkKind, Quantity, VisibleDiscs
from engine.errors import InputError

MOST = 200
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

    model_config = ConfigDict(frozen=True, extra="ignore")  # earlier versions had the keys `width` and `discs`

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
        """The kind of the mark."""
        return KINDS[self.kind]

    def points(self, discs: VisibleDiscs) -> list[Floats]:
        """The places of its ends, (d,) each; empty if one of them is on a disc that is hidden or does not exist, and in
        space for a kind that belongs to the plane."""
        if len(discs.box) == 3 and not self.of_kind.in_space:
            return []
        found = [point_of(anchor, discs) for anchor in self.anchors]
        return [point for point in found if point is not None] if all(point is not None for point in found) else []

    def measure(self, discs: VisibleDiscs) -> Sequence[Quantity]:
        """Its numbers; none if one of its ends is on a missing disc, or if it is too large to be measured."""
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
