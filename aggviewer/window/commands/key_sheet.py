"""The sheet of keys, made from the commands."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from aggviewer.widgets.command import Command
from aggviewer.widgets.command_set import CommandSet
from aggviewer.widgets.form_dialog import FittingDialog

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
