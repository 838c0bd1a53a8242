"""The arrays of the calendar: until when each cluster may be left alone (`calendar` says how that is found).

Nothing of it decides what happens, only what has to be looked at, so no checkpoint keeps it: it is made anew. Its
arrays are long only once it is wanted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.geometry.box_tree import allocate_nodes
from engine.geometry.bucket_grid import BUCKET
from engine.geometry.tree_build import JOB
from engine.geometry.tree_impact import NODE_PAIR
from engine.records import record, zeros

CALENDAR = record(
    "i8 on ready sparse queued bigs dues awakes stamps columns rows clusters free_pair pause longest_pause",
    "f8 share late cell_x cell_y cell longest",
)
"""What there is once.

on : 0 where every step goes through all discs; ready : 1 once the calendar is there; sparse : 1 where the step under
way touches only what can meet in it; queued : entries of the queue; bigs, dues, awakes : entries of these lists;
stamps : searches so far; columns, rows : of the grid of clusters; clusters : when that was made; free_pair : first
unused pair of tree nodes; pause : so many steps go through all discs before the calendar is asked again;
longest_pause : the last such number.
share : of the discs, as many clusters as that and fewer make a calendar worth while; late : 1, for tests: the factor by
which bounds are taken too late; cell_x, cell_y : sides of a cell; cell : the distance that takes a cluster into other
cells; longest : time after which a bound is renewed in any case.
"""

ENTRY = record("f8 until shift_x shift_y", "i4 grid_x grid_y grid_columns grid_rows big built due awake dirty")
"""A cluster in the calendar.

until : up to then others may rely on its place in the grid; shift_x, shift_y : by walls in this step (length);
grid_x, grid_y, grid_columns, grid_rows : first cell in which it is entered and how many, 0 for none; big : its place
among those that cover many cells, -1 for the others; built : discs when its tree was last built, 0 for none; due : 1 in
that list; awake : 1 in that list; dirty : 1 where discs have other places than its tree knows.
"""


def no_calendar(count: int) -> dict[str, Any]:
    """The arrays of a run of `count` discs that has no calendar."""
    calendar = np.zeros(1, CALENDAR)
    calendar["on"] = 1
    calendar["share"] = 0.125
    calendar["late"] = 1.0
    return {"calendar": calendar, **calendar_arrays(0), "brought": np.full(count, -1, np.int32)}


def calendar_arrays(count: int) -> dict[str, Any]:
    """The arrays of a calendar of `count` discs that is still to be made."""
    entries = np.zeros(count, ENTRY)
    entries["big"] = -1
    return {
        "entries": entries,
        "nodes": allocate_nodes(count),
        "heap_key": np.zeros(count),
        "heap_owner": np.zeros(count, np.int32),
        "heap_slot": np.full(count, -1, np.int32),
        "buckets": zeros(count + count // 4 + 1024 if count else 0, BUCKET),
        "bucket_top": np.zeros(1, np.int64),
        "bigs": np.zeros(count, np.int32),
        "due": np.zeros(count, np.int32),
        "awake": np.zeros(count, np.int32),
        "stamp": np.zeros(count, np.int32),
        "found": np.zeros(count, np.int32),
        "node_pairs": np.zeros(count + 8, NODE_PAIR),
        "ids": np.zeros(3 * count + 24, np.int32),
        "jobs": np.zeros(count + 8, JOB),
    }
