"""The dialog of pictures, and the ways to a file and to the clipboard, with a real window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from aggviewer.canvas.picture import Over
from aggviewer.canvas.qt_images import from_qimage
from aggviewer.window.dialogs.picture import COPIED, PictureChoices, PictureDialog, copy_picture, save_picture
from aggviewer.window.main_window import MainWindow
from tests.fields import enter
from tests.window.conftest import PATIENCE


def test_what_is_set_is_what_is_chosen(qtbot: QtBot, qapp: object) -> None:
    last = PictureChoices(".svg", (1920, 1080), True, Over(time=False))
    dialog = PictureDialog((801, 601), last)
    qtbot.addWidget(dialog)
    assert dialog.choices == last
    assert dialog.size_fields.presets.currentText() == "Full HD, 1920 x 1080"
    dialog.formats.setCurrentIndex(2)
    dialog.over.legend.click()
    dialog.transparent.click()
    dialog.size_fields.presets.setCurrentText("As in the window")
    assert dialog.choices == PictureChoices(".pdf", None, False, Over(legend=False, time=False))
    assert dialog.size_chosen == (801, 601)
    enter(dialog.size_fields.height_field, 333)
    assert dialog.size_fields.presets.currentText() == "Other"
    assert dialog.choices.size == (801, 333)


def test_the_buttons_end_the_dialog(qtbot: QtBot, qapp: object) -> None:
    dialog = PictureDialog((800, 600))
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(dialog.isVisible, timeout=PATIENCE)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert dialog.result() == COPIED
    dialog.open()
    dialog.formats.setFocus()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.result() == dialog.DialogCode.Accepted


def test_the_picture_of_the_window_in_files_and_on_the_clipboard(held: MainWindow, tmp_path: Path) -> None:
    choices = PictureChoices(over=Over(box=False))
    for suffix in (".png", ".svg", ".pdf"):
        save_picture(held.canvas, tmp_path / f"a{suffix}", choices, (640, 480))
        assert (tmp_path / f"a{suffix}").stat().st_size > 5000
    copy_picture(held.canvas, choices, (640, 480))
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None
    copied = from_qimage(clipboard.image())
    assert np.array_equal(copied[..., :3], from_qimage(QImage(str(tmp_path / "a.png")))[..., :3])
    assert held.session.view.show_box
