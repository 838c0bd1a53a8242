"""The settings of the dialog as the tables of a study, the study for a plot, and the texts of the window and the
dialog. No Qt.

The study for a plot is its scenario with several seeds. The points of one run are correlated, so one run gives no valid
error of a number computed from all of them; runs with other seeds do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan
from typing import Any

import numpy as np

from aggviewer.extensions.studies.results import Results
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot, StartDiscs
from aggviewer.session.data import Analysis
from aggviewer.style import numbers
from engine.errors import InputError
from engine.scenario import FieldDescription, Scenario, bundled, describe, load_scenario, scenario_keys
from engine.scenario.model import MAX_SEED
from engine.study import Study, labels
from engine.study.grid import Grid
from engine.study.labels import as_html
from engine.system import system_of, systems
from engine.words import count, places_of_error, typeset

MOST_POINTS = 2_000
"""The most points in the grid of a study in the window."""

SEEDS = 8
"""The number of runs in the study for a plot, at first."""

_NOTE = (
    f"<p>For the mean of several runs and its standard error, choose <i>Study with {SEEDS} seeds…</i> in the menu "
    "(right-click).</p>"
)
_WIDER = 1e-9  # relative: a range keeps the points at its limits when its unit is converted

_RANGES, _LISTS = ("integer", "number"), ("choice", "switch")
_NOT_VARIED = ("format", "system", "dimensions", "seed")


def range_table(key: str, start: Any, to: Any, steps: int, *, log: bool = False) -> dict[str, Any]:
    """The ``[[vary]]`` table of a number, from its first value to its last. They may be texts that are not numbers,
    which the study refuses with an error message."""
    return {"key": key, "range": {"from": start, "to": to, "steps": steps} | ({"log": True} if log else {})}


def study_tables(
    scenario: Scenario,
    title: str,
    vary: Sequence[Mapping[str, Any]],
    *,
    first: int = 1,
    count: int = 5,
    limits: Mapping[str, Any] | None = None,
    quantities: Sequence[str] = (),
    curves: Sequence[str] = (),
    slopes: Sequence[Mapping[str, Any]] = (),
    pools: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The tables of a study, as its file has them.

    Parameters
    ----------
    scenario : the scenario that is varied.
    title : for people.
    vary : a ``[[vary]]`` table for each parameter; none to vary only the seed.
    first, count : the seeds.
    limits : keys of ``[stop]`` to numbers.
    quantities, curves, slopes : what is measured; by default all numbers of a run.
    pools : the ``[[pool]]`` tables.
    """
    name, base = as_bundled(scenario)
    varied = {one["key"] for one in vary}
    measured = {"quantities": list(quantities), "curves": list(curves), "slope": [dict(one) for one in slopes]}
    tables = {
        "title": title,
        "scenario": name,
        "base": {key: value for key, value in base.items() if key not in varied},
        "vary": [dict(one) for one in vary],
        "seeds": {"first": first, "count": count},
        "stop": dict(limits or {}),
        "measure": {key: names for key, names in measured.items() if names},
        "pool": [dict(one) for one in pools],
    }
    return {"format": 1} | {key: value for key, value in tables.items() if value not in ({}, [])}


def study_title(of: str, vary: Sequence[Mapping[str, Any]], count: int) -> str:
    """The title of a study: what it is of, and what is varied, or the number of seeds if only they differ."""
    varied = " and ".join(describe(one["key"]).label.lower() for one in vary)
    return f"{of}: {varied or f'{count} seeds'}"


@dataclass(frozen=True)
class PlotStudy:
    """What a study for a plot runs and measures.

    Parameters
    ----------
    scenario, time : of the state shown.
    title : of the plot.
    quantities : names of numbers of a run; empty for all.
    curves : names of curves.
    slopes : tables ``[[measure.slope]]``.
    pools : tables ``[[pool]]``.
    """

    scenario: Scenario
    time: float
    title: str
    quantities: tuple[str, ...]
    curves: tuple[str, ...]
    slopes: tuple[Mapping[str, Any], ...]
    pools: tuple[Mapping[str, Any], ...]


def can_be_studied(plot: Plot) -> bool:
    """Whether a study can measure what a plot shows."""
    return bool(plot.study_curves or plot.study_numbers)


def note_on_errors(plot: Plot) -> str:
    """What the definition of a plot says about standard errors, rich text; "" if a study cannot give them."""
    return _NOTE if can_be_studied(plot) else ""


def study_of(plot: Plot, analysis: Analysis, chosen: Range | None, shown: Range | None) -> PlotStudy:
    """The study for a plot.

    Parameters
    ----------
    analysis : the state in the plot.
    chosen, shown : the user's fit range and the present one; None if there is none.
    """
    disc_set = analysis.disc_set
    discs = StartDiscs(disc_set.count, float(np.mean(disc_set.radii)))
    curves = tuple(dict.fromkeys(one.name for one in plot.study_curves.values()))
    slopes = tuple(_slopes(plot, discs, chosen, shown))
    pools = tuple(
        {"title": title, "exponent": f"{name}.fit.exponent", "count": f"{name}.fit.count"}
        for name, title in plot.study_pools.items()
    )
    numbers = (*plot.study_numbers, *(one[key] for one in pools for key in ("exponent", "count")))
    return PlotStudy(disc_set.scenario, analysis.time, plot.title, numbers, curves, slopes, pools)


def _slopes(plot: Plot, discs: StartDiscs, chosen: Range | None, shown: Range | None) -> Iterator[Mapping[str, Any]]:
    """The exponents of a plot over its present fit range."""
    fit = plot.power_fit
    for slope in fit.slopes:
        if slope.field not in plot.study_curves:
            continue
        curve = plot.study_curves[slope.field]
        table: dict[str, Any] = {"name": slope.name, "curve": curve.name}
        if chosen is None and fit.decades is not None:
            table["decades"] = fit.decades
        elif shown is not None:
            unit = curve.unit(discs)
            table["between"] = [shown[0] / unit * (1.0 - _WIDER), shown[1] / unit * (1.0 + _WIDER)]
        if slope.sign < 0.0:
            table["sign"] = -1
        yield table


def tables_for_plot(asked: PlotStudy, of: str, *, ended: bool) -> dict[str, Any]:
    """The tables of the study for a plot: runs with the seed of its scenario and the following ones.

    Parameters
    ----------
    of : what the study is of, for its title.
    ended : whether the run in the plot has ended. Then all runs go on to their ends, else up to the time shown.
    """
    return study_tables(
        asked.scenario,
        study_title(of, (), SEEDS),
        (),
        first=min(asked.scenario.seed, MAX_SEED + 1 - SEEDS),
        count=SEEDS,
        limits={} if ended else {"until_time": asked.time},
        quantities=asked.quantities,
        curves=asked.curves,
        slopes=asked.slopes,
        pools=asked.pools,
    )


def grid_of(tables: Mapping[str, Any]) -> Grid:
    """All points of a study for the window. InputError, with the key at fault, if it cannot be run or has too many
    points for the window."""
    grid = Grid(Study.from_values(tables))
    if len(grid.points) > MOST_POINTS:
        raise InputError(
            f"this grid has {count(len(grid.points))} points; the window allows at most {count(MOST_POINTS)}",
            grid.axes[-1].key,
        )
    return grid


def can_vary(scenario: Scenario) -> list[FieldDescription]:
    """The keys of a scenario that a study can vary, in the order of the file."""
    system = system_of(scenario)
    others = {one.table for one in systems()} - {system.table}
    if not system.shears:
        others.add("shear")
    return [
        one
        for key, one in scenario_keys().items()
        if key not in _NOT_VARIED and key.partition(".")[0] not in others and one.kind in (*_RANGES, *_LISTS)
    ]


def takes_range(described: FieldDescription) -> bool:
    """Whether a key is varied over a range of numbers; else over a list of values."""
    return described.kind in _RANGES


def as_bundled(scenario: Scenario) -> tuple[str, dict[str, Any]]:
    """A scenario as the most similar bundled one, and what differs from that."""
    best: tuple[str, dict[str, Any]] | None = None
    for name, other in _bundled_scenarios().items():
        base = _differences(scenario, other)
        if None not in base.values() and (best is None or len(base) < len(best[1])):  # TOML has no word for None
            best = (name, base)
    assert best is not None
    return best


@cache
def _bundled_scenarios() -> dict[str, Scenario]:
    """The bundled scenarios by name, read once, since the dialog asks after each key."""
    return {one.name: load_scenario(one.name) for one in bundled()}


def _differences(scenario: Scenario, other: Scenario) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in scenario_keys():
        value = scenario.value(key)
        if key not in ("format", "seed") and value != other.value(key):
            found[key] = list(value) if isinstance(value, tuple) else value
    return found


_MOST_PLACES, _LARGE = 6, 1e7  # digits after the point, and the value from which powers of ten are written
_TITLES = {
    "idle": "Not running",
    "running": "Running",
    "pausing": "Pausing",
    "paused": "Paused",
    "stopping": "Stopping and writing the report",
    "stopped": "Stopped",
    "finished": "Finished",
    "failed": "Ended",
}


def progress_words(results: Results, state: str, workers: int, *, begun: bool) -> str:
    """The progress of a study in words.

    Parameters
    ----------
    state : of its process.
    workers : how many runs are computed at once.
    begun : whether there may be results already.
    """
    words = [f"{count(results.done)} of {count(results.total)} runs"]
    if results.failures:
        words.append(f"{count(len(results.failures))} failed")
    title, left = _TITLES[state], results.seconds_left(workers)
    if state == "running":
        if not begun:
            title = "Starting"
        elif not results.remaining:
            title = "Writing the report"
        elif left is not None:
            words.append(f"about {numbers.duration(left)} left")
    return f"{title}: {', '.join(words)}"


def failure_words(results: Results) -> str:
    """Why runs failed, or else why values of others are missing; "" if nothing failed."""
    found, failed = (results.failures, "failed") if results.failures else (results.remarks, "missing values")
    reasons = list(dict.fromkeys(found.values()))
    if not reasons:
        return ""
    others = len(reasons) - 1
    who = "One run has" if len(found) == 1 else f"{count(len(found))} runs have"
    more = f" (and {others} other reason{'' if others == 1 else 's'}: see the report)" if others else ""
    return f"{who} {failed}: {reasons[0]}{more}"


def mean_and_error(mean: float, error: float) -> tuple[str, str]:
    """Mean and error with significant digits: those of the mean down to the error."""
    if isnan(mean):
        return "–", ""
    if isnan(error) or error <= 0.0:
        return typeset(mean, ".5g"), "" if isnan(error) else "0"
    places = places_of_error(error)
    if not 0 <= places <= _MOST_PLACES or abs(mean) >= _LARGE:
        return typeset(mean, ".5g"), typeset(error, ".2g")
    return typeset(mean, f".{places}f"), typeset(error, f".{places}f")


def mean_in_words(results: Results, name: str) -> str:
    """The mean at the only point with its standard error and unit, rich text; "" if there is no run yet."""
    done, mean, error = (float(values[0]) for values in results.means(name))
    if not done:
        return ""
    symbol, unit = as_html(labels.plain_label(name, results.grid)), labels.unit(name, results.grid)
    mean_text, error_text = mean_and_error(mean, error)
    value = f"<b>{mean_text} ± {error_text}</b>" if error > 0.0 else f"<b>{mean_text}</b>"
    runs = f"{count(done)} runs" if done > 1 else "one run"
    of = f"standard error of {runs}" if error > 0.0 else runs
    return f"{labels.capitalised(symbol)} = {value} {as_html(unit)}".rstrip() + f" ({of})"
