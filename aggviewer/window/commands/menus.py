"""The menus, made of the commands."""

from __future__ import annotations

from PyQt6.QtWidgets import QMenu, QMenuBar

from aggviewer.widgets.command import Command
from aggviewer.window.commands.command_set import CommandSet

_BAR, _LAST = ("File", "Edit", "Run", "Method", "View"), "Help"


def fill_menu_bar(bar: QMenuBar, commands: CommandSet) -> None:
    """Fill the menu bar: for each menu what says that it stands there. Menus of plug-ins come before the last one."""
    others = [title for title in commands.titles if title not in (*_BAR, _LAST)]
    for title in (*_BAR, *others, _LAST):
        menu = bar.addMenu(f"&{title}")
        assert menu is not None
        _fill(menu, commands, title)


def _fill(menu: QMenu, commands: CommandSet, path: str) -> None:
    menu.setToolTipsVisible(True)
    for number, section in enumerate(commands.within(path)):
        if number:
            menu.addSeparator()
        for entry in section:
            if isinstance(entry, Command):
                menu.addAction(commands.action(entry.id))
                continue
            inner = menu.addMenu(entry.title)
            assert inner is not None
            _fill(inner, commands, entry.path)
            if entry.fill is not None:
                inner.aboutToShow.connect(lambda fill=entry.fill, inner=inner: fill(inner))
