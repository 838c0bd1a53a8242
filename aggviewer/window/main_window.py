"""The window: makes its parts, gives each what it uses, and brings to them what the session says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from psygnal import EmissionInfo
from PyQt6.QtCore import QEvent, QObject, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QMainWindow, QMessageBox

from aggviewer.canvas import DiscCanvas
from aggviewer.document.document import FieldChange
from aggviewer.lessons.own_views import OwnViews
from aggviewer.lessons.source import is_lesson
from aggviewer.parameters import ParametersPanel
from aggviewer.plots import PlotsPanel
from aggviewer.session import Analysis, Notice, Session, Shown, Status, SystemInfo
from aggviewer.studies.studies import Studies
from aggviewer.style.theme import WindowTheme
from aggviewer.systems.desk import Desk
from aggviewer.systems.registry import layouts, plots_of
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.input_guard import InputGuard
from aggviewer.widgets.popup import Popup
from aggviewer.window.bars.status_bar import WindowStatusBar
from aggviewer.window.bars.transport import RunTransport
from aggviewer.window.canvases.canvases import Canvases, MoveSteps
from aggviewer.window.canvases.comparing import Comparing
from aggviewer.window.commands.command_set import CommandSet
from aggviewer.window.commands.help import help_commands
from aggviewer.window.commands.python import python_commands
from aggviewer.window.commands.registered import Registered, plug_in_groups
from aggviewer.window.commands.systems import RunningSystem, SystemParts
from aggviewer.window.commands.top_bar import TopBar, fill_menu_bar
from aggviewer.window.commands.undo import UndoActions
from aggviewer.window.commands.view import view_commands, view_groups
from aggviewer.window.console.console import Console
from aggviewer.window.console.names import ConsoleWindow, Names
from aggviewer.window.dialogs.exports import Exports
from aggviewer.window.dialogs.film_files import FilmFiles
from aggviewer.window.dialogs.film_job import Films
from aggviewer.window.files.file_dialogs import FileChooser
from aggviewer.window.files.opening import Catalog, Opener, Opening, dropped_file
from aggviewer.window.files.plug_ins import PlugIns
from aggviewer.window.files.recording import RecordingFiles
from aggviewer.window.files.session_files import SessionFiles
from aggviewer.window.gallery.scenarios import Scenarios
from aggviewer.window.gallery.welcome import Welcome
from aggviewer.window.gui_thread import GuiThread
from aggviewer.window.hovering import Hovering
from aggviewer.window.lesson.classroom import WindowClassroom
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.marks.controller import MarkController
from aggviewer.window.panels.inspector import Inspector
from aggviewer.window.panels.merges import MergeHistory
from aggviewer.window.panels.side_panels import SidePanels
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.picture.layer_list import LayerList
from aggviewer.window.picture.scale_editor import ScaleEditor
from aggviewer.window.presenting.counting import AnswerCounter
from aggviewer.window.presenting.presenter import Presenter
from aggviewer.window.presenting.teacher import TeacherBar
from aggviewer.window.presenting.tools import PresenterTools
from aggviewer.window.refresher import Refresher
from aggviewer.window.settings import WindowSettings
from aggviewer.window.stage.stage import Stage
from aggviewer.window.stage.toasts import Messages
from aggviewer.window.step_view.controller import StepView
from engine.scenario import Scenario

_PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress)
_PATIENCE = 0.5  # seconds that a window which is closed waits for each thread


class MainWindow(QMainWindow):
    """The one window of the program. Close it to stop the session: widgets first, then the threads.

    What a person sees of it is public: `canvases`, `stage`, `parameters`, `plots`, `transport`, `top_bar`, `status`;
    with the `session`, the `commands`, and the `refresher` that brings in new frames.

    Signals: ``closed`` when it has been closed.
    """

    closed = pyqtSignal()

    def __init__(self, session: Session, settings: WindowSettings) -> None:
        super().__init__()
        self.setWindowTitle("aggviewer")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(False)
        self.setAnimated(False)  # panels that slide would be laid out many times
        self._closed = False
        settings.read_document(session.document)
        session.document.changed.connect(self._on_document)

        # what is seen
        self.session = session
        self._settings = settings
        self._theme = WindowTheme(self)
        self._theme.choose(session.view.theme)  # before there are widgets, each of which it would style anew
        self._gui_thread = gui_thread = GuiThread(self)
        self._running = running = RunningSystem()
        self.commands = commands = CommandSet(self)
        self.canvases = canvases = Canvases(self, session.view, settings)
        self.stage = stage = Stage(canvases, self)
        self.setCentralWidget(stage)
        self.parameters = ParametersPanel(session, layouts())
        self._catalog = Catalog()
        self.plots = PlotsPanel(plots_of, self._catalog.title_of, model=session.document.plots, one_by_one=True)
        self._panels = SidePanels(self, session.document.panels, self.parameters, self.plots, self._to_picture)
        self.refresher = Refresher(session, canvases, gui_thread, self)
        self._messages = Messages(stage.toasts, self.parameters)
        notify, shown = self._messages.show, self.refresher.shown

        # what can be done
        chooser = FileChooser(self, settings, stage.toasts.begin)
        self._opening = Opening(session, self._catalog, chooser, settings, self)
        self._recording = RecordingFiles(self, session, chooser, settings)
        self._marks = MarkController(self, session, canvases, commands, notify)
        stage.add_below(self._marks.panel)
        self.transport = RunTransport(session, running, commands, settings, self._recording.start_here)
        stage.add_below(self.transport)
        self._session_files = SessionFiles(self, session, self.transport.show_speed, stage.toasts, chooser, settings)
        self._exports = Exports(self, self.plots, canvases, chooser, settings, session.notices.send)
        self._films = Films(stage.picture, notify)
        self._comparing = Comparing(session, canvases, self.parameters, self.plots)
        self._picks = SelectionController(self, session, canvases, commands, shown)
        self._inspector = Inspector(self, session, canvases, shown, chooser, notify, commands.update)
        self._merges = MergeHistory(self, session, self._picks.target, self._inspector.dock, chooser, notify)
        self._step_view = StepView(self, session, running, canvases, gui_thread)
        stage.add_below(self._step_view.mode.bar)
        self._undo = UndoActions(self, session.history)
        self._move_steps = MoveSteps(canvases, session.history)
        self._own_views = own_views = OwnViews(self, self._theme)
        classroom = WindowClassroom(
            session,
            gui_thread.later,
            commands,
            self.plots,
            self.transport.show_speed,
            stage.toasts.clear_told,
            lambda: {**own_views.numbers(), **self._step_view.numbers()},
            self,
        )
        self._lessons = Lessons(
            self,
            session,
            classroom,
            canvases,
            self.refresher,
            self.parameters,
            self.plots,
            self._panels,
            own_views,
            stage.set_cover,
            settings,
            commands.update,
            self._to_picture,
        )
        lesson_files = Opener(is_lesson, self._lessons.open, lambda path: f"Lesson {path.parent.name}")
        self._opening.openers.append(lesson_files)
        self._studies = Studies(
            self,
            session,
            self._theme,
            self._catalog.title_of,
            chooser.to_save,
            notify,
            stage.toasts.show,
            self.plots.keep_study,
        )
        self.plots.seeds_asked.connect(self._studies.over_seeds)
        self._scenarios = Scenarios(self, commands, self._catalog, self._lessons.bundled, self._opening, settings)
        self._welcome = Welcome(stage, settings, self._scenarios.cards, self._to_picture)
        self._plug_ins = PlugIns(self, chooser, notify, self._on_plug_ins)
        hands = ConsoleWindow(session, commands, self._opening, self._plug_ins, self._picks.choose)
        names = Names(hands, session, shown)
        self._console = Console(self, names, commands, session.notices.send, self._to_picture)
        self.status = WindowStatusBar()
        self.setStatusBar(self.status)
        self._hovering = Hovering(self.status, shown)
        self._teacher = teacher = TeacherBar(self.parameters, settings, self._lessons.teachers_key)
        stage.add_foot(teacher)
        stage.covered.connect(teacher.on_covered)
        counter = AnswerCounter(self, self._lessons, stage, commands.update, self._to_picture)
        self._presenter = Presenter(
            self,
            session.document,
            self._panels,
            self.plots,
            canvases,
            self._lessons,
            self._theme,
            settings,
            stage,
            PresenterTools(self, self._lessons, teacher, counter),
        )
        menu_bar = self.menuBar()
        assert menu_bar is not None
        for part in (
            canvases,
            self._panels,
            self._opening,
            self._scenarios,
            self._recording,
            self._session_files,
            self._exports,
            FilmFiles(
                self,
                session,
                canvases,
                self.plots,
                shown,
                lambda: self._picks.following.disc,
                self._films,
                chooser,
                notify,
            ),
            self._comparing,
            self._step_view,
            self._undo,
            self._picks,
            self._marks,
            self._inspector,
            self._merges,
            self._own_views,
            self._lessons,
            self._studies,
            self._welcome,
            self._presenter,
            self._console,
            self._plug_ins,
        ):
            commands.add(*part.commands())
        commands.add(*view_commands(session.view), *help_commands(commands, self), *self._commands())
        commands.add(*python_commands(session, shown, notify))
        self._scale = ScaleEditor(session.view, lambda: canvases.explaining, self)
        self._layer_list = LayerList(session.view, lambda: canvases.first, commands, self)
        commands.add(*self._scale.commands(), *self._layer_list.commands())
        desk = Desk(
            self,
            session,
            running.offers,
            shown,
            chooser.to_save,
            self._recording.new_start,
            notify,
            stage.toasts.begin,
            stage.toasts.clear_news,
            lambda call: gui_thread.connect(session.scenario_changed, call),
            self.refresher.analysed.connect,
        )
        self._registered = Registered(
            commands,
            lambda: (
                *view_groups(session.view, running, shown),
                *self._panels.groups(),
                *self._exports.groups(),
                *plug_in_groups(session, desk, self._registered.has),
            ),
        )
        self._registered.follow()
        teacher.add_buttons(commands)
        self._marks.add_buttons()
        self.top_bar = TopBar(commands, session.view, self)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.top_bar)
        fill_menu_bar(menu_bar, commands)
        self._systems = SystemParts(running, session.view, commands, self.plots, self.top_bar)

        self._listen()
        self._on_view()
        settings.restore_layout(self)
        self._panels.lay_out()
        if not settings.welcome_dismissed:
            self._welcome.show()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._guard = InputGuard(application, self, self._to_picture, self._on_input)
        self._to_picture()

    def _listen(self) -> None:
        """What one part says to others, and the session to all."""
        session, connect = self.session, self._gui_thread.connect
        connect(session.notices.sent, self._messages.show)
        for what, left_out in (("Scenarios", self._catalog.left_out), ("Lessons", self._lessons.left_out)):
            if left_out:
                self._messages.show(Notice("warning", f"{what} that cannot be read are left out", "\n".join(left_out)))
        connect(session.state_changed, self._on_state)
        connect(session.scenario_changed, self._on_scenario)
        connect(session.lanes_changed, self._on_lanes)
        connect(session.resumed, self._session_files.show)
        connect(session.file_opened, self._opening.on_opened)
        connect(session.file_refused, self._opening.on_refused)
        connect(session.file_written, self._opening.list_recent)
        connect(session.history.changed, self._on_history)
        connect(session.view.events, self._on_view)
        connect(session.marking.changed, self._picks.show)
        connect(session.marking.changed, self._marks.on_marks)
        connect(session.marking.changed, self._inspector.panel.mark)
        connect(session.merges_found, self._merges.panel.take)
        self._picks.noted.connect(self.status.show_note)
        self.refresher.system_shown.connect(self._on_system)
        self.refresher.frame_shown.connect(self._on_frame)
        self.refresher.analysed.connect(self._on_analysis)
        self.refresher.status_found.connect(self._on_status)
        self.canvases.hovered.connect(self._hovering.on_hover)
        parts = (self._hovering, self._inspector, self._console, self._picks)
        self.refresher.readers += [part.reads for part in parts]
        self.canvases.scale_asked.connect(lambda place: self._scale.open_at(place.toPoint()))
        self._opening.begun.connect(self._on_opening)
        self._opening.leaves_lesson.connect(self._lessons.leave)
        self._session_files.leaves_lesson.connect(self._lessons.leave)
        self._opening.chosen.connect(self._to_picture)
        self._step_view.changed.connect(self._on_step_view)
        self.plots.wanted_changed.connect(session.publishers.want)
        session.publishers.want(self.plots.wanted)
        self.plots.problem.connect(lambda words: self._messages.show(Notice("warning", words)))
        self._panels.changed.connect(self.commands.update)
        for follow in (
            self.plots.set_theme,
            self._merges.set_colors,
            self._comparing.set_theme,
            self._step_view.mode.bar.set_colors,
            self._lessons.set_colors,
            self._console.set_colors,
        ):
            self._theme.changed.connect(follow)
            follow(self._theme.colors)
        self.parameters.applied.connect(self.stage.toasts.clear_input_errors)
        self.commands.used.connect(lambda _command: self._catch_up())
        self.commands.used.connect(self._welcome.on_command)
        begun = self._welcome.begun
        for signal in (self.canvases.asked, self.stage.touched, self.parameters.applied):
            signal.connect(begun)
        self.transport.speed.value_changed.connect(begun)
        self._scenarios.gallery.chosen.connect(begun)

    def _commands(self) -> tuple[Command, ...]:
        return (
            Command("file.quit", "Quit", self.quit, ("Ctrl+Q",), menu=Place("File", 4, 1)),
            Command(
                "view.full_screen",
                "Full screen",
                lambda: self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen),
                ("F11",),
                icon="mdi6.fullscreen",
                checked=self.isFullScreen,
                menu=Place("View", 5, 2),
            ),
            Command(
                "view.leave",
                "Leave",
                self._leave,
                ("Esc",),
                "Leave a field, a message, a tool, a followed disc, the selection, presenter mode or full screen",
            ),
        )

    @property
    def canvas(self) -> DiscCanvas:
        """The picture that is always there."""
        return self.canvases.first

    def sizeHint(self) -> QSize:
        """Room for the picture between the panels."""
        return QSize(1440, 880)

    def open_first(self, files: list[str], default: str) -> None:
        """Open what the command line named, `default` where that is nothing or cannot be opened.

        One window shows one system: of several files the last one stays.
        """
        if not files:
            self._opening.open_bundled(default)
        for name in files:
            self._opening.open(Path(name), otherwise=default)

    def offer_kept_work(self) -> None:
        """Offer what the last run left behind."""
        self._session_files.offer()
        self._studies.offer()

    # what the session says

    def _on_document(self, change: FieldChange) -> None:
        self._settings.keep_document(self.session.document, change)

    def _on_state(self, state: str) -> None:
        self.transport.set_state(state)
        status = self.session.status()
        # while there is no run yet, nothing is lost where a changed scenario takes the place of what is being built
        self.parameters.set_busy(state in ("loading", "compiling") and bool(status.lanes))
        self._on_status(status)

    def _on_scenario(self, scenario: Scenario) -> None:
        self.parameters.set_scenario(scenario)
        title = self._catalog.title_of(scenario)
        self.top_bar.show_scenario(title)
        self._scenarios.running = title
        self.setWindowTitle(f"{title} – aggviewer")

    def _on_lanes(self, scenarios: tuple[Scenario, ...]) -> None:
        self._comparing.follow(scenarios, self._theme.colors)
        self._merges.panel.set_lanes(len(scenarios))
        self.commands.update()

    def _on_history(self) -> None:
        self._undo.name(self.commands)

    def _on_system(self, lane: int, system: SystemInfo) -> None:
        self._systems.follow(system.scenario.system, system.fields)
        self._picks.on_system(lane)
        self._marks.on_system()
        self._merges.on_system(lane, system)
        self.commands.update()
        self.plots.begin(lane)
        self._presenter.follow_system()

    def _on_frame(self, lane: int, shown: Shown) -> None:
        if lane == 0:
            self.transport.set_time(shown.frame.time)
            self.status.show_frame(shown)
        self.canvases.show_moment(lane, shown)
        self._hovering.on_frame(lane)
        self._picks.on_frame(lane, shown)
        self._marks.on_frame(lane)
        self._merges.on_frame(lane, shown)

    def _on_analysis(self, lane: int, analysis: Analysis) -> None:
        if analysis.system.scenario.system == self.plots.kind:
            self.plots.refresh(analysis, lane)

    def _on_status(self, status: Status) -> None:
        shown, canvas = self.refresher.shown(), self.canvas
        self.canvases.show_status(status, self.refresher.shown)
        self.transport.show_status(status)
        self._session_files.keep_safe(status)
        self.commands.update()
        remark = shown.frame.remark if shown is not None else None
        words = remark.text if remark is not None else ""
        self.status.show_status(status, canvas.fps, canvas.renderer, shown, words)
        self.stage.preparation.show_status(status)
        if canvas.notice:
            self._messages.show(Notice("warning", canvas.notice))
            canvas.notice = ""

    def _on_plug_ins(self) -> None:
        """A plug-in was loaded, or taken back because something of it does not fit: show what there is now. InputError
        where that cannot be."""
        document = self.session.document
        blank = document.renew(lambda error: self._messages.show(Notice("warning", str(error))))
        self._settings.read_document(document, blank)
        changed = self._registered.follow()
        menu_bar = self.menuBar()
        if changed and menu_bar is not None:
            fill_menu_bar(menu_bar, self.commands)
            if any(isinstance(entry, Command) and entry.bar is not None for entry in changed):
                self.top_bar.fill()
                self._teacher.add_buttons(self.commands)
        self.parameters.renew(layouts())
        self._teacher.renew()
        self._layer_list.renew()
        shown = self.refresher.shown()
        fields = self._running.fields if shown is None else shown.system.fields
        self._systems.follow(self._running.name, fields)
        self.commands.update()
        self.session.refresh()

    # what the person does

    def _on_input(self, watched: QObject | None, event: QEvent) -> bool:
        """Input, before anything else gets it; True where it goes no further."""
        if event.type() in _PRESSES:
            self._catch_up()
        return self._undo.sees(watched, event)

    def _catch_up(self) -> None:
        """The person does something: that finds a window which knows all that was said, and shows the discs that run.
        No frame of them would come while somebody looks into a step."""
        self._gui_thread.finish()
        self.refresher.catch_up()

    def _on_opening(self, name: str) -> None:
        self.stage.toasts.clear_input_errors()
        if name:
            self.top_bar.show_scenario(name)

    def _on_step_view(self, on: bool) -> None:
        self.transport.setHidden(on)
        self.refresher.held = on
        self.commands.update()

    def _on_view(self, _change: EmissionInfo | None = None) -> None:
        self._theme.choose(self.session.view.theme)
        self.commands.update()
        self._systems.show_color_by()

    def _to_picture(self) -> None:
        (self.stage.cover or self.canvas).setFocus()

    def _leave(self) -> None:
        """Esc: back by one step from wherever the person is."""
        toasts, counter = self.stage.toasts, self._presenter.tools.counter
        steps: list[tuple[bool, Callable[[], object]]] = [
            (counter.on, counter.close),
            (not (self.stage.cover or self.canvas).hasFocus(), self._to_picture),
            (bool(toasts.toasts), toasts.dismiss_last),
            *self._marks.ways_back(),
            *self._picks.ways_back(),
            (self.stage.welcome is not None, self._welcome.dismiss),
            (self._step_view.on, self._step_view.leave),
            (self._presenter.on, self._presenter.toggle),
            (self._lessons.on, self._lessons.leave),
            (self.isFullScreen(), lambda: self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)),
        ]
        for applies, step in steps:
            if applies:
                step()
                return

    def quit(self) -> None:
        """Close the window, and with it the program, if the person agrees."""
        if self.may_close():
            self.close()

    def may_close(self) -> bool:
        """Whether the window may go. What took long is kept without a question; only a recording is asked about."""
        if self.session.status().recording is None:
            return True
        box = QMessageBox(self)
        box.setWindowTitle("Close aggviewer")
        box.setText("A recording is being made.")
        box.setInformativeText("It ends here; what is in the file stays.")
        close = QMessageBox.StandardButton.Close
        box.setStandardButtons(close | QMessageBox.StandardButton.Cancel)
        return box.exec() == close

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
            self._opening.open(path)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Stop order: timer, widgets, then threads."""
        if not self._closed and event is not None and event.spontaneous() and not self.may_close():
            event.ignore()
            return
        if not self._closed:
            self._closed = True
            if self._presenter.on:
                self._presenter.toggle()
            self._lessons.leave()
            self._presenter.close()
            self.session.document.changed.disconnect(self._on_document)
            self._settings.save_layout(self)
            self._settings.sync()
            self.hide()
            for popup in self.findChildren(Popup):  # windows of their own
                popup.close()
            self._theme.close()
            self.session.keep_work()
            self.session.stop()  # its threads end while the widgets are closed
            self.refresher.stop()
            self._guard.close()
            self._console.close()
            self._plug_ins.close()
            self._gui_thread.close()
            self.stage.toasts.close()
            self.parameters.close()
            self._panels.close()
            self.plots.close()
            self._inspector.panel.close()
            self._merges.panel.close()
            self._films.close()
            self._marks.close()
            self._lessons.close()
            self._own_views.close()
            self._studies.close()
            self._step_view.mode.close()
            self.canvases.close()
            self.session.close(_PATIENCE)
            self.closed.emit()
        super().closeEvent(event)
