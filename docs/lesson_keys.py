"""The tables of docs/lessons.md, from the model that checks lessons: ``python docs/lesson_keys.py`` writes them."""

from __future__ import annotations

import re
from inspect import getdoc
from pathlib import Path

from aggviewer.extensions.lessons.conditions import CONDITIONS
from aggviewer.extensions.lessons.model import (
    Activity,
    Choice,
    Ensemble,
    Hold,
    Lesson,
    LessonStep,
    MeasuredQuantity,
    Question,
    Setting,
)
from engine.scenario.section import Section

PAGE = Path(__file__).parent / "lessons.md"
TABLES: dict[str, type[Section]] = {
    "Before the first step": Lesson, "`[[step]]`": LessonStep, "`[step.set]`": Setting, "`hold` of `[step.set]`": Hold,
    "`[step.predict]`": Question, "`choices` of `[step.predict]`": Choice, "`[step.do]`": Activity,
    "`[step.measure]`": MeasuredQuantity, "`[step.measure.ensemble]`": Ensemble,
}  # fmt: skip
"""By where the keys stand in the file."""

_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


def keys_of(model: type[Section]) -> dict[str, str]:
    """Names of keys, as the docstring of a table has them, to what is said of them."""
    text = (getdoc(model) or "").partition("----------\n")[2]
    return {found[1]: " ".join(found[2].split()).replace("``", "`") for found in _ENTRY.finditer(text)}


def keys() -> str:
    """All tables of keys."""
    parts = []
    for place, model in TABLES.items():
        rows = [f"| `{'`, `'.join(names.split(', '))}` | {text} |" for names, text in keys_of(model).items()]
        parts.append("\n".join([f"{place}:", "", "| key | what |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def conditions() -> str:
    """The table of what is recognised."""
    rows = []
    for name, kind in CONDITIONS.items():
        first = re.split(r"[.:](?:\s|$)", getdoc(kind) or "")[0]
        rows.append(f"| `{name}` | {' '.join(first.split())} | {kind.allowed} |")
    return "\n".join(["| in `when` | meaning | value |", "|---|---|---|", *rows])


def written(page: str) -> str:
    """The page with its tables as the model has them."""
    for name, text in (("keys", keys()), ("conditions", conditions())):
        begin, end = f"<!-- {name}: begin -->\n", f"\n<!-- {name}: end -->"
        head, _, rest = page.partition(begin)
        page = head + begin + text + end + ("\n" + rest).partition(end)[2]
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
