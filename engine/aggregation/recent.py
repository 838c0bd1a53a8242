"""The newest merges and wall reflections with their places, for display.

Results do not depend on them, and checkpoints do not contain them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.frame import Impacts
from engine.geometry.vectors import Vector, put_place
from engine.kernels import inlined
from engine.records import Records, along, columns, in_space, record

KEPT = 256

EVENT = record("f8 time x y", "i4 i j")
SPACE_EVENT = in_space(EVENT)
"""An event: time and place, and its two discs; j is -1 for a wall."""


def no_events(dimensions: int) -> dict[str, NDArray[np.generic]]:
    """The arrays before the first event: recent (KEPT,) of EVENT; recent_next (1,) where the next event goes."""
    recent = np.zeros(KEPT, SPACE_EVENT if dimensions > 2 else EVENT)
    recent["time"] = -np.inf
    return {"recent": recent, "recent_next": np.zeros(1, np.int64)}


@inlined
def note(recent: Records, recent_next: NDArray[np.int64], time: float, x: Vector, i: int, j: int) -> None:
    """Store an event in place of the oldest one.

    recent : (KEPT,) of EVENT; recent_next : (1,), where the next event goes; time, x : when and where (time, length);
        i, j : the two discs, or a disc and -1 for a wall.
    """
    k = recent_next[0]
    event = recent[k]
    event.time = time
    put_place(event, x)
    event.i = i
    event.j = j
    recent_next[0] = k + 1 if k + 1 < KEPT else 0


def impacts_of(
    recent: Records,
    recent_next: NDArray[np.int64],
    original: NDArray[np.int32],
    box: NDArray[np.float64],
    periodic: Periodic,
) -> Impacts:
    """The stored events, oldest first. original (N,): the caller's number of each disc in the arrays."""
    events = np.roll(recent, -int(recent_next[0]))
    events = events[events["time"] > -np.inf]
    pairs = columns(events, "i", "j")
    named = np.where(pairs >= 0, original[pairs], np.int32(-1)).astype(np.int32)
    points = columns(events, *along("", len(box)))
    points -= np.where(periodic, box * np.floor(points / box), 0.0)
    return Impacts(events["time"].copy(), named, points)
