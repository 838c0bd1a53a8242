"""The controls of presenter mode: over the foot of the picture, and hidden when not in use."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QApplication, QFrame, QMainWindow, QVBoxLayout

from aggviewer.window.stage.stage import Stage

REST_MS = 3000
"""Milliseconds without the mouse, Esc or Tab after which the controls hide."""

_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class HidingControls(QFrame):
    """Holds transport and tools while presenting. `awake` is True if the pointer moved, or Esc or Tab was pressed,
    within `REST_MS`, or if the controls are in use; other keys work without them. ``changed`` is emitted when that
    changes."""

    changed = pyqtSignal()

    def __init__(self, window: QMainWindow, stage: Stage) -> None:
        super().__init__(stage)
        self.setObjectName("presenterControls")
        self._window = window
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.awake = True
        self._pointer = QPointF()
        self.resting = QTimer(self)
        self.resting.setSingleShot(True)
        self.resting.timeout.connect(self._on_rest)
        self.hide()

    def begin(self) -> None:
        """Start following pointer and keys."""
        self._pointer = QPointF()
        native = self._window.windowHandle()
        if native is not None:
            native.installEventFilter(self)  # it sees what goes to any widget
        self.stir()

    def end(self) -> None:
        """Stop following."""
        native = self._window.windowHandle()
        if native is not None:
            native.removeEventFilter(self)
        self.resting.stop()
        self.hide()

    def stir(self) -> None:
        """React to activity."""
        self.resting.start(REST_MS)
        if not self.awake:
            self.awake = True
            self.changed.emit()

    def _on_rest(self) -> None:
        if self._in_use():
            self.resting.start(REST_MS)
        else:
            self.awake = False
            self.changed.emit()

    def _in_use(self) -> bool:
        """Whether the pointer is over them, a button is held down, a menu is open, or the focus is in them."""
        pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        inside = self.isAncestorOf(QApplication.focusWidget())
        return inside or pressed or self.underMouse() or QApplication.activePopupWidget() is not None

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Watch the pointer and those keys in the whole window."""
        if event is None:
            return False
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            place = event.globalPosition()
            if place != self._pointer:  # a window that changes under the pointer also sends a move
                self._pointer = place
                self.stir()
        elif event.type() == QEvent.Type.MouseButtonPress or (isinstance(event, QKeyEvent) and event.key() in _KEYS):
            self.stir()
        return False
