"""Commands of registered objects such as layers."""

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
    """Keeps groups of commands consistent with the registries. commands : all commands of the window."""

    def __init__(self, commands: CommandSet) -> None:
        self._commands = commands
        self._now: dict[Hashable, tuple[Entry, ...]] = {}

    def follow(self, groups: Iterable[Group]) -> tuple[Entry, ...]:
        """Use these groups from now on: remove old ones and add new ones. Returns the changes.

        A plug-in's group that fails, or whose name or key is taken, is omitted; the error is raised only while that
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
    """The commands of systems and plug-ins."""

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
