"""Whether the grid of a checkpoint of the event-driven method holds every small cluster in its cells, nobody else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.checkpoint_arrays import Arrays, need, permutation, roots_of, within
from engine.aggregation.event_driven import clusters as cl
from engine.geometry.bucket_grid import CAPACITY, COUNT, FIRST, NEXT


def check_grid(arrays: Arrays, registered: NDArray[np.int64]) -> None:
    """InputError unless the grid is whole; `registered` (K,): the clusters that have been entered."""
    si, ci, bucket = arrays["si"], arrays["ci"], arrays["bucket"]
    count, cells = len(ci), int(si[cl.NX] * si[cl.NY])
    least = count + count // 4 + 1024
    top = int(arrays["bucket_top"][0])
    need(least <= len(bucket) <= 64 * least and cells <= top <= len(bucket), "its grid is out of range")
    within(arrays["stamp"][ci[:, cl.LIVE] >= 0], 0, int(si[cl.STAMPS]) + 1, "the stamp of a search")
    rows = bucket[:top]
    within(rows[:, COUNT], 0, CAPACITY + 1, "a cell of the grid")
    after = rows[:, NEXT].astype(np.int64)
    within(after, -1, top, "a cell of the grid")
    extra = after[after >= 0]
    need((extra >= cells).all(), "a cell of the grid continues in another")
    permutation(extra - cells, top - cells, "the cells of the grid")
    parent = np.arange(top)
    parent[extra] = np.flatnonzero(after >= 0)
    cell = roots_of(parent, "a cell of the grid")
    need((cell < cells).all(), "a cell of the grid goes in a circle")
    filled = np.arange(CAPACITY) < rows[:, COUNT : COUNT + 1]
    owner = rows[:, FIRST : FIRST + CAPACITY][filled].astype(np.int64)
    within(owner, 0, count, "who stands in a cell")
    stand = np.sort(np.repeat(cell, rows[:, COUNT]) * count + owner)
    need(np.array_equal(stand, _wanted(arrays, registered, len(stand))), "the grid does not hold its clusters")


def _wanted(arrays: Arrays, registered: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """cell · N + cluster for every cell of every small cluster, sorted; InputError where there are more than `most`."""
    si, ci = arrays["si"], arrays["ci"]
    count, nx, ny = len(ci), int(si[cl.NX]), int(si[cl.NY])
    small = registered[ci[registered, cl.BIG] < 0]
    outside = np.ones(count, bool)
    outside[small] = False
    need((ci[outside, cl.GRID_SPAN] == 0).all(), "the grid holds a cluster that is not in it")
    span = ci[small, cl.GRID_SPAN].astype(np.int64)
    columns, rows = span & 0xFFFF, span >> 16
    fits = (columns >= 1) & (columns <= nx) & (rows >= 1) & (rows <= ny) & (columns * rows <= si[cl.BIG_CELLS])
    need(fits.all(), "a cluster covers too many cells")
    entries = columns * rows
    need(int(entries.sum()) == most, "the grid does not hold its clusters")
    which = np.repeat(np.arange(len(small)), entries)
    at = np.arange(most) - (np.cumsum(entries) - entries)[which]
    x = (ci[small, cl.GRID_X].astype(np.int64)[which] + at % columns[which]) % nx
    y = (ci[small, cl.GRID_Y].astype(np.int64)[which] + at // columns[which]) % ny
    return np.sort((y * nx + x) * count + small[which])
