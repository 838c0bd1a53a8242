"""Small windows over another, closed by Esc or a click elsewhere; one kind has a search field and a list of matches."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PyQt6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PyQt6.QtWidgets import QApplication, QFrame, QLineEdit, QListWidget, QListWidgetItem, QWidget

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


NO_MATCH = "No match"
"""The text of the list if nothing matches."""


class SearchPopup(Popup):
    """Base class of the palette and the gallery. A subclass fills the list (`_fill`) and carries out the chosen line
    (`_use`). Enter carries out the marked line, but only if the whole line is visible and the list matches the text in
    the field. At first the best match is marked; if that cannot be used now, no line is.

    name, title : see `Popup`; words : the placeholder of the field.
    """

    def __init__(self, name: str, title: str, words: str, parent: QWidget) -> None:
        super().__init__(name, title, parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(words)
        self.field.setAccessibleName(words)
        self.field.textChanged.connect(self.search)
        self.list = QListWidget()
        self.list.itemClicked.connect(self._use)
        self._searched = ""  # the text that the list was filled for
        for widget in (self.field, self.list):
            widget.installEventFilter(self)

    def begin(self) -> None:
        """Clear the field and fill the list."""
        self.field.blockSignals(True)
        self.field.clear()
        self.field.blockSignals(False)
        self.search()

    def search(self) -> None:
        """Show the lines that match the text in the field."""
        self._searched = self.field.text()
        self.list.clear()
        top = self._fill(self._searched)
        if not self.lines:
            self.add_heading(NO_MATCH)
        self.list.setCurrentItem(top if top is not None and _usable(top) else None)
        self.list.scrollToTop()

    @property
    def lines(self) -> list[QListWidgetItem]:
        """The lines that can be chosen, from the top to the bottom."""
        items = [self.list.item(row) for row in range(self.list.count())]
        return [item for item in items if item is not None and item.data(Qt.ItemDataRole.UserRole) is not None]

    def add_heading(self, text: str) -> None:
        """Add a line that cannot be chosen."""
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.addItem(item)

    def _fill(self, query: str) -> QListWidgetItem | None:
        """Add the lines that match, each with its object as `UserRole`, and return the best one."""
        raise NotImplementedError

    def _use(self, item: QListWidgetItem | None) -> None:
        """Do what the line stands for."""
        raise NotImplementedError

    def _enter(self) -> None:
        if self.field.text() != self._searched:
            self.search()
        item = self.list.currentItem()
        if item is None or not _usable(item):
            return
        if self._in_full_view(item):
            self._use(item)
        else:
            self.list.scrollToItem(item)  # so that the line that Enter will use is visible

    def _in_full_view(self, item: QListWidgetItem) -> bool:
        view = self.list.viewport()
        if view is None:
            return False
        place = self.list.visualItemRect(item)
        seen = place.intersected(view.rect())
        return not seen.isEmpty() and seen.height() >= min(place.height(), view.height())

    def _step(self, step: int) -> None:
        """Move the mark by `step` lines, counting only those that can be used."""
        lines = [item for item in self.lines if _usable(item)]
        if not lines:
            return
        current = self.list.currentItem()
        place = lines.index(current) + step if current in lines else 0 if step > 0 else len(lines) - 1
        self.list.setCurrentItem(lines[min(max(place, 0), len(lines) - 1)])

    def _move(self, key: Qt.Key, plain: bool) -> bool:
        """Move in the list, if the key does that; returns whether it does. plain : without Shift and Ctrl."""
        raise NotImplementedError

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Enter uses the marked line, arrows move in the list, typing goes to the field."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
            return True
        if self._move(
            key, not event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        ):
            return True
        if watched is self.list and event.text().isprintable() and event.text().strip():
            self.field.setFocus()
            QApplication.sendEvent(self.field, event)
            return True
        return False


def _usable(item: QListWidgetItem) -> bool:
    return bool(item.flags() & Qt.ItemFlag.ItemIsEnabled)
