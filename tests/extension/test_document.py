"""A part of the document that a plug-in adds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import engine
from aggviewer.document.document import Document
from aggviewer.document.registry import read_state
from aggviewer.session.saved.session_file import read_session, write_session
from aggviewer.window.settings import WindowSettings
from engine import plugins
from engine.errors import InputError
from engine.scenario import Scenario
from tests.session.session_files import state_of
from tests.window.conftest import qapp as qapp

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
[LAMP] = re.findall(r"^```python\n(PLUG_POINTS = 1\n\n\ndef lamp.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
"""The example of docs/extending.md."""


SMALL = Scenario.from_values({"discs": {"count": 25, "volume_fraction": 0.2}})


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    path = tmp_path / "lamp.py"
    path.write_text(LAMP, encoding="utf-8")
    return path


def test_fields_of_a_plug_in_are_undone_alone_and_together(plug_in: Path) -> None:
    assert plugins.load_file(plug_in).adds == ("document lamp",)
    document = Document()
    lamp = document["lamp"]
    lamp.size = 2.0
    assert document.history.undo_text == "Undo size of the lamp 2"
    with document.together("another lamp"):
        lamp.size, lamp.color = 3.0, "blue"
    document.history.undo()
    assert (lamp.size, lamp.color) == (2.0, "red")
    document.history.undo()
    assert lamp.size == 1.0


def test_a_document_part_of_a_plug_in_is_saved_and_restored_and_set_aside_during_a_lesson(
    plug_in: Path, tmp_path: Path
) -> None:
    plugins.load_file(plug_in)
    document, path = Document(), tmp_path / "a.aggsession"
    lamp = document["lamp"]
    lamp.size, lamp.color = 2.0, "blue"
    write_session(path, state_of(engine.create(SMALL), document=document.state))
    document.set_aside()  # a lesson begins
    lamp.size = 9.0
    document.history.undo()
    lamp.color = "green"
    document.bring_back()
    assert (lamp.size, lamp.color, document.history.undo_text) == (2.0, "blue", "Undo colour of the lamp blue")
    other = Document()
    other.restore(read_session(path).document, "aggregation")
    assert (other["lamp"].size, other["lamp"].color) == (2.0, "blue")


def test_the_next_start_has_what_is_kept_on_this_machine(plug_in: Path, tmp_path: Path) -> None:
    plugins.load_file(plug_in)
    settings, document = WindowSettings(tmp_path / "window.ini"), Document()
    document.changed.connect(lambda change: settings.keep_document(document, change))
    document["lamp"].size, document["lamp"].color = 2.0, "blue"
    document.set_aside()
    document["lamp"].size = 3.0
    settings.read_document(next_start := Document())
    assert (next_start["lamp"].size, next_start["lamp"].color) == (2.0, "red")
    assert not next_start.history.steps


def test_a_session_of_it_stays_whole_without_the_plug_in(plug_in: Path, tmp_path: Path) -> None:
    path, again = tmp_path / "a.aggsession", tmp_path / "b.aggsession"
    simulation = engine.create(SMALL)
    kept = {"size": 2.0, "color": "blue"}
    document = Document()
    document.restore(read_state({"lamp": kept}, "session"), "aggregation")  # nothing is loaded that knows it
    write_session(path, state_of(simulation, document=document.state))
    opened = Document()
    opened.restore(read_session(path).document, "aggregation")
    write_session(again, state_of(simulation, document=opened.state))
    assert read_session(again).document.dump("session")["lamp"] == kept
    plugins.load_file(plug_in)  # as in the next start
    again_with_it = Document()
    again_with_it.restore(read_session(again).document, "aggregation")
    assert (again_with_it["lamp"].size, again_with_it["lamp"].color) == (2.0, "blue")


def test_a_session_with_a_value_that_is_not_allowed_is_refused_in_one_sentence(plug_in: Path, tmp_path: Path) -> None:
    path, document = tmp_path / "a.aggsession", Document()
    document.restore(read_state({"lamp": {"size": -1.0}}, "session"), "aggregation")
    write_session(path, state_of(engine.create(SMALL), document=document.state))
    plugins.load_file(plug_in)
    with pytest.raises(InputError, match=r"in session\.json, lamp\.size cannot be used: input should be greater"):
        read_session(path)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"lamp"\n', '"view"\n', "the document has a part view already"),
        ("return Lamp", "return Lamp()", "is not a class of models derived from DocumentModel"),
        ("namespace: ClassVar[str] = ", "other: ClassVar[str] = ", "Lamp, has no namespace"),
    ],
)
def test_one_that_does_not_fit_is_left_out_with_a_sentence(plug_in: Path, old: str, new: str, problem: str) -> None:
    plug_in.write_text(LAMP.replace(old, new), encoding="utf-8")
    plugins.load_file(plug_in)
    with pytest.raises(KeyError):
        Document()["lamp"]
    (found,) = plugins.known()
    assert problem in found.problem
