"""Keys, wheel and focus: what belongs to the widget with the focus or under the pointer, and what to the window."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt
from PyQt6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)

_EDITORS = (QAbstractSpinBox, QComboBox, QAbstractSlider, QTabBar)
_STEPPED = (QAbstractSlider, QComboBox, QAbstractItemView)
_UP_AND_DOWN = (Qt.Key.Key_Up, Qt.Key.Key_Down)
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, *_UP_AND_DOWN)
_ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class InputGuard(QObject):
    """Sees the input of all widgets of the application before they do.

    - Keys: what can be typed belongs to a field in which text is edited, ↑ and ↓ to sliders and lists; all else is
      left to the shortcuts of the window. Space therefore runs and pauses and never presses a button; Enter does.
    - Focus: after Enter, Esc (which also takes back what was being typed), the drag of a slider or a click on the
      arrows of a field the keys go to the picture again. So it is in `window` and its panels; dialogs keep Qt's ways.
    - Wheel: it never changes a value, in the window or in any dialog; it goes on to what can be scrolled around it.
    """

    def __init__(
        self,
        application: QApplication,
        window: QMainWindow | None = None,
        to_picture: Callable[[], None] = lambda: None,
    ) -> None:
        """to_picture : gives the picture of `window` the focus."""
        super().__init__(application)
        application.installEventFilter(self)
        self._application = application
        self._window = window
        self._to_picture = to_picture
        self._pressed: tuple[QObject, QPointF] | None = None  # a slider, and where on the screen the button went down

    def close(self) -> None:
        """Stop filtering, and let go of the window."""
        self._application.removeEventFilter(self)
        self.deleteLater()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """See QObject.eventFilter."""
        if not isinstance(watched, QWidget) or event is None:
            return False
        if isinstance(event, QKeyEvent):
            return self._key(watched, event)
        if isinstance(event, QWheelEvent):
            if wheel_would_change(watched):
                event.ignore()  # Qt then asks the widget around it
                return True
        elif isinstance(event, QMouseEvent):
            self._mouse(watched, event)
        elif event.type() == QEvent.Type.Polish and wheel_would_change(watched):
            focus_without_wheel(watched)
        return False

    # keys

    def _key(self, watched: QWidget, event: QKeyEvent) -> bool:
        """Qt asks the widget with the focus first (ShortcutOverride): accepting means that no shortcut fires."""
        if event.type() == QEvent.Type.ShortcutOverride:
            if watched is not QApplication.focusWidget():
                return False
            if event.key() == Qt.Key.Key_Escape and self._mine(watched):
                _take_back(watched)
            elif keeps_key(watched, event):
                event.accept()
                return True
        elif event.type() == QEvent.Type.KeyPress and event.key() in _ENTER and self._reached_the_end(watched, event):
            self._entered()
        return False

    def _reached_the_end(self, watched: QWidget, event: QKeyEvent) -> bool:
        """Fields let Enter pass when they have read their text; at the window nobody else wants it."""
        modified = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return watched.isWindow() and self._mine(watched) and not modified

    def _entered(self) -> None:
        focus = QApplication.focusWidget()
        if isinstance(focus, QToolButton) and focus.menu() is not None:
            focus.showMenu()
        elif isinstance(focus, QAbstractButton):
            focus.click()
        else:
            self._to_picture()

    # mouse

    def _mouse(self, watched: QWidget, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.type() == QEvent.Type.MouseButtonPress:
            slides = isinstance(watched, QAbstractSlider) and not isinstance(watched, QScrollBar)
            self._pressed = (watched, event.globalPosition()) if slides else None
        elif event.type() == QEvent.Type.MouseButtonRelease and self._mine(watched):
            pressed, self._pressed = self._pressed, None
            moved = pressed is not None and pressed[0] is watched and _far(pressed[1], event.globalPosition())
            # the text of a spin box is a widget of its own: what comes here was on its arrows
            if moved or isinstance(watched, QAbstractSpinBox):
                self._to_picture()

    def _mine(self, widget: QWidget) -> bool:
        """Whether a widget is in the window, or in a panel of it that floats."""
        around = widget.window()
        if isinstance(around, QDockWidget):
            around = around.parentWidget()
        return around is not None and around is self._window


def _far(a: QPointF, b: QPointF) -> bool:
    return (a - b).manhattanLength() >= QApplication.startDragDistance()


def line_of(widget: QWidget) -> QLineEdit | None:
    """The line in which the text of a field is edited, None for a widget without one."""
    if isinstance(widget, QLineEdit):
        return widget
    if isinstance(widget, QComboBox):
        return widget.lineEdit()
    return widget.findChild(QLineEdit) if isinstance(widget, QAbstractSpinBox) else None


def _take_back(widget: QWidget) -> None:
    """What is being typed in a field, undone."""
    line = None if isinstance(widget, QComboBox) else line_of(widget)
    while line is not None and line.isUndoAvailable():
        line.undo()


def edits_text(widget: QWidget) -> bool:
    """Whether what is typed goes into the text of `widget`."""
    if isinstance(widget, QComboBox):
        return widget.isEditable()
    if isinstance(widget, QLineEdit | QAbstractSpinBox | QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    return False


def keeps_key(widget: QWidget, event: QKeyEvent) -> bool:
    """True when the key is for `widget`, not for the window."""
    plain = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    if plain != Qt.KeyboardModifier.NoModifier:
        return False
    if event.key() in _ARROWS and edits_text(widget):
        return True
    if event.key() in _UP_AND_DOWN:
        return isinstance(widget, _STEPPED)
    return edits_text(widget) and bool(event.text()) and event.text().isprintable()


def wheel_would_change(watched: QObject | None) -> bool:
    """True for a field, list, slider or row of tabs, whose value Qt changes when the wheel is turned over it.

    A scroll bar is a slider too, but what it changes is the place in a page, as the wheel should.
    """
    return isinstance(watched, _EDITORS) and not isinstance(watched, QScrollBar)


def focus_without_wheel(widget: QWidget) -> None:
    """Let an editor take the focus by click and Tab, no longer by the wheel."""
    policy = widget.focusPolicy()
    if policy == Qt.FocusPolicy.WheelFocus:
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


class ModeKeys(QObject):
    """Takes plain keys from a window and its shortcuts while it is `on`; fields, sliders and lists keep theirs.

    Qt asks the widget with the focus before any shortcut (ShortcutOverride); what is accepted comes as a key press.
    """

    def __init__(self, window: QWidget, actions: dict[Qt.Key, Callable[[], object]]) -> None:
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
        if event.key() in _ENDS and isinstance(watched, _STEPPED):
            return False
        return not keeps_key(watched, event)
