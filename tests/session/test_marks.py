"""Marks: measured, undone, kept with their run, in session files."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from aggviewer.document.document import Document
from aggviewer.document.history import UndoHistory
from aggviewer.document.mark_kinds import KINDS, MarkKind, Outline, Quantity, VisibleDiscs, digits, in_words
from aggviewer.document.registry import DocumentState
from aggviewer.document.run import MAX_TEXT, MOST_MARKS, Anchor, Mark, RunMarks, RunModel
from aggviewer.document.window import PaceModel
from aggviewer.session.data import DiscSet
from aggviewer.session.marking import Announcer, Marking
from aggviewer.session.saved.state import SessionState, head_text, parse_head, state_of
from engine.boundary import Periodic
from engine.errors import InputError
from engine.plotting.projection import FROM_ABOVE, WHOLE
from engine.simulation import Checkpoint
from tests.session.test_selected_discs import announcer_to, system


def on(disc: int) -> Anchor:
    return Anchor(x=0.0, y=0.0, disc=disc)


def place(x: float, y: float) -> Anchor:
    return Anchor(x=x, y=y)


def distance(one: int = 0, other: int = 1) -> Mark:
    return Mark(kind="distance", anchors=(on(one), on(other)))


def rectangle(x: float, y: float, u: float, v: float) -> Mark:
    return Mark(kind="rectangle", anchors=(place(x, y), place(u, v)))


DISCS = VisibleDiscs(np.array([[1.0, 1.0], [4.0, 5.0], [np.nan, np.nan]]), np.full(3, 0.5), np.full(2, 10.0), True, 1.0)


def values(mark: Mark) -> dict[str, float]:
    return {each.symbol + each.unit: each.value for each in mark.measure(DISCS)}


def test_numbers_and_words_of_each_kind() -> None:
    assert values(distance()) == pytest.approx({"dlength": 5.0, "ddiameters": 5.0, "Δxlength": 3.0, "Δylength": 4.0})
    assert distance().words(DISCS) == "d = 5.000 (5 diameters)"
    edge = Mark(kind="distance", anchors=(place(9.5, 1.0), place(0.5, 1.0)), text="gap")
    assert values(edge)["Δxlength"] == pytest.approx(1.0), "to the nearest image"
    assert edge.words(DISCS) == "gap: d = 1.000 (1 diameters), across the edge"
    right = Mark(kind="angle", anchors=(place(2, 1), place(1, 1), place(1, 2)))
    assert (values(right), right.words(DISCS)) == ({"∠°": pytest.approx(90.0)}, "90.0°")
    assert Mark(kind="angle", anchors=(place(1, 1), place(1, 1), place(1, 2))).words(DISCS) == "", "no angle"
    one = rectangle(0.5, 0.5, 1.5, 1.5)
    assert values(one) == pytest.approx({"N": 1, "n1 / length²": 1.0, "V_f": np.pi / 4, "Alength²": 1.0})
    assert one.words(DISCS) == "1 disc, n = 1.000, volume fraction 0.7854"
    assert rectangle(1, 1, 1, 1).words(DISCS) == "", "no area"
    note = Mark(kind="text", anchors=(place(1, 1),), text="here")
    assert (values(note), note.words(DISCS)) == ({}, "here")


def test_ends_on_discs_that_are_not_there_give_no_numbers() -> None:
    for other in (2, 99):  # hidden, and none
        assert distance(0, other).points(DISCS) == []
        assert distance(0, other).measure(DISCS) == ()
    assert rectangle(0, 0, 1e9, 1e9).measure(DISCS) == (), "too large"


def test_numbers_in_a_list() -> None:
    across = Mark(kind="distance", anchors=(place(9.5, 1.0), place(0.5, 1.0)))
    note = "to the nearest image, across the edge"
    wanted = f"d = 1.000 length ({note}) = 1.000 diameters,  Δx = 1.000 length,  Δy = 0 length"
    assert in_words(across.measure(DISCS)) == wanted
    few = VisibleDiscs(DISCS.positions, DISCS.radii, DISCS.box, True, 1.0, some_hidden=True)
    assert in_words(rectangle(0, 0, 2, 2).measure(few)).startswith("N = 1 (of the visible discs),  n = 0.2500 1 / len")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.23456, "1.235"),
        (123.456, "123.5"),
        (12345.6, "12\N{THIN SPACE}346"),
        (0.0012346, "0.001235"),
        (1e-9, "1.000·10⁻⁹"),
        (-2e7, "−2.000·10⁷"),
        (float("nan"), "–"),
        (-0.5, "−0.5000"),
    ],
)
def test_numbers_of_marks_are_written_with_four_digits(value: float, text: str) -> None:
    assert digits(value) == text


def test_a_fifth_kind_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    def outline(points: Any, discs: VisibleDiscs, pixel: float) -> Outline:
        return Outline([np.array([points[0], points[0] + pixel])], points[0])

    def measure(points: Any, discs: VisibleDiscs) -> list[Quantity]:
        return [Quantity("Height", "h", float(points[0][1]), "length")]

    kind = MarkKind("height", "Height", "", "", ("Click",), outline, measure, lambda found: f"h = {found[0].value:g}")
    monkeypatch.setitem(KINDS, "height", kind)
    mark = Mark(kind="height", anchors=(on(1),))
    assert mark.words(DISCS) == "h = 5"
    assert in_words(mark.measure(DISCS)) == "h = 5.000 length"


def test_a_mark_is_a_value_that_fits_its_kind() -> None:
    with pytest.raises(ValidationError, match="no marks of the kind profile"):
        Mark(kind="profile", anchors=(place(0, 0), place(1, 1)))
    with pytest.raises(ValidationError, match="distance has 2 ends, not 1"):
        Mark(kind="distance", anchors=(on(0),))
    with pytest.raises(ValidationError):
        distance().text = "x"  # type: ignore[misc]


@pytest.fixture
def document() -> Document:
    return Document()


@pytest.fixture
def history(document: Document) -> UndoHistory:
    return document.history


@pytest.fixture
def announcer(document: Document) -> Announcer:
    return announcer_to(document)


@pytest.fixture
def marking(document: Document, announcer: Announcer) -> Marking:
    announcer.announce(system())
    return Marking(document)


def shown(count: int, *marks: Mark) -> DocumentState:
    """How a run of so many discs is shown."""
    return DocumentState({("run", "marks"): replace(RunMarks.none(count), marks=marks)})


def marks_of(state: SessionState) -> tuple[Mark, ...]:
    return state.document.part(RunModel).marks.marks


def test_each_change_is_a_step(marking: Marking, history: UndoHistory) -> None:
    told: list[int] = []
    marking.changed.connect(lambda: told.append(len(marking.value.marks)))
    assert marking.add(distance()) == 0
    assert marking.add(distance(1, 2)) == 1
    marking.rename(0, " the   gap \n")
    marking.change(1, distance(2, 3))
    marking.remove(0)
    assert marking.value.marks == (distance(2, 3),)
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
    assert marking.value.marks == ()
    for _ in range(3):
        history.redo()
    assert [mark.text for mark in marking.value.marks] == ["the gap", ""]
    marking.clear_marks()
    assert history.undo_text == "Undo deleting all marks"
    marking.remove(5)
    marking.change(5, distance())
    assert history.undo_text == "Undo deleting all marks"  # nothing was done


def in_space(count: int = 12) -> DiscSet:
    return replace(system(count, dimensions=3), box=np.ones(3), periodic=Periodic.of(False, 3))


@pytest.mark.parametrize(
    ("field", "usual", "chosen", "saved", "words"),
    [
        ("turn", FROM_ABOVE, (0.5, 0.5, 0.5, 0.5), (0.0, 1.0, 0.0, 0.0), "turning the picture"),
        ("slab", WHOLE, (0.2, 0.6), (0.0, 0.5), "slab"),
    ],
)
def test_a_box_stays_turned_and_cut_until_another_scenario_is_opened_and_is_again_when_its_run_comes_back(
    field: str, usual: object, chosen: object, saved: object, words: str
) -> None:
    document = Document()
    announcer, history = announcer_to(document), document.history
    first = in_space()
    announcer.announce(first)
    setattr(document.view, field, chosen)
    for of in (in_space(), in_space(9), first):  # a restart, a changed parameter, and undo
        announcer.announce(of)
        assert getattr(document.view, field) == chosen
    for other in (in_space(9), in_space(), system()):  # even if it begins with the same discs
        announcer.expect_new_start()
        announcer.announce(other)
        assert getattr(document.view, field) == usual
        announcer.announce(first)
        assert getattr(document.view, field) == chosen
    assert history.undo_text == f"Undo {words}", "the rest belongs to the steps of the runs"
    state = DocumentState({("view", field): saved})
    announcer.expect_session(SessionState([], [], 0.0, 9, 9, state))
    announcer.announce(in_space(9))
    assert getattr(document.view, field) == saved


def test_a_slab_ends_in_the_plane_where_nothing_could_end_it() -> None:
    document = Document()
    announcer = announcer_to(document)
    announcer.announce(in_space())
    document.view.slab = (0.2, 0.6)
    for of in (system(), in_space()):  # by the parameter
        announcer.announce(of)
        assert document.view.slab == WHOLE


def test_there_is_an_end_to_marks(marking: Marking) -> None:
    for _ in range(MOST_MARKS):
        marking.add(distance())
    with pytest.raises(InputError, match=f"{MOST_MARKS} marks are possible; delete some"):
        marking.add(distance())
    marking.rename(0, "x" * 999)
    assert len(marking.value.marks[0].text) == MAX_TEXT


def saved(*marks: Mark) -> dict[str, Any]:
    """What `session.json` holds."""
    from engine import create
    from engine.scenario import Scenario

    scenario = Scenario().with_values({"discs.count": 9})
    state = SessionState([create(scenario).checkpoint()], [scenario.to_toml()], 0.0, 9, 9, shown(9, *marks))
    values: dict[str, Any] = json.loads(head_text(state))
    return values


def opened(values: dict[str, Any]) -> SessionState:
    head = parse_head(json.dumps(values).encode(), "f")
    return state_of(head, [Checkpoint(lane.system, lane.method, lane.checkpoint, {}) for lane in head.lanes])


def test_sessions_have_them_and_refuse_what_is_damaged() -> None:
    marks = (distance(), Mark(kind="text", anchors=(place(1.5, -2.0),), text="hm, ünd"))
    values = saved(*marks)
    found = opened(values)
    assert (marks_of(found), found.left_out) == (marks, "")
    for wrong in (
        {"kind": "distance", "anchors": [{"x": 0, "y": 0}]},
        {"kind": "text", "anchors": [{"x": 0, "y": 0, "z": 1}]},
        {"kind": "text", "anchors": [{"x": 1e30, "y": 0}]},
        {"kind": "text", "anchors": [{"x": 0, "y": 0, "disc": -1}]},
        {"kind": "text", "anchors": [{"x": 0, "y": 0}], "text": "x" * 999},
        {"kind": ""},
        {"kind": 7},
        [],
    ):
        values["document"]["run"]["marks"]["marks"] = [wrong]
        with pytest.raises(InputError, match=r"f: in session\.json, run\.marks\S*\.0\S* cannot be used"):
            opened(values)
    del values["document"]["run"]
    assert marks_of(opened(values)) == (), "of a version that had none"


def test_marks_of_earlier_versions_open_and_unknown_ones_are_left_out_with_a_sentence() -> None:
    ends = [{"x": 1.0, "y": 2.0, "disc": None}, {"x": 3.0, "y": 4.0, "disc": 5}]
    old = [
        {"kind": "profile", "anchors": ends, "text": "", "width": 3.0, "discs": ""},
        {"kind": "distance", "anchors": ends, "text": "gap", "width": 0.0, "discs": ""},
        {"kind": "arrow", "anchors": ends, "text": "see", "width": 0.0, "discs": ""},
        {"kind": "gyration", "anchors": [], "text": "", "width": 0.0, "discs": "1 5 7"},
        {"kind": "arrow", "anchors": ends, "text": "", "width": 0.0, "discs": ""},
    ]
    values = saved()
    del values["document"]["run"]
    found = opened(values | {"format": 5, "speed": None, "fast": True, "picked": "", "marks": old})
    assert found.document.part(PaceModel).every_frame
    assert marks_of(found) == (Mark(kind="distance", anchors=(place(1.0, 2.0), Anchor(x=3, y=4, disc=5)), text="gap"),)
    assert (
        found.left_out == "4 marks were not loaded, because this version does not know them: arrow, gyration, profile"
    )
    assert "profile" not in head_text(found).decode(), "what is saved again has none of them"
