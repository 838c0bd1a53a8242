"""The sheet of keyboard shortcuts, built from the commands."""

from __future__ import annotations

from itertools import combinations, pairwise

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from aggviewer.style.things import named
from aggviewer.widgets.command import Command
from aggviewer.widgets.command_set import CommandSet
from aggviewer.widgets.form_dialog import FittingDialog
from aggviewer.widgets.narrow import first_fitting

GROUPS = {
    "run": "Run",
    "method": "Method",
    "edit": "Edit",
    "view": "View",
    "plots": "Plots",
    "measure": "Measure",
    "file": "File",
    "lesson": "Learn",
    "help": "Help",
}

_MOUSE = (
    ("Drag", "Move the picture; turn the box of spheres"),
    ("Shift+drag", "Move the picture of spheres; so does the middle button"),
    ("Drag a disc", "Move or throw it, in a paused gas or aggregation"),
    ("Wheel", "Zoom"),
    ("Double-click", "Fit the box, or centre a sphere"),
    ("Click", "Select a disc"),
    ("Shift+click", "Select a cluster"),
    ("Ctrl+click", "Add to the selection, or remove"),
    ("Alt+drag", "Select a box of discs"),
    ("Right-click", "Menu for the disc or the picture"),
)

_COLUMNS = (3, 2, 1)  # as many as have room side by side
_HEADING = 1.6  # lines that a heading takes, with the gap above it


class KeySheet(FittingDialog):
    """All keys, grouped like the menus, in columns that fit a small screen."""

    def __init__(self, commands: CommandSet, parent: QWidget | None = None) -> None:
        super().__init__("Keyboard shortcuts", parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pages = (self._page(commands, count) for count in _COLUMNS)
        self.column.addWidget(first_fitting(pages, lambda page: page.sizeHint().width(), self.room_across))

    def _page(self, commands: CommandSet, count: int) -> QWidget:
        """All keys in so many columns."""
        page = QWidget()
        columns = QHBoxLayout(page)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(24)
        groups = [(title, _rows_of(commands, group)) for group, title in GROUPS.items()]
        dimensions = commands.dimensions
        mouse = [([named(key, dimensions)], named(text, dimensions)) for key, text in _MOUSE]
        groups.append(("Mouse, in the picture", mouse))
        groups = [(title, rows) for title, rows in groups if rows]
        for first, last in pairwise(_cuts([len(rows) + _HEADING for _, rows in groups], count)):
            column = QVBoxLayout()
            column.setSpacing(12)
            columns.addLayout(column)
            for title, rows in groups[first:last]:
                column.addLayout(self._rows(title, rows))
            column.addStretch(1)
        return page

    def _rows(self, title: str, rows: list[tuple[list[str], str]]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
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


def _cuts(heights: list[float], count: int) -> tuple[int, ...]:
    """Split the groups into columns in order, keeping the tallest column as short as possible."""
    places = combinations(range(1, len(heights)), min(count, len(heights)) - 1)
    ways = [(0, *inner, len(heights)) for inner in places]
    return min(ways, key=lambda cuts: max(sum(heights[a:b]) for a, b in pairwise(cuts)))


def _rows_of(commands: CommandSet, group: str) -> list[tuple[list[str], str]]:
    """The keys and names of a group's available commands that have a key."""
    there = [c for c in commands if _group_of(c) == group and commands.action(c.id).isVisible()]
    told = [(commands.shown_keys(c), named(c.title or c.text, commands.dimensions)) for c in there]
    return [(keys, name.replace("…", "").replace("&", "")) for keys, name in told if keys]


def _group_of(command: Command) -> str:
    """The group of a command: the part of its id before the dot, or else its menu."""
    group = command.id.split(".")[0]
    if group in GROUPS or command.menu is None:
        return group if group in GROUPS else "view"
    menu = command.menu.path.split("/")[0].lower()
    return menu if menu in GROUPS else "view"
