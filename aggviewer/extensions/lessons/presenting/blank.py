"""The black screen that lets a class look at the teacher."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtWidgets import QApplication, QWidget


class Blank(QWidget):
    """Covers a window in black; any key or click brings the window back, and does nothing else."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setStyleSheet("background: #000000;")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.setAccessibleName("Blank screen. Press any key to return")
        self.hide()

    def cover(self) -> None:
        """Make the window black."""
        application = QApplication.instance()
        if application is not None and self.isHidden():
            self.setGeometry(self._window.rect())
            self.raise_()
            self.show()
            application.installEventFilter(self)

    def uncover(self) -> None:
        """Show the window again."""
        application = QApplication.instance()
        if application is not None and not self.isHidden():
            application.removeEventFilter(self)
            self.hide()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Take all keys and clicks for itself; follow the size of the window."""
        if event is None:
            return False
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # no shortcut is run: it comes as a key
            return True
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress):
            if isinstance(watched, QWidget):
                self.uncover()
            return isinstance(watched, QWidget)
        return False
