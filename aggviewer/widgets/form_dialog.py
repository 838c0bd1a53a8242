"""Dialogs that fit on the screen: a form that scrolls, and buttons below it that do not."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QSize, Qt
from PyQt6.QtGui import QIcon, QShowEvent
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from aggviewer.widgets import screen
from aggviewer.widgets.number_edit import NumberField, entries_taken

_MARGIN = 16
_LEAST = 96  # smallest visible height of the contents, in pixels


class FittingDialog(QDialog):
    """Base of all dialogs: as large as its contents need, up to the size of the screen. If there is less room the
    contents scroll; the foot with the buttons is always visible.

    Attributes
    ----------
    content : the widget that scrolls.
    column : the layout of `content`.
    top : the row that holds the scrolling part; widgets beside it go here.
    foot : the layout below that row.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.content = QWidget()
        self.column = QVBoxLayout(self.content)
        self.column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        self.column.setSpacing(_MARGIN)
        self._area = _Area(self.content)
        self.top = QHBoxLayout()
        self.top.addWidget(self._area, 1)
        self.foot = QVBoxLayout()
        self.foot.setSpacing(8)
        outer = self._outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(self.top, 1)
        outer.addLayout(self.foot)
        self.content.installEventFilter(self)

    def add_foot(self, *widgets: QWidget) -> None:
        """Add widgets, such as the buttons, below the part that scrolls."""
        self.foot.setContentsMargins(_MARGIN, 0, _MARGIN, _MARGIN)
        for widget in widgets:
            self.foot.addWidget(widget)

    def add_head(self, head: QLayout) -> None:
        """Add a layout above the part that scrolls."""
        self._outer.insertLayout(0, head)

    @property
    def room_across(self) -> int:
        """Pixels that the contents can be wide on this screen, beside a scroll bar."""
        return screen.room(self).width() - 2 * _MARGIN - _scroll_bar(self)

    @property
    def scrolls(self) -> tuple[bool, bool]:
        """Whether the contents scroll horizontally, and vertically."""
        bars = (self._area.horizontalScrollBar(), self._area.verticalScrollBar())
        across, down = (bar is not None and bar.isVisible() for bar in bars)
        return across, down

    def fit(self, room: QSize) -> None:
        """Take the size that was set, or else the size of the contents, within `room`."""
        self._widen(room)
        asked = self.size() if self.testAttribute(Qt.WidgetAttribute.WA_Resized) else QSize()
        self.resize(self._wanted(room.width()).expandedTo(asked).boundedTo(room))

    def _wanted(self, most: int) -> QSize:
        """The size at which nothing scrolls. most : largest width in pixels; texts are wrapped at it."""
        hint = self.sizeHint()
        above = self._area.sizeHint().height()
        width = min(hint.width(), most)
        return QSize(width, hint.height() - above + max(above, self.column.totalHeightForWidth(width)))

    def showEvent(self, event: QShowEvent | None) -> None:
        """Fit the dialog on the screen."""
        if event is not None and not event.spontaneous():
            self.fit(screen.room(self))
        super().showEvent(event)

    def done(self, result: int) -> None:
        """Close the dialog, and have it deleted as soon as the function that shows it has returned to the event loop of
        the window: what was set in it can still be read after `exec`."""
        super().done(result)
        self.deleteLater()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Grow with the contents, as far as the screen allows."""
        asks = event is not None and event.type() == QEvent.Type.LayoutRequest
        if watched is self.content and asks and self.isVisible():
            self._grow()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent | None) -> bool:
        """Grow with the foot, such as for the line that says what is wrong."""
        done = super().event(event)
        if event is not None and event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self._grow()
        return done

    def _widen(self, room: QSize) -> None:
        """Let nothing be cut off on the right if `room` allows."""
        beside = self.top.minimumSize().width() - self._area.minimumSizeHint().width()
        self._area.setMinimumWidth(max(_LEAST, min(self._area.least_width(), room.width() - beside)))

    def _grow(self) -> None:
        room = screen.room(self)
        self._widen(room)  # the text may have become larger
        least = min(self.minimumSizeHint().width(), room.width())
        size = self.size().expandedTo(self._wanted(max(self.width(), least, 1))).boundedTo(room)
        if size != self.size():
            self.resize(size)
            there, frame = screen.available(self), self.frameGeometry()
            below = frame.y() + size.height() + screen.FRAME.top() + screen.FRAME.bottom() - there.bottom()
            if below > 0:
                self.move(self.x(), max(there.top(), self.y() - below))


class _Area(QScrollArea):
    """A scroll area whose size hint is the size of its contents."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def least_width(self) -> int:
        """The width at which nothing is cut off on the right."""
        content = self.widget()
        assert content is not None
        least = content.minimumSizeHint().expandedTo(content.minimumSize())
        return least.width() + _scroll_bar(self)

    def sizeHint(self) -> QSize:
        """Qt's hook: the size of the contents."""
        content = self.widget()
        return super().sizeHint() if content is None else content.sizeHint().expandedTo(content.minimumSize())

    def minimumSizeHint(self) -> QSize:
        """Qt's hook: less than the contents, since they can scroll."""
        return QSize(self.minimumWidth(), _LEAST)


def _scroll_bar(widget: QWidget) -> int:
    """The width of a scroll bar in pixels."""
    style = widget.style()
    assert style is not None
    return style.pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)


class Form(QFormLayout):
    """A form with the same margins and label column in all dialogs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(16)
        self.setVerticalSpacing(8)


class FormDialog(FittingDialog):
    """A dialog with a form, which is closed with the button `accept` or with Cancel. It stays open as long as a field
    refuses its entry.

    Parameters
    ----------
    word : another text for the button.

    Attributes
    ----------
    rows : the layout of the form, which rows are added to.
    problem : a line above the buttons, see `show_problem`.
    buttons : the box with the two buttons, of which `accept_button` is the first.
    """

    def __init__(
        self,
        title: str,
        accept: QDialogButtonBox.StandardButton = QDialogButtonBox.StandardButton.Save,
        parent: QWidget | None = None,
        *,
        word: str = "",
    ) -> None:
        super().__init__(title, parent)
        self.rows = Form()
        self._forms = QHBoxLayout()
        self._forms.setSpacing(24)
        self._forms.addLayout(self.rows)
        self.column.addLayout(self._forms)
        self.buttons = QDialogButtonBox(accept | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        for button in self.buttons.buttons():
            button.setIcon(QIcon())
        found = self.buttons.button(accept)
        assert found is not None
        self.accept_button: QPushButton = found
        if word:
            found.setText(word)
        self.problem = QLabel()
        self.problem.setObjectName("problem")
        self.problem.setWordWrap(True)
        self.problem.hide()
        self.add_foot(self.problem, self.buttons)

    def accept(self) -> None:
        """Accept all entries and close, unless a field refuses its entry."""
        if entries_taken(self):
            super().accept()

    def show_problem(self, words: str) -> None:
        """Show above the buttons why the entries cannot be accepted, and disable the button; "" if they can."""
        self.problem.setText(words[:1].upper() + words[1:])
        self.problem.setVisible(bool(words))
        self.accept_button.setEnabled(not words)

    def add_form(self) -> QFormLayout:
        """Add another form on the right."""
        added = Form()
        self._forms.addLayout(added)
        return added


def ask_whole_number(
    parent: QWidget, title: str, words: str, value: int, low: int, high: int, *, step: int = 1, unit: str = ""
) -> int | None:
    """Ask for a whole number, which is `value` at first; None if the user cancels."""
    dialog = FormDialog(title, QDialogButtonBox.StandardButton.Ok, parent)
    label = QLabel(words)
    field = NumberField(True, low, high, step, unit=unit, name=words.rstrip(":?"))
    field.set_value(value)
    label.setBuddy(field)
    dialog.rows.addRow(label)
    dialog.rows.addRow(field)
    return int(field.value) if dialog.exec() else None
