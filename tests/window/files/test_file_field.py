"""The field for an output file: whatever is typed, it is a path or a sentence about why it is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from aggviewer.widgets.file_dialogs import FileField

FORMATS = {".mp4": "MP4", ".gif": "GIF", "": "Pictures in a folder"}


@pytest.fixture
def field(qtbot: QtBot, tmp_path: Path) -> FileField:
    (tmp_path / "folder.mp4").mkdir()
    made = FileField("Film to")
    qtbot.addWidget(made)
    made.begin(tmp_path / "film.mp4", FORMATS)
    return made


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("film", "film.mp4"),
        ("film.", "film..mp4"),
        (".mp4", ".mp4.mp4"),
        ("a.GIF", "a.GIF"),
        ("a.avi", "a.avi.mp4"),
        ("\\", "\\.mp4"),
        ("C:\\x", "C:\\x.mp4"),
        (" x ", "x.mp4"),
        ("-", "-.mp4"),
        ("...", "....mp4"),
        ("ä*?", "ä*?.mp4"),
        ("~film", "~film.mp4"),
        ("~root", None),
        ("", None),
        (" ", None),
        ("/", None),
        ("//", None),
        (".", None),
        ("..", None),
        ("./", None),
        ("~", None),
        ("~/", None),
        ("/tmp/", None),
        ("/tmp/.", None),
        ("/tmp/..", None),
        ("x" * 256, None),
        ("x" * 253, None),
        ("/x" * 3000, None),
        ("a\0b", None),
        ("~\0", None),
        ("folder", None),
    ],
)
def test_a_text_names_a_file_or_a_sentence_says_why_not(
    field: FileField, tmp_path: Path, typed: str, name: str | None
) -> None:
    field.line.setText(typed)
    assert field.path == (None if name is None else tmp_path / name)
    field.show_effect([] if field.path is None else [field.path])
    assert bool(field.problem) == (name is None and bool(typed.strip()))
    assert field.message.text().strip().lower() == field.problem.lower()


def test_whatever_is_typed_is_a_path_or_a_sentence(field: FileField) -> None:
    @given(st.text(st.characters(codec="utf-8"), max_size=8) | st.text("/.~\\ a\0", max_size=6))
    def check(text: str) -> None:
        field.line.setText(text)
        path = field.path
        field.show_effect([] if path is None else [path])
        if path is not None:
            assert not field.problem
            assert path.name.endswith(field.suffix)
            assert path.parent.name or path.parent == Path("/")

    check()
