"""Which keys belong to the widget with the focus, and which to the window."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

_WITH_ARROWS = (QAbstractSlider, QAbstractSpinBox, QComboBox, QAbstractItemView, QTabBar)
_WITH_TEXT = (QLineEdit, QAbstractSpinBox, QPlainTextEdit, QTextEdit)
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)


class KeyGuard(QObject):
    """Keeps the arrows for sliders and lists, and whatever can be typed for fields.

    Qt asks the widget with the focus first (ShortcutOverride): accepting means that no shortcut of the window fires.
    A space is left to the window everywhere but in text, so that it runs and pauses and never presses a button.
    """

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        application.installEventFilter(self)
        self._application = application

    def close(self) -> None:
        """Stop filtering."""
        self._application.removeEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """See QObject.eventFilter; only ShortcutOverride is looked at."""
        if event is None or event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if isinstance(watched, QWidget) and watched is QApplication.focusWidget() and keeps_key(watched, event):
            event.accept()
            return True
        return False


def keeps_key(widget: QWidget, event: QKeyEvent) -> bool:
    """True when the key is for `widget`, not for the window."""
    plain = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    if plain != Qt.KeyboardModifier.NoModifier:
        return False
    if event.key() in _ARROWS:
        return isinstance(widget, _WITH_ARROWS + _WITH_TEXT)
    return isinstance(widget, _WITH_TEXT) and bool(event.text()) and event.text().isprintable()
