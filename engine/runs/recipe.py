"""How a run has come about, and making it again with the same bits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import engine
from engine.scenario import Scenario, fields

if TYPE_CHECKING:
    from engine.simulation import Checkpoint, Progress

Pair = tuple[float, float]


@dataclass(frozen=True)
class ScheduledChange:
    """What was changed while a run went on.

    Parameters
    ----------
    time : simulation time of the change.
    values : the new values by dotted key of the scenario; of a throw the arguments of `engine.throw`.
    how : ``set``, in the simulation; ``carried``, another simulation carries on with the discs; ``later``, the
        simulation has no use for the key, but one that carries on later may have; ``thrown``, a disc is moved by hand.
    """

    time: float
    values: Mapping[str, Any]
    how: str


@dataclass(frozen=True)
class Recipe:
    """The history of a run: how it began, and the changes since.

    Parameters
    ----------
    scenario : in which it began.
    changes : in the order of time.
    start : the state in which it began, if its scenario does not lead there again: that of a saved session, or of a
        file, which may change. None for the state that `engine.create` makes.
    resumed : whether it began as a saved session, so that its scenario alone cannot repeat it.
    """

    scenario: Scenario
    changes: tuple[ScheduledChange, ...] = ()
    start: Checkpoint | None = None
    resumed: bool = False

    def set(self, time: float, key: str, value: Any, used: bool) -> Recipe:
        """With another value of a key from `time` on. used : whether the simulation has a use for it."""
        return self._with(ScheduledChange(time, {key: value}, "set" if used else "later"))

    def carried(self, time: float, before: Scenario, after: Scenario) -> Recipe:
        """With another simulation from `time` on, under another scenario."""
        return self._with(ScheduledChange(time, _changed(before, after), "carried"))

    def beside(self, time: float, before: Scenario, after: Scenario, tunable: Collection[str]) -> Recipe:
        """Of a run that splits off at `time` under another scenario, for a comparison. tunable : of its simulation."""
        values = _changed(before, after)
        how = "set" if all(key in tunable for key in values) else "carried"
        return self._with(ScheduledChange(time, values, how))

    def thrown(self, time: float, disc: int, position: Pair | None, velocity: Pair | None) -> Recipe:
        """With a disc that is moved elsewhere and thrown at `time` (`engine.throw`)."""
        values = {"disc": disc, "position": position, "velocity": velocity}
        return self._with(ScheduledChange(time, values, "thrown"))

    def in_effect(self, until_time: float = inf) -> Iterator[tuple[ScheduledChange, dict[str, Any]]]:
        """The changes up to a time that a simulation notices, with their values."""
        later: dict[str, Any] = {}
        for change in self.changes:
            if change.time > until_time:
                return
            if change.how == "later":
                later |= change.values
            elif change.how == "carried":
                yield change, later | dict(change.values)
                later = {}
            else:
                yield change, dict(change.values)

    def _with(self, change: ScheduledChange) -> Recipe:
        return replace(self, changes=(*self.changes, change))


def _changed(before: Scenario, after: Scenario) -> dict[str, Any]:
    """The keys that differ, with the new values."""
    return {key: after.value(key) for key in fields() if after.value(key) != before.value(key)}


class Repetition:
    """A run that is made again, on one thread at a time.

    recipe : of the run.

    Attributes
    ----------
    simulation : the run, at first in its first state. Another object after some changes.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._changes = list(recipe.in_effect())
        self.simulation = engine.create(recipe.scenario) if recipe.start is None else engine.restore(recipe.start)

    def advance(self, until: float, budget: float) -> Progress:
        """Work for about `budget` seconds towards a simulation time, and make the changes up to it."""
        if not self._changes or self._changes[0][0].time > until:
            return self.simulation.advance(until, budget)
        progress = self.simulation.advance(self._changes[0][0].time, budget)
        if progress.reached or progress.finished:
            self._change(*self._changes.pop(0))
        return replace(progress, time=self.simulation.time, reached=False, finished=False)

    def _change(self, change: ScheduledChange, values: Mapping[str, Any]) -> None:
        if change.how == "set":
            for key, value in values.items():
                self.simulation.set(key, value)
        elif change.how == "thrown":
            self.simulation = engine.throw(self.simulation, **values)
        else:
            self.simulation = engine.carry_on(self.simulation, self.simulation.scenario.with_values(dict(values)))
