"""The changes of the colours of clusters in a session file: enough to continue with the same colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import ConfigDict, Field

from aggviewer.session.color_history import Change, ColorHistory, Histories
from aggviewer.session.saved.arrays import SessionPart
from engine.limits import MAX_COUNT
from engine.plotting.palettes import PALETTE_ON_LIGHT

MOST = 10_000
"""Most changes saved for each field; the latest are kept."""

_OLDER = ConfigDict(extra="ignore")  # versions before 0.3 also wrote how long a change takes, and the last time shown


class SavedChange(SessionPart):
    """A saved change of a cluster's colour."""

    model_config = _OLDER

    time: Annotated[float, Field(ge=0.0)]
    lane: int = Field(ge=0, le=1)
    label: int = Field(ge=0, lt=MAX_COUNT)
    new: int = Field(ge=0, lt=len(PALETTE_ON_LIGHT))


class SavedColors(SessionPart):
    """The changes of a `ColorHistory`."""

    model_config = _OLDER

    changes: Sequence[SavedChange] = Field(max_length=MOST)


def saved_colors(histories: Histories) -> dict[str, SavedColors]:
    """The part of a session file about the colours of a run, by the name of the field."""
    return {
        name: SavedColors(changes=[SavedChange(**change._asdict()) for change in history.changes[-MOST:]])
        for name, history in histories.items()
    }


def histories_of(saved: Mapping[str, SavedColors]) -> Histories:
    """The colour histories of a run that continues from a session file."""
    return {
        name: ColorHistory(sorted(Change(**change.model_dump()) for change in one.changes))
        for name, one in saved.items()
    }
