"""Paths as people type them: wherever one is typed, a name that no file can have is refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.extensions.lessons.source import find_lesson
from engine import plugins
from engine.errors import InputError, typed_path
from engine.files import FileFrame, open_trajectory, read, write
from engine.files.writing import check_file, check_folder
from engine.state_file import open_scenario
from engine.study.source import read_study
from tests.cli.conftest import Call, call

__all__ = ["call"]

FRAME = FileFrame(np.ones((1, 2)), radii=np.ones(1), box=np.full(2, 4.0))
PLACES = {
    "scenario": engine.load_scenario,
    "state": open_scenario,
    "file": read,
    "trajectory": open_trajectory,
    "plug-in": plugins.load_file,
    "study": read_study,
    "lesson": find_lesson,
    "written": lambda path: write(path, FRAME),
    "start": lambda path: engine.create(
        engine.Scenario().with_values({"discs.arrangement": "file", "discs.file": str(path)})
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "name", ["~nobody_has_this_name", *(f"{'x' * 300}{end}" for end in ("", ".gsd")), "a\0b", "a\0.gsd", "~\0"]
)
def test_a_name_that_no_file_can_have_is_refused_in_a_sentence(place: str, name: str) -> None:
    with pytest.raises(InputError):
        PLACES[place](name)


def test_home_folders_are_found_and_other_names_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert typed_path("~/a.gsd") == Path("/home/me/a.gsd")
    assert typed_path("~no_such_user/b") == Path("~no_such_user/b")
    assert typed_path("\\~?") == Path("\\~?")
    with pytest.raises(InputError, match=r"^a\\x00b contains a character that file names cannot have$"):
        typed_path("a\0b")


def test_an_out_with_a_name_that_is_too_long_is_refused_before_anything_is_computed(call: Call, tmp_path: Path) -> None:
    for check in (check_file, check_folder):
        with pytest.raises(InputError, match="too long"):
            check(tmp_path / ("x" * 300))
    done = call("run", "lattice-100", "--until-events", "1", "--out", tmp_path / ("x" * 300))
    assert done.status == 2
    assert "too long" in done.err
