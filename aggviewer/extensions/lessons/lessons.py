"""Lessons in the window: menu and panel, and restoring the previous state when a lesson is left."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QDockWidget, QWidget

from aggviewer.canvas.layers.velocities import VelocityLayer
from aggviewer.document.view import ViewModel
from aggviewer.extensions.lessons.answers import ClassAnswers
from aggviewer.extensions.lessons.classroom import OwnViews, WindowClassroom
from aggviewer.extensions.lessons.model import Question
from aggviewer.extensions.lessons.panel import LessonPanel
from aggviewer.extensions.lessons.player import LessonPlayer
from aggviewer.extensions.lessons.source import LessonFile, bundled, find_lesson, is_lesson, title_of_lesson
from aggviewer.extensions.lessons.worksheet import write_worksheet
from aggviewer.parameters import ParametersPanel
from aggviewer.parameters.single import SingleParameter
from aggviewer.plots import PlotsPanel
from aggviewer.session import DiscSet, Notice, Shown
from aggviewer.style.theme import Colors
from aggviewer.systems.registry import Catalog
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import Dock, keep_layout
from aggviewer.widgets.part import Context, Part, Tile, TileGroup, pictures_of
from aggviewer.window.canvases import Canvases
from aggviewer.window.files import Opener, Opening, SessionFiles
from aggviewer.window.refresher import Refresher
from aggviewer.window.run_display import RunDisplay
from aggviewer.window.settings import WindowSettings
from aggviewer.window.side_panels import SidePanels
from aggviewer.window.stage import Stage
from aggviewer.window.toasts import Messages
from aggviewer.window.transport import RunTransport
from engine.errors import InputError

_LOOK_MS = 100  # between two looks at what the learner does
_KEPT = "lessons"  # the group of the settings with the progress of each lesson
_UNDO_MS = 10_000  # that *New class* can be undone
_SHARE = 0.24  # of the window's width for the lesson
_LEAST, _MOST = 288, 400  # pixels of it
_BESIDE = 1600  # of the window's width from which plots have a place of their own beside the picture
_LEAST_PLOT = 0.3  # of the window's height left to plots below a long text, which then scrolls
_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_FRESH = ("color_by", "layers", "opacities", "scales", "arrow_speed", "slab")
"""View fields that a lesson resets to their defaults at the start."""


class Lessons(Part):
    """Starts and leaves lessons, one at a time.

    Attributes
    ----------
    bundled : the lessons that come with the program.
    left_out : a sentence about each lesson that could not be read.
    """

    leaves = 10

    def __init__(self, context: Context) -> None:
        self._context, self._window = context, context.window
        window = context.window
        self._session, self._update, self._to_picture = context.session, context.commands.update, context.focus_picture
        self._run_command = context.commands.run
        self._canvases, self._refresher = context[Canvases], context[Refresher]
        self._parameters, self._plots, self._panels = context[ParametersPanel], context[PlotsPanel], context[SidePanels]
        self._settings, self.classroom = context[WindowSettings], context[WindowClassroom]
        self._own_views, self._stage = context[OwnViews], context[Stage]
        self._transport = context[RunTransport]
        self.panel = LessonPanel(self._control, self._ask_point, self._plots.end_point, self._to_picture)
        self.panel.leave_asked.connect(self.leave)
        self.panel.message.connect(lambda words: context.notify(Notice("info", words, about="lesson")))
        self.panel.laid_out.connect(self._share_height)
        self.panel.moved.connect(self._on_moved)
        self.dock = Dock("Lesson", window)
        self.dock.setObjectName("lessonDock")
        self.dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetClosable)
        self.dock.setWidget(self.panel)
        self.dock.hide()
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.dock)
        self.panel.titled.connect(lambda title: self.dock.setWindowTitle(f"Lesson: {title}"))
        self.dock.visibilityChanged.connect(self._on_visible)
        self.usual_layout: Callable[[], AbstractContextManager[None]] = nullcontext
        """Returns to the usual layout of the window while panels are shown or hidden; presenter mode has a layout of
        its own."""
        self.left_out: list[str] = []
        self.bundled = bundled(self.left_out.append)
        self._on = False
        self._bring_back: list[Callable[[], None]] = []  # what the panels showed before the lesson
        self._following: LessonFile | None = None  # the lesson after the one that is shown
        self._usual_view = ViewModel()
        self._files, self._notify = context.files, context.notify
        self.panel.ways_on = self._ways_on
        self._replaced_discs: DiscSet | None = None  # the discs that the lesson has replaced
        self._refresher.frame_shown.connect(lambda lane, shown: self._keep_scale(shown) if lane == 0 else None)
        self._timer = QTimer(window)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._check_task)
        self._plots.choice_changed.connect(self.make_room)
        context.theme.changed.connect(self.set_colors)
        self.set_colors(context.theme.colors)
        opening = context[Opening]
        opening.openers.append(Opener(is_lesson, self.open, lambda path: f"Lesson: {title_of_lesson(path)}"))
        for part in (opening, context[SessionFiles]):  # what they open would disappear with the lesson
            part.replaces_run.connect(self.leave)
        if self.left_out:
            context.notify(Notice("warning", "Some lessons could not be read", "\n".join(self.left_out)))

    def tiles(self) -> Iterator[TileGroup]:
        """The bundled lessons."""
        tiles = [self._tile(number, found) for number, found in enumerate(self.bundled, 1)]
        yield TileGroup("Lessons", tiles, "Predict, try, compare: short lessons for you or your class")

    def _tile(self, number: int, found: LessonFile) -> Tile:
        lesson, done = found.lesson, self.finished(found)
        return Tile(
            f"{number}. {lesson.title}",
            f"{'Finished. ' if done else ''}{lesson.minutes} min. {lesson.summary}",
            partial(self._run_command, f"lesson.{found.name}"),
            pictures_of(found.name, lesson=True),
            "mdi6.school-outline",
            words=found.name,
            done=done,
        )

    def commands(self) -> Iterator[Command]:
        """A command for each lesson, and commands to move between steps."""
        for number, found in enumerate(self.bundled, 1):
            lesson = found.lesson
            yield Command(
                f"lesson.{found.name}",
                f"{number}. {lesson.title}",
                partial(self.begin, found),
                tooltip=f"{lesson.summary} {lesson.minutes} minutes",
                icon="mdi6.school-outline",
                menu=Place("Learn", 1, number),
            )
        yield Command(
            "lesson.next",
            "Next step of the lesson",
            self.panel.forward,
            ("PgDown",),
            menu=Place("Learn", 2, 1),
            reason=self._why_none,
        )
        yield Command(
            "lesson.previous",
            "Previous step of the lesson",
            lambda: self.player.back() if self.player is not None else None,
            ("PgUp",),
            menu=Place("Learn", 2, 2),
            reason=lambda: (
                "" if self.on and self.player is not None and self.player.number else "This is the first step"
            ),
        )
        yield Command(
            "lesson.repeat",
            "Repeat this step",
            lambda: self.player.repeat() if self.player is not None else None,
            menu=Place("Learn", 2, 3),
            reason=self._why_none,
        )
        yield Command(
            "lesson.again",
            "Restart the lesson",
            lambda: self.player.start_over() if self.player is not None else None,
            tooltip="Delete your answers and measurements and return to the first step",
            menu=Place("Learn", 2, 4),
            reason=self._why_none,
        )
        yield Command(
            "lesson.new_class",
            "New class",
            self.new_class,
            tooltip="Delete all answers, counts and ticks of all lessons, ready for the next class",
            menu=Place("Learn", 2, 6),
        )
        yield Command(
            "lesson.leave",
            "Leave the lesson",
            self.leave,
            tooltip="Return to your own run. The lesson continues here next time",
            menu=Place("Learn", 2, 5),
            reason=self._why_none,
        )

    @property
    def on(self) -> bool:
        """Whether a lesson is open."""
        return self._on

    @property
    def player(self) -> LessonPlayer | None:
        """The player of the open lesson; None if none is open."""
        return self.panel.player

    def teachers_key(self) -> str:
        """The scenario key that the lesson suggests changing in class, "" for none."""
        return self.player.lesson.presenter if self.player is not None else ""

    def open(self, path: Path) -> None:
        """Start a lesson from a file. InputError if it is not a lesson."""
        self.begin(find_lesson(path))

    def begin(self, found: LessonFile) -> None:
        """Open a lesson where it was left last time, putting the present run aside."""
        with self.usual_layout():
            if self.on:
                self._end_player()
            else:
                self._enter()
            context, title = self._context, found.lesson.title
            context[Catalog].folders[found.folder.resolve()] = title
            context[RunDisplay].set_title(title)
            player = LessonPlayer(found, self.classroom, time.monotonic)
            self._own_views.show_in_place(self._show_in_place)
            with self._session.document.unrecorded():
                for name in _FRESH:
                    setattr(self._session.view, name, getattr(self._usual_view, name))
            player.take_plain(self._progress(found))
            self._following = self._after(found)
            player.begin(player.number)
            self._session.copy_own_run()  # if no step has started a run of its own
            player.changed.connect(self._on_changed)
            self.panel.set_player(player)
            self._on_changed()
        self._timer.start()

    def leave(self) -> None:
        """Return to the state before the lesson."""
        if self._on:
            with self.usual_layout():
                self._leave()

    def _leave(self) -> None:
        self._timer.stop()
        self._end_player()
        self._on = self._context[Messages].in_lesson = False
        self._context[RunDisplay].set_title("")
        self._transport.let_others_stand_out(False)
        self.dock.hide()
        self._panels.widths_fixed = False
        self._session.bring_back()
        for bring_back in self._bring_back:
            bring_back()
        self._panels.lay_out()
        self._plots.clear_point()
        self.classroom.tidy()
        self._to_picture()

    def new_class(self) -> None:
        """Delete answers, counts and ticks, and restart the open lesson. The message offers *Undo*."""
        kept = self._settings.forget(_KEPT)
        if self.player is not None:
            self.player.counted, self.player.finished = ClassAnswers(), False
            self.player.start_over()

        def undo() -> None:
            for key, text in kept.items():
                self._settings.store(key, text)
            player = self.player
            if player is not None:
                player.take_plain(self._progress(player.found))
                player.begin(player.number)

        told = Notice("info", "Ready for a new class", "All answers, counts and ticks were deleted.")
        self._notify(told, (("Undo", undo),) if kept else (), _UNDO_MS)

    def finished(self, found: LessonFile) -> bool:
        """Whether a lesson was completed since the last *New class*."""
        kept = self._progress(found)
        return isinstance(kept, dict) and kept.get("finished") is True

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self.panel.set_colors(colors)

    def ways_back(self) -> Iterator[tuple[bool, Callable[[], object]]]:
        """Leave the lesson."""
        yield self.on, self.leave

    def give_back(self) -> None:
        """Leave the lesson, so that the window's previous state is saved."""
        self.leave()

    def close(self) -> bool:
        """Save the lesson's progress, and end its threads."""
        self._timer.stop()
        if self.on:
            self._end_player()
        return self.classroom.close(2.0)

    # the page at the end

    def _after(self, found: LessonFile) -> LessonFile | None:
        """The bundled lesson that follows another one; None after the last."""
        keys = [one.key for one in self.bundled]
        number = keys.index(found.key) + 1 if found.key in keys else len(keys)
        return self.bundled[number] if number < len(keys) else None

    def _ways_on(self) -> dict[str, Callable[[], object]]:
        ways: dict[str, Callable[[], object]] = {}
        if self._following is not None:
            ways[f"Next lesson: {self._following.lesson.title}"] = partial(self.begin, self._following)
        if self._stage.cover is None:
            ways["Try it yourself"] = self._try
        ways["Save the worksheet…"] = self._save_worksheet
        return ways

    def _try(self) -> None:
        """Leave the lesson but keep its run as the user's own. Ctrl+Z brings back the earlier run."""
        scenario, player = self._session.scenario, self.player
        self.leave()
        if scenario is not None and player is not None:
            self._session.load(scenario, title=player.lesson.title)
            self._notify(Notice("info", "Change anything you like in this run", "Ctrl+Z restores your earlier run."))

    def _save_worksheet(self) -> None:
        player = self.player
        if player is None:
            return
        path = self._files.to_save("worksheet", f"{player.found.name}.html", "Save the worksheet", "Web page (*.html)")
        if path is None:
            return
        try:
            write_worksheet(player.found, path)
        except InputError as error:
            self._notify(Notice("error", "The worksheet was not saved", str(error), about="worksheet"))
            return
        words = "Print it from a browser; the answers are on the last page."
        self._notify(Notice("info", f"{path.name} saved", words, folder=str(path.parent), about="worksheet"))

    # inside

    def make_room(self) -> None:
        """Give the space of the plots to the picture in steps without a plot, and that below the text to the page at
        the end."""
        if not self._on:
            return
        panels, player = self._panels, self.player
        ended = self._plots_below and player is not None and player.ended
        (panels.hide if self._plots.choice is None or ended else panels.show)(panels.right)
        self._share_height()

    @property
    def _plots_below(self) -> bool:
        """Whether plots have their place below the text; in presenter mode both are elsewhere."""
        return self.dock.widget() is not None and self._window.dockWidgetArea(self._panels.right) == _LEFT

    def _on_moved(self) -> None:
        if self.player is not None and self._plots_below:
            self.make_room()

    def _share_height(self) -> None:
        """Make the text as high as needed where plots are below it, leaving them some height."""
        plots, panel = self._panels.right, self.panel
        if plots.isHidden() or not self._plots_below:
            return
        room = self.dock.height() + plots.height()
        around = self.dock.height() - panel.height() + panel.foot.sizeHint().height()
        text = min(panel.wanted_height + around, room - round(_LEAST_PLOT * self._window.height()))
        self._window.resizeDocks([self.dock, plots], [text, room - text], Qt.Orientation.Vertical)

    def _show_in_place(self, widget: QWidget | None) -> None:
        """Show a lesson's own view instead of picture and plots, or return to these."""
        if widget is not None:
            self._panels.hide(self._panels.right)  # first, because there may be no room beside it
        self._stage.set_cover(widget)
        if widget is None:
            self._panels.show(self._panels.right)

    def _enter(self) -> None:
        session, panels = self._session, self._panels
        shown = self._refresher.shown()
        self._on, self._replaced_discs = True, None if shown is None else shown.disc_set
        self._bring_back = [keep_layout(self._window), self._plots.keep_place()]
        session.set_aside()
        self._context[Messages].in_lesson = True
        self._transport.let_others_stand_out(True)
        panels.widths_fixed = True
        panels.apart()
        panels.hide(panels.left)
        panels.show(panels.right)
        self.dock.show()
        width = self._window.width()
        if width < _BESIDE and not panels.right.isFloating():  # below the text: the picture keeps its size
            self._window.addDockWidget(_LEFT, panels.right)
            self._window.splitDockWidget(self.dock, panels.right, Qt.Orientation.Vertical)
        lesson = min(max(round(_SHARE * width), _LEAST), _MOST)
        self._window.resizeDocks([self.dock, panels.right], [lesson, lesson], Qt.Orientation.Horizontal)

    def _end_player(self) -> None:
        self._own_views.show_in_place(None)
        player = self.player
        if player is not None:
            player.changed.disconnect(self._on_changed)
            player.leave()
            self._keep_of(player)
            self.panel.set_player(None)

    def _check_task(self) -> None:
        if self.player is not None and self.classroom.settled:
            shown = self._refresher.shown()
            if shown is not None:  # the only frame of a paused run may arrive before the set-up is complete
                self._keep_scale(shown)
            self.player.check_progress()
            self.panel.tell_press()

    def _on_changed(self) -> None:
        player = self.player
        if player is None:
            return
        self._keep_of(player)
        if player.step.predict is not None:
            self._mark_answer(player.step.predict)
        self._update()

    def _mark_answer(self, question: Question) -> None:
        """Mark the answer to a question for a point in its plot."""
        player = self.player
        if player is not None and question.kind == "point" and question.id in player.answers:
            self._plots.show_point(player.answers[question.id])

    def _keep_scale(self, shown: Shown) -> None:
        """Keep the scale of the first velocity arrows for the whole lesson."""
        view = self._session.view
        if self._on and self.classroom.settled and shown.disc_set is not self._replaced_discs:
            arrows = self._canvases.first.scene.data(VelocityLayer.name)
            if view.arrow_speed is None and arrows is not None:
                with self._session.document.unrecorded():
                    view.arrow_speed = arrows.round_speed

    def _keep_of(self, player: LessonPlayer) -> None:
        self._settings.store(f"{_KEPT}/{player.found.key}", json.dumps(player.to_plain()))

    def _progress(self, found: LessonFile) -> Any:
        """What `LessonPlayer.to_plain` gave last time; None at first."""
        return self._settings.plain(f"{_KEPT}/{found.key}")

    def _control(self, key: str) -> SingleParameter:
        return SingleParameter(self._parameters, key)

    def _ask_point(self, question: Question, take: Callable[[float], None]) -> None:
        assert question.x is not None
        try:
            self._plots.ask_point(question.plot, question.x, take, question.low, question.high)
            self._mark_answer(question)
        except InputError as error:
            self._session.notices.send(Notice("warning", str(error)))

    def _on_visible(self, _visible: bool) -> None:
        QTimer.singleShot(0, self._leave_where_closed)  # a dock is also hidden while it is moved

    def _leave_where_closed(self) -> None:
        # without a widget it is in presenter mode; without an open lesson the window may be gone by now
        if self.on and self.dock.widget() is not None and self.dock.isHidden() and self._window.isVisible():
            self.leave()

    def _why_none(self) -> str:
        return "" if self.on else "No lesson is open"
