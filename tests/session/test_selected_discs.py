"""Selected and hidden discs: kept with their run, undone, and in session files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from aggviewer.document.document import Document
from aggviewer.document.history import UndoHistory
from aggviewer.document.run import CameraPlace, RunMarks
from aggviewer.session.data import DiscSet
from aggviewer.session.marking import Announcer, Marking
from aggviewer.session.saved.state import SessionState
from engine.scenario import Scenario
from engine.selection import Selection


def system(count: int = 12, **values: object) -> DiscSet:
    scenario = Scenario().with_values({"discs.count": count, **values})
    return DiscSet(scenario, np.ones(count), np.ones(count), np.ones(2), False, count)


@pytest.fixture
def document() -> Document:
    return Document()


@pytest.fixture
def history(document: Document) -> UndoHistory:
    return document.history


def announcer_to(document: Document) -> Announcer:
    """What lets a document follow discs at once."""
    return Announcer(document, lambda call: call())


@pytest.fixture
def announcer(document: Document) -> Announcer:
    return announcer_to(document)


@pytest.fixture
def marking(document: Document, announcer: Announcer) -> Marking:
    announcer.announce(system())
    return Marking(document)


def saved(value: RunMarks) -> dict[str, Any]:
    """As JSON holds it."""
    found: dict[str, Any] = to_jsonable_python(value)
    return found


def opened(plain: object) -> RunMarks:
    return TypeAdapter(RunMarks).validate_python(plain)


def numbers(marking: Marking) -> tuple[list[int], list[int]]:
    value = marking.value
    return value.selected.numbers.tolist(), value.hidden.numbers.tolist()


@given(st.integers(1, 50), st.data())
def test_text_of_a_session_says_what_is_picked(count: int, data: st.DataObject) -> None:
    sets = st.sets(st.integers(0, count - 1))
    value = RunMarks(Selection.discs(data.draw(sets), count), Selection.discs(data.draw(sets), count))
    assert opened(saved(value)).of_count(count) == value
    assert opened(saved(value)).of_count(count + 1) == RunMarks.none(count + 1)


@given(st.text(max_size=40))
def test_any_other_text_picks_nothing(text: str) -> None:
    for kept in (text, f"9:{text}"):
        assert opened({"discs": kept}).of_count(9) == RunMarks.none(9)


def test_the_text_of_a_million_discs_is_small() -> None:
    rng = np.random.default_rng(1)
    every = RunMarks(Selection.of(rng.random(10**6) < 0.5), Selection.none(10**6))
    assert len(saved(every)["discs"]) < 200_000
    assert saved(RunMarks.none(10**6)) == {"discs": "", "marks": []}


def test_undo_and_redo(marking: Marking, history: UndoHistory) -> None:
    told = []
    marking.changed.connect(lambda: told.append(numbers(marking)))
    marking.select(Selection.discs([3], 12))
    assert history.undo_text == "Undo selecting 1 {disc}"
    marking.hide(Selection.discs([4, 5], 12))
    assert history.undo_text == "Undo hiding 2 {discs}"
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


def test_discs_of_another_number_change_nothing(marking: Marking, history: UndoHistory, announcer: Announcer) -> None:
    marking.select(Selection.discs([3], 13))
    assert numbers(marking) == ([], [])
    marking.select(Selection.discs([3], 12))
    announcer.announce(system(13))
    history.undo()
    assert marking.value == RunMarks.none(13)


def test_a_selection_stays_with_its_discs(marking: Marking, announcer: Announcer) -> None:
    first = system()
    announcer.announce(first)
    marking.select(Selection.discs([3], 12))
    announcer.announce(system())  # the same, begun again
    assert numbers(marking) == ([3], [])
    announcer.announce(system(**{"aggregation.method": "time-stepping"}))
    assert numbers(marking) == ([3], [])
    announcer.announce(system(seed=99))
    assert numbers(marking) == ([], [])
    marking.select(Selection.discs([7], 12))
    announcer.announce(first)  # brought back by undo
    assert numbers(marking) == ([3], [])


def test_a_session_brings_its_own(marking: Marking, document: Document, announcer: Announcer) -> None:
    marking.select(Selection.discs([3], 12))
    kept = SessionState([], [], 0.0, 12, 12, document.state)
    marking.select(Selection.discs([5], 12))
    announcer.expect_session(kept)
    assert numbers(marking) == ([5], [])
    announcer.announce(replace(system()))
    assert numbers(marking) == ([3], [])
    announcer.announce(system())
    assert numbers(marking) == ([3], [])  # once only


def test_each_run_has_its_place_of_the_camera(marking: Marking, document: Document, announcer: Announcer) -> None:
    """One in a box with other sides begins with the whole box in view."""
    first, other = system(), replace(system(seed=2), box=np.array([1.0, 2.0]))
    closer = CameraPlace(x=0.5, y=0.5, scale=90.0)
    announcer.announce(first)
    document.run.camera = closer
    announcer.announce(system(seed=99))
    assert document.run.camera == closer, "the box is the same"
    announcer.announce(other)
    assert document.run.camera is None
    announcer.announce(first)
    assert document.run.camera == closer
    assert document.history.undo_text == "Undo moving the picture", "other discs are no step"
    document.history.undo()
    assert document.run.camera is None
