"""Decides which keys and wheel turns go to a widget and which to the window."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt
from PyQt6.QtGui import QInputEvent, QKeyEvent, QMouseEvent, QWheelEvent
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

from aggviewer.widgets.entry_line import EntryLine
from aggviewer.widgets.number_edit import NumberEdit

_EDITORS = (QAbstractSpinBox, QComboBox, QAbstractSlider, QTabBar)
_STEPPED = (QAbstractSlider, QComboBox, QAbstractItemView)
_UP_AND_DOWN = (Qt.Key.Key_Up, Qt.Key.Key_Down)
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, *_UP_AND_DOWN)
_ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_IN_TEXT = (*_ARROWS, *_ENDS, *_ENTER, Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Escape)
# An event lives on Qt's stack. If something, such as a traceback, still holds PyQt's object of an earlier event, PyQt
# returns the same object for a new event at the same address. Its class may then be wrong, although `type()` is right;
# any other access reads foreign memory or raises ValueError.
_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
_BUTTONS = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease)


class InputGuard(QObject):
    """An event filter that gets the input of all widgets of the application first.

    - Keys: a text field gets the keys that type text, sliders and lists get ↑ and ↓, and all others are shortcuts of
      the window. So Space runs and pauses and never presses a button; Enter does.
    - Focus: the picture gets the focus back after Enter, Esc (which also undoes what was being typed), dragging a
      slider, or clicking the arrows of a field. This holds in `window` and its panels, not in dialogs.
    - Wheel: it never changes a value, in the window or in a dialog, but scrolls the area around the widget.

    Qt calls a filter of the application for every event of every widget, tens of thousands while a window opens, and
    calling a filter written in Python takes some microseconds. So all code that looks at input shares one filter, which
    starts once the parts of a window exist.
    """

    def __init__(
        self,
        application: QApplication,
        window: QMainWindow | None = None,
        to_picture: Callable[[], None] = lambda: None,
        first: Callable[[QObject | None, QEvent], bool] = lambda watched, event: False,
    ) -> None:
        """Start filtering.

        Parameters
        ----------
        to_picture : gives the focus to the picture of `window`.
        first : is given all input before it is handled here; what it returns True for goes no further.
        """
        super().__init__(application)
        self._application = application
        self._window = window
        self._to_picture = to_picture
        self._first = first
        self._pressed: tuple[QObject, QPointF] | None = None  # a slider, and where the button was pressed
        if window is not None:
            for kind in _EDITORS:
                for editor in window.findChildren(kind):
                    _focus_without_wheel(editor)
        application.installEventFilter(self)

    def close(self) -> None:
        """Stop filtering."""
        self._application.removeEventFilter(self)
        self.deleteLater()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Qt's hook for all events: handle keys, mouse and wheel as the class says."""
        if type(event) is QEvent:  # no input: thousands of them come with a panel or a theme
            if isinstance(watched, _EDITORS) and event.type() == QEvent.Type.Polish:
                _focus_without_wheel(watched)
            return False
        if event is None or not isinstance(event, QInputEvent):
            return False
        if self._first(watched, event):
            return True
        if not isinstance(watched, QWidget):
            return False
        if isinstance(event, QKeyEvent):
            return self._key(watched, event)
        if isinstance(event, QWheelEvent):
            if event.type() == QEvent.Type.Wheel and wheel_would_change(watched):
                event.ignore()  # Qt then passes it on to the parent widget
                return True
        elif isinstance(event, QMouseEvent):
            self._mouse(watched, event)
        return False

    # keys

    def _key(self, watched: QWidget, event: QKeyEvent) -> bool:
        """Handle a key. Qt first sends ShortcutOverride to the widget with the focus: accepted, no shortcut is run."""
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
        """Whether Enter has come up to the window unused. Fields read their text and pass it on."""
        modified = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return watched.isWindow() and self._mine(watched) and not modified

    def _entered(self) -> None:
        """Press the button that has the focus, or give the focus to the picture."""
        focus = QApplication.focusWidget()
        if isinstance(focus, QToolButton) and focus.menu() is not None:
            focus.showMenu()
        elif isinstance(focus, QAbstractButton):
            focus.click()
        else:
            self._to_picture()

    # mouse

    def _mouse(self, watched: QWidget, event: QMouseEvent) -> None:
        """Give the focus to the picture after dragging a slider and after a click on the arrows of a field."""
        if event.type() not in _BUTTONS or event.button() != Qt.MouseButton.LeftButton:
            return
        if event.type() == QEvent.Type.MouseButtonPress:
            slides = isinstance(watched, QAbstractSlider) and not isinstance(watched, QScrollBar)
            self._pressed = (watched, event.globalPosition()) if slides else None
        elif event.type() == QEvent.Type.MouseButtonRelease and self._mine(watched):
            pressed, self._pressed = self._pressed, None
            moved = pressed is not None and pressed[0] is watched and _far(pressed[1], event.globalPosition())
            # the text of a spin box is another widget: a click on the spin box itself was on its arrows
            if moved or isinstance(watched, QAbstractSpinBox):
                self._to_picture()

    def _mine(self, widget: QWidget) -> bool:
        """Whether a widget is in the window or in one of its floating panels."""
        around = widget.window()
        if isinstance(around, QDockWidget):
            around = around.parentWidget()
        return around is not None and around is self._window


def _far(a: QPointF, b: QPointF) -> bool:
    return (a - b).manhattanLength() >= QApplication.startDragDistance()


def line_of(widget: QWidget) -> QLineEdit | None:
    """The line edit of a field, None for a widget without one."""
    if isinstance(widget, QLineEdit):
        return widget
    if isinstance(widget, QComboBox):
        return widget.lineEdit()
    return widget.findChild(QLineEdit) if isinstance(widget, QAbstractSpinBox) else None


def _take_back(widget: QWidget) -> None:
    """Undo what is being typed in a field."""
    if isinstance(widget, NumberEdit):
        widget.show_last_value()
        return
    line = None if isinstance(widget, QComboBox) else line_of(widget)
    while line is not None and line.isUndoAvailable():
        line.undo()


def edits_text(widget: QWidget) -> bool:
    """Whether typing changes the text of `widget`."""
    if isinstance(widget, QComboBox):
        return widget.isEditable()
    if isinstance(widget, QLineEdit | QAbstractSpinBox | QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    return False


def keeps_key(widget: QWidget, event: QKeyEvent) -> bool:
    """Whether a key is for `widget` and not for the window."""
    plain = event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    if plain != Qt.KeyboardModifier.NoModifier:
        return False
    if event.key() in _ARROWS and edits_text(widget):
        return True
    if event.key() in _UP_AND_DOWN:
        return isinstance(widget, _STEPPED)
    return edits_text(widget) and bool(event.text()) and event.text().isprintable()


def wheel_would_change(watched: QObject | None) -> bool:
    """Whether the wheel would change a value: over a field, a list, a slider or a row of tabs, but not a scroll bar."""
    return isinstance(watched, _EDITORS) and not isinstance(watched, QScrollBar)


def _focus_without_wheel(editor: QWidget) -> None:
    """Let a field whose value the wheel would change take the focus by click and Tab, but not by the wheel."""
    if wheel_would_change(editor) and editor.focusPolicy() == Qt.FocusPolicy.WheelFocus:
        editor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


def _needed_in_text(field: QWidget, event: QKeyEvent) -> bool:
    """Whether a key edits the text of a field. A field for numbers needs no letters, and a full stop, with which a
    clicker makes the screen black, only once somebody types in it."""
    if event.key() in _IN_TEXT:
        return True
    if event.key() == Qt.Key.Key_Period and isinstance(field, EntryLine):
        return field.in_use
    numbers = bool(field.inputMethodHints() & Qt.InputMethodHint.ImhFormattedNumbersOnly)
    return bool(event.text()) and event.text().isprintable() and not (numbers and event.text().isalpha())


class ModeKeys(QObject):
    """Gives keys without modifiers other actions in a window, or a part of one, while it is `on`; fields, sliders and
    lists keep those that they need.

    Qt first sends ShortcutOverride to the widget with the focus. A key that is accepted there runs no shortcut, and
    comes as a key press.
    """

    def __init__(self, window: QWidget, actions: dict[Qt.Key, Callable[[], object]]) -> None:
        super().__init__(window)
        self._window = window
        self._actions = actions
        self._on = False

    @property
    def on(self) -> bool:
        """Whether the keys have these actions now."""
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
        """Qt's hook for all events: run the action of a key that is sent to the widget with the focus."""
        if not isinstance(event, QKeyEvent) or event.type() not in _KEYS or not isinstance(watched, QWidget):
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
        """Whether a key is not one that the widget with the focus uses itself."""
        focus = QApplication.focusWidget() or self._window
        inside = self._window in (watched, watched.window()) or self._window.isAncestorOf(watched)
        if watched is not focus or not inside or QApplication.activePopupWidget() is not None:
            return False
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain != Qt.KeyboardModifier.NoModifier:
            return False
        if edits_text(watched):
            return not _needed_in_text(watched, event)
        if event.key() in _ENDS and isinstance(watched, _STEPPED):
            return False
        return not keeps_key(watched, event)
