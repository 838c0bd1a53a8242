"""The controls of presenter mode: over the foot of the picture, and hidden when not in use."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QApplication, QFrame, QLineEdit, QMainWindow, QVBoxLayout

from aggviewer.window.stage.stage import Stage

REST_MS = 3000
"""Milliseconds without mouse or key input after which the controls hide."""

_INPUT = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class HidingControls(QFrame):
    """Holds transport and tools while presenting. `awake` is True if the pointer moved or a key was pressed within
    `REST_MS`, or if the controls are in use. ``changed`` is emitted when that changes."""

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
        """Whether the pointer is over them, a button is held down, a menu is open, or a field is being edited."""
        pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        focus = QApplication.focusWidget()
        writes = isinstance(focus, QLineEdit) and self.isAncestorOf(focus)
        return writes or pressed or self.underMouse() or QApplication.activePopupWidget() is not None

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Watch pointer and keys in the whole window."""
        if event is None:
            return False
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            place = event.globalPosition()
            if place != self._pointer:  # a window that changes under the pointer also sends a move
                self._pointer = place
                self.stir()
        elif event.type() in _INPUT:
            self.stir()
        return False
