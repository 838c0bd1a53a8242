"""Marks: undone, kept with their run, in session files; their numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from pydantic import ValidationError

from aggviewer.document.history import History
from aggviewer.session.marks.kinds import State, digits, kind_of, kinds, readings_of, register
from aggviewer.session.marks.marking import Marking
from aggviewer.session.marks.model import MAX_TEXT, MOST, MOST_DISCS, MOST_NUMBERS, Anchor, Mark, discs_text
from aggviewer.session.saved.head import head_text, parse_head, state_of
from aggviewer.session.saved.state import SessionState
from engine.errors import InputError
from tests.session.test_picking import system


def on(disc: int) -> Anchor:
    return Anchor(x=0.0, y=0.0, disc=disc)


def place(x: float, y: float) -> Anchor:
    return Anchor(x=x, y=y)


def distance(one: int = 0, other: int = 1) -> Mark:
    return Mark(kind="distance", anchors=(on(one), on(other)))


STATE = State(np.array([[1.0, 1.0], [4.0, 5.0], [np.nan, np.nan]]), np.full(3, 0.5), np.full(2, 10.0), True, 1.0)


@pytest.fixture
def marking() -> Marking:
    made = Marking(History())
    made.follow(system())
    return made


def test_each_change_is_a_step(marking: Marking) -> None:
    history, told = marking._history, []
    marking.changed.connect(lambda: told.append(len(marking.value)))
    assert marking.add(distance()) == 0
    assert marking.add(distance(1, 2)) == 1
    marking.rename(0, " the   gap \n")
    marking.change(1, distance(2, 3))
    marking.remove(0)
    assert marking.value == (distance(2, 3),)
    assert told == [1, 2, 2, 2, 1]
    texts = []
    while history.undo_text:
        texts.append(history.undo_text)
        history.undo()
    assert texts == [
        "Undo deleting distance",
        "Undo moving distance",
        "Undo naming distance",
        "Undo distance",
        "Undo distance",
    ]
    assert marking.value == ()
    for _ in range(3):
        history.redo()
    assert [mark.text for mark in marking.value] == ["the gap", ""]
    marking.clear()
    assert history.undo_text == "Undo deleting all marks"
    marking.remove(5)
    marking.change(5, distance())
    assert history.undo_text == "Undo deleting all marks"  # nothing was done


def test_other_discs_begin_without_marks_and_a_run_that_comes_back_has_its_own(marking: Marking) -> None:
    first, other = system(), system(9)
    marking.follow(first)
    marking.add(distance())
    marking.follow(other)
    assert marking.value == ()
    marking.follow(first)
    assert marking.value == (distance(),)
    marking.follow(system())  # a restart
    assert marking.value == (distance(),)
    marking.resume([distance(3, 4)])
    marking.follow(other)
    assert marking.value == (distance(3, 4),)


def test_there_is_an_end_to_marks(marking: Marking) -> None:
    many = Mark(kind="gyration", discs=discs_text(range(MOST_DISCS)))
    for _ in range(MOST_NUMBERS // len(many.discs)):
        marking.add(many)
    with pytest.raises(InputError, match="too many discs together"):
        marking.add(many)
    marking.clear()
    for _ in range(MOST):
        marking.add(distance())
    with pytest.raises(InputError, match=f"{MOST} marks; delete some"):
        marking.add(distance())
    marking.rename(0, "x" * 999)
    assert len(marking.value[0].text) == MAX_TEXT


def saved(*marks: Mark) -> SessionState:
    from engine import create
    from engine.scenario import Scenario

    scenario = Scenario().with_values({"discs.count": 9})
    return SessionState([create(scenario).checkpoint()], [scenario.to_toml()], 0.0, 9, 9, marks=marks)


def test_the_head_of_a_session_has_them_and_refuses_what_is_none() -> None:
    marks = (
        distance(),
        Mark(kind="text", anchors=(place(1.5, -2.0),), text="hm, ünd"),
        Mark(kind="gyration", discs="1 5 7"),
        Mark(kind="of a plug-in"),
    )
    text = head_text(saved(*marks))
    found = state_of(parse_head(text, "f"), [{}], {})
    assert tuple(found.marks) == marks
    for wrong in (
        {"kind": "distance", "anchors": [{"x": 0, "y": 0, "z": 1}]},
        {"kind": "distance", "anchors": [{"x": 1e30, "y": 0}]},
        {"kind": "distance", "anchors": [{"x": 0, "y": 0, "disc": -1}]},
        {"kind": "gyration", "discs": "1,2"},
        {"kind": "text", "text": "x" * 999},
        {"kind": ""},
    ):
        values = json.loads(text)
        values["marks"] = [wrong]
        with pytest.raises(InputError, match=r"f: session\.json is damaged at marks\.0"):
            parse_head(json.dumps(values).encode(), "f")


def test_a_session_without_marks_opens() -> None:
    values = json.loads(head_text(saved()))
    del values["marks"]
    assert tuple(state_of(parse_head(json.dumps(values).encode(), "f"), [{}], {}).marks) == ()


def test_ends_on_discs_that_are_not_there_give_no_numbers() -> None:
    assert readings_of(distance(0, 1), STATE)[0].value == pytest.approx(5.0)
    assert readings_of(distance(0, 2), STATE) == ()  # hidden
    assert readings_of(distance(0, 99), STATE) == ()
    assert kind_of(Mark(kind="distance", anchors=(on(0),))) is None
    assert readings_of(Mark(kind="distance", anchors=(on(0),)), STATE) == ()
    assert readings_of(Mark(kind="none of these"), STATE) == ()
    nowhere = Mark(kind="profile", anchors=(place(1, 1), place(1, 1)))
    assert readings_of(nowhere, STATE) == ()
    [*_, number] = readings_of(Mark(kind="gyration", discs="0 1 2 50"), STATE)
    assert (number.value, number.note) == (2, "of the visible discs")
    [length, *_] = readings_of(Mark(kind="gyration", discs="0 1"), STATE)
    assert length.value == pytest.approx(2.5)


def test_words_in_the_picture() -> None:
    def words(mark: Mark) -> str:
        kind = kind_of(mark)
        assert kind is not None
        return kind.in_picture(readings_of(mark, STATE))

    assert words(distance()) == "d = 5.000 ≈ 5 diameters"
    edge = Mark(kind="distance", anchors=(place(9.5, 1.0), place(0.5, 1.0)))
    assert words(edge) == "d = 1.000 ≈ 1 diameters, across the edge"
    right = Mark(kind="angle", anchors=(place(2, 1), place(1, 1), place(1, 2)))
    assert words(right) == "90.0°"
    flat = Mark(kind="angle", anchors=(place(1, 1), place(1, 1), place(1, 2)))
    assert words(flat) == ""
    whole = Mark(kind="rectangle", anchors=(place(0.5, 0.5), place(1.5, 1.5)))
    assert words(whole) == "1 disc, n = 1.000, volume fraction 0.7854"
    assert words(Mark(kind="rectangle", anchors=(place(1, 1), place(1, 1)))) == ""
    assert words(Mark(kind="gyration", discs="0 1")) == "radius of gyration 2.500 ≈ 2.5 diameters, 2 discs"
    assert words(Mark(kind="text", anchors=(place(1, 1),), text="x")) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.23456, "1.235"),
        (123.456, "123.5"),
        (12345.6, "12346"),
        (0.0012346, "0.001235"),
        (1e-9, "1.000e-09"),
        (-2e7, "-2.000e+07"),
        (float("nan"), "–"),
        (-0.5, "-0.5000"),
    ],
)
def test_digits(value: float, text: str) -> None:
    assert digits(value) == text


def test_kinds_are_a_registry() -> None:
    assert len({kind.name for kind in kinds()}) == len(kinds()) == 7
    with pytest.raises(ValueError, match="distance already"):
        register(kinds()[0])
    with pytest.raises(ValidationError):
        distance().text = "x"  # type: ignore[misc]
