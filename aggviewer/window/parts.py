"""The window's own parts in order of creation, each of which can find earlier ones in its context; and the parts and
commands that extensions and plug-ins add.

To add a part, add a line to `PARTS`. A part takes a `Context`, creates its widgets and connects signals; its commands
appear in the menus automatically (`aggviewer.widgets.part.Part`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from aggviewer.session import Session
from aggviewer.systems.registry import views
from aggviewer.widgets.command import CommandSet, Group, MenuEntry
from aggviewer.widgets.part import Context, Part
from aggviewer.window.commands.help import HelpCommands, Manual
from aggviewer.window.commands.undo import PythonCommands, UndoActions
from aggviewer.window.files import Opening, SessionFiles
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.picking.throwing import DiscThrows
from aggviewer.window.picture_settings import LayerList, ScaleEditor
from aggviewer.window.preferences import PreferencesCommands
from aggviewer.window.run_display import Comparing, Hovering
from aggviewer.window.side_panels import Everything, SidePanels
from aggviewer.window.transport import RunTransport
from aggviewer.window.view import CameraBinding, SpaceView, ViewCommands
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
    yield from plugins.use_parts("part", lambda late: late.make(context))


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


def _command(late: plugins.LatePart, session: Session) -> Iterator[MenuEntry]:
    yield late.make(session)


PARTS: tuple[Callable[[Context], Part], ...] = (
    SidePanels,
    Everything,
    Opening,
    RunTransport,
    SessionFiles,
    Comparing,
    SelectionController,
    DiscThrows,  # its gestures take precedence
    UndoActions,
    CameraBinding,
    SpaceView,
    Hovering,
    ViewCommands,
    PreferencesCommands,
    Manual,
    HelpCommands,
    PythonCommands,
    ScaleEditor,
    LayerList,
    SystemCommands,
)
