"""`aggviewer lesson`: the list, the window, the worksheet."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from aggviewer.extensions.lessons.source import bundled, bundled_folder
from tests.cli.conftest import Call, refused


def test_the_list_has_titles_minutes_and_names(call: Call) -> None:
    lines = call("lesson").out.splitlines()
    for found, line in zip(bundled(), lines, strict=False):
        assert line.startswith(found.lesson.title)
        assert f" {found.lesson.minutes} min " in line
        assert f" {found.name} " in line
    assert lines[-1] == "Open one with: aggviewer lesson NAME"
    listed = call("lesson", "--json").json
    assert list(listed) == [found.name for found in bundled()]
    assert listed["two-four-many"] == {
        "title": "Two, four, many",
        "minutes": 6,
        "summary": "What is conserved when discs stick together, and what is lost.",
        "steps": 11,
    }


def test_a_name_opens_the_window_in_that_lesson(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[list[str]] = []
    module = ModuleType("aggviewer.window.app")

    def run_window(files: list[str]) -> int:
        opened.append(files)
        return 0

    module.run_window = run_window  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "aggviewer.window.app", module)
    assert call("lesson", "two-four-many").status == 0
    folder = bundled_folder() / "two-four-many"
    assert call("lesson", str(folder)).status == 0
    assert opened == [[str((folder / "lesson.toml").resolve())]] * 2


def test_a_worksheet_is_written(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "sheet.html"
    done = call("lesson", "two-four-many", "--worksheet", str(path))
    assert (done.status, done.out) == (0, f"{path}\n")
    assert path.read_bytes().startswith(b"<!doctype html>")
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_bad_input_is_one_sentence(call: Call, tmp_path: Path) -> None:
    sheet = str(tmp_path / "sheet.pdf")
    assert "nope is neither a lesson file nor a bundled lesson" in refused(call("lesson", "nope"))
    assert "must end in .html; a browser prints it" in refused(call("lesson", "two-four-many", "--worksheet", sheet))
    assert "--worksheet needs a lesson" in refused(call("lesson", "--worksheet", sheet))
    assert "No such option: --film" in call("lesson", "two-four-many", "--film", "film.mp4").err
    assert "--json is for the list" in refused(call("lesson", "two-four-many", "--json"))
    broken = tmp_path / "lesson.toml"
    broken.write_text('format = 1\ntitel = "x"\n', encoding="utf-8")
    words = refused(call("lesson", str(broken), "--worksheet", str(tmp_path / "sheet.html")))
    assert "line 2: titel is not a key of a lesson; did you mean title?" in words
    assert [one.name for one in tmp_path.iterdir()] == ["lesson.toml"]
