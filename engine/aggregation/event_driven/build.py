"""Building the derived data: box trees, the grid, the queue, the lists of watchers.

The results of a run do not depend on their layout. They are built at the start and when a checkpoint, which does not
contain them, is restored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven.broad_phase import set_longest_horizon
from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.event_driven.events import pair_of, rebuild_tree
from engine.aggregation.event_driven.prediction import add_watcher, schedule
from engine.aggregation.event_driven.registration import round_box_outwards, swept_box
from engine.geometry.box_tree import insert_subtree, store_leaf
from engine.geometry.bucket_grid import bucket_clear, cells_along, choose_cells, fill_cells, set_cells
from engine.geometry.vectors import product
from engine.kernels import borrowed, inner, kernel


@inner
def grow_trees(st: ClusterArrays) -> None:
    """Build the box trees of all clusters, from the places of the discs in the frames of their clusters."""
    n = st.label.shape[0]
    for i in range(n):
        store_leaf(st.nodes, st.discs, i, i)
        st.clusters[i].built = 1
    for i in range(n):
        c = st.label[i]
        if c != i:
            insert_subtree(st.nodes, st.ids, c, i, pair_of(st, i))
    for k in range(st.sim[0].clusters):
        rebuild_tree(st, st.live[k])


@kernel
def build_trees(arrays: ClusterArrays) -> None:
    """Build the box trees of all clusters, and the boxes of clusters that neighbours read."""
    st = borrowed(arrays)
    grow_trees(st)
    for k in range(st.sim[0].clusters):
        round_box_outwards(st, st.live[k])


@kernel
def build_lists(arrays: ClusterArrays, bigs: NDArray[np.int32], watchers: NDArray[np.int32]) -> None:
    """Let clusters (K,) watch big ones (K,), queue the events of the entered clusters, and empty the grid."""
    st = borrowed(arrays)
    sim = st.sim[0]
    for k in range(len(bigs)):
        add_watcher(st, bigs[k], watchers[k])
    for k in range(sim.cursor):
        schedule(st, st.live[k])
    set_cells(sim, sim.grid_clusters)
    set_longest_horizon(sim)
    bucket_clear(st.buckets, st.bucket_top, product(cells_along(sim)))


@kernel
def enter_cells(arrays: ClusterArrays, begin: int) -> int:
    """Enter in the grid the small clusters among the first `cursor` of the list, starting at `begin`.

    Returns the number of the first cluster that was not entered: below `cursor` if the grid is full.
    """
    st = borrowed(arrays)
    sim = st.sim[0]
    for k in range(begin, sim.cursor):
        c = st.live[k]
        cluster = st.clusters[c]
        if cluster.big >= 0:
            continue
        if st.buckets.shape[0] - st.bucket_top[0] < sim.big_cells:
            return k
        low, high = swept_box(st, c)
        if choose_cells(sim, cluster, sim.big_cells, low, high):
            fill_cells(st.buckets, st.bucket_top, sim, cluster, c)
    return int(sim.cursor)
