"""The main window: creates first what all parts use (picture, panels, messages, the frame on the screen), then its
parts from one list, gives each the same context, and closes them.

To add a part, add a line to `PARTS`. A part takes a `Context`, creates its widgets and connects signals; its commands
appear in the menus automatically (`aggviewer.widgets.part.Part`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from PyQt6.QtCore import QEvent, QObject, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QMainWindow

from aggviewer.canvas import DiscCanvas
from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.session import Session
from aggviewer.systems.base import RunningSystem
from aggviewer.systems.registry import Catalog, layouts, plots_of, view_of, views
from aggviewer.widgets.command import Command, CommandSet, Group, MenuEntry, Place
from aggviewer.widgets.file_dialogs import FileChooser
from aggviewer.widgets.gui_thread import GuiThread
from aggviewer.widgets.input_guard import InputGuard
from aggviewer.widgets.part import OVERLAYS, Context, Part
from aggviewer.widgets.popup import Popup
from aggviewer.window.canvases import Canvases
from aggviewer.window.commands.help import HelpCommands, Manual
from aggviewer.window.commands.top_bar import TopBar, fill_menu_bar
from aggviewer.window.commands.undo import PythonCommands, UndoActions
from aggviewer.window.files import Opening, SessionFiles, dropped_file
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.picking.throwing import DiscThrows
from aggviewer.window.picture_settings import LayerList, ScaleEditor
from aggviewer.window.preferences import PreferencesCommands
from aggviewer.window.refresher import Refresher
from aggviewer.window.run_display import Comparing, Hovering, RunDisplay
from aggviewer.window.settings import WindowSettings
from aggviewer.window.side_panels import Everything, SidePanels
from aggviewer.window.stage import Stage
from aggviewer.window.status_bar import WindowStatusBar
from aggviewer.window.toasts import Messages
from aggviewer.window.transport import RunTransport
from aggviewer.window.view import CameraBinding, SpaceView, ViewCommands
from engine import plugins
from engine.scenario import Scenario

_PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress)
_PATIENCE = 0.5  # seconds that a window which is closed waits for each thread


class MainWindow(QMainWindow):
    """The program's window. Closing it stops the session: first the widgets, then the threads.

    gui_thread : where the session leaves its calls for the thread of the window, see `Session`.

    Attributes
    ----------
    context : finds each part by its class.
    session, commands : the session, and all commands.

    Signals: ``closed`` after closing.
    """

    closed = pyqtSignal()

    def __init__(self, session: Session, settings: WindowSettings, gui_thread: GuiThread) -> None:
        super().__init__()
        self.setWindowTitle("aggviewer")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(False)
        self.setAnimated(False)  # animated panels would be laid out many times
        self._closed = False
        settings.read_document(session.document)
        settings.follow(session.document)
        if settings.new:
            session.document.panels.everything = False  # simple first; the settings keep it
        self.session = session
        self.context = context = make_core(self, session, settings, gui_thread)
        self.commands = context.commands
        self._parts = [context.add(make(context)) for make in PARTS]
        self._parts += [context.add(part) for part in added_parts(context)]
        self.commands.add(*self.canvases.commands(), *self._commands())
        for part in self._parts:
            self.commands.add(*part.commands())
        add_groups(self.commands, (group for part in self._parts for group in part.groups()))
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, context.add(TopBar(self.commands, session.document, self)))
        fill_menu_bar(self.menuBar(), self.commands)
        for part in self._parts:
            part.show_commands()
        self._parts.append(context.add(RunDisplay(context)))
        self.commands.used.connect(self._catch_up)
        settings.restore_layout(self)
        context[SidePanels].lay_out()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._guard = InputGuard(application, self, context.focus_picture, self._on_input)
        context.focus_picture()

    def _commands(self) -> tuple[Command, ...]:
        return (
            Command("file.quit", "Quit", self.quit, ("Ctrl+Q",), menu=Place("File", 4, 1)),
            Command(
                "view.full_screen",
                "Full screen",
                self._toggle_full_screen,
                ("F11",),
                icon="mdi6.fullscreen",
                checked=self.isFullScreen,
                menu=Place("View", 5, 2),
            ),
            Command(
                "view.leave",
                "Leave",
                self._step_back,
                ("Esc",),
                "Leave a field, dismiss a message, end a tool, stop following, clear the selection, or leave "
                "presenter mode or full screen",
            ),
        )

    # its parts

    @property
    def canvases(self) -> Canvases:
        """The pictures."""
        return self.context[Canvases]

    @property
    def canvas(self) -> DiscCanvas:
        """The first picture, which always exists."""
        return self.canvases.first

    @property
    def stage(self) -> Stage:
        """The pictures, overlays and the bars below."""
        return self.context[Stage]

    @property
    def parameters(self) -> ParametersPanel:
        """The panel of the parameters."""
        return self.context[ParametersPanel]

    @property
    def plots(self) -> PlotsPanel:
        """The panel of the plots."""
        return self.context[PlotsPanel]

    @property
    def transport(self) -> RunTransport:
        """The transport bar."""
        return self.context[RunTransport]

    @property
    def top_bar(self) -> TopBar:
        """The top bar."""
        return self.context[TopBar]

    @property
    def status(self) -> WindowStatusBar:
        """The status bar."""
        return self.context[WindowStatusBar]

    @property
    def refresher(self) -> Refresher:
        """The refresher, which brings new frames."""
        return self.context[Refresher]

    def sizeHint(self) -> QSize:
        """Leave room for the picture between the panels."""
        return QSize(1440, 880)

    # called at the start of the program

    def open_first(self, files: list[str], default: str) -> None:
        """Open the files named on the command line, or `default` if there are none or they cannot be opened.

        A window shows one system, so of several files the last one remains.
        """
        self.context[Opening].open_first(files, default)

    def offer_kept_work(self) -> None:
        """Offer to recover from a crash, or else to continue the work kept at the last closing."""
        for part in self._parts:
            part.offer_work()

    # actions of the user

    def _on_input(self, watched: QObject | None, event: QEvent) -> bool:
        """Handle input before anything else; return True to stop it."""
        if event.type() in _PRESSES:
            self._catch_up()
        return self.context[UndoActions].sees(watched, event)

    def _catch_up(self) -> None:
        """Before handling the user's input, deliver all pending messages and show the discs that are running. No frames
        would arrive while the view inside a step is open."""
        self.context.gui_thread.finish()
        self.refresher.catch_up()

    def _step_back(self) -> None:
        """Esc: leave the innermost mode or field."""
        for applies, step in self._ways_back():
            if applies:
                step()
                return

    def _ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        toasts = self.stage.toasts
        parts = sorted(self._parts, key=lambda part: -part.leaves)
        yield from (way for part in parts if part.leaves >= OVERLAYS for way in part.ways_back())
        elsewhere = not (self.stage.cover or self.canvas).hasFocus() and not any(part.keeps_focus for part in parts)
        yield elsewhere, self.context.focus_picture
        yield bool(toasts.toasts), toasts.dismiss_last
        yield from (way for part in parts if part.leaves < OVERLAYS for way in part.ways_back())
        yield self.isFullScreen(), self._toggle_full_screen

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def quit(self) -> None:
        """Close the window and end the program, if the user agrees."""
        if self._may_close():
            self.close()

    def _may_close(self) -> bool:
        return all(part.may_close() for part in self._parts)

    # Qt

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Accept dragged files that can be opened."""
        if event is not None and dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Open the dropped file."""
        path = dropped_file(event.mimeData()) if event is not None else None
        if event is not None and path is not None:
            event.acceptProposedAction()
            self.context[Opening].open(path)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Stop in this order: timer, widgets, threads."""
        if not self._closed:
            if event is not None and event.spontaneous() and not self._may_close():
                event.ignore()
                return
            self._closed = True
            self._close_parts()
            self.closed.emit()
        super().closeEvent(event)

    def _close_parts(self) -> None:
        context, session = self.context, self.session
        for part in reversed(self._parts):  # presenter mode before the lesson in it
            part.give_back()
        settings = context[WindowSettings]
        settings.save_layout(self)
        settings.close()
        self.hide()
        for popup in self.findChildren(Popup):  # these are separate windows
            popup.close()
        context.theme.close()
        session.keep_work()
        session.stop()  # its threads end while the widgets are closed
        self.refresher.stop()
        self._guard.close()
        self.status.clearMessage()  # otherwise its timer would go on running
        context.gui_thread.close()
        for widget in (self.stage.toasts, self.parameters, self.plots):
            widget.close()
        for part in self._parts:
            part.close()
        self.canvases.close()
        session.close(_PATIENCE)


def make_core(window: QMainWindow, session: Session, settings: WindowSettings, gui_thread: GuiThread) -> Context:
    """Create the context of a window, with the parts that all others need."""
    context = Context(window, session, gui_thread)
    context.theme.set_text_size(float(settings.text_size))
    context.theme.choose(session.view.theme)  # before any widgets exist, because each would have to be restyled
    context.add(settings)
    context.add(RunningSystem(view_of(Scenario().system)))  # until something is loaded: the system of an empty scenario
    canvases = context.add(Canvases(window, session.view, settings))
    stage = context.add(Stage(canvases, window))
    window.setCentralWidget(stage)
    status = context.add(WindowStatusBar())
    window.setStatusBar(status)
    parameters = context.add(ParametersPanel(session, layouts()))
    catalog = context.add(Catalog())
    plots = context.add(PlotsPanel(plots_of, catalog.title_of, model=session.document.plots, one_by_one=True))
    context.theme.changed.connect(plots.set_theme)
    plots.set_theme(context.theme.colors)
    refresher = context.add(Refresher(session, canvases, context.gui_thread, window))
    context.shown = refresher.shown
    context.analysed = refresher.analysed
    context.notify = context.add(Messages(stage.toasts, parameters)).show
    context.files = FileChooser(window, settings, stage.toasts.begin)
    context.focus_picture = lambda: (stage.cover or canvases.first).setFocus()
    return context


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
    SpaceView,  # its handles come before what is under them
    DiscThrows,  # handles of parts after it lie over discs
    UndoActions,
    CameraBinding,
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
"""The window's own parts in order of creation; each can find earlier ones in its context."""
