"""The start of the window: what it does not wait for, and what must not keep it away."""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtGui import QColor, QIcon
from PyQt6.QtWidgets import QApplication

from aggviewer.canvas.qt_images import from_qimage
from aggviewer.cli import entry
from aggviewer.lessons import source
from aggviewer.widgets.icons import icon
from aggviewer.window import app
from aggviewer.window.main_window import MainWindow

_LATER = ("numba", "scipy", "matplotlib", "av", "highspy", "pandas", "qtawesome", "sympy", "dask")
"""Large libraries that no first picture needs."""


def test_the_window_waits_for_no_library_that_its_first_picture_does_not_need() -> None:
    code = f"import sys, aggviewer.window.app; print([name for name in {_LATER} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_damaged_lesson_is_left_out_and_named(
    make_window: Callable[[], MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lessons"
    for name in ("fractal", "stuck", "two-four-many"):
        shutil.copytree(source.bundled_folder() / name, folder / name)
    (folder / "fractal" / source.FILE).write_text("title = 'half")
    (folder / "stuck" / source.FILE).write_bytes(b"title = \xff")
    monkeypatch.setattr(source, "bundled_folder", lambda: folder)
    window = make_window()
    (toast,) = window.stage.toasts.toasts
    assert toast.notice.title == "Lessons that cannot be read are left out"
    assert [name in line for name, line in zip(("fractal", "stuck"), toast.notice.text.splitlines(), strict=True)]
    ids = {command.id for command in window.commands}
    assert "lesson.two-four-many" in ids
    assert not {"lesson.fractal", "lesson.stuck"} & ids


def test_garbage_is_collected_once_the_window_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    while_opening: list[bool] = []
    monkeypatch.setattr(entry, "_open", lambda files: while_opening.append(gc.isenabled()) or 0)
    try:
        assert entry.open_window([]) == 0
        assert while_opening == [False]
        app._collect_garbage()
        assert gc.isenabled()
    finally:
        gc.enable()


def test_icons_have_the_colours_of_their_states(qapp: QApplication) -> None:
    drawn = icon("mdi6.square", "#204060", on="#a03010")  # a square fills most of its place

    def middle(mode: QIcon.Mode, state: QIcon.State) -> tuple[int, ...]:
        pixels = from_qimage(drawn.pixmap(32, 32, mode, state).toImage())
        assert pixels[:2].max() == 0, "nothing above the square"
        return tuple(pixels[16, 16])

    normal, on = QColor("#204060").getRgb(), QColor("#a03010").getRgb()
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Active):
        assert middle(mode, QIcon.State.Off) == normal
        assert middle(mode, QIcon.State.On) == on
    assert middle(QIcon.Mode.Disabled, QIcon.State.Off)[3] == 110
    with pytest.raises(KeyError):
        icon("mdi6.no-such-icon", "#000000")
