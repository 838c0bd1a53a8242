"""The commands that follow from what is registered, such as those of layers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import partial

from aggviewer.session import Session
from aggviewer.systems.registry import views
from aggviewer.widgets.command import Entry, Group
from aggviewer.widgets.command_set import CommandSet
from aggviewer.widgets.part import Context, Part
from engine import plugins


class Registered:
    """Keeps groups of commands in line with the registries. commands : all commands of the window."""

    def __init__(self, commands: CommandSet) -> None:
        self._commands = commands
        self._now: dict[Hashable, tuple[Entry, ...]] = {}

    def follow(self, groups: Iterable[Group]) -> tuple[Entry, ...]:
        """Have these groups from now on: take out those that are not wanted any more and add the others. Returns what
        was changed.

        A group of a plug-in that fails, or whose name or key is taken, is left out; the error is raised while that
        plug-in is being loaded into this window.
        """
        wanted = {group.of: group for group in groups}
        changed = [entry for of in list(self._now) if of not in wanted for entry in self._now.pop(of)]
        self._commands.remove(*changed)
        for of, group in wanted.items():
            if of in self._now:
                continue
            added: list[Entry] = []
            try:
                for entry in group.make():
                    self._commands.add(entry)
                    added.append(entry)
            except Exception as error:
                self._commands.remove(*added)
                plugins.leave_out(of, error)
            else:
                self._now[of] = tuple(added)
                changed += added
        return tuple(changed)


class SystemCommands(Part):
    """The commands of each system, and those that plug-ins add."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def groups(self) -> Iterator[Group]:
        """A group for each system, and for each command of a plug-in."""
        for view in views():
            yield Group(view, partial(view.commands, self._context))
        for late in plugins.late_parts("command"):
            yield Group(late, partial(_command, late, self._context.session))


def _command(late: plugins.LatePart, session: Session) -> Iterator[Entry]:
    yield late.make(session)
