"""A mark in the picture, as plain data: what session files hold."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

MOST = 200
"""Marks of a run."""

MAX_TEXT = 200
"""Characters of the text of a mark."""

MOST_DISCS = 20_000
"""Discs that a mark can measure."""

MOST_NUMBERS = 1_000_000
"""Characters of the numbers of discs of all marks together: a session file has room for them."""

Coordinate = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]
DiscNumber = Annotated[int, Field(ge=0, lt=2**31)]


class Anchor(BaseModel):
    """What an end of a mark is tied to: a place, or the centre of a disc, which it follows.

    Attributes
    ----------
    x, y : the place, in the scenario's unit of length. Of one on a disc: where the disc was when it was chosen.
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
    kind : the name of its `aggviewer.session.marks.kinds.Kind`; one that is not known draws nothing.
    anchors : what its ends are tied to, as many as the kind has.
    text : its name, or the words of a note; "" for none.
    width : of the band of a profile, in the scenario's unit of length; 0 for the usual one.
    discs : the numbers of the discs that it measures, with spaces between them, where the kind measures a selection.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str = Field(min_length=1, max_length=40)
    anchors: Annotated[tuple[Anchor, ...], Field(max_length=8)] = ()
    text: Annotated[str, Field(max_length=MAX_TEXT)] = ""
    width: Annotated[float, Field(ge=0.0, le=1e12, allow_inf_nan=False)] = 0.0
    discs: Annotated[str, Field(max_length=10 * MOST_DISCS, pattern=r"^(\d{1,9}( \d{1,9})*)?$")] = ""

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers in `discs`."""
        return _numbers(self.discs)


@lru_cache(maxsize=MOST)
def _numbers(discs: str) -> NDArray[np.int64]:
    return np.array(discs.split(), np.int64)


def discs_text(numbers: Iterable[int]) -> str:
    """Numbers of discs as `Mark.discs` has them."""
    return " ".join(str(number) for number in numbers)
