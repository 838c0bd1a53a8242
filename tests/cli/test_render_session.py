"""`aggviewer render` of a session: it looks as it was saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtGui import QImage

import engine
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.document.document import Document
from aggviewer.document.registry import DocumentState
from aggviewer.document.run import Anchor, Mark, RunMarks, RunModel
from aggviewer.session.saved.session_file import read_session, write_session
from aggviewer.session.saved.state import SessionState
from engine.scenario import Scenario
from engine.selection import Selection
from tests.export.conftest import decoded

from .conftest import Call, refused

SIZE = ("--size", "400x360")
INK = "#ff8fd8"  # of measurements, on dark backgrounds


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A run that has begun, with a rectangle around all, and all discs but twenty hidden."""
    scenario = Scenario().with_values({"discs.count": 100})
    simulation = engine.create(scenario)
    simulation.advance(until_time=1.0)
    document = Document()
    document.view.set_for_lesson({"color_by": "speed", "layers": ("contacts", "measures"), "show_scale_bar": False})
    box = simulation.box.tolist()
    mark = Mark(kind="rectangle", anchors=(Anchor(x=0.0, y=0.0), Anchor(x=box[0], y=box[1])))
    run_marks = RunMarks(Selection.none(100), ~Selection.discs(range(20), 100), (mark,))
    path = tmp_path / "s.aggsession"
    document.run.marks = run_marks
    state = SessionState([simulation.checkpoint()], [scenario.to_toml()], 1.0, 100, 100, document.state)
    write_session(path, state)
    return path


def test_a_picture_has_its_colours_layers_marks_and_hidden_discs(call: Call, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    done = call("render", session, "--out", out, *SIZE, "--json")
    assert (done.status, done.err) == (0, "")
    assert done.json["sim_time"] == 1.0
    text = out.read_text()
    assert text.lower().count(INK) >= 2, "the rectangle, and its words"
    every = tmp_path / "every.aggsession"
    state = read_session(session)
    run_marks = replace(RunMarks.none(100), marks=state.document.part(RunModel).marks.marks)
    state.document = DocumentState({**state.document.values, ("run", "marks"): run_marks})
    write_session(every, state)
    assert call("render", every, "--out", tmp_path / "every.svg", *SIZE).status == 0
    assert (tmp_path / "every.svg").read_text().count("<circle") - text.count("<circle") == 80, "those that are hidden"
    other = tmp_path / "b.svg"
    assert call("render", session, "--out", other, *SIZE, "--color-by", "cluster", "--background", "white").status == 0
    assert other.read_text() != text
    assert INK not in other.read_text().lower(), "the ink for light backgrounds"


def test_later_states_and_films_go_on_from_it(call: Call, session: Path, tmp_path: Path) -> None:
    pictures = []
    for number, options in enumerate(((), ("--until-time", "1"), ("--until-time", "2"))):
        out = tmp_path / f"{number}.png"
        assert call("render", session, "--out", out, *SIZE, *options).status == 0
        pictures.append(from_qimage(QImage(str(out))).astype(int))
    away = [np.abs(pictures[0] - picture).max() for picture in pictures]
    assert away[1] < 20, "but for the edges of letters"
    assert away[2] > 100
    film = tmp_path / "a.gif"
    done = call("render", session, "--out", film, *SIZE, "--until-time", "1.2", "--speed", "1", "--fps", "10", "--json")
    assert (done.status, done.json["frames"]) == (0, 3)
    first = decoded(film)[0][0][..., :3].astype(int)
    pink = (first[..., 0] - first[..., 1] > 40) & (first[..., 2] - first[..., 1] > 25)
    assert pink.sum() > 200, "the rectangle is in the film"


def test_a_session_refuses_options_of_scenarios_and_files(call: Call, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.png"
    assert "--frame works only with files" in refused(call("render", session, "--out", out, "--frame", "0"))
    before = refused(call("render", session, "--out", out, "--until-time", "0.5"))
    assert "--until-time 0.5 is before the time of the session, t = 1" in before
    (tmp_path / "bad.aggsession").write_bytes(b"PK")
    refused(call("render", tmp_path / "bad.aggsession", "--out", out))
    assert not out.exists()


def test_a_comparison_is_refused(call: Call, session: Path, tmp_path: Path) -> None:
    state = read_session(session)
    other = engine.create(Scenario().with_values({"discs.count": 100, "aggregation.method": "time-stepping"}))
    state.lanes.append(other.checkpoint())
    state.scenarios.append(other.scenario.to_toml())
    state.variant = {"aggregation.method": "time-stepping"}
    path = tmp_path / "two.aggsession"
    write_session(path, state)
    done = call("render", path, "--out", tmp_path / "a.png", *SIZE)
    assert "holds a comparison of two runs; render continues only a single run" in refused(done)


def test_in_a_figure_the_picture_is_white_unless_a_background_was_chosen(
    call: Call, session: Path, tmp_path: Path
) -> None:
    def ground(*options: str) -> str:
        out = tmp_path / "f.png"
        assert call("render", session, "--out", out, "--width", 30, "--resolution", 72, *options).status == 0
        return QImage(str(out)).pixelColor(1, 1).name()

    assert ground() == "#ffffff"
    assert ground("--background", "#203040") == "#203040"
    state = read_session(session)
    state.document = DocumentState({**state.document.values, ("view", "background"): "#203040"})
    write_session(session, state)
    assert ground() == "#203040"
