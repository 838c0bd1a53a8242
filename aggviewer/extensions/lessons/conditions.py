"""Conditions that recognise what a learner does: one class for each kind, found by name.

``when = { time = ">= 3", state = "paused" }`` in a lesson means that the run is paused at time 3 or later. To add a
condition, add a class to `CONDITIONS`, or fill the plug point `condition` with a function.
"""

from __future__ import annotations

import math
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from aggviewer.systems.jamming.starting import TakeOut
from engine import plugins
from engine.errors import InputError, either
from engine.guarding import missing, tell
from engine.selection import Expression

if TYPE_CHECKING:
    from aggviewer.session import Status
    from aggviewer.session.log import Log
    from engine.scenario import Scenario


@dataclass(frozen=True)
class Situation:
    """The state of window and run while a step waits.

    Parameters
    ----------
    status, scenario : of the run; None before there is a scenario.
    events : physical events since the step began.
    used : ids of the commands used since the step began.
    view : fields of the view model.
    changed : names of those that differ from what they were when the step began.
    plots : names of the visible plots.
    views : numbers of lessons' own views, by name.
    log : how the run came about.
    measured(name) : the last value of an indicator of this run, such as ``"fractal_dimension"``; None if it is not
        measured now. A number that a plug-in records over time always is, others are while a plot shows them.
    """

    status: Status
    scenario: Scenario | None
    events: int
    used: Collection[str]
    view: Mapping[str, Any]
    changed: Collection[str]
    plots: Collection[str]
    views: Mapping[str, float]
    log: Log
    measured: Callable[[str], Any] = lambda name: None


class Condition(ABC):
    """A condition on a situation.

    Raises
    ------
    InputError
        The value in the lesson is invalid.
    """

    by_running: ClassVar[bool] = False
    """Whether a run comes to meet it by going on."""
    of_view: ClassVar[bool] = False
    """Whether it is about what is shown of a run only, so that nothing measured depends on it."""
    allowed: ClassVar[str]
    """The allowed values in a lesson, the part of a sentence after "must be"."""

    @abstractmethod
    def __init__(self, value: Any) -> None: ...

    @abstractmethod
    def met(self, situation: Situation) -> bool:
        """Whether the condition is met."""


class _Compared(Condition):
    """A condition on a number of the status, such as ``>= 3``."""

    allowed = 'a comparison such as ">= 3"'

    def __init__(self, value: Any) -> None:
        self.comparison = Comparison(value) if isinstance(value, str) else Comparison("")

    def met(self, situation: Situation) -> bool:
        return self.comparison.met(self.number(situation))

    @abstractmethod
    def number(self, situation: Situation) -> float:
        """The number of the status that is compared."""


class TimeReached(_Compared):
    """The simulation time of the run."""

    by_running = True

    def number(self, situation: Situation) -> float:
        return situation.status.time


class ClustersLeft(_Compared):
    """The number of clusters."""

    by_running = True

    def number(self, situation: Situation) -> float:
        return situation.status.clusters


class EventsSeen(_Compared):
    """Physical events (merges, collisions, walls; iterations of a jamming run) since the step began."""

    by_running = True

    def number(self, situation: Situation) -> float:
        return situation.events


class IterationsNeeded(_Compared):
    """The mean number of iterations of the minimisations since the run began; undefined without any."""

    def number(self, situation: Situation) -> float:
        steps = situation.status.lanes[0].steps if situation.status.lanes else {}
        minimisations = steps.get("minimisations", 0)
        return steps["iterations"] / minimisations if minimisations else nan


class StateReached(Condition):
    """The state of the run."""

    by_running = True
    _KNOWN = ("running", "paused", "finished", "held")
    allowed = either(_KNOWN)

    def __init__(self, value: Any) -> None:
        if value not in self._KNOWN:
            raise InputError(f"it must be {self.allowed}")
        self._wanted = ("paused", "finished") if value == "held" else (value,)

    def met(self, situation: Situation) -> bool:
        return situation.status.state in self._wanted


class ValueSet(Condition):
    """Values of keys of the running scenario: equal to a value, or by a comparison."""

    allowed = 'a table such as { "discs.count" = 100, "aggregation.time_stepping.fraction" = "< 0.5" }'

    def __init__(self, value: Any) -> None:
        from engine.scenario import describe

        if not isinstance(value, dict) or not value:
            raise InputError(f"it must be {self.allowed}")
        self._wanted = {key: _compared(one) for key, one in value.items()}
        for key in value:
            describe(key)

    def met(self, situation: Situation) -> bool:
        scenario = situation.scenario
        return scenario is not None and all(_is(scenario.value(key), one) for key, one in self._wanted.items())


class SystemRuns(Condition):
    """The system of the running scenario."""

    allowed = "the name of a system"

    def __init__(self, value: Any) -> None:
        from engine.system import systems

        known = [system.name for system in systems()]
        if value not in known:
            raise InputError(f"it must be {self.allowed}: {either(known)}")
        self._wanted = value

    def met(self, situation: Situation) -> bool:
        return situation.scenario is not None and situation.scenario.system == self._wanted


class CommandUsed(Condition):
    """Whether a command was used since the step began, from any place."""

    allowed = "the id of a command, or a list of ids, of which one is enough"

    def __init__(self, value: Any) -> None:
        ids = [value] if isinstance(value, str) else value
        if not isinstance(ids, list) or not ids or not all(isinstance(one, str) for one in ids):
            raise InputError(f"it must be {self.allowed}")
        self.ids = frozenset(ids)

    def met(self, situation: Situation) -> bool:
        return not self.ids.isdisjoint(situation.used)


class _Switched(Condition):
    """A condition that something is the case, or is not: ``true`` or ``false``."""

    allowed = "true or false"

    def __init__(self, value: Any) -> None:
        if not isinstance(value, bool):
            raise InputError(f"it must be {self.allowed}")
        self._wanted = value

    def met(self, situation: Situation) -> bool:
        return self.so(situation) == self._wanted

    @abstractmethod
    def so(self, situation: Situation) -> bool:
        """Whether it is the case now."""


class ComparisonShown(_Switched):
    """Whether two runs are side by side."""

    def so(self, situation: Situation) -> bool:
        return len(situation.status.lanes) > 1


class ViewSet(Condition):
    """Fields of the view model: ``{ color_by = "speed" }``."""

    of_view = True
    allowed = 'a table such as { color_by = "speed" }'

    def __init__(self, value: Any) -> None:
        from aggviewer.document.view import ViewModel

        if not isinstance(value, dict) or not value.keys() <= ViewModel.model_fields.keys():
            raise InputError(f"it must be {self.allowed}, with {', '.join(ViewModel.model_fields)}")
        self._wanted = value

    def met(self, situation: Situation) -> bool:
        return all(situation.view.get(name) == one for name, one in self._wanted.items())


class ViewChanged(Condition):
    """Fields of the view model that are other than when the step began, such as the turn of a box in space."""

    of_view = True
    allowed = "a field of the view, or a list of fields, of which all are meant"

    def __init__(self, value: Any) -> None:
        from aggviewer.document.view import ViewModel

        names = [value] if isinstance(value, str) else value
        known = ViewModel.model_fields
        if not isinstance(names, list) or not names or not all(isinstance(one, str) and one in known for one in names):
            raise InputError(f"it must be {self.allowed}: {', '.join(known)}")
        self._wanted = frozenset(names)

    def met(self, situation: Situation) -> bool:
        return self._wanted <= set(situation.changed)


class PlotShown(Condition):
    """A plot is shown alone or among others."""

    of_view = True
    allowed = "the name of a plot"

    def __init__(self, value: Any) -> None:
        if not isinstance(value, str):
            raise InputError(f"it must be {self.allowed}")
        self._wanted = value

    def met(self, situation: Situation) -> bool:
        return self._wanted in situation.plots


class PastShown(_Switched):
    """Whether an earlier time is shown."""

    of_view = True

    def so(self, situation: Situation) -> bool:
        return situation.status.past is not None


class OwnView(Condition):
    """Numbers of a lesson's own view: ``{ "ball.event" = ">= 10" }``."""

    allowed = 'a table such as { "ball.event" = ">= 10" }'

    def __init__(self, value: Any) -> None:
        if not isinstance(value, dict) or not value or not all(isinstance(one, str) for one in value.values()):
            raise InputError(f"it must be {self.allowed}")
        self._wanted = {name: Comparison(one) for name, one in value.items()}

    def met(self, situation: Situation) -> bool:
        numbers = situation.views
        return all(name in numbers and one.met(numbers[name]) for name, one in self._wanted.items())


class DiscTakenOut(Condition):
    """Discs removed from the packing before the run began: only rattlers, or at least one that was held."""

    _KNOWN = ("rattler", "held", "any")
    allowed = either(_KNOWN)

    def __init__(self, value: Any) -> None:
        if value not in self._KNOWN:
            raise InputError(f"it must be {self.allowed}")
        self._wanted = value

    def met(self, situation: Situation) -> bool:
        taken = situation.log.began_with(TakeOut)
        return taken is not None and (self._wanted == "any" or (taken.held > 0) == (self._wanted == "held"))


CONDITIONS: Mapping[str, type[Condition]] = {
    "time": TimeReached,
    "clusters": ClustersLeft,
    "events": EventsSeen,
    "iterations": IterationsNeeded,
    "state": StateReached,
    "values": ValueSet,
    "system": SystemRuns,
    "command": CommandUsed,
    "compare": ComparisonShown,
    "view": ViewSet,
    "changed": ViewChanged,
    "plot": PlotShown,
    "past": PastShown,
    "own": OwnView,
    "taken_out": DiscTakenOut,
}
"""The conditions by their names in ``when``."""


class AddedCondition(Condition):
    """A condition that a plug-in has added. While its function fails it is not met, and one sentence tells why.

    Parameters
    ----------
    name, origin : of the condition, and of the plug-in.
    met : takes a situation and the value in the lesson.
    """

    by_running = True
    allowed = "what the plug-in says"

    def __init__(self, value: Any, name: str, origin: str, met: Callable[[Situation, Any], Any]) -> None:
        self._value, self._name, self._origin, self._met = value, name, origin, met

    def met(self, situation: Situation) -> bool:
        try:
            return bool(self._met(situation, self._value))
        except (Exception, SystemExit) as error:
            sentence = missing("condition", self._name, self._origin, error)
            tell(sentence, f"condition {self._name} of {self._origin}")
            return False


def _fits(added: tuple[str, Any], others: Sequence[tuple[str, Any]]) -> None:
    name, met = added
    if name in CONDITIONS or name in [other for other, _ in others]:
        raise InputError(f"there is a condition {name} already")
    if not callable(met):
        raise InputError(f"the condition {name} must be a function of a situation and a value")


plugins.check("condition", _fits)


def _added() -> dict[str, Callable[[Any], Condition]]:
    """What makes each condition that plug-ins have added, by name."""
    found: dict[str, Callable[[Any], Condition]] = {}
    built: list[tuple[str, Any]] = []
    for part in plugins.use_parts("condition", lambda late: (late.build(built), Path(late.source).name)):
        (name, met), origin = part
        built.append((name, met))
        found[name] = partial(AddedCondition, name=name, origin=origin, met=met)
    return found


def condition(name: str, value: Any) -> Condition:
    """Make a condition of a lesson. InputError if it is invalid."""
    make: Callable[[Any], Condition] | None = CONDITIONS.get(name) or _added().get(name)
    if make is None:
        known = ", ".join((*CONDITIONS, *_added()))
        raise InputError(
            f"when.{name} is not a known condition: {known}; one of a plug-in needs --plugin FILE.py", f"when.{name}"
        )
    try:
        return make(value)
    except InputError as error:
        raise InputError(f"when.{name}: {error}", f"when.{name}") from None


def _compared(value: Any) -> Any:
    """A comparison if the text is one, else the value itself."""
    if isinstance(value, str) and value[:1] in "<>=":
        return Comparison(value)
    return value


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Comparison):
        return isinstance(value, int | float) and not isinstance(value, bool) and wanted.met(float(value))
    return bool(value == (tuple(wanted) if isinstance(wanted, list) else wanted))


_FUNCTIONS = ("sqrt", "log", "log10", "exp", "abs")
_COMPARISON = re.compile(r"\s*(<=|>=|==|<|>)\s*(.+?)\s*")
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}


class LessonFormula:
    """A formula of numbers and names, with ``+ - * / **``, brackets, and the functions sqrt, log, log10, exp and abs.

    Parameters
    ----------
    text : the formula. Names may be dotted: ``indicators.fractal_dimension``.

    Raises
    ------
    InputError
        The text is not a formula.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._expression = Expression(text, dotted=True, functions=_FUNCTIONS)
            if self._expression.kind != "number":
                raise InputError("it is true or false, not a number")
        except InputError as error:
            allowed = f"numbers, names, + - * / **, brackets, {', '.join(_FUNCTIONS)}"
            raise InputError(f"{text[:60]!r} is not a formula ({error}); it can contain {allowed}") from None
        self.names = self._expression.names

    def value(self, numbers: Mapping[str, Any]) -> float:
        """The value. numbers : by name; nested tables are reached by dotted names.

        Raises
        ------
        InputError
            A name is not a number, or the value is not finite.
        """
        try:
            found = float(self._expression.value(_Dotted(numbers)))
        except (ArithmeticError, ValueError, TypeError):
            found = math.nan
        if not math.isfinite(found):
            raise InputError(f"{self.text} has no value here")
        return found


class _Dotted(Mapping[str, float]):
    """The numbers in nested tables as one mapping, whose names are the keys joined by dots."""

    def __init__(self, numbers: Mapping[str, Any]) -> None:
        self._numbers = numbers

    def __getitem__(self, name: str) -> float:
        return float(flat(self._numbers, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Comparison:
    """A comparison with a number: ``> 0.5``, ``<= 3``, ``== 1``; `sign` and `limit` are its parts.

    Raises
    ------
    InputError
        The text is not a comparison.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        found = _COMPARISON.fullmatch(text)
        try:
            if found is None:
                raise ValueError
            self.sign, self.limit = found[1], float(found[2])
            self._met = _COMPARE[self.sign]
        except ValueError:
            raise InputError(f"{text!r} is not a comparison; write <, <=, >, >= or == and a number") from None

    def met(self, value: float) -> bool:
        """Whether a number satisfies the comparison."""
        return self._met(value, self.limit)


def flat(numbers: Mapping[str, Any], name: str) -> Any:
    """The value at a dotted name in nested tables; InputError if there is none."""
    found: Any = numbers
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    if found is None:
        raise InputError(f"there is no number {name} here")
    return found
