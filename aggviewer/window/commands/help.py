"""Help: the command palette, the sheet of keys, what this program is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata

from PyQt6.QtCore import QProcess, Qt
from PyQt6.QtGui import QFontDatabase
from PyQt6.QtWidgets import (
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidgetItem,
    QMessageBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from aggviewer.widgets.clipboard import copy_text
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.command_set import CommandSet
from aggviewer.widgets.form_dialog import FittingDialog
from aggviewer.widgets.matching import EXACT, Searched, found
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.search_popup import SearchPopup
from engine.plugins import known

_WIDTH, _ROWS = 480, 10


class CommandPalette(SearchPopup):
    """A popup with all commands. A command that is found but cannot be used now is grey and gives the reason."""

    def __init__(self, commands: CommandSet, parent: QWidget) -> None:
        super().__init__("commandPalette", "Commands", "Type a command", parent)
        self._commands = commands
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(4)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout.addWidget(self.field)
        layout.addWidget(self.list)

    def open(self) -> None:
        """Show it at the top of the window, empty."""
        parent = self.parentWidget()
        if parent is None:
            return
        self._commands.update()
        self.begin()
        rows = self.list.sizeHintForRow(0) if self.list.count() else 24
        self.open_below_bar(min(_WIDTH, parent.width() - 32), rows * _ROWS + self.field.sizeHint().height() + 24)
        self.field.setFocus()

    def _fill(self, query: str) -> QListWidgetItem | None:
        wanted = self._can if not query.strip() else lambda command: self._commands.action(command.id).isVisible()
        there = list(filter(wanted, self._commands))
        texts = [self._commands.plain_text(command.id) for command in there]
        lines = (
            Searched(text, f"{command.tooltip} {command.words}") for text, command in zip(texts, there, strict=True)
        )
        fitting = found(query, lines)
        # of equally good matches, commands that can be used come first
        fitting.sort(key=lambda one: (one[1], one[1] > EXACT and not self._can(there[one[0]])))
        items = []
        for number, _ in fitting:
            text, twice = texts[number], texts.count(texts[number]) > 1
            items.append(self._item(there[number], f"{text} – {_apart(there[number])}" if twice else text))
            self.list.addItem(items[-1])
        return items[0] if items else None

    def _can(self, command: Command) -> bool:
        return self._commands.action(command.id).isEnabled()

    def _item(self, command: Command, text: str) -> QListWidgetItem:
        keys = CommandSet.shown_keys(command)
        item = QListWidgetItem(f"{text}   ({keys[0]})" if keys else text)
        item.setData(Qt.ItemDataRole.UserRole, command.id)
        item.setToolTip(command.tooltip)
        if not self._can(command):
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            item.setText(f"{item.text()}   {self._commands.action(command.id).toolTip()}")
        return item

    def _use(self, item: QListWidgetItem | None) -> None:
        name = None if item is None else item.data(Qt.ItemDataRole.UserRole)  # that nothing was found is no command
        action = None if name is None else self._commands.action(name)
        if action is not None and action.isEnabled():
            self.close()
            action.trigger()

    def _move(self, key: Qt.Key, plain: bool) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _ROWS, Qt.Key.Key_PageUp: -_ROWS}
        if key in steps:
            self._step(steps[key])
        return key in steps


def _apart(command: Command) -> str:
    """What distinguishes a command from another with the same text: its menu, its tool tip, or its name."""
    if command.menu is not None:
        return command.menu.path.replace("/", " → ")
    return command.tooltip or command.id


GROUPS = {
    "run": "Run",
    "method": "Method",
    "view": "View",
    "plots": "Plots",
    "file": "File",
    "help": "Help",
    "edit": "Edit",
    "measure": "Measure",
}

_MOUSE = (
    ("Drag", "Move the picture"),
    ("Drag a disc", "Move it and throw it, in a paused gas or aggregation"),
    ("Wheel", "Zoom about the pointer"),
    ("Double click", "Fit the box"),
    ("Click", "Select a disc"),
    ("Shift+click", "Select a cluster"),
    ("Ctrl+click", "Add a disc to the selection, or take it out"),
    ("Alt+drag", "Select the discs in a box"),
    ("Right click", "What can be done with a disc"),
)


class KeySheet(FittingDialog):
    """All keys, grouped as the menus."""

    def __init__(self, commands: CommandSet, parent: QWidget | None = None) -> None:
        super().__init__("Keys", parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        columns = QHBoxLayout()
        columns.setContentsMargins(8, 8, 8, 8)
        columns.setSpacing(32)
        self.column.addLayout(columns)
        self._fill(commands, columns)

    def _fill(self, commands: CommandSet, columns: QHBoxLayout) -> None:
        left, right = QVBoxLayout(), QVBoxLayout()
        for column in (left, right):
            column.setSpacing(16)
            columns.addLayout(column)
        for number, (group, title) in enumerate(GROUPS.items()):
            members = [c for c in commands if _group_of(c) == group and c.keys and commands.action(c.id).isVisible()]
            if members:
                (left if number in (0, 1, 4, 5, 7) else right).addLayout(self._group(title, members))
        right.addLayout(self._rows("Mouse, in the picture", [([key], text) for key, text in _MOUSE]))
        left.addStretch(1)
        right.addStretch(1)

    def _group(self, title: str, members: list[Command]) -> QGridLayout:
        rows = [(CommandSet.shown_keys(c), c.text.replace("…", "").replace("&", "")) for c in members]
        return self._rows(title, rows)

    def _rows(self, title: str, rows: list[tuple[list[str], str]]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        heading = QLabel(title)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        grid.addWidget(heading, 0, 0, 1, 2)
        for row, (keys, text) in enumerate(rows, start=1):
            caps = QHBoxLayout()
            caps.setSpacing(4)
            for key in keys:
                cap = QLabel(key)
                cap.setObjectName("sheetKey")
                caps.addWidget(cap)
            caps.addStretch(1)
            grid.addLayout(caps, row, 0, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(QLabel(text), row, 1)
        grid.setColumnStretch(1, 1)
        return grid


def _group_of(command: Command) -> str:
    """The part of its id before the dot; for one that is no group the menu that it stands in."""
    group = command.id.split(".")[0]
    if group in GROUPS or command.menu is None:
        return group if group in GROUPS else "view"
    menu = command.menu.path.split("/")[0].lower()
    return menu if menu in GROUPS else "view"


class HelpCommands(Part):
    """What helps a person to find something."""

    def __init__(self, context: Context) -> None:
        self._commands, self._window = context.commands, context.window
        self._palette = CommandPalette(self._commands, self._window)

    def commands(self) -> Iterator[Command]:
        """The palette, the keys, and what this program is."""
        yield Command(
            "help.palette",
            "Commands…",
            self._palette.open,
            ("Ctrl+Shift+P",),
            "Find a command by its name",
            menu=Place("Help", 1, 1),
        )
        yield Command(
            "help.keys",
            "Keys",
            lambda: KeySheet(self._commands, self._window).open(),
            ("?", "F1"),
            "All keys at one glance",
            menu=Place("Help", 1, 2),
            words="shortcuts keyboard manual",
        )
        yield Command(
            "help.system",
            "System information…",
            lambda: SystemInformation(self._window).open(),
            tooltip="What a bug report needs",
            menu=Place("Help", 2, 2),
        )
        yield Command("help.about", "About aggviewer…", lambda: show_about(self._window), menu=Place("Help", 2, 3))


class SystemInformation(FittingDialog):
    """What ``aggviewer doctor`` says, ready to be copied into a report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("System information", parent)
        self.text = QPlainTextEdit("Looking around …")
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        if copy is not None:
            copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        self.column.addWidget(self.text)
        self.add_foot(buttons)
        self.resize(640, 480)
        self._process = QProcess(self)
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(lambda _error: self.text.setPlainText(self._process.errorString()))
        self._process.start(sys.executable, ["-m", "aggviewer", "doctor"])

    def done(self, result: int) -> None:
        """Do not wait for what nobody wants to read any more."""
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(1000)
        super().done(result)

    def _on_finished(self) -> None:
        told = bytes(self._process.readAll().data()).decode("utf-8", "replace").strip()
        here = [f"  {plug_in.name}  {plug_in.words}" for plug_in in known()]  # what another process does not know
        self.text.setPlainText("\n".join([told, "plug_ins of this window", *(here or ["  none"])]))

    def _copy(self) -> None:
        copy_text(self.text.toPlainText())


def show_about(parent: QWidget) -> None:
    """Name, version, purpose, licence."""
    try:
        version = metadata.version("aggviewer")
    except metadata.PackageNotFoundError:
        version = "not installed"
    box = QMessageBox(parent)
    box.setWindowTitle("About aggviewer")
    box.setTextFormat(Qt.TextFormat.RichText)
    box.setText(f"<b>aggviewer</b> {version}")
    box.setInformativeText(
        "<p>Hard discs, exact and live: they fly, meet, and stick, bounce or jam.</p>"
        "<p>Free software under the GNU General Public License, version 3 or later.</p>"
    )
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
