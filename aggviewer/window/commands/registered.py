"""Parts and commands that extensions and plug-ins add to a window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from aggviewer.session import Session
from aggviewer.systems.registry import views
from aggviewer.widgets.command import CommandSet, Entry, Group
from aggviewer.widgets.part import Context, Part
from engine import plugins


def add_groups(commands: CommandSet, groups: Iterable[Group]) -> None:
    """Add the commands of registered objects. A plug-in's object whose commands fail, or have a name or key that is
    taken, is left out."""
    for group in groups:
        try:
            commands.add(*group.make())
        except Exception as error:  # of a plug-in: whatever it raises
            plugins.leave_out(group.of, error)


def added_parts(context: Context) -> Iterator[Part]:
    """The parts that extensions and plug-ins add to a window. One that fails is left out."""
    for late in plugins.late_parts("part"):
        try:
            yield late.make(context)
        except (Exception, SystemExit) as error:  # of a plug-in: whatever it raises
            plugins.leave_out(late, error)


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
