"""The commands that follow from what is registered, such as those of layers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from aggviewer.session import Session
from aggviewer.systems.base import SystemView
from aggviewer.systems.desk import Desk
from aggviewer.systems.registry import views
from aggviewer.widgets.command import Entry, Group
from aggviewer.window.commands.command_set import CommandSet
from engine import plugins


class Registered:
    """Keeps groups of commands in line with the registries.

    Parameters
    ----------
    commands : all commands of the window.
    groups : gives the groups that there should be now.
    """

    def __init__(self, commands: CommandSet, groups: Callable[[], Iterable[Group]]) -> None:
        self._commands, self._groups = commands, groups
        self._now: dict[Hashable, tuple[Entry, ...]] = {}

    def has(self, of: Hashable) -> bool:
        """Whether the commands of this are there."""
        return of in self._now

    def follow(self) -> tuple[Entry, ...]:
        """Take out the groups that are not wanted any more and add the others; returns what was changed.

        A group of a plug-in that fails, or whose name or key is taken, is left out; the error is raised while that
        plug-in is being loaded into this window.
        """
        wanted = {group.of: group for group in self._groups()}
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


def plug_in_groups(session: Session, desk: Desk, there: Callable[[Hashable], bool]) -> Iterator[Group]:
    """The commands of each system, and those that plug-ins add.

    Parameters
    ----------
    desk : what the commands of systems work with.
    there : whether the commands of something are in the window.
    """
    for view in views():
        yield Group(view, partial(_commands_of, view, desk, there))
    for late in plugins.late_parts("command"):
        yield Group(late, partial(_command, late, session))


def _commands_of(view: SystemView, desk: Desk, there: Callable[[Hashable], bool]) -> Iterable[Entry]:
    """The commands of a system. What they listen to is told to them only as long as they are there."""

    def while_there(call: Callable[..., Any]) -> Callable[..., None]:
        def tell(*told: Any) -> None:
            if there(view):
                call(*told)

        return tell

    return view.commands(
        replace(
            desk,
            on_scenario=lambda call: desk.on_scenario(while_there(call)),
            on_analysis=lambda call: desk.on_analysis(while_there(call)),
        )
    )


def _command(late: plugins.LatePart, session: Session) -> Iterator[Entry]:
    yield late.make(session)
