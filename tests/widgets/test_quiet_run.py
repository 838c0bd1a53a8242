"""One button of a window stands out."""

from __future__ import annotations

from PyQt6.QtWidgets import (
    QDialog,
    QMainWindow,
)
from pytestqt.qtbot import QtBot

from aggviewer.widgets.popup import Popup
from aggviewer.widgets.transport import PaceRange, Transport


def test_run_is_quiet_while_a_dialog_or_a_popup_is_open(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    transport = Transport(PaceRange(0.1, 10.0, 1.0, str))
    window.setCentralWidget(transport)
    window.show()
    dialog, popup = QDialog(window), Popup("commandPalette", "Commands", window)
    for opened in (dialog, popup):
        (opened.open if isinstance(opened, QDialog) else opened.show)()
        assert transport.run_button.property("quiet") is True, type(opened)
        opened.close()
        assert transport.run_button.property("quiet") is False, type(opened)
    popup.show()
    dialog.open()
    popup.close()
    assert transport.run_button.property("quiet") is True, "the dialog that a command of the palette has opened"
    transport.let_others_stand_out(True)
    dialog.close()
    assert transport.run_button.property("quiet") is True, "another button of the window stands out"
    transport.let_others_stand_out(False)
    assert transport.run_button.property("quiet") is False
