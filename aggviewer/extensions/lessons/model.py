"""The model of a lesson's TOML (``format = 1``): steps in order, each a text with at most one task.

The models are frozen and validated on their own. Actions of the learner are recognised by
`aggviewer.extensions.lessons.conditions`; texts are Markdown with formulas between dollars
(`aggviewer.style.formulas`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from aggviewer.document.window import FitEnds
from aggviewer.extensions.lessons.conditions import Comparison, Condition, LessonFormula, condition
from engine.errors import InputError
from engine.scenario.section import Section, as_tuple

Names = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]
Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
NonEmpty = Annotated[str, Field(min_length=1)]
Speed = Annotated[float, Field(gt=0.0)]


class Hold(Section):
    """Where a run pauses by itself: at the first of these limits.

    Attributes
    ----------
    time : simulation time.
    clusters : number of clusters left.
    events : number of events since the start.
    """

    time: float | None = Field(None, gt=0.0)
    clusters: int | None = Field(None, ge=1)
    events: int | None = Field(None, ge=1)


class Setting(Section):
    """The settings that a step applies before it is shown. Others stay unchanged.

    Attributes
    ----------
    scenario : the name of a bundled scenario, or a file beside the lesson, to start.
    values : keys of the scenario to set; in a run that continues, only keys that can change while it runs.
    compare : keys that differ in a second run beside it, from the start; an empty table ends a comparison.
    run : whether it runs; by default, a new scenario is paused.
    speed : simulation time per second of wall time, or ``fast`` for frame by frame without a fixed speed.
    hold : where it pauses by itself.
    view : fields of `aggviewer.document.view.ViewModel`.
    plots : names of the plots to show, or ``all``; an empty list shows none, for a question that a plot would answer.
    fits : the range of x over which a plot fits power laws, by the name of the plot: ``{ coarsening = [6.0, 16.0] }``.
    select : numbers of discs to select.
    commands : ids of commands of the window to run, in this order.
    """

    scenario: NonEmpty | None = None
    values: dict[str, Any] = Field(default_factory=dict)
    compare: dict[str, Any] | None = None
    run: bool | None = None
    speed: Speed | Literal["fast"] | None = None
    hold: Hold | None = None
    view: dict[str, Any] = Field(default_factory=dict)
    plots: Names | Literal["all"] | None = None
    fits: dict[str, Annotated[FitEnds, BeforeValidator(as_tuple)]] = Field(default_factory=dict)
    select: Annotated[tuple[int, ...], BeforeValidator(as_tuple)] = ()
    commands: Names = ()

    @property
    def begins(self) -> bool:
        """Whether the setting starts another run."""
        return self.scenario is not None

    @property
    def changes_run(self) -> bool:
        """Whether the setting changes the present run."""
        return self.begins or self.compare is not None or bool(self.values)


class Choice(Section):
    """One answer of several.

    Attributes
    ----------
    text : the answer.
    when : the comparison with the measured number that makes this answer right; if several hold, the first answer is
        right. An answer that would be right for a number within the standard error is right too.
    """

    text: NonEmpty
    when: str

    @model_validator(mode="after")
    def _readable(self) -> Self:
        Comparison(self.when)
        return self


class Question(Section):
    """A question to answer before the run shows the result: with a number, a choice, or a point in a plot.

    Attributes
    ----------
    id : the name by which a later step refers to it.
    ask : the question.
    unit : of the number.
    low, high : least and greatest allowed number.
    tolerance, ratio : the largest difference from the measured number that counts as right: absolute, or relative to
        it, whichever is larger.
    choices : the answers to choose from.
    plot : the name of the plot in which a point is set; its y at this x is the answer. The plot shows the range from
        `low` to `high`.
    x : the x in the plot, as a quantity.
    hint : help for learners without an idea.
    """

    id: Id
    ask: NonEmpty
    unit: str = ""
    low: float | None = None
    high: float | None = None
    tolerance: float = Field(0.0, ge=0.0)
    ratio: float = Field(0.0, ge=0.0)
    choices: Annotated[tuple[Choice, ...], BeforeValidator(as_tuple)] = ()
    plot: str = ""
    x: float | None = None
    hint: str = ""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if self.choices and (self.plot or self.unit or self.tolerance or self.ratio):
            raise InputError("a prediction with choices cannot have a unit, plot, tolerance or ratio", "choices")
        if len(self.choices) == 1:
            raise InputError("choices must have at least two answers", "choices")
        if bool(self.plot) != (self.x is not None):
            raise InputError("plot and x belong together: the point is given at this x", "plot")
        if not self.choices and not (self.tolerance or self.ratio):
            raise InputError("tolerance or ratio is missing: how close a right answer must be", "tolerance")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise InputError("low must be below high", "low")
        return self

    @property
    def kind(self) -> Literal["choice", "point", "number"]:
        """The kind of answer: a choice, a point in a plot, or a number."""
        return "choice" if self.choices else "point" if self.plot else "number"


class Activity(Section):
    """A task for the learner.

    Attributes
    ----------
    what : the task.
    when : the conditions for being done, see `aggviewer.extensions.lessons.conditions`; all must be met.
    controls : keys of the scenario whose controls are shown in the lesson.
    hint : a hint.
    after : seconds until the hint is shown.
    show : settings that do the task, for a teacher who presents with a clicker: *Show* applies them. Discs that they
        select are marked for two seconds before their commands are run.
    """

    what: NonEmpty
    when: dict[str, Any]
    controls: Names = ()
    hint: NonEmpty
    after: float = Field(25.0, gt=0.0)
    show: Setting | None = None

    @model_validator(mode="after")
    def _recognised(self) -> Self:
        if not self.when:
            raise InputError("when is empty: the task could never be done", "when")
        list(self.conditions())
        return self

    def conditions(self) -> Iterator[Condition]:
        """The conditions. InputError if one is invalid."""
        return (condition(name, value) for name, value in self.when.items())


class Ensemble(Section):
    """A small study that measures a number for several seeds, or several values of one key, while the learner watches.
    The means are drawn with standard errors.

    Attributes
    ----------
    vary : a key of the scenario.
    values : its values.
    seeds : runs per value.
    until_time, until_clusters, until_events : the end of each run; one of them.
    y : the quantity to draw against the values, a formula.
    label : of that quantity.
    log : whether the axis of the values is logarithmic.
    level : a formula of remembered numbers, drawn as a horizontal line.
    level_name : the label of that line.
    """

    vary: str = ""
    values: Annotated[tuple[Any, ...], BeforeValidator(as_tuple)] = ()
    seeds: int = Field(4, ge=2, le=64)
    until_time: float | None = Field(None, gt=0.0)
    until_clusters: int | None = Field(None, ge=1)
    until_events: int | None = Field(None, ge=1)
    y: str
    label: NonEmpty
    log: bool = False
    level: str = ""
    level_name: str = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        LessonFormula(self.y)
        if self.level:
            LessonFormula(self.level)
        if bool(self.vary) != bool(self.values):
            raise InputError("vary and values belong together: a key and its values", "vary")
        return self


class MeasuredQuantity(Section):
    """A number of the run that the learner has just made.

    Attributes
    ----------
    of : the id of the prediction that it answers; empty for none.
    value : a formula of quantities of the run, with the names of ``aggviewer run --json``, ``fields.NAME.mean`` (min,
        max, std), the same of the second run after ``other.``, and names that were remembered.
    error : a formula of its standard error; left out for a run in which it has no value.
    ensemble : a study that measures it; then `value` is a formula of ``y0``, ``y1``…, the means at each of its values,
        and of ``y0_error``…, their standard errors.
    remember : formulas of numbers to remember, by their names in later formulas.
    name : of the quantity, for people.
    unit : of the quantity; by default that of the prediction.
    expected : its approximate value, for the teacher's sheet and for the test that plays the lesson.
    within : the largest difference of the measured number from that.
    digits : significant digits that are shown.
    says : a sentence instead of the default one; ``{said}`` and ``{found}`` stand for the numbers. Where the answer was
        wrong, the choice that is right is added at its end.
    """

    of: str = ""
    value: str = ""
    error: str = ""
    ensemble: Ensemble | None = None
    remember: dict[Id, str] = Field(default_factory=dict)
    name: str = ""
    unit: str = ""
    expected: float | None = None
    within: float = Field(0.0, ge=0.0)
    digits: int = Field(3, ge=1, le=15)
    says: str = ""

    @model_validator(mode="after")
    def _readable(self) -> Self:
        for text in (self.value, self.error, *self.remember.values()):
            if text:
                LessonFormula(text)
        if not self.value and not self.remember:
            raise InputError("value is missing: a formula of quantities of the run", "value")
        if self.value and not self.name:
            raise InputError("name is missing: what the measured quantity is called", "name")
        if self.of and not self.value:
            raise InputError("value is missing: a formula of quantities of the run", "value")
        return self


class LessonStep(Section):
    """A step: a text, and at most one of predict, do and measure.

    Attributes
    ----------
    title : a few words.
    say : the text, short enough to read in one breath.
    set : the settings to apply.
    predict, do, measure : the task.
    explain : the explanation, shown when the task is done.
    equation : the equation and its number in the paper.
    next : what to try next.
    """

    title: NonEmpty
    say: str = ""
    set: Setting | None = None
    predict: Question | None = None
    do: Activity | None = None
    measure: MeasuredQuantity | None = None
    explain: str = ""
    equation: str = ""
    next: str = ""

    @model_validator(mode="after")
    def _one_task(self) -> Self:
        tasks = [name for name in ("predict", "do", "measure") if getattr(self, name) is not None]
        if len(tasks) > 1:
            raise InputError(f"a step has one task, not {' and '.join(tasks)}: make two steps of it", tasks[1])
        if not (self.say or self.explain or tasks):
            raise InputError("a step must say, ask or explain something: say is missing", "say")
        return self

    @property
    def waits(self) -> bool:
        """Whether the step has a task, which the learner has to do before the next one."""
        return self.predict is not None or self.do is not None or self.measure is not None


class Lesson(Section):
    """A lesson.

    Attributes
    ----------
    format : 1.
    title, summary : for the list of lessons.
    minutes : its duration.
    order : its place in the list.
    presenter : the key of the scenario offered in presenter mode, if any.
    step : the steps, each under its own ``[[step]]``.
    """

    format: Literal[1]
    title: NonEmpty
    summary: NonEmpty
    minutes: int = Field(ge=1, le=90)
    order: int = Field(100, ge=0)
    presenter: str = ""
    step: Annotated[tuple[LessonStep, ...], BeforeValidator(as_tuple), Field(min_length=1)]

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.step[0].set is None or not self.step[0].set.begins:
            raise InputError("step[1].set.scenario is missing: a lesson begins with a scenario", "step[1].set")
        asked: set[str] = set()
        for number, step in enumerate(self.step, 1):
            if step.predict is not None:
                if step.predict.id in asked:
                    raise InputError(f"there is a prediction {step.predict.id} already", f"step[{number}].predict.id")
                asked.add(step.predict.id)
            if step.measure is not None and step.measure.of and step.measure.of not in asked:
                raise InputError(f"no step before it predicts {step.measure.of}", f"step[{number}].measure.of")
        return self

    @property
    def predictions(self) -> Mapping[str, Question]:
        """All questions, by their ids."""
        return {step.predict.id: step.predict for step in self.step if step.predict is not None}
