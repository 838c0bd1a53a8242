"""The newest merges and wall reflections with the places where they happened, for those who look on: nothing that
follows depends on them, and no checkpoint has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined
from engine.simulation import Impacts

KEPT = 256
TIME, PLACE_X, PLACE_Y = 0, 1, 2


def no_events() -> dict[str, NDArray[np.generic]]:
    """The arrays before the first event: recent_f (KEPT, 3) time and place; recent_i (KEPT + 1, 2) the two discs, the
    second -1 for a wall, and in the last row where the next event goes."""
    return {
        "recent_f": np.full((KEPT, 3), -np.inf),
        "recent_i": np.zeros((KEPT + 1, 2), np.int32),
    }


@inlined
def note(
    recent_f: NDArray[np.float64], recent_i: NDArray[np.int32], time: float, x: float, y: float, i: int, j: int
) -> None:
    """Keep an event in the place of the oldest one."""
    k = recent_i[KEPT, 0]
    recent_f[k, TIME] = time
    recent_f[k, PLACE_X] = x
    recent_f[k, PLACE_Y] = y
    recent_i[k, 0] = i
    recent_i[k, 1] = j
    recent_i[KEPT, 0] = k + 1 if k + 1 < KEPT else 0


def impacts_of(
    recent_f: NDArray[np.float64],
    recent_i: NDArray[np.int32],
    original: NDArray[np.int32],
    box: NDArray[np.float64],
    periodic: bool,
) -> Impacts:
    """The events that were kept, oldest first. original (N,): the caller's number of each disc of the arrays."""
    order = (int(recent_i[KEPT, 0]) + np.arange(KEPT)) % KEPT
    order = order[recent_f[order, TIME] > -np.inf]
    pairs = recent_i[order]
    named = np.where(pairs >= 0, original[pairs], np.int32(-1)).astype(np.int32)
    points = recent_f[order, PLACE_X : PLACE_Y + 1]
    if periodic:
        points -= box * np.floor(points / box)
    return Impacts(recent_f[order, TIME], named, points)
