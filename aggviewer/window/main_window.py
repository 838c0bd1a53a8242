"""The window: parameters, picture, plots, transport, status; brings them together and owns nothing but the layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

from aggviewer.panels import ParametersPanel, PlotsPanel, in_words
from aggviewer.session import Analysis, Notice, Session, Shown, Status, SystemInfo
from aggviewer.window import declarations, hover, menus
from aggviewer.window.bridge import SessionBridge
from aggviewer.window.catalog import Catalog
from aggviewer.window.commands import CommandSet
from aggviewer.window.comparing import Comparing
from aggviewer.window.exporting import Exporting
from aggviewer.window.files import FileActions, dropped_file
from aggviewer.window.jamming import JammingActions, PackingFacts
from aggviewer.window.keeping import Keeping
from aggviewer.window.kept_layout import KeptLayout
from aggviewer.window.key_sheet import KeySheet
from aggviewer.window.keys import KeyGuard
from aggviewer.window.lessons import Lessons
from aggviewer.window.looking_inside import LookingInside
from aggviewer.window.palette import CommandPalette
from aggviewer.window.pictures import Pictures
from aggviewer.window.presenter import Presenter
from aggviewer.window.recording import Recording
from aggviewer.window.refresher import Refresher
from aggviewer.window.seed_series import SeedSeries
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage import Stage
from aggviewer.window.status_bar import WindowStatusBar
from aggviewer.window.systems import JAMMING, STICKING, SystemParts
from aggviewer.window.theme import WindowTheme
from aggviewer.window.transport import Transport
from aggviewer.window.welcome import WelcomeStrip
from engine.scenario import Scenario

_PATIENCE = 0.5  # seconds that a window which is closed waits for each thread
_WITH_WELCOME = ("help.welcome", "help.keys", "help.palette", "view.leave")  # commands that leave the strip where it is


class MainWindow(QMainWindow):
    """The one window of the program. Close it to stop the session: widgets first, then the threads."""

    def __init__(self, session: Session, settings: WindowSettings) -> None:
        super().__init__()
        self.setWindowTitle("aggviewer")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(False)
        self.session = session
        self.settings = settings
        self._closed = False
        self.catalog = Catalog()
        self.commands = CommandSet(self)
        self.theme = WindowTheme(self)
        settings.load_view(session.view)

        self.stage = Stage(self)
        self.pictures = Pictures(self.stage.picture, session.view)
        self.canvas = self.pictures.first
        self.stage.set_pictures(self.pictures)
        self.setCentralWidget(self.stage)
        self.parameters = ParametersPanel(session)
        self.plots = PlotsPanel(session)
        self.comparing = Comparing(session, self.pictures, self.parameters, self.plots)
        self.parameters_dock = self._dock("Parameters", self.parameters, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.plots_dock = self._dock("Plots", self.plots, Qt.DockWidgetArea.RightDockWidgetArea)
        self.palette_popup = CommandPalette(self.commands, self)
        self.files = FileActions(self, session, self.pictures, settings)
        self.recording = Recording(self, session, settings)
        self.keeping = Keeping(self)
        self.exporting = Exporting(self)
        self.jamming = JammingActions(self)
        self.series = SeedSeries(self)
        self.lessons = Lessons(self, self.theme)
        declarations.declare(self)
        self.transport = Transport(session, self.commands)
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

        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._key_guard = KeyGuard(application)
        self._bridge = SessionBridge(session, self)
        self.inside = LookingInside(self, session, self.pictures, self._bridge, self._on_inside)
        self.stage.set_transport(self.inside.mode.bar)
        self._bridge.notice.connect(self.show_notice)
        self._bridge.state_changed.connect(self._on_state)
        self._bridge.scenario_changed.connect(self._on_scenario)
        self._bridge.scenario_changed.connect(self.series.follow)
        self._bridge.lanes_changed.connect(self._on_lanes)
        self._bridge.resumed.connect(self.keeping.show)
        self.pictures.hovered.connect(self._show_hover)
        self.pictures.canvases_changed.connect(lambda: self.refresher.forget())
        self.pictures.asked.connect(self._welcomed)
        self.commands.on_used = self._on_command
        self.stage.touched.connect(self._welcomed)
        self.parameters.applied.connect(self._welcomed)
        self.parameters.applied.connect(self.stage.toasts.clear_input_errors)
        self.files.on_open = self.stage.toasts.clear_input_errors
        self.transport.speed.value_changed.connect(self._welcomed)
        for dock in (self.parameters_dock, self.plots_dock):
            dock.visibilityChanged.connect(lambda _visible: self.commands.update_checks())
        self.theme.changed.connect(self._on_theme)
        session.view.events.connect(self._on_view)
        self._on_view()
        self._on_theme()
        self.refresher = Refresher(
            session, self.pictures, self._on_system, self._on_analysis, self._on_frame, self._on_status, self
        )
        self.layout_kept = KeptLayout(self, self.parameters_dock, self.plots_dock)
        self.layout_kept.restore(settings)
        if not settings.welcome_dismissed:
            self.show_welcome()
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

    # from the session, on the GUI thread

    def show_notice(self, notice: Notice) -> None:
        """A message over the picture, and at the field that it is about."""
        at_field = notice.key in self.parameters.rows
        self.stage.toasts.show(replace(notice, title=in_words(notice.title)) if at_field else notice)
        if at_field and notice.level == "error":
            self.parameters.show_error(notice.key, notice.title)

    def _on_state(self, state: str) -> None:
        self.transport.set_state(state)
        self.parameters.set_busy(state in ("loading", "compiling"))
        self._on_status(self.session.status())

    def _on_scenario(self, scenario: Scenario) -> None:
        self.parameters.set_scenario(scenario)
        title = self.catalog.title_of(scenario)
        self.top_bar.show_scenario(title)
        self.setWindowTitle(f"{title} – aggviewer")

    def _on_lanes(self, scenarios: tuple[Scenario, ...]) -> None:
        self.comparing.follow(scenarios, self.theme.dark)
        self.commands.update_checks()

    def _on_inside(self, on: bool) -> None:
        self.transport.setHidden(on)
        self.refresher.held = on
        self.commands.update_checks()

    def _on_system(self, lane: int, system: SystemInfo) -> None:
        self.systems.follow(system.scenario.system)
        self.commands.update_checks()
        self.plots.set_system(system.radii, lane)

    def _on_frame(self, lane: int, shown: Shown) -> None:
        if lane == 0:
            self.transport.set_time(shown.frame.time)

    def _on_analysis(self, lane: int, analysis: Analysis) -> None:
        if analysis.gas is not None:
            self.plots.refresh_gas(analysis.gas, analysis.time, lane)
        elif analysis.jamming is not None:
            self.plots.refresh_jamming(analysis.jamming, lane)
            self.series.look(lane, analysis)
        else:
            self.plots.refresh(analysis.indicators, analysis.history, analysis.time, lane)

    def _on_status(self, status: Status) -> None:
        self.pictures.show_status(status)
        self.transport.show_status(status)
        shown = self.refresher.shown()
        self.keeping.look(status, shown.system if shown is not None else None)
        self.commands.update_checks()
        self.comparing.show_convergence(self.refresher.shown)
        self.commands.set_reason_against("method.inside", self.inside.reason_against(status))
        self.series.show_status(status)
        if status.system != JAMMING:
            self.commands.set_reason_against("run.jam", self.jamming.reason_against(status))
        self.status.show_status(status, self.canvas.fps, self.canvas.renderer, PackingFacts.of(shown))
        self.stage.preparation.show_status(status)
        if self.canvas.notice:
            self.show_notice(Notice("warning", self.canvas.notice))
            self.canvas.notice = ""

    def _show_hover(self, lane: int, disc: int) -> None:
        self.status.show_hover(hover.describe(self.refresher.shown(lane), disc))

    # view and theme

    def _on_view(self) -> None:
        self.theme.choose(self.session.view.theme)
        self.commands.update_checks()
        self.systems.show_color_by()

    def _on_theme(self) -> None:
        colors = self.theme.colors
        self.commands.set_icon_color(colors.text, colors.on_accent)
        self.transport.set_colors(colors)
        self.parameters.set_theme(self.theme.dark)
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

    def toggle_fastest(self) -> None:
        """As fast as it can, or at a pace."""
        self.transport.toggle_fastest()

    def toggle_dock(self, dock: QDockWidget) -> None:
        """Show or hide a panel."""
        dock.setVisible(dock.isHidden())

    def focus_plot(self, number: int) -> None:
        """One plot alone, or all again."""
        self.plots_dock.show()
        self.plots.focus_plot(number)
        self.canvas.setFocus()

    def toggle_presenter(self) -> None:
        """The picture and one plot, or the whole window."""
        self.presenter.toggle()

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
            (self.stage.welcome is not None, self._dismiss_welcome),
            (self.inside.on, self.inside.leave),
            (self.presenter.on, self.presenter.toggle),
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

    def show_welcome(self) -> None:
        """The strip with three scenarios."""
        names = {entry.name for entry in self.catalog.entries}
        self.stage.set_welcome(WelcomeStrip(names, self.open_bundled, self._dismiss_welcome, self.stage.picture))

    def _dismiss_welcome(self) -> None:
        self._welcomed()
        self.canvas.setFocus()

    def _welcomed(self) -> None:
        """The person has begun: the strip has done what it is for."""
        if self.stage.welcome is not None:
            self.settings.welcome_dismissed = True
            self.stage.set_welcome(None)

    def _on_command(self, command_id: str) -> None:
        if command_id not in _WITH_WELCOME:
            self._welcomed()

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
                self.presenter.toggle()
            self.layout_kept.save(self.settings)
            self.settings.save_view(self.session.view)
            self.settings.sync()
            self.hide()
            self.refresher.stop()
            self._key_guard.close()
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
