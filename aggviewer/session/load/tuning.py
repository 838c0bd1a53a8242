"""Changing a key of a scenario while it runs: which keys can, and which of two simulations side by side they reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aggviewer.session.run.lane import Lane
from engine.scenario import describe
from engine.system import method_of

if TYPE_CHECKING:
    from engine.scenario import Scenario

METHOD = "aggregation.method"


@dataclass(frozen=True)
class Tuned:
    """Values of a key that may change while it runs. values : in each lane; variant : what is different in the second
    lane."""

    key: str
    values: tuple[Any, ...]
    variant: Mapping[str, Any] | None

    @staticmethod
    def of(key: str, lanes: Sequence[Lane], variant: Mapping[str, Any] | None) -> Tuned:
        """Those of now."""
        values = tuple(lane.scenario.value(key) for lane in lanes)
        return Tuned(key, values, None if variant is None else dict(variant))

    def set(self, lanes: Sequence[Lane]) -> None:
        """Give the lanes these values again."""
        for lane, value in zip(lanes, self.values, strict=False):
            if lane.scenario.value(self.key) != value:
                scenario = lane.scenario.with_values({self.key: value})
                if self.key in lane.tunable:
                    lane.simulation.set(self.key, value)
                lane.scenario = scenario


def tune(
    lanes: Sequence[Lane],
    variant: dict[str, Any] | None,
    key: str,
    value: Any,
    of: int,
    carry_on: Callable[[list[Lane], list[Scenario]], None],
) -> None:
    """Change a key in lane `of` and in those that follow it.

    variant : what is different in the second lane; a value of its own is kept there. carry_on : replaces the
    simulations of lanes. InputError, with nothing changed, where the key or the value cannot be. A lane that is gone
    by now, because the comparison was ended a moment before, has nothing to be changed.
    """
    if of >= len(lanes):
        return
    changed = [lanes[k] for k in reached_by(key, of, len(lanes), variant or {})]
    scenarios = [lane.scenario.with_values({key: value}) for lane in changed]
    if describe(key).carried:
        carry_on(changed, scenarios)
    else:
        tuned = [lane for lane in changed if key in lane.tunable]
        for lane in tuned or changed[:1]:  # one that cannot says why
            lane.simulation.set(key, value)
        for lane, scenario in zip(changed, scenarios, strict=True):
            lane.scenario = scenario
    if of > 0 and variant is not None:
        variant[key] = value


def switch(lanes: Sequence[Lane], method: str) -> list[tuple[int, str]]:
    """Which lane has to go on with which method, in this order, so that the first one has `method`; where the second
    one has it already, they change places."""
    before = method_of(lanes[0].scenario)
    if before == method:
        return []
    swapped = len(lanes) > 1 and method_of(lanes[1].scenario) == method
    return [(1, before), (0, method)] if swapped else [(0, method)]


def reached_by(key: str, of: int, lanes: int, variant: Mapping[str, Any]) -> list[int]:
    """The lanes in which a change of `key` in lane `of` takes effect.

    The second lane is the first one's scenario but for `variant`: it follows where it has no value of its own.
    """
    if of > 0 or lanes == 1 or key in variant:
        return [of]
    return list(range(lanes))
