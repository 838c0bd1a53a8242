"""A lesson as it is played: where the learner is, what was predicted, done and measured. No Qt.

The player knows the window only as a `Classroom`; it is called on one thread, some times a second by `look`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from psygnal import Signal

from aggviewer.lessons.answers import Measurement, checked_answer
from aggviewer.lessons.conditions import Condition, Situation
from aggviewer.lessons.counting import ClassAnswers
from aggviewer.lessons.expressions import LessonFormula
from aggviewer.lessons.model import Ensemble, LessonStep, MeasuredQuantity, Question, Setting
from aggviewer.lessons.source import LessonFile
from engine.errors import InputError

_NO_VALUE = "the run is still too short for this number, or too little has happened in it"

Numbers = Mapping[str, Any]
Answer = Callable[[Numbers | InputError], None]


class Classroom(Protocol):
    """What a lesson asks of the window."""

    def put(self, found: LessonFile, setting: Setting) -> None:
        """Put in place what a step needs. What cannot be is told there."""
        ...

    def begin_step(self) -> None:
        """Count events and commands from now on."""
        ...

    def situation(self) -> Situation | None:
        """What is to be seen now; None until what the step needs is in place."""
        ...

    def measure(self, answer: Answer) -> None:
        """Measure what runs; `answer` is called with the numbers, later, on this thread."""
        ...

    def study(self, ensemble: Ensemble, progress: Callable[[float], None], answer: Answer) -> None:
        """Run a small study of what runs; `progress` gets the share that is done, `answer` the means ``y0``…"""
        ...

    def stop_study(self) -> None:
        """End a study that runs."""
        ...


@dataclass(frozen=True)
class EnsembleResult:
    """What a small study has measured. points : at each of its values; level : of the line across, None without."""

    points: tuple[Measurement, ...]
    level: float | None = None

    def to_plain(self) -> dict[str, Any]:
        """For a file of settings."""
        return {"points": [point.to_plain() for point in self.points], "level": self.level}

    @staticmethod
    def from_plain(plain: Any) -> EnsembleResult:
        """The opposite of `to_plain`. KeyError, ValueError, TypeError for what is none."""
        level = plain["level"]
        points = tuple(Measurement.from_plain(point) for point in plain["points"])
        return EnsembleResult(points, None if level is None else float(level))


class LessonPlayer:
    """Plays one lesson.

    Parameters
    ----------
    found : the lesson.
    classroom : the window.
    clock : seconds.

    Attributes
    ----------
    number : of the step that is shown, from 0.
    answers : what was predicted: id to number, or to the index of a choice.
    counted : what a class has predicted; it stays until it is cleared, also where the lesson begins again.
    measured : number of a step to its measurement; studies : to its study, where it has made one.
    done : numbers of the steps whose task is done; skipped : those that were passed over.
    problem : why the present step could not be measured, in plain words; empty where it could.
    cause : the same in the words of the formulas, for who writes a lesson.
    busy : share of a measurement that is done, None where none is going on.
    ended : whether the page after the last step is shown; finished : whether it ever was, also another time.
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
        self.problem = self.cause = ""
        self.busy: float | None = None
        self.ended = self.finished = False
        self._began = 0.0
        self._asked = 0  # counts measurements: an answer that comes late belongs to nothing
        self._conditions: tuple[Condition, ...] = ()
        self._hinted = False

    # what is shown

    @property
    def step(self) -> LessonStep:
        """The step that is shown."""
        return self.lesson.step[self.number]

    @property
    def last(self) -> bool:
        """Whether it is the last one."""
        return self.number == len(self.lesson.step) - 1

    @property
    def complete(self) -> bool:
        """Whether the task of the present step is done; a step without one is complete."""
        return self.number in self.done or not self.step.waits

    @property
    def hint(self) -> str:
        """What helps, once the learner has tried for a while; else empty."""
        step = self.step
        if self.complete:
            return ""
        if step.predict is not None:
            return step.predict.hint
        return step.do.hint if step.do is not None and self._hinted else ""

    @property
    def question(self) -> Question | None:
        """The question that the present step asks, or whose answer it measures."""
        step = self.step
        if step.predict is not None:
            return step.predict
        return None if step.measure is None else self.lesson.predictions.get(step.measure.of)

    def found_for(self, question: Question) -> Measurement | None:
        """What was measured for a question, None as long as nothing was."""
        for number, step in enumerate(self.lesson.step):
            if step.measure is not None and step.measure.of == question.id and number in self.measured:
                return self.measured[number]
        return None

    def step_of(self, question: Question) -> int:
        """The number of the step that asks a question, from 0."""
        return next(k for k, step in enumerate(self.lesson.step) if step.predict is question)

    def outcomes(self) -> Iterator[tuple[Question, float | int | None, MeasuredQuantity, Measurement | None]]:
        """Each question with what was predicted, how that is measured, and what was measured."""
        for number, step in enumerate(self.lesson.step):
            question = self.lesson.predictions.get(step.measure.of) if step.measure is not None else None
            if question is not None and step.measure is not None:
                yield question, self.answers.get(question.id), step.measure, self.measured.get(number)

    @property
    def found_here(self) -> Measurement | None:
        """What the present step has measured."""
        return self.measured.get(self.number)

    # the way through

    def begin(self, at: int = 0) -> None:
        """Show a step, as after all before it."""
        self._show(min(max(at, 0), len(self.lesson.step) - 1), anew=True)

    def forward(self) -> None:
        """The next step, and after the last one the page at the end; nothing where the task is not done."""
        if not self.complete or self.ended:
            return
        if self.last:
            self._end()
        else:
            self._show(self.number + 1, anew=False)

    def skip(self) -> None:
        """The next step without the task."""
        if self.ended:
            return
        if not self.complete:
            self.skipped.add(self.number)
        if self.last:
            self._end()
        else:
            self._show(self.number + 1, anew=False)

    def _end(self) -> None:
        self.leave()
        self.ended = self.finished = True
        self.changed.emit()

    def back(self) -> None:
        """The step before, with what was in place then."""
        if self.ended:
            self.ended = False
            self.changed.emit()
        elif self.number > 0:
            left = self.step.set
            self._show(self.number - 1, anew=left is not None and left.changes_run)

    def again(self) -> None:
        """Forget the learner's answers and all measurements, and begin at the first step."""
        for kept in (self.answers, self.measured, self.studies, self.remembered, self.done, self.skipped):
            kept.clear()
        self.done = {self.step_of(self.lesson.predictions[name]) for name in self.counted.answered()}
        self.begin()

    def repeat(self) -> None:
        """The present step once more: what it put in place, and its task."""
        self.done.discard(self.number)
        self.measured.pop(self.number, None)
        self._show(self.number, anew=True)

    def leave(self) -> None:
        """End what is going on."""
        self._asked += 1
        self.busy = None
        self._classroom.stop_study()

    def _show(self, number: int, *, anew: bool) -> None:
        """Show a step. anew : also what earlier steps have put in place, since another run may be there."""
        self.leave()
        self.ended = False
        self.number, self.problem, self.cause, self._hinted = number, "", "", False
        for setting in self._settings_before(number) if anew else ():
            self._classroom.put(self.found, setting)
        step = self.step
        if step.set is not None:
            self._classroom.put(self.found, step.set)
        self._conditions = tuple(step.do.conditions()) if step.do is not None else ()
        self._began = self._clock()
        self._classroom.begin_step()
        if step.measure is not None and number not in self.measured:
            left_out = self._left_out_before(number)
            if left_out is None:
                self.measure()
            else:
                self.problem = f"“{left_out}” was skipped"
        self.changed.emit()

    def _settings_before(self, number: int) -> list[Setting]:
        """What the steps before have put in place, from the last one on that began a run."""
        before = [step.set for step in self.lesson.step[:number] if step.set is not None]
        here = self.lesson.step[number].set
        if here is not None and here.begins:
            return []
        starts = [k for k, setting in enumerate(before) if setting.begins]
        return before[starts[-1] :] if starts else before

    def _left_out_before(self, number: int) -> str | None:
        """The title of a step between the start of the run and this one whose task was skipped: the run has not come
        where it is to be measured. None where there is none."""
        for at in range(number - 1, -1, -1):
            step = self.lesson.step[at]
            if step.do is not None and at not in self.done:
                return step.title
            if step.set is not None and step.set.begins:
                return None
        return None

    # tasks

    def predict(self, answer: Any) -> None:
        """Take the answer to the question of the present step. InputError for what cannot be one."""
        question = self.step.predict
        if question is None:
            return
        self.answers[question.id] = checked_answer(question, answer)
        self._finish()

    def count(self, answer: Any) -> None:
        """Count one more answer of a class to the question of the step; its task is done by that. InputError for what
        cannot be an answer."""
        if self.question is not None:
            self.counted.add(self.question, answer)
            self._after_counting(self.question)

    def uncount(self) -> None:
        """Take the last answer of the class to the question of the step back, or bring back what was cleared."""
        if self.question is not None:
            self.counted.undo(self.question)
            self._after_counting(self.question)

    def clear_counted(self) -> None:
        """Forget what the class has answered to the question of the step."""
        if self.question is not None:
            self.counted.clear(self.question)
            self._after_counting(self.question)

    def _after_counting(self, question: Question) -> None:
        """A question is answered by the class too."""
        number = self.step_of(question)
        if question.id in self.answers or self.counted.of(question):
            self.done.add(number)
            self.skipped.discard(number)
        else:
            self.done.discard(number)
        self.changed.emit()

    def look(self) -> None:
        """Find out whether the learner has done the task, or needs the hint."""
        if self.complete or self.ended or self.step.do is None:
            return
        situation = self._classroom.situation()
        if situation is not None and all(one.met(situation) for one in self._conditions):
            self._forget_after(self.number)
            self._finish()
        elif not self._hinted and self._clock() - self._began >= self.step.do.after:
            self._hinted = True
            self.changed.emit()

    def measure(self) -> None:
        """Measure what the present step asks for; again where it has been."""
        measure = self.step.measure
        if measure is None:
            return
        self._asked += 1
        asked = self._asked
        self.problem = self.cause = ""
        self.busy = 0.0

        def take(numbers: Numbers | InputError) -> None:
            if asked == self._asked:
                self.busy = None
                self._take(measure, numbers)

        def progress(share: float) -> None:
            if asked == self._asked:
                self.busy = share
                self.changed.emit()

        if measure.ensemble is not None:
            self._classroom.study(measure.ensemble, progress, take)
        else:
            self._classroom.measure(take)
        self.changed.emit()

    def _take(self, measure: MeasuredQuantity, numbers: Numbers | InputError) -> None:
        if isinstance(numbers, InputError):
            self.problem = str(numbers)
            self.changed.emit()
            return
        try:
            known = {**numbers, **self.remembered}
            for name, text in measure.remember.items():
                self.remembered[name] = known[name] = LessonFormula(text).value(known)
            if measure.ensemble is not None:
                self.studies[self.number] = _study(measure.ensemble, known)
            if measure.value:
                error = LessonFormula(measure.error).value(known) if measure.error else float("nan")
                self.measured[self.number] = Measurement(LessonFormula(measure.value).value(known), error)
            self._finish()
        except InputError as error:
            self.problem, self.cause = _NO_VALUE, str(error)
            self.changed.emit()

    def _forget_after(self, number: int) -> None:
        """Forget what later steps have measured in the same run: it has gone on."""
        for later in range(number + 1, len(self.lesson.step)):
            step = self.lesson.step[later]
            if step.set is not None and step.set.begins:
                return
            if self.measured.pop(later, None) is not None:
                self.done.discard(later)

    def _finish(self) -> None:
        self.done.add(self.number)
        self.skipped.discard(self.number)
        self.changed.emit()

    # what stays

    def to_plain(self) -> dict[str, Any]:
        """What the program remembers of a lesson until the next time."""
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
            "finished": self.finished or (self.last and self.complete),
        }

    def take_plain(self, plain: Any) -> None:
        """Continue where `to_plain` was called. A finished lesson starts from the beginning, and so does one whose data
        are damaged or come from another version of it."""
        try:
            self.finished = plain.get("finished") is True
            if plain["steps"] != len(self.lesson.step):
                return
            steps = range(len(self.lesson.step))
            questions = self.lesson.predictions
            answers = {name: checked_answer(questions[name], value) for name, value in plain["answers"].items()}
            counted = ClassAnswers.from_plain(plain.get("counted", {}), self.lesson)
            measured = {int(k): Measurement.from_plain(one) for k, one in plain["measured"].items()}
            studies = {int(k): EnsembleResult.from_plain(one) for k, one in plain["studies"].items()}
            remembered = {str(name): float(value) for name, value in plain["remembered"].items()}
            done, skipped = ({int(k) for k in plain[name]} for name in ("done", "skipped"))
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


def _study(ensemble: Ensemble, known: Numbers) -> EnsembleResult:
    """The means of a study, from its numbers ``y0``, ``y0_error``…"""
    points = tuple(Measurement(known[f"y{k}"], known[f"y{k}_error"]) for k in range(max(1, len(ensemble.values))))
    return EnsembleResult(points, LessonFormula(ensemble.level).value(known) if ensemble.level else None)
