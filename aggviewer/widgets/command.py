"""Commands: actions of the user, with everything that menus, bars, the palette and the list of keys show about them.
Each is declared beside the code it runs; `CommandSet` holds those of a window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QMenu, QToolButton, QWidget

from aggviewer.widgets.buttons import icon
from engine.errors import InputError
from engine.words import body_names

EXPORT = "File/Export"
"""The menu path of commands that export what is shown."""

SCENARIO = "scenario"
"""The path of `Command.bar` for what the button with the name of the scenario does: the first command counts."""


@dataclass(frozen=True)
class Place:
    """The position of an entry in the menus.

    Parameters
    ----------
    path
        The titles of the menus that lead to it: ``"Run"``, ``"View/Theme"``.
    section
        Entries of the same section are together; a line separates sections.
    position
        The order within the section.
    """

    path: str
    section: int
    position: int


@dataclass(frozen=True)
class Submenu:
    """A menu inside another one.

    Parameters
    ----------
    title
        Its title: the last part of the path of its entries.
    menu
        Its position.
    fill
        Called with the menu before it is shown, for a menu whose entries are not commands.
    """

    title: str
    menu: Place
    fill: Callable[[QMenu], None] | None = None

    @property
    def path(self) -> str:
        """The path of its entries, for `Place.path`."""
        return f"{self.menu.path}/{self.title}"


@dataclass(frozen=True)
class Command:
    """Something that the window can do.

    `text`, `title`, `tooltip` and what `reason` returns may have gaps for discs or spheres, such as ``{discs}``
    (`engine.words`).

    Parameters
    ----------
    id
        Such as ``"run.toggle"``; the part before the dot is its group in the list of keys.
    text
        The text in menus.
    title
        The text in the palette and the list of keys, where `text` says too little without its menu.
    run
        What it does.
    keys
        Its keys; the first one is shown.
    tooltip
        One sentence.
    icon
        A name of qtawesome's bundled fonts.
    checked
        Returns whether it is on; for a command that switches something on and off.
    menu
        Its position in the menus; None for a command that has only a key.
    also
        A second position in the menus.
    bar
        Its position in the bar at the top. The path is ``"left"``, ``"right"``, `SCENARIO`, or the id of another
        command, whose button then has a menu with this one. An extension can have a bar of its own, with another path.
    short
        The text of its button, if different from `text`.
    simple
        Whether beginners see its button in the top bar; *Show everything* adds the others.
    of_discs
        Whether it also appears in the picture's menu for discs, below the general entries.
    available
        Returns whether the command is available at present. If not, it is in no menu and its key does nothing.
    reason
        Returns why it cannot be used now; "" if it can.
    words
        Synonyms for the palette's search, such as ``"video movie"``.
    absent
        What the palette says while it is not available; "" for a command that is not found then.
    """

    id: str
    text: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    tooltip: str = ""
    icon: str = ""
    checked: Callable[[], bool] | None = None
    menu: Place | None = None
    also: Place | None = None
    bar: Place | None = None
    short: str = ""
    simple: bool = False
    of_discs: bool = False
    available: Callable[[], bool] | None = None
    reason: Callable[[], str] | None = None
    words: str = ""
    title: str = ""
    absent: str = "Not available for this system"

    def about(self, dimensions: int) -> Command:
        """The command with texts about the discs or spheres of a box of so many dimensions."""
        fill = body_names(dimensions).fill
        return replace(self, text=fill(self.text), title=fill(self.title), tooltip=fill(self.tooltip))


MenuEntry = Command | Submenu
"""Something that a part of the window adds to the menus."""


@dataclass(frozen=True)
class Group:
    """Entries of a part that a plug-in may have added, such as a layer.

    Parameters
    ----------
    of
        The part they belong to. If they cannot be added, it is left out.
    make
        Creates the entries.
    """

    of: object
    make: Callable[[], Iterable[MenuEntry]]


MENUS = ("Run", "Edit", "Method", "File", "View", "Measure", "Learn", "Help")
"""The order of the menus in the palette and the sheet of keys."""


class CommandSet(QObject):
    """All commands, each with its QAction. Keys work even if a menu or bar is hidden.

    Iteration yields the commands in menu order, with those of submenus last, independent of the order in which they
    were added.

    Attributes
    ----------
    dimensions : of the box whose discs, or in space spheres, the texts are about; set by `speak_of`.

    Signals: ``used(id)`` before a command runs.
    """

    used = pyqtSignal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._declared: dict[str, Command] = {}
        self._commands: dict[str, Command] = {}  # in the words of `dimensions`
        self._actions: dict[str, QAction] = {}
        self._submenus: dict[str, Submenu] = {}
        self._single_keys = True
        self._names: dict[str, str] = {}  # the texts set by `name_action`
        self.dimensions = 2

    def add(self, *entries: MenuEntry) -> None:
        """Add the commands and menus of a part of the window: all of them, or none.

        Raises
        ------
        InputError
            An id, key or menu already exists.
        """
        commands: dict[str, Command] = {}
        submenus: dict[str, Submenu] = {}
        taken = {key: command.id for command in self._commands.values() for key in command.keys}
        for entry in entries:
            if isinstance(entry, Submenu):
                if entry.path in self._submenus or entry.path in submenus:
                    raise InputError(f"the menu {entry.path} is already declared")
                submenus[entry.path] = entry
                continue
            for key in entry.keys:
                if key in taken:
                    raise InputError(f"{key} is already the key of {taken[key]}")
                taken[key] = entry.id
            if entry.id in self._commands or entry.id in commands:
                raise InputError(f"{entry.id} is already declared")
            commands[entry.id] = entry
        told = {name: command.about(self.dimensions) for name, command in commands.items()}
        actions = {name: self._action_of(command) for name, command in told.items()}
        self._submenus |= submenus
        self._declared |= commands
        self._commands |= told
        self._actions |= actions
        self._window.addActions(list(actions.values()))

    def _action_of(self, command: Command) -> QAction:
        action = QAction(command.text, self._window)
        action.setObjectName(command.id)
        action.setShortcuts([QKeySequence(key) for key in self._keys(command)])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setAutoRepeat(command.id.startswith("run.step"))
        action.setToolTip(self._tip(command))
        action.setCheckable(command.checked is not None)
        if command.icon:
            action.setIcon(icon(command.icon, "muted", "accent"))
        if command.short:
            action.setIconText(command.short)
        action.triggered.connect(lambda _checked: self.run(command.id))
        return action

    def use_single_keys(self, on: bool) -> None:
        """Whether single-character keys, without Ctrl or Alt, are enabled."""
        self._single_keys = on
        for name, command in self._commands.items():
            self._actions[name].setShortcuts([QKeySequence(key) for key in self._keys(command)])
            self._actions[name].setToolTip(self._tip(command))
        self.update()

    def speak_of(self, dimensions: int) -> None:
        """Let the texts of commands be about discs, or about spheres in three dimensions."""
        if dimensions == self.dimensions:
            return
        self.dimensions = dimensions
        for name, declared in self._declared.items():
            command = self._commands[name] = declared.about(dimensions)
            self._actions[name].setText(body_names(dimensions).fill(self._names.get(name, command.text)))
            self._actions[name].setToolTip(self._tip(command))
        self.update()

    def has_single_key(self, command_id: str) -> bool:
        """Whether a command has a key without Ctrl or Alt, which could be pressed by accident."""
        return any(map(_is_single, self._keys(self._commands[command_id])))

    def _keys(self, command: Command) -> list[str]:
        """The enabled keys of a command."""
        return [key for key in command.keys if self._single_keys or not _is_single(key)]

    # use

    def run(self, command_id: str) -> None:
        """Run a command, then refresh the state of all commands."""
        self.used.emit(command_id)
        self._commands[command_id].run()
        self.update()

    def update(self) -> None:
        """Update whether each command is visible, enabled and checked."""
        for name, command in self._commands.items():
            action = self._actions[name]
            if command.available is not None and action.isVisible() != command.available():
                action.setVisible(not action.isVisible())
                action.setEnabled(action.isVisible())
                action.setToolTip(self._tip(command))
            if command.reason is not None and action.isVisible():
                reason = command.reason()
                if action.isEnabled() == bool(reason):
                    action.setEnabled(not reason)
                words = body_names(self.dimensions).fill(reason) or self._tip(command)
                if action.toolTip() != words:
                    action.setToolTip(words)
            if command.checked is not None:
                action.setChecked(command.checked())

    def rename(self, command_id: str, text: str, tooltip: str | None = None) -> None:
        """Set another text for a command, and optionally another tool tip."""
        declared = self._declared[command_id]
        declared = replace(declared, text=text, tooltip=declared.tooltip if tooltip is None else tooltip)
        self._declared[command_id] = declared
        command = self._commands[command_id] = declared.about(self.dimensions)
        self._names.pop(command_id, None)
        self._actions[command_id].setText(command.text)
        if tooltip is not None:
            self._actions[command_id].setToolTip(self._tip(command))

    def name_action(self, command_id: str, text: str) -> None:
        """Set the text for what a command would do now, in menus and the palette; the sheet of keys keeps its name."""
        text = self._names[command_id] = text.replace("&", "&&")
        text = body_names(self.dimensions).fill(text)
        if self._actions[command_id].text() != text:
            self._actions[command_id].setText(text)

    # what is shown of them

    def action(self, command_id: str) -> QAction:
        """The action of a command."""
        return self._actions[command_id]

    def plain_text(self, command_id: str) -> str:
        """The text of a command for lists."""
        text = self._commands[command_id].title or self._actions[command_id].text()
        return text.replace("…", "").replace("&&", "&")

    def button(self, command_id: str) -> QToolButton:
        """A flat button for a command."""
        button = QToolButton()
        action = self._actions[command_id]
        button.setDefaultAction(action)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(action.text())
        return button

    @property
    def titles(self) -> list[str]:
        """The menus of the menu bar that contain commands."""
        return list(dict.fromkeys(command.menu.path.split("/")[0] for command in self if command.menu is not None))

    def within(self, path: str) -> list[list[MenuEntry]]:
        """The commands and submenus of a menu in order, as one list per section."""
        sections: dict[int, list[MenuEntry]] = {}
        placed: list[tuple[Place | None, MenuEntry]] = [(one.menu, one) for one in self._commands.values()]
        placed += [(one.also, one) for one in self._commands.values()]
        placed += [(one.menu, one) for one in self._submenus.values()]
        here = [(place, entry) for place, entry in placed if place is not None and place.path == path]
        for place, entry in sorted(here, key=lambda found: found[0].position):
            sections.setdefault(place.section, []).append(entry)
        return [sections[section] for section in sorted(sections)]

    def in_bar(self, path: str) -> list[Command]:
        """The commands of a part of the top bar, in order."""
        here = [
            (command.bar.section, command.bar.position, command)
            for command in self._commands.values()
            if command.bar is not None and command.bar.path == path
        ]
        return [command for _, _, command in sorted(here, key=lambda found: found[:2])]

    def __iter__(self) -> Iterator[Command]:
        return iter(sorted(self._commands.values(), key=self._order))

    def _order(self, command: Command) -> tuple[object, ...]:
        place = command.menu
        if place is None:
            return (len(MENUS), 1, (), 0, 0)
        first = place.path.split("/")[0]
        menu = MENUS.index(first) if first in MENUS else len(MENUS)
        inner: list[tuple[int, int]] = []  # places of the menus on the way
        path = place.path
        while path in self._submenus:
            submenu = self._submenus[path]
            inner.insert(0, (submenu.menu.section, submenu.menu.position))
            path = submenu.menu.path
        return (menu, len(inner), tuple(inner), place.section, place.position)

    def _tip(self, command: Command) -> str:
        words = command.tooltip or command.text.replace("…", "")
        keys = self.shown_keys(command)
        return f"{words} ({keys[0]})" if keys else words

    def shown_keys(self, command: Command) -> list[str]:
        """The enabled keys as text."""
        arrows = {"Left": "←", "Right": "→", "Shift+Right": "Shift+→"}
        return [
            arrows.get(key, QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText))
            for key in self._keys(command)
        ]


def _is_single(key: str) -> bool:
    """Whether a key is a single character without Ctrl or Alt."""
    return len(key.removeprefix("Shift+")) == 1
