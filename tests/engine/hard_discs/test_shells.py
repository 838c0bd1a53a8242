"""Cells and neighbour lists hold what they should after any number of events, and without lists a run is the same."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hard_discs import discs as d
from engine.hard_discs import epoch
from tests.builders.states import gas
from tests.engine.hard_discs.test_gas import EVERY_KIND, same


def blocks_of(st, block):
    """The number of the block and of those that follow it."""
    blocks = st.lists.reshape(-1, d.layout_of(st).line)
    found = []
    while block >= 0:
        assert block not in found
        found.append(block)
        block = int(blocks[block, -1])
    return found


def placed(st):
    """Of each disc, the cells and the reference points at which it stands in the grid."""
    found = {i: [] for i in range(int(st.state.count))}
    axes, (*_, length, room) = len(d.axes_of(st)), d.layout_of(st)
    for level in st.levels[: int(st.state.level_count)]:
        for cell in range(int(level["columns"] * level["rows"] * level["layers"])):
            for block in blocks_of(st, int(level["first_cell"]) + cell):
                line = slice(block * length, (block + 1) * length)
                numbers, spots = st.lists[line][axes * room :], st.spots[line]
                for slot in range(room):
                    point = [float(spots[axis * room + slot]) for axis in range(axes)]
                    if numbers[slot] >= 0:
                        found[int(numbers[slot])].append((level, cell, point))
                    else:
                        assert point[0] == d.NOWHERE
    return found


def neighbours_of(st):
    """Which pairs of discs have reference points that are near enough, (N, N), rounded as in the kernels."""
    state = st.state
    r = st.place["radius"].astype(np.float64)
    square = np.zeros((len(r), len(r)))
    for axis in d.axes_of(st):
        x = st.place[axis].astype(np.float64)
        side, half, apart = state[f"l{axis}"], state[f"half_{axis}"], x[:, None] - x
        if state.periodic:
            apart -= np.where(apart > half, side, 0.0) - np.where(apart < -half, side, 0.0)
        square += apart * apart
    reach = (r[:, None] + r) * state.list_factor + state.list_pad
    near = square <= reach * reach
    np.fill_diagonal(near, False)
    return near


def listed(st, i):
    """The neighbour list of a disc."""
    line = d.layout_of(st).line
    blocks = st.lists.reshape(-1, line)
    left, block, found = int(blocks[i, -2]), i, []
    while True:
        here = min(left, line - 2)
        found += blocks[block, :here].tolist()
        left -= here
        if left == 0:
            return found
        block = int(blocks[block, -1])


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_cells_and_lists_after_many_events(kind):
    simulation = gas(**EVERY_KIND[kind])
    for events in (1, 2000, 6000):
        simulation.advance(max_events=events)
        simulation._complete_epoch()
        st = simulation._st
        for i, places in placed(st).items():
            assert len(places) == 1, i
            level, cell, point = places[0]
            assert point == [st.place[i][axis] for axis in d.axes_of(st)]
            want = 0
            for x, along in reversed(list(zip(point, ("columns", "rows", "layers"), strict=False))):
                want = want * level[along] + min(max(int(x * level[f"{along}_per_length"]), 0), level[along] - 1)
            assert cell == want
        assert bool(st.state.listed) == (not kind.endswith("thin"))
        if st.state.listed:
            near = neighbours_of(st)
            for i in range(simulation.count):
                found = listed(st, i)
                assert len(set(found)) == len(found)
                assert sorted(found) == np.flatnonzero(near[i]).tolist()


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_without_lists_a_run_has_the_same_bits(kind, monkeypatch):
    other = gas(**EVERY_KIND[kind])
    was = bool(other._st.state.listed)
    other.advance(max_events=20_000)
    monkeypatch.setattr(epoch, "_LISTED", 0.0 if was else float("inf"))
    simulation = gas(**EVERY_KIND[kind])
    assert bool(simulation._st.state.listed) != was
    simulation.advance(max_events=20_000)
    same(simulation, other)


@pytest.mark.parametrize("kind", ["elastic", "spheres"])
def test_cells_that_overflow(kind, monkeypatch):
    """Cells so wide that most of them need further blocks: they come, go, and the run is the same."""
    other = gas(**EVERY_KIND[kind])
    other.advance(max_events=20_000)
    monkeypatch.setattr(epoch, "_CELL", 3.0)
    monkeypatch.setattr(epoch, "_SPACE_CELL", 2.0)
    simulation = gas(**EVERY_KIND[kind])
    simulation.advance(max_events=20_000)
    same(simulation, other)
    assert all(len(places) == 1 for places in placed(simulation._st).values())
