"""Lessons as files: bundled ones, and what is wrong with a teacher's own, with its line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aggviewer.extensions.lessons import source
from aggviewer.extensions.lessons.source import bundled, find_lesson, is_lesson, read_lesson
from engine.errors import InputError
from tests.extensions.lessons.lesson_texts import LESSON, found


def test_the_bundled_lessons_are_complete() -> None:
    lessons = bundled()
    assert [one.lesson.order for one in lessons] == sorted(one.lesson.order for one in lessons)
    assert len({one.lesson.title for one in lessons}) == len(lessons)
    for one in lessons:
        measured = {step.measure.of for step in one.lesson.step if step.measure is not None}
        assert one.lesson.predictions.keys() <= measured, f"{one.name}: a prediction is never held against the run"
        for step in one.lesson.step:
            if step.measure is not None and step.measure.of:
                assert step.measure.expected is not None, f"{one.name}: {step.title} has no answer for the teacher"


def test_a_lesson_is_found_by_name_folder_and_file(tmp_path: Path) -> None:
    found(tmp_path)
    assert find_lesson(tmp_path).lesson == find_lesson(tmp_path / "lesson.toml").lesson
    assert find_lesson("two-four-many").folder.name == "two-four-many"
    with pytest.raises(InputError, match=r"nowhere is neither .*; the bundled lessons are .*two-four-many"):
        find_lesson("nowhere")


def test_lessons_are_told_from_scenarios(tmp_path: Path) -> None:
    found(tmp_path)
    assert is_lesson(tmp_path / "lesson.toml")
    other = tmp_path / "other.toml"
    other.write_text((tmp_path / "lesson.toml").read_text())
    assert is_lesson(other)
    other.write_text("format = 1\n[discs]\ncount = 100\n")
    assert not is_lesson(other)
    other.write_text("[[")
    assert not is_lesson(other)


BAD = [
    ("format = 1", "format = 2", "format", "format = 2"),
    ('title = "Small"\n', "", "title is missing", ""),
    ("minutes = 1", "minutes = 0", "minutes", "minutes = 0"),
    ('title = "Begin"', 'titel = "Begin"', r"step\[1\].titel is not a key of a lesson; did you mean title", "titel"),
    ('scenario = "lattice-100"', 'scenario = "lattice-101"', "lattice-101", "[step.set]"),
    ('color_by = "speed" }', 'color_by = "speed" }\nvalues = { "discs.cuont" = 3 }', "discs.cuont", "[step.set]"),
    ('id = "left"', 'id = "Left hand"', r"step\[2\].predict.id", "id ="),
    ("tolerance = 2\n", "", r"step\[2\].predict: tolerance or ratio is missing", "[step.predict]"),
    ("low = 1\n", "low = 200\n", "low must be below high", "low = 200"),
    ('when = { time = ">= 2", state = "held" }', "when = { }", "when is empty", "when ="),
    ('time = ">= 2"', 'tiem = ">= 2"', "when.tiem is not a known condition: time, clusters", "when ="),
    ('time = ">= 2"', "time = 2", "when.time", "when ="),
    ('state = "held"', 'state = "stopped"', "running, paused, finished or held", "when ="),
    ('hint = "Space."', 'hint = "Space."\ncontrols = ["discs.size"]', "discs.size", "controls ="),
    ('of = "left"', 'of = "right"', r"no step before it predicts right", 'of = "right"'),
    ('value = "clusters * scale"', 'value = "clusters["', "is not a formula", "[step.measure]"),
    ('name = "Clusters"', "", "name is missing", "[step.measure]"),
    ('say = "Some words."', 'say = "![a](../b.png)"', r"no picture \.\./b.png", "say ="),
    ('scenario = "lattice-100"', "speed = 1.0", "a lesson begins with a scenario", "[step.set]"),
    ('title = "Do"', 'title = "Do"\npredict = { id = "x", ask = "y", tolerance = 1 }', "one task", "[step.do]"),
]


@pytest.mark.parametrize(("old", "new", "words", "where"), BAD)
def test_a_mistake_in_a_lesson_file_is_reported_with_its_line(
    tmp_path: Path, old: str, new: str, words: str, where: str
) -> None:
    assert old in LESSON
    text = LESSON.replace(old, new, 1)
    with pytest.raises(InputError, match=words) as caught:
        found(tmp_path, text)
    number_text = str(caught.value)
    assert "\n" not in number_text
    line = text.splitlines()[int(number_text.partition("line ")[2].partition(":")[0]) - 1]
    assert line.startswith(where)


def test_a_text_that_is_no_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text("format = 1\ntitle = \n")
    with pytest.raises(InputError, match="line 2"):
        read_lesson(path)


def test_bundled_lessons_are_read_once_for_each_state_of_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each window asks for them all."""
    folder = tmp_path / "lessons" / "two-four-many"
    shutil.copytree(source.bundled_folder() / folder.name, folder)
    monkeypatch.setattr(source, "bundled_folder", lambda: folder.parent)
    (before,) = bundled()
    assert bundled()[0] is before
    text = (folder / source.FILE).read_text(encoding="utf-8")
    (folder / source.FILE).write_text(text.replace("title = ", 'title = "Now " #', 1), encoding="utf-8")
    assert bundled()[0].lesson.title == "Now "
    (folder / source.FILE).write_text("title = ", encoding="utf-8")
    with pytest.raises(InputError):
        bundled()
