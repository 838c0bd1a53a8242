"""Checkpoints of versions that kept neighbour lists in one pool and the next event of a disc alone (before 0.3).

What has become of motion, counters and clock is taken from them; all that an epoch builds is built anew.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.checkpoint_arrays import Arrays, disc_count, need, need_shapes
from engine.hard_discs import discs as d
from engine.records import record

_MOTION = record("f8 x y vx vy time event radius last_contact")
_ENTRY = record("i4 what partner_hits hits next prev length start flags")
_PAIR = record("i4 x y")
_POINT = record("f4 x y")
# fields of the state that such a checkpoint does not have: all of them are made anew
_NEW = frozenset(
    (
        "listed",
        *("blocks_used", "free_block", "blocks_free", "waiting_used", "free_waiting", "waiting_free"),
        *("coming_at", "coming_end", "coming_size", "late_count", "late_size"),
    )
)


def is_older(arrays: Arrays) -> bool:
    """Whether these are the arrays of such a checkpoint."""
    return "cell_next" in arrays


def converted(arrays: Arrays) -> Arrays:
    """The arrays as the present version keeps them, at the end of an epoch: without shells, lists, grid and events.

    Raises InputError unless their shapes and types are those of such a checkpoint.
    """
    count = disc_count(arrays)
    kinds: dict[str, Any] = {
        "motion": (_MOTION, (count,)),
        "entry": (_ENTRY, (count,)),
        "reference": (_POINT, (count,)),
        "images": (_PAIR, (count,)),
        "pool": (np.uint32, (None,)),
        "cell": (np.int32, (None,)),
        "cell_next": (np.int32, (count,)),
    }
    need_shapes({name: arrays[name] for name in kinds if name in arrays}, kinds)
    state = arrays.get("state")
    need(isinstance(state, np.ndarray) and state.shape == (1,), "state has another shape")
    new = {name: array for name, array in arrays.items() if name not in kinds}
    new["state"] = _state(arrays["state"])
    motion = np.zeros(count, d.MOTION)
    for name in ("x", "y", "vx", "vy", "time", "radius"):
        motion[name] = arrays["motion"][name]
    motion["renewal"] = inf
    entry = np.zeros(count, d.ENTRY)
    entry["event"] = inf
    entry["what"] = d.NOTHING
    entry["last_contact"] = arrays["motion"]["last_contact"]
    for name in ("hits", "flags"):
        motion[name] = arrays["entry"][name]
    entry["image_x"], entry["image_y"] = arrays["images"]["x"], arrays["images"]["y"]
    new |= {"motion": motion, "entry": entry, "place": np.zeros(count, d.PLACE)}
    return new


def _state(old: NDArray[Any]) -> NDArray[Any]:
    """The record of the state, (1,)."""
    state = np.zeros(1, d.STATE)
    for name in d.STATE.names or ():
        if name not in _NEW:
            have = old.dtype.names is not None and name in old.dtype.names
            need(have and old.dtype[name] == d.STATE[name], "state has another type")
            state[name] = old[name]
    return state
