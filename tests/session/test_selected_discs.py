"""Selected and hidden discs: kept with their run, undone, and in session files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggviewer.document.history import UndoHistory
from aggviewer.session.data import SystemInfo
from aggviewer.session.marks.marking import Marking
from aggviewer.session.marks.run_marks import RunMarks
from aggviewer.session.saved.state import SessionState
from engine.scenario import Scenario
from engine.selection import Selection


def system(count: int = 12, **values: object) -> SystemInfo:
    scenario = Scenario().with_values({"discs.count": count, **values})
    return SystemInfo(scenario, np.ones(count), np.ones(count), np.ones(2), False, count)


@pytest.fixture
def history() -> UndoHistory:
    return UndoHistory()


@pytest.fixture
def marking(history: UndoHistory) -> Marking:
    made = Marking(history)
    made.follow(system())
    return made


def numbers(marking: Marking) -> tuple[list[int], list[int]]:
    value = marking.value
    return value.selected.numbers.tolist(), value.hidden.numbers.tolist()


@given(st.integers(1, 50), st.data())
def test_text_of_a_session_says_what_is_picked(count: int, data: st.DataObject) -> None:
    sets = st.sets(st.integers(0, count - 1))
    value = RunMarks(Selection.discs(data.draw(sets), count), Selection.discs(data.draw(sets), count))
    assert RunMarks.of_saved(value.sets_text(), (), count) == value
    assert RunMarks.of_saved(value.sets_text(), (), count + 1) == RunMarks.none(count + 1)


@given(st.text(max_size=40))
def test_any_other_text_picks_nothing(text: str) -> None:
    for kept in (text, f"9:{text}"):
        assert RunMarks.of_saved(kept, (), 9).count == 9


def test_the_text_of_a_million_discs_is_small() -> None:
    rng = np.random.default_rng(1)
    every = RunMarks(Selection.of(rng.random(10**6) < 0.5), Selection.none(10**6))
    assert len(every.sets_text()) < 200_000
    assert RunMarks.none(10**6).sets_text() == ""


def test_undo_and_redo(marking: Marking, history: UndoHistory) -> None:
    told = []
    marking.changed.connect(lambda: told.append(numbers(marking)))
    marking.select(Selection.discs([3], 12))
    assert history.undo_text == "Undo selecting 1 disc"
    marking.hide(Selection.discs([4, 5], 12))
    assert history.undo_text == "Undo hiding 2 discs"
    marking.select(Selection.discs([3], 12))  # as it is: no step
    assert numbers(marking) == ([3], [4, 5])
    history.undo()
    assert numbers(marking) == ([3], [])
    history.undo()
    assert numbers(marking) == ([], [])
    assert history.undo_text == ""
    history.redo()
    history.redo()
    assert numbers(marking) == ([3], [4, 5])
    assert told == [([3], []), ([3], [4, 5]), ([3], []), ([], []), ([3], []), ([3], [4, 5])]


def test_discs_of_another_number_change_nothing(marking: Marking, history: UndoHistory) -> None:
    marking.select(Selection.discs([3], 13))
    assert numbers(marking) == ([], [])
    marking.select(Selection.discs([3], 12))
    marking.follow(system(13))
    history.undo()
    assert marking.value == RunMarks.none(13)


def test_it_stays_with_its_discs(marking: Marking) -> None:
    first = system()
    marking.follow(first)
    marking.select(Selection.discs([3], 12))
    marking.follow(system())  # the same, begun again
    assert numbers(marking) == ([3], [])
    marking.follow(system(**{"aggregation.method": "time-stepping"}))
    assert numbers(marking) == ([3], [])
    marking.follow(system(seed=99))
    assert numbers(marking) == ([], [])
    marking.select(Selection.discs([7], 12))
    marking.follow(first)  # brought back by undo
    assert numbers(marking) == ([3], [])


def test_a_session_brings_its_own(marking: Marking) -> None:
    marking.select(Selection.discs([3], 12))
    kept = SessionState([], [], 0.0, 12, 12, picked=marking.value.sets_text())
    marking.select(Selection.discs([5], 12))
    marking.resume(kept)
    assert numbers(marking) == ([5], [])
    marking.follow(replace(system()))
    assert numbers(marking) == ([3], [])
    marking.follow(system())
    assert numbers(marking) == ([3], [])  # once only
