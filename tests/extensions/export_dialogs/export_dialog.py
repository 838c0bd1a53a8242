"""Use of the dialog *Export* as a person uses it."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6 import sip
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel

from aggviewer.extensions.export_dialogs.export_dialog import ExportDialog
from aggviewer.extensions.export_dialogs.fields import ItemList
from tests.waiting import wait_until


def in_export(open_it: Callable[[], object], act: Callable[[ExportDialog], object]) -> None:
    """Open the dialog, and do something there; what fails in it fails here. It is closed after that, when files that
    are being written are there, and the window that it was opened from has the keys again."""
    before = QApplication.activeWindow()
    problems: list[BaseException] = []
    used: list[ExportDialog] = []

    def use() -> None:
        dialog = QApplication.activeModalWidget()
        if not (isinstance(dialog, ExportDialog) and dialog.isActiveWindow()):
            QTimer.singleShot(20, use)
            return
        used.append(dialog)
        try:
            act(dialog)
        except BaseException as error:
            problems.append(error)
        end(dialog)

    def end(dialog: ExportDialog) -> None:
        """Close it, or wait until what it makes is there; in the loop of the dialog, which a wait would not leave."""
        if not sip.isdeleted(dialog) and dialog.busy and not problems:
            QTimer.singleShot(20, lambda: end(dialog))
        elif not sip.isdeleted(dialog) and dialog.isVisible():
            dialog.reject()

    QTimer.singleShot(0, use)
    open_it()
    if problems:
        raise problems[0]
    assert used, "there was no dialog"
    if before is not None:  # the window manager gives them back a moment later
        QApplication.setActiveWindow(before)
        wait_until(before.isActiveWindow)


def press_export(dialog: ExportDialog) -> None:
    """Press the button that writes the files."""
    QTest.mouseClick(dialog.export_button, Qt.MouseButton.LeftButton)


def items_of(dialog: ExportDialog, key: str) -> ItemList:
    """A list of the page that is shown."""
    found = dialog.page.editors[key].widget
    assert isinstance(found, ItemList)
    return found


def tick(items: ItemList, *titles: str) -> None:
    """Tick these lines and no others."""
    for row in range(items.count()):
        item = items.item(row)
        assert item is not None
        item.setCheckState(Qt.CheckState.Checked if item.text() in titles else Qt.CheckState.Unchecked)


def problems(dialog: ExportDialog) -> list[str]:
    """What the dialog says is wrong."""
    return [label.text() for label in dialog.findChildren(QLabel, "problem") if label.isVisible()]
