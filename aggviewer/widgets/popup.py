"""A small window over another, closed by Esc or a click elsewhere."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QPoint, QRect, Qt
from PyQt6.QtGui import QHideEvent, QShowEvent
from PyQt6.QtWidgets import QApplication, QFrame, QWidget

from aggviewer.widgets.screen import available

_AROUND = 8  # pixels that stay free around it
BELOW_BAR = 56
"""Pixels from the top of the window to a popup below its bar."""


class Popup(QFrame):
    """Base class: a frame placed within its window.

    name : the object name, for the style sheet; title : for screen readers.
    """

    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay)  # the button that opened it closes it

    def open_at(self, corner: QPoint, *, below: bool) -> None:
        """Show it with its right edge at a screen position, below or above it, always within the window."""
        self.adjustSize()
        room = self._window().adjusted(_AROUND, _AROUND, -_AROUND, -_AROUND)
        x = min(max(corner.x() - self.width(), room.left()), room.right() + 1 - self.width())
        y = corner.y() if below else corner.y() - self.height()
        self.move(x, min(max(y, room.top()), room.bottom() + 1 - self.height()))
        self.show()
        self.setFocus()

    def open_below_bar(self, width: int, height: int | None = None) -> None:
        """Show it centred below the top bar with this width and height; without a height, as high as its contents."""
        room = self._window()
        width = min(width, room.width() - 2 * _AROUND)
        self.setFixedWidth(width)
        if height is not None:
            self.setFixedHeight(min(height, room.height() - BELOW_BAR - _AROUND))
        self.move(room.x() + (room.width() - width) // 2, room.y() + BELOW_BAR)
        self.show()

    def showEvent(self, event: QShowEvent | None) -> None:
        """The window behind it can no more be used than behind a dialog."""
        super().showEvent(event)
        self._tell_window(QEvent.Type.WindowBlocked)

    def hideEvent(self, event: QHideEvent | None) -> None:
        """The window can be used again."""
        self._tell_window(QEvent.Type.WindowUnblocked)
        super().hideEvent(event)

    def _tell_window(self, kind: QEvent.Type) -> None:
        QApplication.sendEvent(self.parentWidget(), QEvent(kind))

    def _window(self) -> QRect:
        """The part of the window that is on the screen."""
        parent = self.parentWidget()
        assert parent is not None
        return QRect(parent.mapToGlobal(QPoint(0, 0)), parent.size()).intersected(available(parent))
