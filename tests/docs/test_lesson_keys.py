"""The page about lessons has every key and every condition, in the words of the model; its example is a lesson."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from aggviewer.extensions.lessons.conditions import CONDITIONS
from aggviewer.extensions.lessons.source import read_lesson

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "lessons.md"


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """What writes the tables."""
    return runpy.run_path(str(DOCS / "lesson_keys.py"), run_name="lesson_keys")


def test_every_key_of_the_model_is_told(made: dict[str, Any]) -> None:
    for place, model in made["TABLES"].items():
        names = {name for row in made["keys_of"](model) for name in row.split(", ")}
        assert names == set(model.model_fields), place
    assert len(CONDITIONS) == made["conditions"]().count("\n") - 1


def test_the_tables_of_the_page_are_those_of_the_model(made: dict[str, Any]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert made["written"](page) == page, "python docs/lesson_keys.py writes them"
    assert "| `within` |" in page
    assert "| `own` |" in page


def test_the_example_is_a_whole_lesson(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    lesson = read_lesson(tmp_path / "mine.toml").lesson
    assert [bool(step.waits) for step in lesson.step] == [False, True, True, True]
    assert lesson.step[3].measure.of == "left"
