"""Words that must not come back: phrases of a translation, and what to write instead.

Looked through are the strings and docstrings of the program, its scenarios, studies and lessons, and the documents.
To add one, write it in lower case with its replacement into `INSTEAD`, and rewrite every place that the test names.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]

INSTEAD = {}

DOCUMENTS = [*sorted((PROJECT / "docs").rglob("*.md")), PROJECT / "README.md", PROJECT / "CONTRIBUTING.md"]
RESOURCES = [one for one in sorted((PROJECT / "resources").rglob("*")) if one.suffix in {".toml", ".jinja", ".html"}]
PROGRAM = [one for folder in ("aggviewer", "engine") for one in sorted((PROJECT / folder).rglob("*.py"))]


def strings(source: str) -> list[str]:
    """The strings of a Python file, docstrings too; what an f-string inserts is an ellipsis."""
    found: list[str] = []
    tree = ast.parse(source)
    within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
            found.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in within:
            found.append(node.value)
    return found


@cache
def words() -> dict[str, str]:
    """The text of each file by its path: lower case, with single spaces."""
    texts = {one: one.read_text(encoding="utf-8") for one in [*DOCUMENTS, *RESOURCES]}
    texts |= {one: "\n".join(strings(one.read_text(encoding="utf-8"))) for one in PROGRAM}
    return {str(one.relative_to(PROJECT)): re.sub(r"\s+", " ", text).lower() for one, text in texts.items()}


@pytest.mark.parametrize("phrase", INSTEAD)
def test_a_phrase_does_not_come_back(phrase: str) -> None:
    where = [path for path, text in words().items() if re.search(rf"\b{re.escape(phrase)}", text)]
    assert not where, f"instead of “{phrase}” write “{INSTEAD[phrase]}” in {', '.join(where)}"


def test_strings_of_all_kinds_are_found() -> None:
    source = '"""Of a module."""\nname = "a" " b"\ndef f(x):\n    """Of a function."""\n    return f"c {x:.3f} d"\n'
    assert sorted(strings(source)) == ["Of a function.", "Of a module.", "a b", "c … d"]
