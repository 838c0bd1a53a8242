"""Commands: declared once, they feed the menus, the tool bar, the keys, the command palette and the sheet of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QWidget

from aggviewer.widgets.icons import icon


@dataclass(frozen=True)
class Command:
    """Something that the window can do.

    id : ``"run.toggle"``, the part before the dot is its group in the sheet of keys; text : for a menu; run : what it
    does, for a command with `checked` after the state has changed; keys : the first is shown; tooltip : one sentence;
    icon : a name of qtawesome's bundled fonts; checked : tells whether it is on, for one that can be on or off.
    """

    id: str
    text: str
    run: Callable[[], None]
    keys: tuple[str, ...] = ()
    tooltip: str = ""
    icon: str = ""
    checked: Callable[[], bool] | None = None


class CommandSet:
    """The commands of a window, each with its QAction. All keys work although a menu or a bar is hidden.

    on_used : called with the id of a command before it runs.
    """

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}
        self.on_used: Callable[[str], None] = lambda command_id: None

    def add(self, command: Command) -> QAction:
        """Declare a command; its id and its keys must be new."""
        taken = {key: other.id for other in self._commands.values() for key in other.keys}
        for key in command.keys:
            if key in taken:
                raise ValueError(f"{key} belongs to {taken[key]} already")
        if command.id in self._commands:
            raise ValueError(f"{command.id} is declared already")
        action = QAction(command.text, self._window)
        action.setObjectName(command.id)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setAutoRepeat(command.id.startswith("run.step"))
        action.setToolTip(self._tip(command))
        action.setCheckable(command.checked is not None)
        action.triggered.connect(lambda _checked: self.run(command.id))
        self._window.addAction(action)
        self._commands[command.id] = command
        self._actions[command.id] = action
        return action

    def run(self, command_id: str) -> None:
        """Do it, and let what can be on or off show how it is now."""
        self.on_used(command_id)
        self._commands[command_id].run()
        self.update_checks()

    def update_checks(self) -> None:
        """Show for each command that can be on or off how it is."""
        for name, command in self._commands.items():
            if command.checked is not None:
                self._actions[name].setChecked(command.checked())

    def set_reason_against(self, command_id: str, reason: str) -> None:
        """Why a command cannot be used now, as its tool tip; empty where it can."""
        action = self._actions[command_id]
        if action.isEnabled() == bool(reason):
            action.setEnabled(not reason)
            action.setToolTip(reason or self._tip(self._commands[command_id]))

    def rename(self, command_id: str, text: str, tooltip: str | None = None) -> None:
        """Another text for a command, and another tool tip where one is given."""
        command = self._commands[command_id]
        command = replace(command, text=text, tooltip=command.tooltip if tooltip is None else tooltip)
        self._commands[command_id] = command
        self._actions[command_id].setText(text)
        if tooltip is not None:
            self._actions[command_id].setToolTip(self._tip(command))

    def name_action(self, command_id: str, text: str) -> None:
        """What a command would do now, for menus and the palette; the sheet of keys keeps its name."""
        text = text.replace("&", "&&")
        if self._actions[command_id].text() != text:
            self._actions[command_id].setText(text)

    def set_offered(self, command_id: str, offered: bool) -> None:
        """Whether a command is there at all: one that is not is in no menu, and its key does nothing."""
        action = self._actions[command_id]
        action.setVisible(offered)
        action.setEnabled(offered)

    def _tip(self, command: Command) -> str:
        words = command.tooltip or command.text.replace("…", "")
        return f"{words} ({self.shown_keys(command)[0]})" if command.keys else words

    def action(self, command_id: str) -> QAction:
        """The action of a command."""
        return self._actions[command_id]

    def set_icon_color(self, color: str, on: str) -> None:
        """Draw all icons in `color`, those of what is on in `on`."""
        for name, command in self._commands.items():
            if command.icon:
                self._actions[name].setIcon(icon(command.icon, color, on))

    def __iter__(self) -> Iterator[Command]:
        return iter(self._commands.values())

    @staticmethod
    def shown_keys(command: Command) -> list[str]:
        """The keys as a person reads them."""
        arrows = {"Right": "→", "Shift+Right": "Shift+→"}
        return [
            arrows.get(key, QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)) for key in command.keys
        ]
