"""The tree: changes and their undo, what is dumped and read, leaving and giving back."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from psygnal import Signal

from aggviewer.document.document import Document, FieldChange
from aggviewer.document.registry import MODELS, read_state
from aggviewer.document.run import CameraPlace
from aggviewer.document.window import AxesLook
from engine.errors import InputError
from tests.document.conftest import Lamp


def lamp_of(document: Document) -> Lamp:
    found = document["lamp"]
    assert isinstance(found, Lamp)
    return found


def test_a_change_is_told_and_can_be_undone_and_redone(document: Document) -> None:
    lamp, told = lamp_of(document), []
    document.changed.connect(told.append)
    lamp.size = 2.5
    assert told == [FieldChange(("lamp", "size"), 1.0, 2.5)]
    assert document.history.undo_text == "Undo size of the lamp 2.5"
    document.history.undo()
    assert (lamp.size, document.history.undo_text) == (1.0, "")
    document.history.redo()
    assert lamp.size == 2.5


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (("lamp", "on"), True, "lamp on"),
        (("lamp", "color"), "deep_blue", "color deep blue"),
        (("lamp", "shades"), {"a/x": 1}, "shades"),
        (("view", "color_by"), "distance:17", "colour by distance from {disc} 17"),
        (("view", "theme"), "dark", "theme dark"),
        (("view", "layers"), ("forces", "hulls"), "showing the hulls"),
        (("view", "layers"), (), "hiding the forces"),
        (("view", "opacities"), {"forces": 0.5}, "opacity of forces"),
        (("view", "show_box"), False, "hiding the outline of the box"),
    ],
)
def test_a_step_has_words(document: Document, field: tuple[str, str], value: Any, words: str) -> None:
    setattr(document[field[0]], field[1], value)
    assert document.history.undo_text == f"Undo {words}"
    document.history.undo()
    assert document.state == Document().state


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        (("run", "camera"), CameraPlace(x=1.0, y=2.0, scale=3.0), True),
        (("view", "turn"), (0.0, 1.0, 0.0, 0.0), True),
        (("view", "perspective"), False, True),
        (("view", "theme"), "dark", True),
        (("pace", "speed"), 7.0, True),
        (("pace", "limit"), "none", True),
        (("plots", "looks"), {"x/Y": (AxesLook(logarithmic=(True, True)),)}, True),
        (("plots", "ranges"), {"x/Y": (1.0, 2.0)}, True),
        (("plots", "references"), {"x": ()}, True),
        (("view", "slab"), (0.25, 0.75), False),
        (("view", "layers"), (), False),
        (("lamp", "on"), True, False),
    ],
)
def test_only_a_change_of_the_picture_or_the_run_ends_redo(
    document: Document, field: tuple[str, str], value: Any, kept: bool
) -> None:
    document.view.color_by = "speed"
    document.history.undo()
    setattr(document[field[0]], field[1], value)
    assert document.history.undo_text, "it can be undone itself"
    assert document.history.redo_text == ("Redo colour by speed" if kept else "")


def test_some_changes_are_no_steps(document: Document) -> None:
    lamp = lamp_of(document)
    lamp.turned = 3
    with document.unrecorded():
        lamp.size = 3.0
    lamp.size = 3.0  # it is that already
    with pytest.raises(ValueError, match="greater than 0"):
        lamp.size = -1.0
    assert document.history.steps == ()
    assert (lamp.size, lamp.turned) == (3.0, 3)


def test_fields_that_change_together_are_one_step(document: Document) -> None:
    lamp = lamp_of(document)
    with document.together("another lamp"):
        lamp.size, lamp.color = 4.0, "blue"
        with document.together("a part of it"):
            lamp.size = 5.0
        document.view.colormap = "magma"
    with document.together("nothing"):
        lamp.on = True
        lamp.on = False
    assert document.history.undo_text == "Undo another lamp"
    document.history.undo()
    assert (lamp.size, lamp.color, document.view.colormap) == (1.0, "red", "viridis")
    document.history.redo()
    assert (lamp.size, lamp.color, document.view.colormap) == (5.0, "blue", "magma")


def test_many_changes_of_a_gesture_are_told_once_where_the_step_is_called_the_same(document: Document) -> None:
    told: list[str] = []
    document.history.changed.connect(lambda: told.append(document.history.undo_text))
    document.history.begin_gesture()
    for x in (1.0, 2.0, 3.0):
        with document.together("moving the picture"):
            document.run.camera = CameraPlace(x=x, y=0.0, scale=10.0)
    assert told == ["Undo moving the picture"]
    document.history.undo()
    assert document.run.camera is None
    document.history.redo()
    assert document.run.camera == CameraPlace(x=3.0, y=0.0, scale=10.0)


def test_a_dump_is_json_and_each_keeper_has_its_fields(document: Document) -> None:
    lamp = lamp_of(document)
    lamp.size, lamp.turned, lamp.on = 2.0, 7, True
    lamp.shades = {"gas/a": 1, "packing/b": 2}
    session = document.state.dump("session", "gas")
    assert session["lamp"] == {"size": 2.0, "on": True, "color": "red", "shades": {"gas/a": 1}}
    settings = document.state.dump("settings")
    assert settings["lamp"] == {"size": 2.0, "shades": {"gas/a": 1, "packing/b": 2}}
    assert "color_by" not in settings["view"]
    script = document.state.dump("script")
    assert {name: [*values] for name, values in script.items()} == {"view": ["color_by", "colormap", "turn", "slab"]}
    other = Document()
    other.restore(read_state(json.loads(json.dumps(session)), "session"), "gas")
    assert other.state.dump("session", "gas") == session
    assert lamp_of(other).turned == 0


def test_a_session_leaves_what_belongs_to_other_systems_alone(document: Document) -> None:
    lamp = lamp_of(document)
    lamp.shades = {"gas/a": 1, "gas/b": 2, "packing/b": 2}
    with document.together("opening"):
        document.restore(read_state({"lamp": {"shades": {"gas/a": 5}}}, "session"), "gas")
    assert lamp.shades == {"gas/a": 5, "packing/b": 2}
    assert document.history.undo_text == "Undo opening"


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ({"size": -1}, "lamp.size cannot be used: input should be greater than 0"),
        ({"shades": {"a": "x"}}, "lamp.shades.a cannot be used: input should be a valid integer"),
        ({"wattage": 5}, "lamp.wattage is not known"),
        ([1], "lamp has no fields"),
    ],
)
def test_a_value_that_cannot_be_used_is_one_sentence(document: Document, part: Any, sentence: str) -> None:
    dump = {"lamp": part, "view": {"theme": "dark"}}
    with pytest.raises(InputError) as refused:
        read_state(dump, "session")
    assert str(refused.value).startswith(sentence)
    told: list[InputError] = []
    assert read_state(dump, "session", told.append).values == {("view", "theme"): "dark"}
    assert len(told) == 1


def test_a_part_that_no_model_is_loaded_for_stays_unread_and_is_written_again(document: Document) -> None:
    lamp_of(document).size = 2.0
    dump = document.state.dump("session")
    MODELS.remove(Lamp)
    try:
        other = Document()
        other.restore(read_state(dump, "session"), "gas")
        assert other.state.dump("session") == dump
    finally:
        MODELS.add(Lamp)


def test_a_document_set_aside_comes_back_with_its_steps(document: Document) -> None:
    lamp = lamp_of(document)
    lamp.size = 2.0
    document.set_aside()
    lamp.size, lamp.turned, document.view.theme = 9.0, 5, "light"
    assert not document.is_own
    assert document.own.values["lamp", "size"] == 2.0
    document.history.undo()
    assert document.view.theme == "system"
    document.bring_back()
    assert (lamp.size, lamp.turned, document.is_own) == (2.0, 0, True)
    document.history.undo()
    assert lamp.size == 1.0


class Discs:
    """Stands for the discs of a run."""


def follow(document: Document, run: Discs, begin: Mapping[tuple[str, str], Any] | None) -> None:
    """Discs begin, with these values."""
    document.expect(run, lambda _values: begin)
    document.follow_next()


def test_discs_that_begin_while_it_comes_back_take_nothing_of_what_was_set_aside(document: Document) -> None:
    """The simulation may come to the discs of a lesson in the very moment in which the lesson is left."""
    lamp, own = lamp_of(document), Discs()
    follow(document, own, {})
    lamp.glow = 3
    document.set_aside()
    lamp.glow, lamp.turned, document.view.theme = 0, 5, "light"
    lesson = Discs()  # lives on: what is kept of it would go with it

    def begin() -> None:
        worker = threading.Thread(target=document.expect, args=(lesson, lambda _values: {}))
        worker.start()
        worker.join()

    document.view.events.theme.connect(begin)
    document.bring_back()
    document.follow_next()
    assert lamp.glow == 0
    follow(document, own, None)
    assert lamp.glow == 3


def test_other_threads_read_what_discs_will_have_that_are_not_followed_yet(document: Document) -> None:
    """A file may be saved in the moment in which they begin."""
    lamp, one, other, last = lamp_of(document), Discs(), Discs(), Discs()
    follow(document, one, {})
    lamp.glow, lamp.size = 3, 2.0

    def glow(run: Discs) -> tuple[int, float]:
        values = document.state_of(run).values
        return values["lamp", "glow"], values["lamp", "size"]

    document.expect(other, lambda values: {("lamp", "glow"): values["lamp", "glow"] + 2})
    document.expect(last, lambda _values: None)
    assert (glow(one), glow(other), glow(last)) == ((3, 2.0), (5, 2.0), (5, 2.0))
    assert lamp.glow == 3
    found: list[tuple[int, float]] = []
    lamp.events.glow.connect(lambda: found.append(glow(other)))  # another thread may look at any time
    document.follow_next()
    assert (lamp.glow, found, glow(one), glow(last)) == (5, [(5, 2.0)], (3, 2.0), (5, 2.0))
    lamp.glow = 7
    document.follow_next()
    assert (lamp.glow, glow(one), glow(other), glow(last)) == (7, (3, 2.0), (7, 2.0), (7, 2.0))
    document.expect(one, lambda _values: {})
    document.set_aside()
    lamp.size = 9.0
    assert (glow(one), document.state_of(one, own=True).values["lamp", "size"]) == ((3, 9.0), 2.0)


def test_a_field_of_a_run_has_a_value_for_each_run(document: Document) -> None:
    lamp, one = lamp_of(document), Discs()
    follow(document, one, {})
    lamp.glow = 3
    layout = document.layout
    follow(document, Discs(), {})
    assert lamp.glow == 0, "other discs begin with the default"
    follow(document, Discs(), {("lamp", "glow"): 5})
    assert lamp.glow == 5
    document.restore(layout)
    assert lamp.glow == 5, "it was the value of another run"
    follow(document, one, {})
    assert lamp.glow == 3, "the run has come back"
    follow(document, Discs(), None)
    assert lamp.glow == 3
    assert document.history.undo_text == "Undo glow 3", "other discs are no step"
    document.history.undo()
    assert document.history.undo_text == ""


def test_a_layout_gives_back_its_own_fields_alone(document: Document) -> None:
    lamp, before = lamp_of(document), document.layout
    lamp.on, lamp.size = True, 3.0
    with document.unrecorded():
        document.restore(before)
    assert (lamp.on, lamp.size) == (False, 3.0)


def test_a_change_is_that_of_its_field_while_another_thread_tells_something(document: Document) -> None:
    """psygnal knows the last emitter of all threads only: this one is emitting when the change is recorded."""

    class Other:
        told = Signal(int)

    other, inside, done = Other(), threading.Event(), threading.Event()

    def wait(_value: int) -> None:
        inside.set()
        done.wait(20.0)

    other.told.connect(wait)
    thread = threading.Thread(target=other.told.emit, args=(1,))

    def begin() -> None:
        thread.start()
        assert inside.wait(20.0)

    document.view.events.show_legend.connect(begin, priority=10)
    changes: list[FieldChange] = []
    document.changed.connect(changes.append)
    try:
        document.view.show_legend = False
    finally:
        done.set()
        thread.join()
    assert changes == [FieldChange(("view", "show_legend"), True, False)]
    assert document.state.values["view", "show_legend"] is False
