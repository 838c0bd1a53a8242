"""The command palette: type a part of a command's name, press Enter."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from aggviewer.widgets.command import Command
from aggviewer.window.commands.command_set import CommandSet

_WIDTH, _ROWS = 480, 10


def matches(query: str, text: str) -> bool:
    """True when every word of `query` is a part of `text`, in any order, whatever the case."""
    text = text.casefold()
    return all(word in text for word in query.casefold().split())


class CommandPalette(QFrame):
    """A popup with all commands that can be used now."""

    def __init__(self, commands: CommandSet, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("commandPalette")
        self._commands = commands
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(4)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Type a command")
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(self._use)
        layout.addWidget(self.field)
        layout.addWidget(self.list)

    def open(self) -> None:
        """Show it at the top of the window, empty."""
        parent = self.parentWidget()
        if parent is None:
            return
        self.field.clear()
        self._filter("")
        rows = self.list.sizeHintForRow(0) if self.list.count() else 24
        width = min(_WIDTH, parent.width() - 32)
        self.setFixedSize(width, rows * _ROWS + self.field.sizeHint().height() + 24)
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (parent.width() - width) // 2, corner.y() + 56)
        self.show()
        self.field.setFocus()

    def _filter(self, query: str) -> None:
        self.list.clear()
        for command in self._commands:
            action = self._commands.action(command.id)
            if action.isEnabled() and matches(query, f"{action.text()} {command.tooltip}"):
                self.list.addItem(self._item(command))
        self.list.setCurrentRow(0)

    def _item(self, command: Command) -> QListWidgetItem:
        keys = CommandSet.shown_keys(command)
        text = self._commands.action(command.id).text().replace("…", "").replace("&&", "&")
        item = QListWidgetItem(f"{text}   ({keys[0]})" if keys else text)
        item.setData(Qt.ItemDataRole.UserRole, command.id)
        item.setToolTip(command.tooltip)
        return item

    def _use(self, item: QListWidgetItem | None) -> None:
        self.close()
        if item is not None:
            self._commands.action(item.data(Qt.ItemDataRole.UserRole)).trigger()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Arrows move in the list, Enter uses the chosen command, whatever is typed filters."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _ROWS, Qt.Key.Key_PageUp: -_ROWS}
        if event.key() in steps:
            row = self.list.currentRow() + steps[Qt.Key(event.key())]
            self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._use(self.list.currentItem())
            return True
        return False
