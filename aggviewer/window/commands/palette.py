"""The command palette: a search field and the matching commands."""

from __future__ import annotations

from PyQt6.QtCore import QModelIndex, QRect, Qt
from PyQt6.QtGui import QFontMetrics, QPainter, QPalette
from PyQt6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from aggviewer.widgets.command import Command, CommandSet
from aggviewer.widgets.popup import EXACT, Searched, SearchPopup, found

_WIDTH, _ROWS = 560, 12
_MARGIN = 12  # pixels at both ends of a line
_GAP = 24  # pixels at least between the name and what stands at the end of the line
_SIDE = Qt.ItemDataRole.UserRole + 1


class CommandPalette(SearchPopup):
    """A popup with all commands. Commands that cannot be used now are grey, with the reason.

    Until something is typed, no command is selected, so that Enter cannot run one by accident.
    """

    def __init__(self, commands: CommandSet, parent: QWidget) -> None:
        super().__init__("commandPalette", "Commands", "What do you want to do?", parent)
        self._commands = commands
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(4)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lines = _LineDelegate(self.list)
        self.list.setItemDelegate(self._lines)
        layout.addWidget(self.field)
        layout.addWidget(self.list)

    def open(self) -> None:
        """Show it at the top of the window, empty."""
        parent = self.parentWidget()
        if parent is None:
            return
        self._commands.update()
        self.begin()
        self.field.setFocus()

    def search(self) -> None:
        """Show the matching commands, in a list as high as needed."""
        super().search()
        rows = min(max(self.list.count(), 1), _ROWS)
        self.open_below_bar(_WIDTH, rows * self.list.sizeHintForRow(0) + self.field.sizeHint().height() + 16)

    def _fill(self, query: str) -> QListWidgetItem | None:
        wanted = bool(query.strip())
        there = [command for command in self._commands if self._can(command) or (wanted and self._why_not(command))]
        texts = [self._commands.plain_text(command.id) for command in there]
        lines = (Searched(text, command.tooltip, command.words) for text, command in zip(texts, there, strict=True))
        fitting = found(query, lines)
        # of equally good matches, commands that can be used come first
        fitting.sort(key=lambda one: (one[1], one[1] > EXACT and not self._can(there[one[0]])))
        items = []
        for number, _ in fitting:
            text, twice = texts[number], texts.count(texts[number]) > 1
            items.append(self._item(there[number], f"{text} – {_distinction(there[number])}" if twice else text))
            self.list.addItem(items[-1])
        return items[0] if items and wanted else None

    def _can(self, command: Command) -> bool:
        return self._commands.action(command.id).isEnabled()

    def _why_not(self, command: Command) -> str:
        action = self._commands.action(command.id)
        return action.toolTip() if action.isVisible() else command.absent

    def _item(self, command: Command, text: str) -> QListWidgetItem:
        item = QListWidgetItem(text)
        item.setData(Qt.ItemDataRole.UserRole, command.id)
        if self._can(command):
            item.setData(_SIDE, ", ".join(self._commands.shown_keys(command)[:1]))
            item.setToolTip(command.tooltip)
        else:
            reason = self._why_not(command)
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            item.setData(_SIDE, reason)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{text}: {reason}")
            item.setToolTip(reason)
        return item

    def _use(self, item: QListWidgetItem | None) -> None:
        name = None if item is None else item.data(Qt.ItemDataRole.UserRole)  # the line “No match” is not a command
        action = None if name is None else self._commands.action(name)
        if action is not None and action.isEnabled():
            self.close()
            action.trigger()

    def _move(self, key: Qt.Key, plain: bool) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _ROWS, Qt.Key.Key_PageUp: -_ROWS}
        if key in steps:
            self._step(steps[key])
        return key in steps


def side_of(item: QListWidgetItem) -> str:
    """The text at the end of a line: the key, or why the command cannot be used."""
    return str(item.data(_SIDE) or "")


def _distinction(command: Command) -> str:
    """Distinguishes commands with the same text: by menu, tool tip or name."""
    if command.menu is not None:
        return command.menu.path.replace("/", " → ")
    return command.tooltip or command.id


class _LineDelegate(QStyledItemDelegate):
    """Paints the name of a command at the left end of a line, and its key or the reason at the right end."""

    def __init__(self, parent: QListWidget) -> None:
        super().__init__(parent)
        self._list = parent

    def initStyleOption(self, option: QStyleOptionViewItem | None, index: QModelIndex) -> None:
        """Leave room for the text at the end."""
        super().initStyleOption(option, index)
        if option is not None:
            width = option.rect.width() - 2 * _MARGIN
            side = min(QFontMetrics(option.font).horizontalAdvance(str(index.data(_SIDE) or "")), width // 2)
            room = width - side - (_GAP if side else 0)
            option.text = QFontMetrics(option.font).elidedText(option.text, Qt.TextElideMode.ElideRight, room)

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Paint a line: the name of a command, and its key."""
        super().paint(painter, option, index)
        side = str(index.data(_SIDE) or "")
        if painter is None or not side:
            return
        marked = self._list.currentIndex() == index
        role = QPalette.ColorRole.HighlightedText if marked else QPalette.ColorRole.PlaceholderText
        taken = QFontMetrics(option.font).horizontalAdvance(str(index.data()))
        place: QRect = option.rect.adjusted(_MARGIN, 0, -_MARGIN, 0)
        room = max(place.width() - taken - _GAP, place.width() // 2)
        painter.setPen(self._list.palette().color(role))
        painter.setFont(option.font)
        words = QFontMetrics(option.font).elidedText(side, Qt.TextElideMode.ElideRight, room)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
