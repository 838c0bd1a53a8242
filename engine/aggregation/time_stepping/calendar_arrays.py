"""The arrays of the calendar, see `calendar`.

The calendar does not affect the results, only what has to be checked, so it is not saved but rebuilt. Its arrays are
empty until it is needed.

A cluster is named by one of its discs, 0 <= c < N, but when the calendar is made there are many more discs than
clusters. So each cluster gets a row k, 0 <= k < R, where R is the number of clusters at that time, and keeps it until
it merges into another one. Rows are ordered by name, so that neighbours in the box are near each other in memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.geometry.box_tree import allocate_nodes
from engine.geometry.bucket_grid import BUCKET
from engine.geometry.impact import NODE_PAIR
from engine.geometry.tree_build import JOB, PART, SPACE_PART
from engine.kernels import vector_field
from engine.records import Records, in_space, record, zeros

CONTROL = record(
    "i8 on ready queued bigs dues awakes stamps columns rows periodic clusters free_pair pause longest_pause",
    "i8 building tree next_disc tree_discs tree_jobs tree_pairs",
    "f8 share late box_x box_y cell_x cell_y cell longest",
)
SPACE_CONTROL = in_space(CONTROL)
"""Scalar values.

on : 0 if every step processes all discs; ready : 1 once the calendar exists; queued : entries of the queue;
dues, awakes : entries of these lists; clusters : when the grid of clusters was made; bigs, stamps, columns, rows,
periodic, box_x, box_y, cell_x, cell_y, cell : that grid (`geometry.bucket_grid`); free_pair : first unused pair of tree
nodes; pause : number of steps over all discs before the calendar is tried again; longest_pause : the last such number.
building : 1 while the first tree of a cluster is being built; tree : its row; next_disc, tree_discs : the disc that
is listed next, and how many are; tree_jobs, tree_pairs : jobs left, -1 before the first, and pairs of nodes used.
share : of the discs: with at most this many clusters a calendar pays off; late : 1; in tests, a factor that makes
    bounds too late; longest : time after which a bound is always renewed.
"""

SHARE = 0.0625
"""The share of the discs, see `CONTROL`: with more clusters, steps over all discs are cheaper."""

ENTRY = record(
    "f8 until shift_x shift_y", "i4 cluster grid_x grid_y grid_columns grid_rows big built", "i1 due awake dirty"
)
SPACE_ENTRY = in_space(ENTRY)
"""A row of the calendar.

cluster : its name; until : up to then others may rely on its place in the grid; shift_x, shift_y : by walls in this
step (length); grid_x, grid_y, grid_columns, grid_rows, big : its place in the grid (`geometry.bucket_grid`); built :
discs when its tree was last built, 0 for none; due : 1 in that list; awake : 1 in that list; dirty : 1 where discs have
other places than its tree knows.
"""

wall_shift, put_wall_shift = vector_field("shift_x", "shift_y", "shift_z")


class Calendar(NamedTuple):
    """A calendar of the next meetings of clusters, as arrays for the kernels."""

    control: Records  # (1,) of CONTROL
    row: NDArray[np.int32]  # (N,) row of a cluster, by its name
    entries: Records  # (R,) of ENTRY
    nodes: Records  # (2 N + R + 2,) of NODE: the box trees of the clusters; the first R are their roots, by row
    heap_key: NDArray[np.float64]  # (R,) the queue of times, see `geometry.event_heap`
    heap_owner: NDArray[np.int32]
    heap_slot: NDArray[np.int32]
    buckets: Records  # (K,) of BUCKET: the grid of clusters, see `geometry.bucket_grid`
    bucket_top: NDArray[np.int64]
    bigs: NDArray[np.int32]  # (R,) rows of clusters that cover many cells, the first `bigs` valid
    due: NDArray[np.int32]  # (R,) rows whose bound has to be found, the first `dues` valid
    awake: NDArray[np.int32]  # (R,) rows of clusters that may meet others in this step, the first `awakes` valid
    stamp: NDArray[np.int32]  # (R,) last search that met a cluster
    found: NDArray[np.int32]  # (R,) scratch: rows of the candidates of a search
    node_pairs: Records  # (N + 8,) of NODE_PAIR: scratch of walks down two trees
    ids: NDArray[np.int32]  # (3 N + 24,) scratch of trees
    jobs: Records  # (N + 8,) of JOB: scratch of trees
    parts: Records  # (2 N,) of PART: scratch of trees


def empty_calendar(count: int, clusters: NDArray[np.int32], dimensions: int) -> Calendar:
    """Arrays for a calendar of `count` discs that is still to be built, with a row for each of the clusters, (K,); with
    0 and none, for one that is not needed yet."""
    in_plane = dimensions == 2
    control = np.zeros(1, CONTROL if in_plane else SPACE_CONTROL)
    control["on"] = 1
    control["share"] = SHARE
    control["late"] = 1.0
    rows = len(clusters)
    entries = np.zeros(rows, ENTRY if in_plane else SPACE_ENTRY)
    entries["cluster"] = clusters
    entries["big"] = -1
    row = np.zeros(count, np.int32)
    row[clusters] = np.arange(rows)

    def integers(length: int) -> NDArray[np.int32]:
        return np.zeros(length, np.int32)

    return Calendar(
        control=control,
        row=row,
        entries=entries,
        nodes=allocate_nodes(count, rows, dimensions),
        heap_key=np.zeros(rows),
        heap_owner=integers(rows),
        heap_slot=np.full(rows, -1, np.int32),
        buckets=zeros(rows + rows // 4 + 1024 if rows else 0, BUCKET),
        bucket_top=np.zeros(1, np.int64),
        bigs=integers(rows),
        due=integers(rows),
        awake=integers(rows),
        stamp=integers(rows),
        found=integers(rows),
        node_pairs=np.zeros(count + 8, NODE_PAIR),
        ids=integers(3 * count + 24),
        jobs=np.zeros(count + 8, JOB),
        parts=np.zeros(2 * count, PART if in_plane else SPACE_PART),
    )
