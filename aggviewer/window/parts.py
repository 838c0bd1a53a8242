"""The window's own parts in order of creation; each can find earlier ones in its context. Those of extensions follow.

To add a part, add a line here. A part takes a `Context`, creates its widgets and connects signals; its commands appear
in the menus automatically (`aggviewer.widgets.part.Part`).
"""

from __future__ import annotations

from collections.abc import Callable

from aggviewer.widgets.part import Context, Part
from aggviewer.window.bars.transport import RunTransport
from aggviewer.window.canvases.comparing import Comparing
from aggviewer.window.commands.help import HelpCommands, Manual
from aggviewer.window.commands.registered import SystemCommands
from aggviewer.window.commands.undo import PythonCommands, UndoActions
from aggviewer.window.commands.view import ViewCommands
from aggviewer.window.files.opening import Opening
from aggviewer.window.files.session_files import SessionFiles
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.picking.throwing import DiscThrows
from aggviewer.window.picture.layer_list import LayerList
from aggviewer.window.picture.scale_editor import ScaleEditor
from aggviewer.window.picture.space_view import CameraBinding, SpaceView
from aggviewer.window.preferences import PreferencesCommands
from aggviewer.window.run_display import Hovering
from aggviewer.window.side_panels import Everything, SidePanels

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
