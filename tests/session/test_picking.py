"""What is picked of the discs: kept with its run, undone, and in session files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggviewer.document.history import History
from aggviewer.session.data import SystemInfo
from aggviewer.session.picking import Picked, Picking
from engine.scenario import Scenario
from engine.selection import Selection


def system(count: int = 12, **values: object) -> SystemInfo:
    scenario = Scenario().with_values({"discs.count": count, **values})
    return SystemInfo(scenario, np.ones(count), np.ones(count), np.ones(2), False, count)


@pytest.fixture
def picking() -> Picking:
    made = Picking(History())
    made.follow(system())
    return made


def numbers(picking: Picking) -> tuple[list[int], list[int]]:
    value = picking.value
    return value.selected.numbers.tolist(), value.hidden.numbers.tolist()


@given(st.integers(1, 50), st.data())
def test_text_of_a_session_says_what_is_picked(count: int, data: st.DataObject) -> None:
    sets = st.sets(st.integers(0, count - 1))
    picked = Picked(Selection.discs(data.draw(sets), count), Selection.discs(data.draw(sets), count))
    assert Picked.of_text(picked.to_text(), count) == picked
    assert Picked.of_text(picked.to_text(), count + 1) == Picked.nothing(count + 1)


@given(st.text(max_size=40))
def test_any_other_text_picks_nothing(text: str) -> None:
    for kept in (text, f"9:{text}"):
        assert Picked.of_text(kept, 9).count == 9


def test_the_text_of_a_million_discs_is_small() -> None:
    rng = np.random.default_rng(1)
    every = Picked(Selection.of(rng.random(10**6) < 0.5), Selection.none(10**6))
    assert len(every.to_text()) < 200_000
    assert Picked.nothing(10**6).to_text() == ""


def test_undo_and_redo(picking: Picking) -> None:
    history = picking._history
    told = []
    picking.changed.connect(lambda: told.append(numbers(picking)))
    picking.select(Selection.discs([3], 12))
    assert history.undo_text == "Undo selecting 1 disc"
    picking.hide(Selection.discs([4, 5], 12))
    assert history.undo_text == "Undo hiding 2 discs"
    picking.select(Selection.discs([3], 12))  # as it is: no step
    assert numbers(picking) == ([3], [4, 5])
    history.undo()
    assert numbers(picking) == ([3], [])
    history.undo()
    assert numbers(picking) == ([], [])
    assert history.undo_text == ""
    history.redo()
    history.redo()
    assert numbers(picking) == ([3], [4, 5])
    assert told == [([3], []), ([3], [4, 5]), ([3], []), ([], []), ([3], []), ([3], [4, 5])]


def test_discs_of_another_number_change_nothing(picking: Picking) -> None:
    picking.select(Selection.discs([3], 13))
    assert numbers(picking) == ([], [])
    picking.select(Selection.discs([3], 12))
    picking.follow(system(13))
    picking._history.undo()
    assert picking.value == Picked.nothing(13)


def test_it_stays_with_its_discs(picking: Picking) -> None:
    first = system()
    picking.follow(first)
    picking.select(Selection.discs([3], 12))
    picking.follow(system())  # the same, begun again
    assert numbers(picking) == ([3], [])
    picking.follow(system(**{"aggregation.method": "time-stepping"}))
    assert numbers(picking) == ([3], [])
    picking.follow(system(seed=99))
    assert numbers(picking) == ([], [])
    picking.select(Selection.discs([7], 12))
    picking.follow(first)  # brought back by undo
    assert numbers(picking) == ([3], [])


def test_a_session_brings_its_own(picking: Picking) -> None:
    picking.select(Selection.discs([3], 12))
    kept = picking.value.to_text()
    picking.select(Selection.discs([5], 12))
    picking.resume(kept)
    assert numbers(picking) == ([5], [])
    picking.follow(replace(system()))
    assert numbers(picking) == ([3], [])
    picking.follow(system())
    assert numbers(picking) == ([3], [])  # once only
