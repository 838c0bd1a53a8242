"""Messages over the picture, with details on request; also shown at the field that they are about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, QUrl
from PyQt6.QtGui import QDesktopServices, QEnterEvent, QFont
from PyQt6.QtWidgets import (
    QWIDGETSIZE_MAX,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.parameters import ParametersPanel, in_words
from aggviewer.session import Notice
from aggviewer.session.notices import ENDED, OPENING
from aggviewer.widgets.part import Choices
from aggviewer.widgets.screen import copy_text

_MOST = 4
_WIDTHS = (400, 272, 176)  # pixels; a narrower one where less is hidden by it, the last one beside a square box
_MARGIN, _GAP = 16, 8
_INFO_MS = 7000

"""The buttons of a message with their actions. A message with buttons waits for the user."""


class Toast(QFrame):
    """One message. Information disappears by itself unless the pointer is on it; other messages wait to be dismissed.

    lasts_ms : milliseconds after which a message with `choices` also disappears, 0 for never.
    """

    def __init__(
        self,
        notice: Notice,
        parent: QWidget,
        on_closed: Callable[[Toast], None],
        choices: Choices = (),
        lasts_ms: int = 0,
    ) -> None:
        super().__init__(parent)
        self.notice = notice
        self._on_closed = on_closed
        self.setObjectName("toast")
        self.setProperty("level", notice.level)
        self.setAccessibleName(f"{notice.title} {notice.text}")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(4)
        top = QHBoxLayout()
        self.title = _words(sentence(notice.title), "toastTitle")
        close = QToolButton()
        close.setText("✕")
        close.setAutoRaise(True)
        close.setAccessibleName("Dismiss")
        close.setToolTip("Dismiss")
        close.clicked.connect(self.dismiss)
        top.addWidget(self.title, 1)
        top.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(top)
        if notice.text:
            layout.addWidget(_words(sentence(notice.text), "toastText"))
        self._details = QPlainTextEdit(notice.details)
        self._details.setReadOnly(True)
        self._details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._details.setFixedHeight(160)
        self._details.hide()
        buttons = QHBoxLayout()
        if notice.details:
            self._show = QPushButton("Show details")
            self._show.clicked.connect(self._toggle_details)
            copy = QPushButton("Copy")
            copy.clicked.connect(self._copy)
            buttons.addWidget(self._show)
            buttons.addWidget(copy)
        for text, path in (("Play", notice.film), ("Show in folder", notice.folder)):
            if path:
                link = QPushButton(text)
                link.clicked.connect(partial(_open, path))
                buttons.addWidget(link)
        for text, choose in choices:
            button = QPushButton(text)
            button.clicked.connect(choose)
            button.clicked.connect(self.dismiss)
            buttons.addWidget(button)
        if buttons.count():
            buttons.addStretch(1)
            layout.addLayout(buttons)
        layout.addWidget(self._details)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(lasts_ms or _INFO_MS)
        self._timer.timeout.connect(self._expire)
        self.asks = bool(choices)
        self.waits = notice.level != "info" or (bool(choices) and not lasts_ms)
        if not self.waits:
            self._timer.start()

    def _expire(self) -> None:
        """Go; but a finished film waits for a person who is at another window meanwhile."""
        if self.notice.film and not self.isActiveWindow():
            self._timer.start()
        else:
            self.dismiss()

    def dismiss(self) -> None:
        """Remove it."""
        self._timer.stop()
        self.hide()
        self._on_closed(self)
        self.deleteLater()

    def _toggle_details(self) -> None:
        self._details.setVisible(not self._details.isVisible())
        self._show.setText("Hide details" if self._details.isVisible() else "Show details")
        self.updateGeometry()

    def _copy(self) -> None:
        copy_text(f"{self.notice.title}\n{self.notice.text}\n{self.notice.details}")

    def enterEvent(self, event: QEnterEvent | None) -> None:
        """Keep it while the pointer is on it."""
        self._timer.stop()

    def leaveEvent(self, event: QEvent | None) -> None:
        """Restart the timer."""
        if not self.waits:
            self._timer.start()


class ToastStack(QObject):
    """The messages in a corner of a widget, newest at the bottom, in the corner where they hide least. They stay in
    that corner until the last one has gone. `set_column` gives them a column of their own.

    room() : the rectangle of `host` that may be used; covered(rectangle) : the cost of covering it, 0 if nothing is
    hidden.
    """

    def __init__(self, host: QWidget, room: Callable[[], QRect], covered: Callable[[QRect], float]) -> None:
        super().__init__(host)
        self._host = host
        self._room = room
        self._covered = covered
        self._column: QVBoxLayout | None = None
        self._spot: tuple[int, int] | None = None  # width and corner
        self.toasts: list[Toast] = []
        host.installEventFilter(self)

    def show(self, notice: Notice, choices: Choices = (), lasts_ms: int = 0) -> None:
        """Show a message, with buttons for the choices. It replaces an older one with the same key or text; a success
        message also replaces errors of the last attempt."""
        for toast in list(self.toasts):
            same = toast.notice.key == notice.key if notice.key else toast.notice.title == notice.title
            done = notice.level == "info" and bool(notice.about) and toast.notice.about == notice.about
            if same or done:
                toast.dismiss()
        while len(self.toasts) >= _MOST:
            self.toasts[0].dismiss()
        toast = Toast(notice, self._host, self._remove, choices, lasts_ms)
        toast.installEventFilter(self)
        self.toasts.append(toast)
        self._add(toast)
        self.place()

    def set_column(self, column: QVBoxLayout | None) -> None:
        """Let them stand in a column, where they hide nothing; None has them over the picture again."""
        if column is self._column:
            return
        self._column = column
        for toast in self.toasts:
            self._add(toast)
        self.place()

    def _add(self, toast: Toast) -> None:
        if self._column is None:
            toast.setParent(self._host)
        else:
            toast.setMaximumSize(QWIDGETSIZE_MAX, QWIDGETSIZE_MAX)
            toast.setMinimumSize(0, 0)
            self._column.addWidget(toast)
        font = self._host.window().font()  # type: ignore[union-attr]
        if toast.font() != font:  # with a style sheet, Qt does not give a new widget the type of presenter mode
            toast.setFont(font)
        toast.title.setFont(QFont())  # with the weight of the style sheet Qt keeps the size of the old place
        toast.show()

    def close(self) -> None:
        """Remove all messages, and stop their timers."""
        for toast in list(self.toasts):
            toast.dismiss()

    def clear_input_errors(self) -> None:
        """Remove messages about invalid input when the user tries other input."""
        for toast in [toast for toast in self.toasts if toast.notice.key and not toast.notice.about]:
            toast.dismiss()
        self.begin(OPENING)

    def corner_for(self, sizes: Sequence[QSize]) -> tuple[int, int]:
        """The size, by its index, and the corner in which a card hides least."""
        spots = [(index, corner) for index in range(len(sizes)) for corner in range(4)]
        return min(spots, key=lambda spot: self._covered(QRect(self.at(spot[1], sizes[spot[0]]), sizes[spot[0]])))

    def at(self, corner: int, size: QSize) -> QPoint:
        """The top left of a card of this size in a corner."""
        return self._corners(size)[corner]

    def begin(self, about: str) -> None:
        """Remove messages about the last attempt when the user tries again. about : see `Notice`."""
        for toast in [toast for toast in self.toasts if toast.notice.about == about]:
            toast.dismiss()

    def clear_told(self) -> None:
        """When something new starts, remove messages that are neither errors nor waiting for a choice, and errors of
        the input, of the last run, and about a file that could not be opened."""
        for toast in [toast for toast in self.toasts if toast.notice.level != "error" and not toast.asks]:
            toast.dismiss()
        self.clear_input_errors()
        self.begin(ENDED)

    def dismiss_last(self) -> bool:
        """Remove the newest message; False if there is none."""
        if self.toasts:
            self.toasts[-1].dismiss()
            return True
        return False

    def place(self) -> None:
        """Stack them in their corner."""
        if not self.toasts:
            self._spot = None
        if not self.toasts or self._column is not None:
            return
        if self._spot is None:
            self._spot = min(self._spots(), key=self._hidden_at)
        width, corner = self._spot
        width = self._within(width)
        at = self._corners(QSize(width, self._height(width)))[corner]
        for toast in self.toasts:
            toast.setFixedWidth(width)
            toast.resize(width, _height_of(toast, width))
            toast.move(at)
            toast.raise_()
            at += QPoint(0, toast.height() + _GAP)

    def _spots(self) -> list[tuple[int, int]]:
        """Widths and corners; where all are alike the first is taken. The buttons need some width."""
        least = max(layout.minimumSize().width() for toast in self.toasts if (layout := toast.layout()) is not None)
        return [(width, corner) for width in _WIDTHS if width >= least for corner in range(4)] or [(_WIDTHS[0], 0)]

    def _hidden_at(self, spot: tuple[int, int]) -> float:
        """How much the stack would hide there."""
        width = self._within(spot[0])
        size = QSize(width, self._height(width))
        return self._covered(QRect(self._corners(size)[spot[1]], size))

    def _within(self, width: int) -> int:
        return max(min(width, self._room().width() - 2 * _MARGIN), 160)

    def _height(self, width: int) -> int:
        """The height of the stack in pixels."""
        return sum(_height_of(toast, width) + _GAP for toast in self.toasts) - _GAP

    def _corners(self, size: QSize) -> list[QPoint]:
        """The top-left position of a stack of this size in each corner of the room."""
        room = self._room().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        right = room.x() + room.width() - size.width()
        bottom = room.y() + room.height() - size.height()
        return [QPoint(x, y) for y in (room.y(), max(bottom, 0)) for x in (right, room.x())]

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the size of the host and of the messages. A stack that is being garbage-collected with its window may
        have lost its attributes while Qt still sends it the host's last events."""
        if event is not None and vars(self):
            if watched is self._host and event.type() == QEvent.Type.Resize:
                self.place()
            elif isinstance(watched, Toast) and event.type() == QEvent.Type.LayoutRequest:
                QTimer.singleShot(0, self.place)
        return False

    def _remove(self, toast: Toast) -> None:
        if toast in self.toasts:
            self.toasts.remove(toast)
            self.place()


def _height_of(toast: Toast, width: int) -> int:
    """Pixels that a message needs where it is so wide."""
    layout = toast.layout()
    needed = layout.totalHeightForWidth(width) if layout is not None else toast.sizeHint().height()
    return max(needed, toast.minimumSizeHint().height())


def _open(path: str, _checked: bool = False) -> None:
    """Open a file or a folder with the program that the desktop has for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(path))


def _words(text: str, name: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def sentence(text: str) -> str:
    """Capitalise the first letter, unless the text starts with a key."""
    first = text.split(" ", 1)[0]
    return text if "." in first.rstrip(".") or "_" in first or "/" in first else text[:1].upper() + text[1:]


class Messages:
    """Shows messages.

    in_lesson : whether a lesson is open, in which messages for experts are left out; the log has them.
    """

    def __init__(self, toasts: ToastStack, parameters: ParametersPanel) -> None:
        self._toasts = toasts
        self._parameters = parameters
        self.in_lesson = False

    def show(self, notice: Notice, choices: Choices = (), lasts_ms: int = 0) -> None:
        """Show a message over the picture and at the field that it is about; see `aggviewer.widgets.part.Tell`."""
        if notice.expert and self.in_lesson:
            return
        at_field = notice.key in self._parameters.rows and notice.about != OPENING  # a file has fields of its own
        shown = replace(notice, title=in_words(notice.title)) if at_field else notice
        self._toasts.show(shown, choices, lasts_ms)
        if at_field and notice.level == "error":
            self._parameters.show_error(notice.key, notice.title)
