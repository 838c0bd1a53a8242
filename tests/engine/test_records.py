"""Structured arrays in kernels: where they lie, what a file keeps of them, and how borrowed arrays are handed on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from engine.aggregation.event_driven import clusters
from engine.aggregation.time_stepping import arrays
from engine.geometry.box_tree import NODE, allocate_nodes
from engine.kernels import borrowed, inner, kernel
from engine.records import copied, record, zeros

ROW = record("f8 x", "i4 count", "3i4 owners", "i1 flag", size=64)


class State(NamedTuple):
    rows: np.ndarray
    table: np.ndarray
    cube: np.ndarray


@inner
def add_up(st, k):
    """Reads by name, by two and three indices, through a slice and through lengths."""
    row = st.rows[k]
    row.x += st.table[k, 1] + st.cube[1, k, 0]
    row.owners[2] = len(st.table) + st.cube.shape[1] + st.cube.size
    row.flag = 1
    return row.x + st.table[k].sum() + st.cube[1].sum() + st.table[k:, 0].sum()


@kernel
def sum_of(state, k):
    return add_up(borrowed(state), k)


def state(order="C"):
    rows = zeros(4, ROW)
    rows["x"] = [1.0, 2.0, 3.0, 4.0]
    table = np.asarray(np.arange(12.0).reshape(4, 3), order=order)
    return State(rows, table, np.arange(24.0).reshape(2, 4, 3))


def test_an_array_that_is_handed_on_as_its_address_is_the_same_array():
    given = state()
    wanted = 3.0 + given.table[2, 1] + given.cube[1, 2, 0]
    found = sum_of(given, 2)
    assert given.rows["x"].tolist() == [1.0, 2.0, wanted, 4.0]
    assert given.rows["owners"][2].tolist() == [0, 0, 4 + 4 + 24]
    assert given.rows["flag"].tolist() == [0, 0, 1, 0]
    assert found == wanted + given.table[2].sum() + given.cube[1].sum() + given.table[2:, 0].sum()


def test_only_arrays_in_c_order_are_lent():
    with pytest.raises(TypingError, match="C-contiguous"):
        sum_of(state("F"), 2)


def test_rows_begin_on_cache_lines():
    for count in (1, 7, 1000):
        assert zeros(count, clusters.CLUSTER).ctypes.data % 64 == 0
        nodes = allocate_nodes(count)
        assert nodes[count:].ctypes.data % 64 == 0  # the first pair of siblings
        assert len(nodes) == 3 * count + 2
        assert not nodes["size"].any()
    assert NODE.itemsize == 32
    assert clusters.CLUSTER.itemsize == 256
    assert clusters.CLUSTER.fields["mass"][1] == 64
    assert clusters.CLUSTER.fields["envelope"][1] == 128
    assert clusters.BUCKET.itemsize == 64


@pytest.mark.parametrize("dtype", [ROW, clusters.CLUSTER, clusters.MERGE, arrays.CLUSTER, arrays.CONVERGED_STEP])
def test_a_copy_keeps_every_value_and_has_zeros_between(dtype):
    rng = np.random.default_rng(1)
    rows = zeros(5, dtype)
    rows.view(np.uint8)[:] = rng.integers(0, 100, rows.nbytes)
    kept, plain = copied(rows), np.zeros(5, dtype)
    assert not np.shares_memory(kept, rows)
    for name in dtype.names:
        plain[name] = rows[name]
    assert kept.tobytes() == plain.tobytes()
