"""The window: parameters, picture, plots, transport, status; brings them together and owns nothing but the layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

from aggviewer.lessons.lessons import Lessons
from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.session import Notice, Session
from aggviewer.style.theme import WindowTheme
from aggviewer.systems.registry import plots_of
from aggviewer.widgets.input_guard import InputGuard
from aggviewer.window.bars.status_bar import WindowStatusBar
from aggviewer.window.bars.transport import Transport
from aggviewer.window.bridge import SessionBridge
from aggviewer.window.canvases.canvases import Pictures
from aggviewer.window.canvases.view_steps import PictureSteps
from aggviewer.window.commands import menus, view
from aggviewer.window.commands.command import CommandSet
from aggviewer.window.commands.key_sheet import KeySheet
from aggviewer.window.commands.palette import CommandPalette
from aggviewer.window.commands.undo import UndoActions
from aggviewer.window.comparing import Comparing
from aggviewer.window.dialogs.exporting import Exporting
from aggviewer.window.files.catalog import Catalog
from aggviewer.window.files.opening import FileActions, dropped_file
from aggviewer.window.files.recording import Recording
from aggviewer.window.files.session_files import Keeping
from aggviewer.window.following import Following
from aggviewer.window.jamming import JammingActions
from aggviewer.window.kept_layout import KeptLayout
from aggviewer.window.panels.presenter import Presenter
from aggviewer.window.panels.side_panels import SidePanels
from aggviewer.window.refresher import Refresher
from aggviewer.window.seed_series import SeedSeries
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage.stage import Stage
from aggviewer.window.step_view.controller import LookingInside
from aggviewer.window.systems import STICKING, SystemParts
from aggviewer.window.welcoming import Welcoming

_PATIENCE = 0.5  # seconds that a window which is closed waits for each thread


class MainWindow(QMainWindow):
    """The one window of the program. Close it to stop the session: widgets first, then the threads."""

    def __init__(self, session: Session, settings: WindowSettings) -> None:
        super().__init__()
        self.setWindowTitle("aggviewer")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(False)
        self.setAnimated(False)  # panels that slide would be laid out many times
        self.session = session
        self.settings = settings
        self._closed = False
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._guard = InputGuard(application, self, lambda: self.canvas.setFocus())  # before there are widgets
        self.catalog = Catalog()
        self.commands = CommandSet(self)
        self.theme = WindowTheme(self)
        with session.unrecorded():
            settings.load_view(session.view)

        self.stage = Stage(self)
        self.pictures = Pictures(self.stage.picture, session.view)
        self.canvas = self.pictures.first
        self.stage.set_pictures(self.pictures)
        self.setCentralWidget(self.stage)
        self.parameters = ParametersPanel(session)
        self.plots = PlotsPanel(plots_of)
        self.comparing = Comparing(session, self.pictures, self.parameters, self.plots)
        self.parameters_dock = self._dock("Parameters", self.parameters, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.plots_dock = self._dock("Plots", self.plots, Qt.DockWidgetArea.RightDockWidgetArea)
        self.side_panels = SidePanels(self, self.parameters_dock, self.plots_dock)
        self.palette_popup = CommandPalette(self.commands, self)
        self.files = FileActions(self, session, self.pictures, settings)
        self.recording = Recording(self, session, settings)
        self.keeping = Keeping(self)
        self.exporting = Exporting(self)
        self.jamming = JammingActions(self)
        self.series = SeedSeries(self)
        self.lessons = Lessons(self, self.theme)
        self.welcoming = Welcoming(self)
        view.declare(self)
        self.transport = Transport(session, self.commands)
        self.transport.timeline.log = settings.log_time
        self.stage.set_transport(self.transport)
        self.systems = SystemParts(self)
        self.top_bar = menus.TopBar(self)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.top_bar)
        menu_bar = self.menuBar()
        assert menu_bar is not None
        menus.build_menus(self, menu_bar)
        self.systems.follow(STICKING)
        self.status = WindowStatusBar()
        self.setStatusBar(self.status)
        hidden: list[QWidget] = [menu_bar, self.top_bar, self.parameters_dock, self.transport, self.status]
        self.presenter = Presenter(self, hidden, self.plots_dock, self.plots)

        self._bridge = SessionBridge(session, self)
        self.inside = LookingInside(self, session, self.pictures, self._bridge, self._on_inside)
        self.stage.set_transport(self.inside.mode.bar)
        self.following = Following(self, self._bridge)
        self.undo = UndoActions(self, session.history, self.commands, self._bridge)
        self._picture_steps = PictureSteps(self.pictures, session.history)
        self._bridge.resumed.connect(self.keeping.show)
        self.pictures.canvases_changed.connect(lambda: self.refresher.forget())
        self.pictures.asked.connect(self.welcoming.begun)
        self.commands.on_used = self.welcoming.on_command
        self.stage.touched.connect(self.welcoming.begun)
        self.parameters.applied.connect(self.welcoming.begun)
        self.parameters.applied.connect(self.stage.toasts.clear_input_errors)
        self.files.on_open = self.stage.toasts.clear_input_errors
        self.transport.speed.value_changed.connect(self.welcoming.begun)
        for dock in (self.parameters_dock, self.plots_dock):
            dock.visibilityChanged.connect(lambda _visible: self.commands.update_checks())
        self.theme.changed.connect(self._on_theme)
        session.view.events.connect(self._on_view)
        self._on_view()
        self._on_theme()
        self.refresher = Refresher(
            session,
            self.pictures,
            self.following.system,
            self.following.analysis,
            self.following.frame,
            self.following.status,
            self,
        )
        self.layout_kept = KeptLayout(self)
        self.layout_kept.restore(settings)
        self.side_panels.lay_out()
        if not settings.welcome_dismissed:
            self.welcoming.show()
        self.canvas.setFocus()

    def _dock(self, title: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(f"{title.lower()}Dock")
        dock.setWidget(panel)
        self.addDockWidget(area, dock)
        return dock

    def sizeHint(self) -> QSize:
        """Room for the picture between the panels."""
        return QSize(1440, 880)

    def show_notice(self, notice: Notice) -> None:
        """A message over the picture, and at the field that it is about."""
        self.following.show_notice(notice)

    # layout, view and theme

    def _on_inside(self, on: bool) -> None:
        self.transport.setHidden(on)
        self.refresher.held = on
        self.commands.update_checks()

    def _on_view(self) -> None:
        self.theme.choose(self.session.view.theme)
        self.commands.update_checks()
        self.systems.show_color_by()

    def _on_theme(self) -> None:
        colors = self.theme.colors
        self.commands.set_icon_color(colors.text, colors.on_accent)
        self.transport.set_colors(colors)
        self.parameters.set_theme(self.theme.dark)
        self.side_panels.set_colors(colors)
        self.plots.set_theme(self.theme.dark)
        self.comparing.set_theme(self.theme.dark)
        self.inside.mode.set_colors(colors, self.theme.dark)

    # commands

    def open_bundled(self, name: str) -> None:
        """Run a bundled scenario."""
        self.stage.toasts.clear_input_errors()
        self.top_bar.show_scenario(name)
        self.session.open(name, run=True)

    def open_first(self, files: list[str], default: str) -> None:
        """Open what the command line named, `default` where that is nothing or cannot be opened.

        One window shows one system: of several files the last one stays.
        """
        if not files:
            self.open_bundled(default)
        for name in files:
            self.files.open(Path(name), otherwise=default)

    def timeline_says(self, name: str) -> bool:
        """How a recording is played: ``backwards``, ``loop``."""
        timeline = self.session.status().timeline
        return timeline is not None and bool(getattr(timeline, name))

    def toggle_fastest(self, *, fast: bool = True) -> None:
        """Without a pace, so that the run is seen (`fast`) or as fast as it can; or at a pace."""
        self.transport.toggle_fastest(fast=fast)

    def set_log_time(self, log: bool) -> None:
        """A logarithmic scale for the line of time, or an even one."""
        self.transport.timeline.log = self.settings.log_time = log

    def toggle_dock(self, dock: QDockWidget) -> None:
        """Show or hide a panel."""
        self.side_panels.toggle(dock)

    def focus_plot(self, number: int) -> None:
        """One plot alone, or all again."""
        self.side_panels.show(self.plots_dock)
        self.plots.focus_plot(number)
        self.canvas.setFocus()

    def toggle_presenter(self) -> None:
        """The picture and one plot, or the whole window."""
        self.side_panels.held = not self.presenter.on
        self.presenter.toggle()
        self.side_panels.lay_out()

    def save_session(self) -> None:
        """Save all that is needed to go on tomorrow."""
        self.keeping.ask_save()

    def toggle_inside(self) -> None:
        """Into one time step, or back."""
        self.inside.toggle()

    def toggle_full_screen(self) -> None:
        """Full screen, or a window again."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def leave(self) -> None:
        """Esc: back by one step from wherever the person is."""
        steps: list[tuple[bool, Callable[[], object]]] = [
            (not self.canvas.hasFocus(), self.canvas.setFocus),
            (bool(self.stage.toasts.toasts), self.stage.toasts.dismiss_last),
            (self.stage.welcome is not None, self.welcoming.dismiss),
            (self.inside.on, self.inside.leave),
            (self.presenter.on, self.toggle_presenter),
            (self.isFullScreen(), self.toggle_full_screen),
        ]
        for applies, step in steps:
            if applies:
                step()
                return

    def show_keys(self) -> None:
        """The sheet of keys."""
        sheet = KeySheet(self.commands, self)
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.open()

    def quit(self) -> None:
        """Close the window, and with it the program, if the person agrees."""
        if self.keeping.may_close():
            self.close()

    # Qt

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Take files that can be opened."""
        if event is not None and dropped_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Open the file."""
        path = dropped_file(event.mimeData()) if event is not None else None
        if event is not None and path is not None:
            event.acceptProposedAction()
            self.files.open(path)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Stop order: timer, widgets, then threads."""
        if not self._closed and event is not None and event.spontaneous() and not self.keeping.may_close():
            event.ignore()
            return
        if not self._closed:
            self._closed = True
            if self.presenter.on:
                self.toggle_presenter()
            self.layout_kept.save(self.settings)
            self.settings.save_view(self.session.view)
            self.settings.sync()
            self.hide()
            self.session.keep_work()
            self.refresher.stop()
            self._guard.close()
            self.undo.close()
            self._bridge.close()
            self.session.view.events.disconnect(self._on_view)
            self.stage.toasts.close()
            self.parameters.close()
            self.plots.close()
            self.exporting.close()
            self.lessons.close()
            self.inside.mode.close()
            self.pictures.close()
            self.session.close(_PATIENCE)
        super().closeEvent(event)
