"""What a person has asked for, as the tables of a study. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import InputError
from engine.scenario import FieldDescription, Scenario, bundled, fields, load_scenario
from engine.study import Study
from engine.study.grid import Grid
from engine.system import system_of, systems

MOST_POINTS = 2_000
"""Of the grid of a study that is watched in the window."""

LIMITS = ("until_time", "until_clusters", "until_events", "max_wall")
"""The keys of ``[stop]``."""

_RANGES, _LISTS = ("integer", "number"), ("choice", "switch")
_NOT_VARIED = ("format", "system", "seed")


@dataclass(frozen=True)
class Range:
    """A number that is varied: its first and last value, and how many there are. They may be texts that are none: the
    study refuses them with a sentence."""

    key: str
    start: Any
    to: Any
    steps: Any
    log: bool = False

    def table(self) -> dict[str, Any]:
        """The table ``[[vary]]`` of a study's file."""
        values = {"from": self.start, "to": self.to, "steps": self.steps}
        return {"key": self.key, "range": values | ({"log": True} if self.log else {})}


@dataclass(frozen=True)
class Choices:
    """A choice that is varied, with the values that are compared."""

    key: str
    values: tuple[Any, ...]

    def table(self) -> dict[str, Any]:
        """The table ``[[vary]]`` of a study's file."""
        return {"key": self.key, "values": list(self.values)}


Axis = Range | Choices


@dataclass(frozen=True)
class Plan:
    """A study as it stands in the dialog.

    Parameters
    ----------
    scenario : of which copies run.
    title : for people.
    axes : one or two; none to vary only the seed.
    first, count : the seeds.
    limits : keys of ``[stop]`` to numbers.
    quantities : names of numbers; none: all that a run has.
    curves : names of curves.
    slopes : tables of exponents of curves.
    """

    scenario: Scenario
    title: str
    axes: tuple[Axis, ...]
    first: Any = 1
    count: Any = 5
    limits: Mapping[str, Any] = field(default_factory=dict)
    quantities: tuple[str, ...] = ()
    curves: tuple[str, ...] = ()
    slopes: tuple[Mapping[str, Any], ...] = ()

    def tables(self) -> dict[str, Any]:
        """The tables of its TOML: one file, which needs no other."""
        name, base = as_bundled(self.scenario)
        varied = {axis.key for axis in self.axes}
        tables: dict[str, Any] = {"format": 1, "title": self.title, "scenario": name}
        tables["base"] = {key: value for key, value in base.items() if key not in varied}
        tables["vary"] = [axis.table() for axis in self.axes]
        tables["seeds"] = {"first": self.first, "count": self.count}
        tables["stop"] = dict(self.limits)
        slopes = [dict(one) for one in self.slopes]
        measured = {"quantities": list(self.quantities), "curves": list(self.curves), "slope": slopes}
        tables["measure"] = {key: names for key, names in measured.items() if names}
        return {key: value for key, value in tables.items() if value not in ({}, [])}

    def grid(self) -> Grid:
        """All its points. InputError, with the key at fault, where it cannot be run."""
        for axis in self.axes:
            if isinstance(axis, Choices) and not axis.values:
                raise InputError("tick at least one value", axis.key)
        grid = Grid(Study.from_values(self.tables()))
        if len(grid.points) > MOST_POINTS:
            raise InputError(
                f"these are {len(grid.points):,} points; in the window there are at most {MOST_POINTS:,}",
                self.axes[-1].key,
            )
        return grid


def can_vary(scenario: Scenario) -> list[FieldDescription]:
    """The keys of a scenario of which a study can have several values, in the order of the file."""
    own = system_of(scenario).table
    others = {one.table for one in systems()} - {own}
    return [
        one
        for key, one in fields().items()
        if key not in _NOT_VARIED and key.partition(".")[0] not in others and one.kind in (*_RANGES, *_LISTS)
    ]


def takes_range(described: FieldDescription) -> bool:
    """Whether a key goes through a range of numbers; else it has a list of values."""
    return described.kind in _RANGES


def as_bundled(scenario: Scenario) -> tuple[str, dict[str, Any]]:
    """A scenario as a bundled one and what differs from it: the one with which least does."""
    best: tuple[str, dict[str, Any]] | None = None
    for one in bundled():
        base = _differences(scenario, load_scenario(one.name))
        if None not in base.values() and (best is None or len(base) < len(best[1])):  # TOML has no word for None
            best = (one.name, base)
    assert best is not None
    return best


def _differences(scenario: Scenario, other: Scenario) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in fields():
        value = scenario.value(key)
        if key not in ("format", "seed") and value != other.value(key):
            found[key] = list(value) if isinstance(value, tuple) else value
    return found
