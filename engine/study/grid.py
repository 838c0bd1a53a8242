"""The runs of a study: a scenario for every point of the grid and beside it, and the seeds at each."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import engine
from engine.errors import InputError
from engine.scenario import Scenario, describe, load_scenario
from engine.study.model import MAX_RUNS, Study, Vary
from engine.system import system_of
from engine.words import count


@dataclass(frozen=True)
class GridPoint:
    """A point of the grid.

    Parameters
    ----------
    number : from 0, in the order of the grid: the last axis changes fastest. Those beside the grid come last.
    values : dotted keys of the scenario that are varied or set, with their values here.
    seeds : how many runs there are at it.
    name : of a point beside the grid; "" for one of the grid.
    keep : its final states are kept, whatever is asked for.
    """

    number: int
    values: dict[str, Any]
    seeds: int
    name: str = ""
    keep: bool = False


@dataclass(frozen=True)
class StudyRun:
    """One run of a study, identified by its point and seed."""

    point: GridPoint
    seed: int

    @property
    def changes(self) -> dict[str, Any]:
        """The differences from the scenario of the study."""
        return self.point.values | {"seed": self.seed}


class Grid:
    """All points of a study, each with a scenario that can be run.

    Attributes
    ----------
    points : all of them; crossed : those of the grid itself; beside : the single ones, which have a name.
    places : of each of those of the grid, the index of its value on each axis.
    keys : the keys that are varied; columns : these and those that single points set, for tables.
    kernels : the names of the sets of kernels that the runs need.

    Parameters
    ----------
    study : the study.
    folder : its scenario file is relative to this.

    Raises
    ------
    InputError
        If the scenario does not exist or is invalid at one of the points; the message names the point.
    """

    def __init__(self, study: Study, folder: Path | None = None) -> None:
        self.study = study
        self.scenario = _scenario(study, folder)
        self.axes = tuple(study.vary)
        self.keys = tuple(key for axis in self.axes for key in axis.all_keys)
        self.values = tuple(_values(axis) for axis in self.axes)
        self.crossed, self.places = self._crossed()
        if not self.crossed:
            raise InputError("skip leaves no point of the grid", "skip")
        self.beside = tuple(self._beside())
        self.points = (*self.crossed, *self.beside)
        self.columns = tuple(dict.fromkeys([*self.keys, *(key for one in self.beside for key in one.values)]))
        if len(self) > MAX_RUNS:
            raise InputError(
                f"a study has at most {count(MAX_RUNS)} runs, and these are {count(len(self))}", "seeds.count"
            )
        limits = study.stop.limits()
        kernels = dict[str, None]()
        for point in self.points:
            try:
                scenario = self.scenario_at(point)
                limits.check_ends(scenario)
            except InputError as error:
                raise InputError(f"{error}{_where(point)}", error.key) from None
            kernels[system_of(scenario).kernels(scenario)] = None
        self.kernels = tuple(kernels)

    def __len__(self) -> int:
        return sum(point.seeds for point in self.points)

    @property
    def seeds(self) -> range:
        """All seeds of the study."""
        most = max(point.seeds for point in self.points)
        return range(self.study.seeds.first, self.study.seeds.first + most)

    def runs(self) -> Iterator[StudyRun]:
        """All runs; the seeds change slowest, so that every point soon has some."""
        for seed in self.seeds:
            for point in self.points:
                if seed - self.study.seeds.first < point.seeds:
                    yield StudyRun(point, seed)

    def scenario_at(self, point: GridPoint) -> Scenario:
        """The scenario of a point, with the first seed."""
        return self.scenario.with_values(point.values | {"seed": self.study.seeds.first})

    def discs_at(self, point: GridPoint) -> int:
        """The discs of a run at a point."""
        return int(point.values.get("discs.count", self.scenario.discs.count))

    @property
    def discs(self) -> int:
        """The discs of one run at every point, together."""
        return sum(map(self.discs_at, self.points))

    def cells(self, point: GridPoint) -> dict[str, Any]:
        """The entries of a point in `columns` of tables; None for a key that is not set."""
        return {key: point.values[key] if key in point.values else self.scenario.value(key) for key in self.columns}

    def named(self, names: Collection[str]) -> list[GridPoint]:
        """The single points with these names, in this order. InputError for an unknown name."""
        known = {point.name: point for point in self.beside}
        for name in names:
            if name not in known:
                there = ", ".join(known) or "none"
                raise InputError(f"there is no point {name} beside the grid; there are {there}", "point")
        return [known[name] for name in names]

    def axis_of(self, key: str) -> Vary | None:
        """The axis of a varied key, None if it is not varied."""
        return next((axis for axis in self.axes if key in axis.all_keys), None)

    def told(self, point: GridPoint) -> list[tuple[Vary, Any]]:
        """Each axis with its value at a point of the grid: the name of the value if it has one, values of keys that
        change together joined, else the value itself."""
        return [(axis, self.value_on(axis, point)) for axis in self.axes]

    def value_on(self, axis: Vary, point: GridPoint) -> Any:
        """The value of one axis at a point of the grid, see `told`."""
        values = [point.values[key] for key in axis.all_keys]
        if axis.names:
            rows = axis.values if axis.keys else [[value] for value in axis.values]
            return axis.names[[list(row) for row in rows].index(values)]
        if axis.keys:
            return ", ".join(f"{one:g}" if isinstance(one, float) else str(one) for one in values)
        return values[0]

    def _crossed(self) -> tuple[tuple[GridPoint, ...], tuple[tuple[int, ...], ...]]:
        points: list[GridPoint] = []
        places: list[tuple[int, ...]] = []
        for place in itertools.product(*(range(len(values)) for values in self.values)):
            values = {key: value for axis, k in zip(self.values, place, strict=True) for key, value in axis[k].items()}
            if not any(skip.holds(values) for skip in self.study.skip):
                points.append(GridPoint(len(points), values, self.study.seeds.count))
                places.append(place)
        return tuple(points), tuple(places)

    def _beside(self) -> Iterator[GridPoint]:
        for number, one in enumerate(self.study.point, start=len(self.crossed)):
            for key in one.set:
                describe(key)  # InputError for a key that does not exist
            values = {key: self.scenario.value(key) for key in self.keys} | one.set
            seeds = self.study.seeds.count if one.seeds is None else one.seeds
            yield GridPoint(number, values, seeds, one.name, one.keep)


def _scenario(study: Study, folder: Path | None) -> Scenario:
    """The scenario of a study with its [base]."""
    beside = None if folder is None else folder / study.scenario
    scenario = load_scenario(beside if beside is not None and beside.is_file() else study.scenario)
    return scenario.with_values(study.base)


def _values(axis: Vary) -> list[dict[str, Any]]:
    """The settings of an axis, for each of its values."""
    kinds = [describe(key).kind for key in axis.all_keys]  # InputError for a key that does not exist
    if axis.range is not None:
        if kinds[0] not in ("integer", "number", "step", "size"):
            raise InputError(f"{axis.name} takes no range: it must be {describe(axis.name).allowed}", axis.name)
        return [{axis.key: value} for value in axis.range.values(kinds[0] == "integer")]
    rows = axis.values if axis.keys else [[value] for value in axis.values]
    found = [dict(zip(axis.all_keys, row, strict=True)) for row in rows]
    for k, row in enumerate(found):
        if row in found[:k]:
            raise InputError(f"vary of {axis.name} has {axis.values[k]!r} twice", axis.name)
    return found


def _where(point: GridPoint) -> str:
    if point.name:
        return f" (at the point {point.name})"
    if not point.values:
        return ""
    return " (where " + ", ".join(f"{key} = {value!r}" for key, value in point.values.items()) + ")"


_MANY_DISCS = 20_000  # so many are placed at random once, by the run itself


def check_starts(grid: Grid) -> None:
    """Place the discs of every point once, so that an InputError is raised before anything runs."""
    from engine.initial import initial_state

    for point in grid.points:
        scenario = grid.scenario_at(point)
        arrangement = scenario.discs.placed
        if arrangement is not None and arrangement.by_chance and scenario.discs.count > _MANY_DISCS:
            continue
        try:
            state = initial_state(scenario)
            if not system_of(scenario).prepares(scenario) and len(state.radii) <= _MANY_DISCS:
                engine.create(scenario, state)
        except InputError as error:
            raise InputError(f"{error}{_where(point)}", error.key) from None
