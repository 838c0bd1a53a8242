"""Cells and neighbour lists hold what they should after any number of events, and without lists a run is the same."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hard_discs import discs as d
from engine.hard_discs import epoch
from tests.builders.states import gas
from tests.engine.hard_discs.test_gas import KINDS, same


def blocks_of(st, block):
    """The block and those that follow it, (K, LINE)."""
    blocks = st.lists.reshape(-1, d.LINE)
    found = []
    while block >= 0:
        assert block not in found
        found.append(block)
        block = int(blocks[block, d.NEXT])
    return found


def placed(st):
    """Of each disc, the cells and the reference points at which it stands in the grid."""
    found = {i: [] for i in range(int(st.state.count))}
    for level in st.levels[: int(st.state.level_count)]:
        for cell in range(int(level["columns"] * level["rows"])):
            for block in blocks_of(st, int(level["first_cell"]) + cell):
                line = slice(block * d.LINE, (block + 1) * d.LINE)
                numbers, spots = st.lists[line], st.spots[line]
                for slot in range(d.CELL_ROOM):
                    point = float(spots[d.CELL_X + slot]), float(spots[d.CELL_Y + slot])
                    if numbers[d.CELL_DISC + slot] >= 0:
                        found[int(numbers[d.CELL_DISC + slot])].append((level, cell, *point))
                    else:
                        assert point[0] == d.NOWHERE
    return found


def neighbours_of(st):
    """Which pairs of discs have reference points that are near enough, (N, N), rounded as in the kernels."""
    state = st.state
    x, y, r = (st.place[name].astype(np.float64) for name in ("x", "y", "radius"))
    dx, dy = x[:, None] - x, y[:, None] - y
    if state.periodic:
        dx -= np.where(dx > state.half_x, state.lx, 0.0) - np.where(dx < -state.half_x, state.lx, 0.0)
        dy -= np.where(dy > state.half_y, state.ly, 0.0) - np.where(dy < -state.half_y, state.ly, 0.0)
    reach = (r[:, None] + r) * state.list_factor + state.list_pad
    near = dx * dx + dy * dy <= reach * reach
    np.fill_diagonal(near, False)
    return near


def listed(st, i):
    """The neighbour list of a disc."""
    blocks = st.lists.reshape(-1, d.LINE)
    left, block, found = int(blocks[i, d.LIST_LENGTH]), i, []
    while True:
        here = min(left, d.LIST_ROOM)
        found += blocks[block, :here].tolist()
        left -= here
        if left == 0:
            return found
        block = int(blocks[block, d.NEXT])


@pytest.mark.parametrize("kind", KINDS)
def test_cells_and_lists_after_many_events(kind):
    simulation = gas(**KINDS[kind])
    for events in (1, 2000, 6000):
        simulation.advance(max_events=events)
        simulation._complete_epoch()
        st = simulation._st
        for i, places in placed(st).items():
            assert len(places) == 1, i
            level, cell, x, y = places[0]
            assert (x, y) == (st.place[i]["x"], st.place[i]["y"])
            column = min(max(int(x * level["columns_per_length"]), 0), level["columns"] - 1)
            row = min(max(int(y * level["rows_per_length"]), 0), level["rows"] - 1)
            assert cell == row * level["columns"] + column
        assert bool(st.state.listed) == (kind != "thin")
        if st.state.listed:
            near = neighbours_of(st)
            for i in range(simulation.count):
                found = listed(st, i)
                assert len(set(found)) == len(found)
                assert sorted(found) == np.flatnonzero(near[i]).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_without_lists_a_run_has_the_same_bits(kind, monkeypatch):
    other = gas(**KINDS[kind])
    was = bool(other._st.state.listed)
    other.advance(max_events=20_000)
    monkeypatch.setattr(epoch, "_LISTED", 0.0 if was else float("inf"))
    simulation = gas(**KINDS[kind])
    assert bool(simulation._st.state.listed) != was
    simulation.advance(max_events=20_000)
    same(simulation, other)


def test_cells_that_overflow(monkeypatch):
    """Cells so wide that most of them need further blocks: they come, go, and the run is the same."""
    other = gas()
    other.advance(max_events=20_000)
    monkeypatch.setattr(epoch, "_CELL", 3.0)
    simulation = gas()
    simulation.advance(max_events=20_000)
    same(simulation, other)
    assert all(len(places) == 1 for places in placed(simulation._st).values())
