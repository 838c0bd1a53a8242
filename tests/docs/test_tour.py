"""The places that the tour and the design name are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PLACES = re.compile(r"`([\w/]+\.py)` · `([\w.]+)`")
FILES = re.compile(r"`((?:engine|aggviewer|tests|benchmarks|resources)/[\w/.]+\.\w+)`")


def definitions(path: Path) -> set[str]:
    """Functions and classes of a file, methods as Class.method."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
    return found


PASSED = PLACES.findall((PROJECT / "docs/tour.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("file", "name"), PASSED, ids=lambda one: one)
def test_every_place_that_the_tour_names_exists(file: str, name: str) -> None:
    assert name in definitions(PROJECT / file)


@pytest.mark.parametrize("page", sorted((PROJECT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = FILES.findall(page.read_text(encoding="utf-8"))
    assert [name for name in named if not (PROJECT / name).exists()] == []
