"""Collects every standard error in the plots and the JSON of a run, for tests that compare them with the spread over
runs with other seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import engine
from aggviewer.plots import RunStyle
from aggviewer.plots.card import PlotCard
from aggviewer.plots.drawing import PlotSeries
from aggviewer.session.analyst import MeasuredState, StateCopy
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.systems.registry import view_of
from engine.runs.loop import RunLimits, simulate
from engine.runs.summary import json_value, measured
from engine.scenario import Scenario
from engine.system import system_of

Told = dict[tuple[Any, ...], tuple[float, float]]
"""Where a number stands, to the number and its standard error."""

_ALONE = re.compile(r"([^<>=]*) = <b>([−\d.·⁻e]+) ± ([\d.]+)")
_BRACKETS = re.compile(r"([^<>=]+(?:<sub>\w+</sub>)?) = <b>([−\d.]+)\((\d+)\)")
_LOOKS = 6  # at a run on its way: plots draw curves since the start
_ERROR, _PLACES = ", standard error", 6


class TellsErrors:
    """The plots of one system, which are made once and shown one run after the other."""

    def __init__(self, system: str) -> None:
        self.plots = [PlotCard(plot, k + 1) for k, plot in enumerate(view_of(system).plots())]
        for plot in self.plots:
            plot.make()
            plot.set_runs([RunStyle("run", "event-driven")], [None])

    def of(self, scenario: Scenario, limits: RunLimits) -> Told:
        """All standard errors of a run at its end."""
        analysis, summary = run_of(scenario, limits)
        found: Told = dict(of_json(summary))
        for plot in self.plots:
            plot.begin(0)
            plot.offer(analysis)
            plot.draw_all()
            found |= dict(of_plot(plot))
        return found


def run_of(scenario: Scenario, limits: RunLimits) -> tuple[Analysis, dict[str, Any]]:
    """A run to its end: the state as the window measures it, and its JSON."""
    simulation = engine.create(scenario)
    kind = system_of(scenario)
    start = kind.start(simulation)
    analyst = view_of(scenario.system).analysis()
    analyst.begin(simulation)
    info = DiscSet(
        scenario, simulation.radii, simulation.masses, simulation.box, scenario.box.boundary == "periodic",
        simulation.count,
    )  # fmt: skip
    times = [0.0]
    if limits.until_time is not None:
        times += np.geomspace(limits.until_time / 100.0, limits.until_time, _LOOKS).tolist()[:-1]
    for time in times:
        simulate(simulation, RunLimits(until_time=time))
        _measured(analyst, info, simulation, ended=False)
    ended = simulate(simulation, limits)
    summary = measured(simulation, simulation.settled(), ended, compile_s=0.0, setup_s=0.0, start=start)
    return _measured(analyst, info, simulation, ended=True), summary


def _measured(analyst: Any, info: DiscSet, simulation: Any, *, ended: bool) -> Analysis:
    frame = simulation.settled()
    observed = analyst.observe(simulation, frame, MeasuredState(ended=ended))
    sample = StateCopy(info, frame.time, frame.positions.copy(), frame.radius_factor, simulation.history(), observed)
    found: Analysis = analyst.measure(sample)
    return found


def of_json(value: Any, where: tuple[Any, ...] = ("JSON",)) -> Iterator[tuple[tuple[Any, ...], tuple[float, float]]]:
    """An ``error`` beside a number, or beside numbers, is that of the entry before it."""
    if not isinstance(value, Mapping):
        return
    value = json_value(value) if len(where) == 1 else value
    names = list(value)
    for name, one in value.items():
        yield from of_json(one, (*where, name))
        if name != "error" or one is None:
            continue
        before = names[names.index(name) - 1]
        if isinstance(one, list):
            first = value[names[0]]
            for x, y, error in zip(first, value[before], one, strict=True):
                if error is not None:
                    yield (*where, before, round(x, _PLACES)), (y, error)
        else:
            yield (*where, before), (float(value[before]), float(one))


def of_plot(plot: PlotCard) -> Iterator[tuple[tuple[Any, ...], tuple[float, float]]]:
    """Bars, columns of the table, and numbers with ± or brackets."""
    (drawn,) = plot.drawings
    if drawn is None or not drawn.has_data:
        return
    barred = {one.key: one for one in drawn.series if one.error is not None}
    for key, one in barred.items():
        for x, y, error in zip(_places(plot, one), one.y, one.error, strict=True):
            if np.isfinite(y) and np.isfinite(error):
                yield (plot.key(), "bars of " + key, round(float(x), 4)), (float(y), float(error))
    table = plot.table()
    for heading, values in table.items():
        if _ERROR in heading:
            known = table[heading.replace(_ERROR, "")]
            names = {plot.plot.columns[key][1].name for key in barred}
            if len(values) == len(known) and heading.partition(_ERROR)[0] not in names:
                curve = drawn.find("curve")
                places = range(len(values)) if curve is None or len(curve.y) != len(values) else _places(plot, curve)
                for x, value, error in zip(places, known, values, strict=True):
                    if np.isfinite(error):
                        yield (plot.key(), "table: " + heading, round(float(x), 4)), (float(value), float(error))
    text = plot.view.value
    for symbol, value, error in _ALONE.findall(text):
        if "·" not in value:
            yield (plot.key(), "±", symbol.strip()), (float(value.replace("−", "-")), float(error))
    for symbol, value, digits in _BRACKETS.findall(text):
        places = len(value.partition(".")[2])
        yield (plot.key(), "()", symbol.strip()), (float(value.replace("−", "-")), float(digits) * 10.0**-places)


def _places(plot: PlotCard, one: PlotSeries) -> Any:
    """Where the points of a series stand on the axis."""
    return np.log10(one.middle) if plot.plot.axes.x_log else one.middle
