"""Settings for the discs of a run: the view of the picture, and the marks in it."""

from __future__ import annotations

from math import inf
from typing import Annotated, ClassVar

from annotated_types import Gt, Lt
from pydantic import BaseModel, ConfigDict, Field

from aggviewer.document.marks import Mark, RunMarks
from aggviewer.document.model import DocumentModel, FieldUse

Coordinate = Annotated[float, Field(allow_inf_nan=False)]


class CameraPlace(BaseModel):
    """The view of a picture that does not show the whole box.

    Attributes
    ----------
    x, y, z : the world point in the middle of the picture; z is that of spheres, and 0 for discs.
    scale : pixels per world unit.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    x: Coordinate
    y: Coordinate
    scale: Annotated[float, Gt(0.0), Lt(inf)]
    z: Coordinate = 0.0


def _discs(number: int) -> str:
    return "1 disc" if number == 1 else f"{number} discs"


def _marked(before: RunMarks, after: RunMarks) -> str:
    if before.selected != after.selected:
        return f"selecting {_discs(len(after.selected)) if after.selected else 'nothing'}"
    if before.hidden != after.hidden:
        return f"hiding {_discs(len(after.hidden))}" if after.hidden else "showing all discs"
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
