"""What menus, palette and sheet of keys make of the commands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PyQt6.QtWidgets import QGridLayout, QLabel, QMainWindow, QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from aggviewer.systems.base import RunningSystem
from aggviewer.systems.registry import view_of
from aggviewer.widgets.command import Command, CommandSet, Place, Submenu
from aggviewer.window.commands.help import KeySheet
from aggviewer.window.commands.top_bar import fill_menu_bar
from aggviewer.window.main_window import MainWindow
from tests.window.conftest import window_again

window = window_again


def tree(menu: QMenu | QMenuBar, without: tuple[str, ...] = (), depth: int = 0) -> list[str]:
    """A line for each entry. without : menus whose entries are left out."""
    lines = []
    for action in menu.actions():
        keys = " ".join(key.toString() for key in action.shortcuts())
        text = "---" if action.isSeparator() else action.text()
        lines.append(f"{' ' * 4 * depth}{text}{f'  [{keys}]' if keys else ''}")
        inner = action.menu()
        if inner is not None and not text.startswith(without or "\n"):
            lines += tree(inner, without, depth + 1)
    return lines


def sheet_of(commands: CommandSet) -> dict[str, str]:
    """Title of each group of the sheet of keys to what stands there."""
    sheet = KeySheet(commands)
    found = {}
    for grid in sheet.findChildren(QGridLayout):
        labels = [grid.itemAtPosition(row, 1 if row else 0) for row in range(grid.rowCount())]
        texts = [item.widget().text() for item in labels if item is not None and isinstance(item.widget(), QLabel)]
        found[texts[0]] = ", ".join(texts[1:])
    sheet.deleteLater()
    return found


def menus_in(menu: QMenu | QMenuBar) -> Iterator[QMenu | QMenuBar]:
    """A menu, and all in it."""
    yield menu
    for action in menu.actions():
        inner = action.menu()
        if inner is not None:
            yield from menus_in(inner)


def test_every_command_with_a_place_is_in_the_menus_once_between_lines_that_divide(window: MainWindow) -> None:
    bar = window.menuBar()
    assert bar is not None
    assert [line for line in tree(bar) if line.startswith("&")] == [
        *("&File", "&Edit", "&Run", "&Method", "&View", "&Measure", "&Learn", "&Help"),
    ]
    entries = [action for menu in menus_in(bar) for action in menu.actions()]
    for command in window.commands:
        if command.menu is not None:
            assert entries.count(window.commands.action(command.id)) == 1 + (command.also is not None), command.id
    for menu in menus_in(bar):
        lines = [action.isSeparator() for action in menu.actions()]
        assert not any(a and b for a, b in pairwise([True, *lines, True])) or not lines
        assert all(action.text() for action in menu.actions() if not action.isSeparator())


def test_the_sheet_has_all_keys_that_can_be_used_in_groups(window: MainWindow) -> None:
    sheet = sheet_of(window.commands)
    assert sheet.pop("Mouse, in the picture")
    said = ", ".join(sheet.values())
    for command in window.commands:
        if command.keys and window.commands.action(command.id).isVisible():
            assert (command.title or command.text).rstrip("…") in said, command.id
    assert sheet["Run"].startswith("Run or pause, Single event, ")
    assert sheet["File"].startswith("Open, ")


def test_a_command_that_is_declared_is_in_menu_sheet_and_palette(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    commands, there, reason = CommandSet(window), [True], [""]
    commands.add(
        Command("run.second", "Second", lambda: None, menu=Place("Run", 2, 1)),
        Command("file.deep", "Deep", lambda: None, menu=Place("File/More", 1, 1)),
        Command(
            "run.first",
            "First",
            lambda: None,
            ("K",),
            "What comes first",
            menu=Place("Run", 1, 7),
            available=lambda: there[0],
            reason=lambda: reason[0],
        ),
        Submenu("More", Place("File", 1, 1)),
    )
    bar = window.menuBar()
    assert bar is not None
    fill_menu_bar(bar, commands)
    assert [line for line in tree(bar) if not line.startswith("&")] == [
        "    More",
        "        Deep",
        "    First  [K]",
        "    ---",
        "    Second",
    ]
    assert sheet_of(commands)["Run"] == "First"
    assert [command.id for command in commands] == ["run.first", "run.second", "file.deep"]
    action = commands.action("run.first")
    reason[0] = "Not today."
    commands.update()
    assert (action.isVisible(), action.isEnabled(), action.toolTip()) == (True, False, "Not today.")
    there[0] = False
    commands.update()
    assert (action.isVisible(), action.isEnabled()) == (False, False)
    assert "Run" not in sheet_of(commands)
    there[0], reason[0] = True, ""
    commands.update()
    assert (action.isVisible(), action.isEnabled(), action.toolTip()) == (True, True, "What comes first (K)")


def test_a_system_says_what_is_offered_and_one_that_nobody_knows_has_no_methods() -> None:
    running = RunningSystem(view_of("aggregation"))
    assert running.offers("methods")
    running.view = view_of("jamming")
    assert running.offers("forces")
    assert not running.offers("frames")
    running.view = view_of("a system of a plug-in")
    assert [what for what in ("frames", "methods", "jam", "forces") if running.offers(what)] == [
        "frames",
        "jam",
    ]
