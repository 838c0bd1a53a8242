"""A part of the document that a plug-in adds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aggviewer.document.document import Document
from engine import plugins

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
[LAMP] = re.findall(r"^```python\n(PLUG_POINTS = 1\n\n\ndef lamp.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
"""The example of docs/extending.md."""


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    path = tmp_path / "lamp.py"
    path.write_text(LAMP, encoding="utf-8")
    return path


def test_its_fields_are_undone_alone_and_together(plug_in: Path) -> None:
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


def test_one_that_is_loaded_while_the_document_is_open_takes_part(plug_in: Path) -> None:
    document = Document()
    stop = plugins.watch(document.renew)
    try:
        assert plugins.load_file(plug_in).problem == ""
    finally:
        stop()
    document["lamp"].size = 2.0
    document.history.undo()
    assert document["lamp"].size == 1.0


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
    stop = plugins.watch(Document().renew)
    try:
        assert problem in plugins.load_file(plug_in).problem
    finally:
        stop()
    with pytest.raises(KeyError):
        Document()["lamp"]
