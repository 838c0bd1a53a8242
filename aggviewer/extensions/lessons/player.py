"""The state of a lesson: the present step, and what was predicted, done and measured. No Qt.

The player knows the window only as a `Classroom`; it is called on one thread, several times a second by `look`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Any, Literal

from psygnal import Signal

from aggviewer.extensions.lessons.answers import ClassAnswers, EnsembleResult, Measurement, checked_answer, study_of
from aggviewer.extensions.lessons.conditions import LessonFormula
from aggviewer.extensions.lessons.model import LessonStep, MeasuredQuantity, Question, Setting
from aggviewer.extensions.lessons.room import Classroom, MeasuredNumbers
from aggviewer.extensions.lessons.source import LessonFile
from engine.errors import InputError

_WARNED = 10.0  # seconds within which a second press skips a task: about as long as the sentence is shown
_STILL_MEASURED = "The measurement is not finished yet. Skip continues without it."
_STILL_RUNS = "The run of this task has not ended yet. Skip continues without it."
_NO_VALUE = "the run is too short, or too little has happened in it"

_GOING_ON = ("compiling", "loading", "running")
"""The states of a run that gets on without the learner."""

Press = Literal["next", "run", "show", "skip", "running", "measuring", "waiting"]
"""What a press of *Next* does: it goes on, starts the run of the task, does the task as the lesson shows it, or skips
it; while something goes on, or a step is about to be ready or done, nothing."""


class LessonPlayer:
    """Plays one lesson.

    Parameters
    ----------
    found : the lesson.
    classroom : the window.
    clock : returns the time in seconds.

    Attributes
    ----------
    number : of the present step, from 0.
    answers : the predictions: number, or index of a choice, by question id.
    counted : the predictions of a class; kept until they are cleared, even if the lesson is restarted.
    measured : measurements by step number; studies : studies by step number.
    done : numbers of the steps whose task is done; skipped : those of skipped steps.
    kept : numbers of the steps whose start is kept, to be shown again.
    problem : why the present step could not be measured, in plain words; else empty.
    cause : the same in the terms of the formulas, for the author of the lesson.
    busy : fraction of a running measurement that is done, None if there is none.
    ended : whether the page after the last step is shown; finished : whether it ever was.
    in_class : whether a teacher presents it; set by the window.
    changed : emitted after any of these has changed.
    """

    changed = Signal()

    def __init__(self, found: LessonFile, classroom: Classroom, clock: Callable[[], float]) -> None:
        self.found, self.lesson = found, found.lesson
        self._classroom, self._clock = classroom, clock
        self.number = 0
        self.answers: dict[str, float | int] = {}
        self.counted = ClassAnswers()
        self.measured: dict[int, Measurement] = {}
        self.studies: dict[int, EnsembleResult] = {}
        self.remembered: dict[str, float] = {}
        self.done: set[int] = set()
        self.skipped: set[int] = set()
        self.kept: set[int] = set()
        self.problem = self.cause = ""
        self.busy: float | None = None
        self.ended = self.finished = self.in_class = False
        self._began = 0.0
        self._measurements_begun = 0  # counts measurements, so that late answers are ignored
        self._hinted = self._shown = False
        self._warned_until = -inf  # when it is forgotten that one more press skips the task
        self._returned = False  # the picture is that of a page which was gone back to
        self._is_again = False  # the task of that page is done, and can be done once more
        self._replays = False  # and the next press in class does it
        self._reset_seen = False  # its run was seen as it is before the task

    # the present step

    @property
    def step(self) -> LessonStep:
        """The present step."""
        return self.lesson.step[self.number]

    @property
    def last(self) -> bool:
        """Whether it is the last step."""
        return self.number == len(self.lesson.step) - 1

    @property
    def complete(self) -> bool:
        """Whether the task of the present step is done; a step without one is complete."""
        return self.number in self.done or not self.step.waits

    @property
    def hint(self) -> str:
        """The hint, once the learner has tried for a while; else empty."""
        step = self.step
        if self.complete:
            return ""
        if step.predict is not None:
            return step.predict.hint
        return step.do.hint if step.do is not None and self._hinted else ""

    @property
    def skipped_titles(self) -> list[str]:
        """The titles of the skipped steps before the present one; on the last page, of all of them."""
        last = len(self.lesson.step) if self.ended else self.number
        return [self.lesson.step[number].title for number in sorted(self.skipped) if number < last]

    @property
    def question(self) -> Question | None:
        """The question that the present step asks, or whose answer it measures."""
        step = self.step
        if step.predict is not None:
            return step.predict
        return None if step.measure is None else self.lesson.predictions.get(step.measure.of)

    def found_for(self, question: Question) -> Measurement | None:
        """The measurement for a question, None if there is none yet."""
        for number, step in enumerate(self.lesson.step):
            if step.measure is not None and step.measure.of == question.id and number in self.measured:
                return self.measured[number]
        return None

    def step_of(self, question: Question) -> int:
        """The number of the step that asks a question, from 0."""
        return next(k for k, step in enumerate(self.lesson.step) if step.predict is question)

    def outcomes(self) -> Iterator[tuple[Question, float | int | None, MeasuredQuantity, Measurement | None]]:
        """Each question with its prediction, its measurement task, and the measurement."""
        for number, step in enumerate(self.lesson.step):
            question = self.lesson.predictions.get(step.measure.of) if step.measure is not None else None
            if question is not None and step.measure is not None:
                yield question, self.answers.get(question.id), step.measure, self.measured.get(number)

    @property
    def found_here(self) -> Measurement | None:
        """What was measured in the present step; None if nothing was."""
        return self.measured.get(self.number)

    # navigation

    def begin(self, at: int = 0) -> None:
        """Show a step as it was when it was first shown. If that was not kept, show it with the settings of all steps
        before it, or the step before whose task makes its picture."""
        at = min(max(at, 0), len(self.lesson.step) - 1)
        if at in self.kept:
            self._show_again(at)
        else:
            tasks = (before for before in self._run_of(at) if self.lesson.step[before].do is not None)
            self._show(min(at, next(tasks, at)), anew=True)

    def forward(self) -> None:
        """Go to the next step, or to the last page after the last step; ignored if the task is not done."""
        if self.complete:
            self.pass_on()

    @property
    def press(self) -> Press:
        """What a press of *Next* does now. A run that is all that a task waits for is started by it; in class also once
        more, on a page that was gone back to."""
        once_more = self.in_class and self._replays
        if self.ended or (self.complete and not once_more) or (self.in_class and self.step.predict is not None):
            return "next"
        found = self._press_of_task()
        return "next" if self.complete and found not in ("run", "show") else found

    def _press_of_task(self) -> Press:
        """What a press does towards the task of the step."""
        step = self.step
        if self.busy is not None:
            return "measuring"
        if step.do is None:
            return "skip"
        situation = self._classroom.situation()
        if situation is None:
            return "waiting"  # for its set-up: the press was meant for the step before
        conditions = list(step.do.conditions())
        if all(one.met(situation) for one in conditions):
            return "waiting"  # for the tick, which comes at once
        if all(one.by_running or one.met(situation) for one in conditions):
            if situation.status.state == "paused":
                return "run"
            if situation.status.state in _GOING_ON:
                return "running"
        if self.in_class and step.do.show is not None and not self._shown:
            waits = step.do.show.commands and situation.status.state in _GOING_ON  # for the discs that they need
            return "running" if waits else "show"
        return "skip"

    def advance(self) -> str:
        """Go on as far as one press of a key or button may, see `press`. A task is skipped by the second press. In
        class, what the lesson can show is shown, and a question, which was answered aloud, needs no second press.

        Returns
        -------
        A sentence for the user; empty if what has happened can be seen.
        """
        press = self.press
        if press == "next":
            self.pass_on()
        elif press == "measuring":
            return _STILL_MEASURED
        elif press == "running":
            return _STILL_RUNS
        elif press == "run":
            self._replays = False
            self._classroom.run()
        elif press == "show":
            self._replays = False
            self._show_task()
        elif press == "skip":
            return self._skip_at_second_press()
        return ""

    def _show_task(self) -> None:
        """Do the task as the lesson shows it."""
        if self.step.do is not None and self.step.do.show is not None:
            self._shown = True
            self._classroom.set_up(self.found, self.step.do.show)
            self.changed.emit()

    def _skip_at_second_press(self) -> str:
        if self._clock() > self._warned_until:
            self._warned_until = self._clock() + _WARNED
            asks, acts = self.step.predict is not None, self.step.do is not None
            what = (
                "This question has no answer" if asks else "This task is not done" if acts else "This is not measured"
            )
            return f"{what} yet. Press again to skip it."
        else:
            self.skip()
        return ""

    def skip(self) -> None:
        """Go to the next step without the task."""
        if not self.complete and not self.ended:
            self.skipped.add(self.number)
        self.pass_on()

    def pass_on(self) -> None:
        """Go to the next step, whatever the task is."""
        if self.ended:
            return
        if self.last:
            self._end()
        elif self._returned and self.number + 1 in self.kept:
            self._show_again(self.number + 1)
        else:
            self._show(self.number + 1, anew=False)

    def _end(self) -> None:
        self.leave()
        self.ended = self.finished = True
        self.changed.emit()

    def back(self) -> None:
        """Go to the previous step, with the picture that it had when it was first shown."""
        if self.ended:
            self.ended = False
            self.changed.emit()
        elif self.number - 1 in self.kept:
            self._show_again(self.number - 1)
        elif self.number > 0:
            left, number = self.step, self.number - 1
            gone_on = left.do is not None and self._open_task(number) is not None  # too far for the task before
            self._show(number, anew=gone_on or (left.set is not None and left.set.changes_run))

    def start_over(self) -> None:
        """Delete the learner's answers and all measurements, and restart at the first step."""
        for kept in (self.answers, self.measured, self.studies, self.remembered, self.done, self.skipped, self.kept):
            kept.clear()
        self.done = {self.step_of(self.lesson.predictions[name]) for name in self.counted.answered()}
        self.begin()

    def repeat(self) -> None:
        """Repeat the present step: its settings and its task."""
        self.done.discard(self.number)
        self.measured.pop(self.number, None)
        if self.number in self.kept:
            self._show_again(self.number)
        else:
            self._show(self.number, anew=True)

    def leave(self) -> None:
        """Stop a measurement or study."""
        self._measurements_begun += 1
        self.busy = None
        self._classroom.stop_study()

    def _show(self, number: int, *, anew: bool) -> None:
        """Show a step. anew : also apply the settings of earlier steps, so that the run starts again, and its tasks
        are open again."""
        self._go_to(number)
        self._returned = False
        if anew:
            for setting in self._settings_before(number):
                self._classroom.set_up(self.found, setting)
            self.done -= {at for at in self._run_of(number) if self.lesson.step[at].do is not None}
        step = self.step
        if step.set is not None:
            self._classroom.set_up(self.found, step.set)
        self._keep()
        self._begin_step(fresh=anew or self._open_task(number) in (None, number))

    def _show_again(self, number: int) -> None:
        """Show a step as it was when it was first shown. Its task stays done where the next step, which shows what came
        of it, is kept too."""
        self._go_to(number)
        self._returned = True
        if self.step.do is not None and number + 1 in self._run_of(number) and number + 1 not in self.kept:
            self.done.discard(number)
        task = self.step.do
        self._replays = task is not None and number in self.done
        self._is_again = self._replays and task is not None and any(one.by_running for one in task.conditions())
        self._classroom.return_to(self.found, number, self._setting_again(number))
        self._begin_step(fresh=True)

    def _go_to(self, number: int) -> None:
        self.leave()
        self.ended = False
        self.number, self.problem, self.cause, self._warned_until = number, "", "", -inf
        self._hinted = self._shown = False
        self._is_again = self._replays = self._reset_seen = False

    def _begin_step(self, *, fresh: bool) -> None:
        number = self.number
        self._began = self._clock()
        self._classroom.begin_step(fresh=fresh)
        if self.step.measure is not None and number not in self.measured:
            left_out = self._open_task(number, of_run=True)
            if left_out is None:
                self.measure()
            else:
                self.problem = f"“{self.lesson.step[left_out].title}” was skipped"
        self.changed.emit()

    def _keep(self) -> None:
        """Keep what is shown as the start of the present step."""
        self.kept.discard(self.number)
        if self._classroom.keep(self.found, self.number):
            self.kept.add(self.number)

    def _setting_again(self, number: int) -> Setting:
        """What a kept start does not hold: commands, ranges of fits, and where the run pauses if it has still to get
        there."""
        run = self._run_of(number)
        given = [(at, setting) for at in run if at <= number and (setting := self.lesson.step[at].set) is not None]
        commands = dict.fromkeys(command for _at, setting in given for command in setting.commands)
        fits = {name: ends for _at, setting in given for name, ends in setting.fits.items()}
        at, hold = next(((at, setting.hold) for at, setting in reversed(given) if setting.hold is not None), (0, None))
        reached = any(before in self.done and self.lesson.step[before].do is not None for before in range(at, number))
        return Setting(commands=tuple(commands), fits=fits, hold=None if reached else hold)

    def _settings_before(self, number: int) -> list[Setting]:
        """The settings of the steps before, from the last one that started a run."""
        before = [step.set for step in self.lesson.step[:number] if step.set is not None]
        here = self.lesson.step[number].set
        if here is not None and here.begins:
            return []
        starts = [k for k, setting in enumerate(before) if setting.begins]
        return before[starts[-1] :] if starts else before

    def _run_of(self, number: int) -> range:
        """The numbers of the steps that have their run in common with a step."""
        starts = [k for k, step in enumerate(self.lesson.step) if step.set is not None and step.set.begins]
        first = max(start for start in starts if start <= number)
        return range(first, min((start for start in starts if start > number), default=len(self.lesson.step)))

    def _open_task(self, number: int, *, of_run: bool = False) -> int | None:
        """The number of the last step up to this one, in its run, that has something to do; None if that is done. A
        task before it no longer matters: the run has gone on.

        of_run : leave out tasks that only change what is shown of the run.
        """
        tasks = []
        for at in range(self._run_of(number).start, number + 1):
            task = self.lesson.step[at].do
            if task is not None and not (of_run and all(one.of_view for one in task.conditions())):
                tasks.append(at)
        return tasks[-1] if tasks and tasks[-1] not in self.done else None

    # tasks

    def predict(self, answer: Any) -> None:
        """Answer the question of the present step. InputError if the answer is invalid."""
        question = self.step.predict
        if question is None:
            return
        self.answers[question.id] = checked_answer(question, answer)
        self._finish()

    def count(self, answer: Any) -> None:
        """Count an answer of a class to the question of the step, which completes its task. InputError if it is
        invalid."""
        if self.question is not None:
            self.counted.add(self.question, answer)
            self._after_counting(self.question)

    def uncount(self) -> None:
        """Undo the last counted answer to the question of the step, or the last clearing."""
        if self.question is not None:
            self.counted.undo(self.question)
            self._after_counting(self.question)

    def clear_counted(self) -> None:
        """Delete the class's answers to the question of the step."""
        if self.question is not None:
            self.counted.clear(self.question)
            self._after_counting(self.question)

    def _after_counting(self, question: Question) -> None:
        """Update the task: a question can be answered by the class too."""
        number = self.step_of(question)
        if question.id in self.answers or self.counted.of(question):
            self.done.add(number)
            self.skipped.discard(number)
        else:
            self.done.discard(number)
        self.changed.emit()

    def check_progress(self) -> None:
        """Check whether the learner has done the task, or needs the hint. A task that was skipped is done too if its
        run gets there before the next one, and what depends on it is measured then."""
        at = None if self.ended else self.number if self._is_again else self._open_task(self.number)
        task = None if at is None else self.lesson.step[at].do
        if at is None or task is None:
            return
        situation = self._classroom.situation()
        met = situation is not None and all(one.met(situation) for one in task.conditions())
        self._reset_seen |= situation is not None and not met
        if met and (self._reset_seen or not self._is_again):
            self._forget_after(at)
            self.done.add(at)
            self.skipped.discard(at)
            self._returned = self._is_again = self._replays = False
            if at < self.number:
                self._keep()
            if self.step.measure is not None:
                self.measure()
            self.changed.emit()
        elif at == self.number and not (self._hinted or self._is_again) and self._clock() - self._began >= task.after:
            self._hinted = True
            self.changed.emit()

    def measure(self) -> None:
        """Make the measurement of the present step, even if it has been made before."""
        measure = self.step.measure
        if measure is None:
            return
        self._measurements_begun += 1
        asked = self._measurements_begun
        self.problem = self.cause = ""
        self.busy = 0.0

        def take(numbers: MeasuredNumbers | InputError) -> None:
            if asked == self._measurements_begun:
                self.busy = None
                self._take(measure, numbers)

        def progress(share: float) -> None:
            if asked == self._measurements_begun:
                self.busy = share
                self.changed.emit()

        if measure.ensemble is not None:
            self._classroom.study(measure.ensemble, progress, take)
        else:
            self._classroom.measure(take)
        self.changed.emit()

    def _take(self, measure: MeasuredQuantity, numbers: MeasuredNumbers | InputError) -> None:
        if isinstance(numbers, InputError):
            self.problem = str(numbers)
            self.changed.emit()
            return
        try:
            known = {**numbers, **self.remembered}
            for name, text in measure.remember.items():
                self.remembered[name] = known[name] = LessonFormula(text).value(known)
            if measure.ensemble is not None:
                self.studies[self.number] = study_of(measure.ensemble, known)
            if measure.value:
                error = _error_of(measure, known)
                self.measured[self.number] = Measurement(LessonFormula(measure.value).value(known), error)
            self._finish()
        except InputError as error:
            self.problem, self.cause = _NO_VALUE, str(error)
            self.changed.emit()

    def _forget_after(self, number: int) -> None:
        """Delete what was kept and measured for later steps in the same run, which has advanced, and open their tasks
        again."""
        for later in range(number + 1, self._run_of(number).stop):
            self.kept.discard(later)
            if self.measured.pop(later, None) is not None or self.lesson.step[later].do is not None:
                self.done.discard(later)

    def _finish(self) -> None:
        self.done.add(self.number)
        self.skipped.discard(self.number)
        self.changed.emit()

    # saved data

    def to_plain(self) -> dict[str, Any]:
        """The data that are saved for the next time."""
        return {
            "steps": len(self.lesson.step),
            "step": self.number,
            "answers": dict(self.answers),
            "counted": self.counted.to_plain(),
            "measured": {str(number): one.to_plain() for number, one in self.measured.items()},
            "studies": {str(number): one.to_plain() for number, one in self.studies.items()},
            "remembered": dict(self.remembered),
            "done": sorted(self.done),
            "skipped": sorted(self.skipped),
            "kept": sorted(self.kept),
            "ended": self.ended,
            "finished": self.finished or (self.last and self.complete),
        }

    def take_plain(self, plain: Any) -> None:
        """Continue from the data of `to_plain`. A finished lesson restarts, and so does one whose data are damaged or
        belong to another version of the lesson."""
        try:
            self.finished = plain.get("finished") is True
            if plain["steps"] != len(self.lesson.step) or plain.get("ended") is True:
                return
            steps = range(len(self.lesson.step))
            questions = self.lesson.predictions
            answers = {name: checked_answer(questions[name], value) for name, value in plain["answers"].items()}
            counted = ClassAnswers.from_plain(plain.get("counted", {}), self.lesson)
            measured = {int(k): Measurement.from_plain(one) for k, one in plain["measured"].items()}
            studies = {int(k): EnsembleResult.from_plain(one) for k, one in plain["studies"].items()}
            remembered = {str(name): float(value) for name, value in plain["remembered"].items()}
            done, skipped = ({int(k) for k in plain[name]} for name in ("done", "skipped"))
            kept = {int(k) for k in plain.get("kept", ())}
            number = int(plain["step"])
            if number not in steps or not (done | skipped | set(measured) | set(studies)) <= set(steps):
                return
            if number == steps[-1] and (number in done or not self.lesson.step[number].waits):
                return
        except (KeyError, TypeError, ValueError, AttributeError):  # InputError is a ValueError
            return
        self.answers, self.measured, self.studies, self.remembered = answers, measured, studies, remembered
        self.counted = counted
        self.done, self.skipped, self.number = done, skipped, number
        self.kept = {page for page in kept & set(steps) if self._classroom.has_kept(self.found, page)}


def _error_of(measure: MeasuredQuantity, known: MeasuredNumbers) -> float:
    """The standard error of a measured quantity; nan if this run has none."""
    try:
        return LessonFormula(measure.error).value(known) if measure.error else float("nan")
    except InputError:
        return float("nan")
