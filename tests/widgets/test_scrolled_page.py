"""A page of a scroll area is replaced while one of its widgets is in use."""

from __future__ import annotations

from PyQt6 import sip
from PyQt6.QtCore import QEvent, QObject, QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from aggviewer.widgets.lists import replace_page
from tests.waiting import delete_now


class OnPress(QObject):
    """Replaces the page before the button that is pressed on it hears of the press."""

    def __init__(self, area: QScrollArea, page: QPushButton) -> None:
        super().__init__()
        self.area, self.page = area, page

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.MouseButtonPress and self.area.widget() is not self.page:
            replace_page(self.area, self.page)
        return False


def test_a_page_outlives_the_press_that_replaces_it(qtbot: QtBot) -> None:
    area, old, new = QScrollArea(), QPushButton("old"), QPushButton("new")
    qtbot.addWidget(area)
    replace_page(area, old)
    application = QApplication.instance()
    assert application is not None
    watcher = OnPress(area, new)
    application.installEventFilter(watcher)
    try:
        QTest.mousePress(old, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    finally:
        application.removeEventFilter(watcher)
    assert not sip.isdeleted(old)
    assert area.widget() is new
    delete_now()
    assert sip.isdeleted(old)
