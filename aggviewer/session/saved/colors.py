"""The changes of the colours of clusters in a session file: enough to continue with the same colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from aggviewer.session.color_history import Change, ColorHistory, Histories
from aggviewer.session.saved.arrays import SessionPart
from engine.limits import MAX_COUNT
from engine.plotting.palettes import PALETTE_ON_LIGHT

MOST = 10_000
"""Most changes saved for each field; the latest are kept."""

_Time = Annotated[float, Field(ge=0.0)]
_Times = Annotated[Sequence[_Time], Field(max_length=1)]
_Index = Annotated[int, Field(ge=0, lt=len(PALETTE_ON_LIGHT))]


class SavedChange(SessionPart):
    """A saved change of a cluster's colour."""

    time: _Time
    lane: int = Field(ge=0, le=1)
    label: int = Field(ge=0, lt=MAX_COUNT)
    old: _Index
    new: _Index
    share: float = Field(ge=0.0, le=1.0)
    lasts: float = Field(ge=0.0)


class SavedColors(SessionPart):
    """The result of `ColorHistory.present`: changes in order, and the last time shown in each lane, if any."""

    changes: Sequence[SavedChange] = Field(max_length=MOST)
    first: _Times
    second: _Times


def saved_colors(histories: Histories) -> dict[str, SavedColors]:
    """The part of a session file about the colours of a run, by the name of the field."""
    found = {}
    for name, history in histories.items():
        changes, (first, second) = history.present()
        kept = [SavedChange(**change._asdict()) for change in changes[-MOST:]]
        found[name] = SavedColors(changes=kept, first=first, second=second)
    return found


def histories_of(saved: Mapping[str, SavedColors]) -> Histories:
    """The colour histories of a run that continues from a session file."""
    return {
        name: ColorHistory(
            sorted((Change(**change.model_dump()) for change in one.changes), key=lambda change: change.key),
            (one.first, one.second),
        )
        for name, one in saved.items()
    }
