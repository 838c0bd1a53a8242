"""What lessons need from the window: scenarios set up, the learner's actions followed, the run measured, and own views.

Views of lessons are made when they are first opened: as separate windows or, in a lesson, in place of the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QEasingCurve, QObject, Qt, QTimer, QVariantAnimation
from PyQt6.QtWidgets import QWidget

from aggviewer.extensions.lessons.conditions import Situation
from aggviewer.extensions.lessons.ensemble import EnsembleRun
from aggviewer.extensions.lessons.model import Ensemble, Setting
from aggviewer.extensions.lessons.room import Answer
from aggviewer.extensions.lessons.source import LessonFile
from aggviewer.plots import PlotsPanel
from aggviewer.session import Notice
from aggviewer.session.commands.moments import Moment
from aggviewer.session.data import Analysis
from aggviewer.session.saved.autosave import state_folder
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.systems.registry import plots_of, views
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part
from aggviewer.window.stage import Stage
from engine.errors import InputError
from engine.plotting.projection import WHOLE, Quaternion, first_turn
from engine.selection import Selection
from engine.simulation import PHYSICAL, Stride
from engine.system import gravity_of

if TYPE_CHECKING:
    from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson


_TURN_MS = 2500  # in which the box is turned for a class
_MARKED_MS = 2000  # for which selected discs are seen before commands do something to them


class _Begun(NamedTuple):
    """What there was when a step began: the number of physical events, and the view."""

    events: int
    view: Mapping[str, Any]


class WindowClassroom(QObject, Part):
    """The window as an `aggviewer.extensions.lessons.room.Classroom`. All callbacks run on the GUI thread.

    Attributes
    ----------
    later : queues a call on the GUI thread, after all earlier messages of the session.
    tidy() : removes messages over the picture that need no answer.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._session, self._commands, self._plots = context.session, context.commands, context[PlotsPanel]
        self._context = context
        self.later = context.gui_thread.later
        self.tidy = context[Stage].toasts.clear_told
        self._commands_used: set[str] = set()
        self._begun: _Begun | None = None  # None until the run of the step is there
        self._putting = 0  # settings that the session has not applied yet
        self._study: EnsembleRun | None = None
        self._studies_begun = 0  # counts studies: one that was ended before it began does not begin
        self._turning: QVariantAnimation | None = None
        self._asked = 0  # counts what steps have asked for
        self._moments: dict[tuple[str, int], Moment] = {}  # by lesson and page
        self._analysis: Analysis | None = None
        self._commands.used.connect(self._commands_used.add)
        context.analysed.connect(self._take_analysis)

    def _own_numbers(self) -> dict[str, float]:
        """Values that lesson views and parts of the window report to lessons, with names such as ``ball.event``."""
        return {name: number for part in self._context.parts for name, number in part.numbers().items()}

    # Classroom

    def set_up(self, found: LessonFile, setting: Setting) -> None:
        """Set up what a step needs. Failures are shown in a message, and the lesson continues."""
        self._apply(partial(self._set_up, found, setting))
        self._session.history.forget()  # Ctrl+Z must not go back to an earlier step of the lesson
        self._putting += 1
        self._asked += 1
        if setting.select and setting.commands:
            timer = QTimer(self)
            timer.setSingleShot(True)
            timer.timeout.connect(partial(self._do_to_marked, setting, self._asked))
            timer.timeout.connect(timer.deleteLater)
            timer.start(_MARKED_MS)
        else:
            self.after_commands(self._put_in_place)

    def _do_to_marked(self, setting: Setting, asked: int) -> None:
        """Run the commands of a setting on the discs that it has marked, unless another page has been shown since."""
        if asked == self._asked:
            self._apply(partial(self._run_commands, setting))
        self.after_commands(self._put_in_place)

    def _apply(self, settings: Callable[[], None]) -> None:
        """Apply settings without steps of *Undo*, and say what fails."""
        session = self._session
        with session.undoing.unrecorded(), session.document.unrecorded():
            try:
                settings()
            except InputError as error:
                session.notices.send(Notice("error", str(error), "The lesson continues without it."))

    def keep(self, found: LessonFile, page: int) -> bool:
        """Keep what is shown now as the start of a page, in a file. False if a view of the lesson's own is shown, which
        no file holds."""
        if self._context[Stage].cover is not None:
            return False
        setting = found.lesson.step[page].set
        scenario = found.scenario(setting) if setting is not None and setting.begins else None
        moment = self._moments[found.key, page] = Moment(_page_file(found, page), scenario)
        self._session.keep_moment(moment)
        return True

    def has_kept(self, found: LessonFile, page: int) -> bool:
        """Whether the start of a page was kept at an earlier start of the program."""
        return _page_file(found, page).is_file()

    def return_to(self, found: LessonFile, page: int, setting: Setting) -> None:
        """Show the start of a page again. setting : what a session file does not hold: where the run pauses, ranges of
        fits, and commands."""
        moment = self._moments.get((found.key, page)) or Moment(_page_file(found, page))

        def settings() -> None:
            self._session.return_to(moment)
            self._set_up(found, setting)

        self._stop_turning()
        self._session.history.forget()  # the look that the moment brings is no step of *Undo*
        self._apply(settings)
        self._putting += 1
        self._asked += 1
        self._begun = None
        self.after_commands(self._put_in_place)

    def begin_step(self, *, fresh: bool) -> None:
        """Remove messages about the previous step, which might reveal the next answer, and begin to count events and
        commands, or go on."""
        self.tidy()
        if fresh:
            self._commands_used.clear()
            self._begun = None if self._putting else self._now()

    def after_commands(self, call: Callable[[], None]) -> None:
        """Call back on the GUI thread when the simulation has carried out all earlier commands."""
        self._session.after_commands(lambda: self.later(call))

    @property
    def settled(self) -> bool:
        """Whether everything that steps have asked to set up is done."""
        return self._putting == 0

    def situation(self) -> Situation | None:
        """What is visible now; None until the set-up of the step is complete."""
        begun = self._begun
        if self._putting or begun is None:
            return None
        session = self._session
        # before the status: a new run is announced first, and its predecessor's status must not be taken for its own
        scenario, log = session.scenario, session.log
        view = session.view.model_dump()
        return Situation(
            session.status(),
            scenario,
            self._events() - begun.events,
            frozenset(self._commands_used),
            view,
            [name for name, value in view.items() if value != begun.view[name]],
            frozenset(card.key() for card in self._plots.cards if card.isVisible()),
            self._own_numbers(),
            log,
            self._measured,
        )

    def _measured(self, name: str) -> Any:
        """The last value of an indicator of the run on the screen, None if it is not measured now."""
        last, shown = self._analysis, self._context.shown()
        if last is None or shown is None or last.disc_set is not shown.disc_set or last.general is None:
            return None
        return last.general.value(name) if last.has(frozenset({name})) else None

    def _take_analysis(self, lane: int, analysis: Analysis) -> None:
        if lane == 0 and analysis.part != "counts":
            self._analysis = analysis

    def measure(self, answer: Answer) -> None:
        """Measure the run after the set-up is complete, including values from the lesson's own views."""

        def take(found: Any) -> None:
            self.later(lambda: answer(found if isinstance(found, InputError) else self._joined(found)))

        self._session.measure(take)

    def study(self, ensemble: Ensemble, progress: Callable[[float], None], answer: Answer) -> None:
        """Run a small study of the running scenario, after the set-up is complete."""
        self.stop_study()
        asked = self._studies_begun

        def begin() -> None:
            if asked == self._studies_begun:
                self._begin_study(ensemble, progress, answer)

        self.after_commands(begin)

    def _begin_study(self, ensemble: Ensemble, progress: Callable[[float], None], answer: Answer) -> None:
        scenario = self._session.scenario
        if scenario is None:
            answer(InputError("there is no scenario"))
            return
        try:
            self._study = EnsembleRun(
                scenario,
                ensemble,
                lambda share: self.later(lambda: progress(share)),
                lambda found: self.later(lambda: answer(found)),
            )
        except InputError as error:
            answer(error)

    def stop_study(self) -> None:
        """Stop a running study, and what is done to marked discs: another step is shown."""
        self._asked += 1
        self._studies_begun += 1
        if self._study is not None:
            self._study.close(0.0)
            self._study = None

    def run(self) -> None:
        """Start the run, or go on with it."""
        self._session.run()

    def close(self, patience: float | None = None) -> bool:
        """End all threads; False if that takes longer than `patience` seconds."""
        return self._study is None or self._study.close(patience)

    # inside

    def _set_up(self, found: LessonFile, setting: Setting) -> None:
        session = self._session
        scenario = found.scenario(setting) if setting.begins else None
        # discs that begin are not seen as those before them
        usual = {} if scenario is None else {"turn": first_turn(gravity_of(scenario)), "slab": WHOLE}
        view = usual | dict(setting.view)
        if "turn" in view and not setting.begins:
            self._turn_to(view.pop("turn"))
        session.view.set_for_lesson(view)
        if setting.speed is not None:
            every_frame = setting.speed == "fast"
            session.set_speed(inf if setting.speed == "fast" else setting.speed, every_frame=every_frame)
        if scenario is not None:
            session.load(scenario, run=bool(setting.run), alone=True)
            # the next step may name plots before the discs are shown
            self._plots.set_system(scenario.system, scenario.dimensions)
            self._plots_of(scenario.system, setting)
        session.copy_own_run()
        if not setting.begins:
            for key, value in setting.values.items():
                session.set_parameter(key, value)
            self._plots_of(self._plots.system, setting)
        if setting.compare is not None:
            session.compare(setting.compare or None, from_start=True)
        if setting.hold is not None:
            hold = setting.hold
            session.hold_at(Stride(inf if hold.time is None else hold.time, hold.clusters or 0, hold.events))
        if setting.run is not None and not setting.begins:
            (session.run if setting.run else session.pause)()
        if setting.select:
            session.marking.select(Selection.discs(setting.select, session.marking.value.selected.count))
        else:
            self._run_commands(setting)

    def _run_commands(self, setting: Setting) -> None:
        for command in setting.commands:
            if command not in {known.id for known in self._commands}:
                raise InputError(f"there is no command {command}")
            self._commands.run(command)

    def _turn_to(self, turn: Quaternion) -> None:
        """Turn the box as a hand would, not at once: in the motion one sees what is in front."""
        start = np.array(self._session.view.turn)
        end = np.array(turn) if start @ np.array(turn) >= 0.0 else -np.array(turn)  # the shorter way
        self._stop_turning()
        turning = self._turning = QVariantAnimation(self)
        turning.setDuration(_TURN_MS)
        turning.setStartValue(0.0)
        turning.setEndValue(1.0)
        turning.setEasingCurve(QEasingCurve.Type.InOutSine)
        turning.valueChanged.connect(lambda share: self._turn(start + share * (end - start)))
        turning.start()

    def _stop_turning(self) -> None:
        if self._turning is not None:
            self._turning.stop()
            self._turning.deleteLater()
            self._turning = None

    def _turn(self, turn: NDArray[np.float64]) -> None:
        with self._session.document.unrecorded():
            self._session.view.set_for_lesson({"turn": tuple(turn.tolist())})

    def _plots_of(self, system: str, setting: Setting) -> None:
        """Show the plots named by a step, all, or none, with its fits."""
        self._plots.choose_fits(setting.fits)
        if setting.plots is None:
            return
        numbers = {plot.key(): number for number, plot in enumerate(plots_of(system), 1)}
        names = () if setting.plots == "all" else setting.plots
        every = {plot.key() for view in views() for plot in plots_of(view.name)}
        for name in names:
            if name not in every:
                raise InputError(f"there is no plot {name}; there are {', '.join(numbers)}")
        # a step whose task was skipped has left a run of another system, which lacks them
        there = [numbers[name] for name in names if name in numbers]
        self._plots.set_system(system)
        self._plots.choose(there if there or setting.plots == "all" else None)

    def _put_in_place(self) -> None:
        self._putting -= 1
        if self._putting == 0 and self._begun is None:
            self._begun = self._now()

    def _now(self) -> _Begun:
        return _Begun(self._events(), self._session.view.model_dump())

    def _events(self) -> int:
        events = self._session.status().events
        return sum(events.get(kind, 0) for kind in PHYSICAL)

    def _joined(self, lanes: tuple[dict[str, Any], ...]) -> dict[str, Any]:
        """Values of the first run, of the second as ``other``, and of lesson views under their own prefixes."""
        numbers: dict[str, Any] = dict(lanes[0])
        if len(lanes) > 1:
            numbers["other"] = lanes[1]
        for name, value in self._own_numbers().items():
            first, _, rest = name.partition(".")
            numbers.setdefault(first, {})[rest] = value
        return numbers


def _page_file(found: LessonFile, page: int) -> Path:
    """The file with the start of a page."""
    return state_folder("lessons") / found.key / f"{page + 1}{SUFFIX}"


class OwnViews(Part):
    """Opens the views of lessons, applies the theme to them, and closes them with the program."""

    def __init__(self, context: Context) -> None:
        self._parent = context.window
        self._theme = theme = context.theme
        self.ball: BallLesson | None = None
        self._stand_in: Callable[[QWidget | None], None] | None = None
        theme.changed.connect(self._on_theme)

    def commands(self) -> Iterator[Command]:
        """A command for each view that opens it."""
        yield Command(
            "view.bouncing_ball",
            "Bouncing ball in floating point",
            self.open_ball,
            tooltip="Naive and stable event detection side by side, to the last digit",
            menu=Place("Learn", 3, 1),
        )

    def numbers(self) -> Mapping[str, float]:
        """The numbers of open views, for lessons."""
        ball = self.ball
        return {} if ball is None or not ball.isVisible() else ball.numbers()

    def open_ball(self) -> None:
        """Open the bouncing ball in front."""
        if self.ball is None:
            # imported here because its modules are not needed before
            from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson

            self.ball = BallLesson(self._parent)
            self.ball.set_theme(self._theme.colors)
        if self._stand_in is not None:
            self._stand_in(self.ball)
            self.ball.set_in_lesson(True)
        self.ball.show()
        self.ball.raise_()
        if self._stand_in is None:
            self.ball.activateWindow()
        else:
            self.ball.setFocus()

    def show_in_place(self, show: Callable[[QWidget | None], None] | None) -> None:
        """Show views that are opened from now on in place of the picture, by `show`; None: as windows. The present view
        there is closed."""
        if self._stand_in is not None and self.ball is not None and not self.ball.isWindow():
            self.ball.close()
            self._stand_in(None)
            self.ball.setParent(self._parent, Qt.WindowType.Window)
            self.ball.set_in_lesson(False)
        self._stand_in = show

    def close(self) -> None:
        """Close all of them."""
        if self.ball is not None:
            self.ball.close()

    def _on_theme(self) -> None:
        if self.ball is not None:
            self.ball.set_theme(self._theme.colors)
