"""The fields of a hard disc: quantities that frames hold of each disc and that pictures show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.fields import ARRANGEMENT, DIRECTION, SPEED, Field, said
from engine.frame import Frame
from engine.scales import Cooling, Steps, Waiting
from engine.state import Discs


def frame_fields(dimensions: int) -> dict[str, np.dtype[Any]]:
    """What a frame holds of each disc, or of each sphere where there are three dimensions.

    collisions : so far, with discs and walls; last_contact : the time of the last one, -inf for none; images : how
    often it has crossed the periodic box along each axis, so that positions + images * box is its unwrapped path.
    """
    return {
        "collisions": np.dtype(np.int32),
        "last_contact": np.dtype(np.float64),
        "images": np.dtype((np.int32, (dimensions,))),
    }


def _since_contact(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
    """Time since the last contact of each disc, (N,); since t = 0 where there was none."""
    last = frame.fields.get("last_contact")
    return None if last is None else _since(last, frame.time)


def _since(last: NDArray[np.float64], time: float) -> NDArray[np.float64]:
    """Time since the last contact of discs, (N,), from the times of these contacts, -inf for none."""
    since: NDArray[np.float64] = time - np.where(np.isfinite(last), last, min(time, 0.0))
    return since


def _of_disc(frame: Frame, discs: Discs, disc: int) -> float | None:
    """Time since the last contact of one disc."""
    last = frame.fields.get("last_contact")
    return None if last is None else float(_since(last[disc : disc + 1], frame.time)[0])


COLLISIONS = Field(
    "collisions",
    "Collisions",
    said("collisions"),
    kind="integer",
    scale=Steps,
    needs="collisions of each disc",
    meaning="Its number of collisions, with discs and walls",
)

SINCE_CONTACT = Field(
    "since_contact",
    "Time since contact",
    _since_contact,
    unit="time",
    scale=Waiting,
    one=_of_disc,
    needs="times of last contacts",
    meaning="The time since its last collision, or since the start if it had none",
)

FIELDS = (replace(SPEED, scale=Cooling), DIRECTION, COLLISIONS, SINCE_CONTACT, *ARRANGEMENT)
