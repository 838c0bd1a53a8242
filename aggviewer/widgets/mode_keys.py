"""Plain keys of a mode of the window: while it is on they do not run the simulation."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QWidget,
)

from aggviewer.widgets.input_guard import edits_text, keeps_key

_WITH_ENDS = (QAbstractSlider, QAbstractItemView, QComboBox)
_ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)


class ModeKeys(QObject):
    """Takes plain keys from a window and its shortcuts while it is `on`; fields, sliders and lists keep theirs.

    Qt asks the widget with the focus before any shortcut (ShortcutOverride); what is accepted comes as a key press.
    """

    def __init__(self, window: QWidget, actions: dict[Qt.Key, Callable[[], None]]) -> None:
        super().__init__(window)
        self._window = window
        self._actions = actions
        self._on = False

    @property
    def on(self) -> bool:
        """Whether the keys are taken."""
        return self._on

    @on.setter
    def on(self, on: bool) -> None:
        application = QApplication.instance()
        if on == self._on or application is None:
            return
        self._on = on
        if on:
            application.installEventFilter(self)
        else:
            application.removeEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """See QObject.eventFilter; only keys for the widget with the focus are looked at."""
        if not isinstance(event, QKeyEvent) or not isinstance(watched, QWidget):
            return False
        action = self._actions.get(Qt.Key(event.key()))
        if action is None or not self._takes(watched, event):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress:
            action()
            return True
        return event.type() == QEvent.Type.KeyRelease

    def _takes(self, watched: QWidget, event: QKeyEvent) -> bool:
        focus = QApplication.focusWidget() or self._window
        if watched is not focus or watched.window() is not self._window or QApplication.activePopupWidget() is not None:
            return False
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain != Qt.KeyboardModifier.NoModifier or edits_text(watched):
            return False
        if event.key() in _ENDS and isinstance(watched, _WITH_ENDS):
            return False
        return not keeps_key(watched, event)
