"""The small study of a lesson: several runs on a separate thread, while the learner watches the first, and their
plot."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import fmean, stdev

import numpy as np

from aggviewer.extensions.lessons.answers import EnsembleResult, number_text
from aggviewer.extensions.lessons.conditions import LessonFormula
from aggviewer.extensions.lessons.model import Ensemble
from aggviewer.extensions.lessons.room import Answer
from aggviewer.latest_job import CancelledError, LatestJob
from aggviewer.plots.drawing import PLAIN, Axes, PlotDrawing, PlotSeries, drawing, level
from aggviewer.plots.view import DrawingView, places_of, round_range
from aggviewer.style.formulas import symbol_html
from engine.errors import InputError
from engine.scenario import Scenario, describe
from engine.study.labels import as_html
from engine.system import system_of

ShareProgress = Callable[[float], None]


class EnsembleRun:
    """Runs a scenario with several values of a key and several seeds, one after the other.

    Parameters
    ----------
    scenario : the scenario to vary.
    ensemble : the lesson's specification.
    progress, answer : called on the thread of the runs, with the fraction done, and with ``y0``, ``y0_error``… or an
        error message.
    """

    def __init__(self, scenario: Scenario, ensemble: Ensemble, progress: ShareProgress, answer: Answer) -> None:
        self._ensemble, self._progress = ensemble, progress
        self._scenarios = [
            scenario.with_values({"seed": seed} | ({ensemble.vary: value} if ensemble.vary else {}))
            for value in ensemble.values or (None,)
            for seed in range(1, ensemble.seeds + 1)
        ]
        self._job = LatestJob("aggviewer-lesson-study", niceness=0)
        self._job.submit(self._run, answer)

    def close(self, patience: float | None = None) -> bool:
        """Stop it; False if the present run takes longer than `patience` seconds to stop."""
        return self._job.close(patience)

    def _run(self) -> dict[str, float] | InputError:
        try:
            found = [self._measured(number, scenario) for number, scenario in enumerate(self._scenarios)]
        except InputError as error:
            return error
        seeds = self._ensemble.seeds
        numbers: dict[str, float] = {}
        for place in range(len(found) // seeds):
            values = found[place * seeds : (place + 1) * seeds]
            numbers[f"y{place}"] = fmean(values)
            numbers[f"y{place}_error"] = stdev(values) / sqrt(seeds)
        return numbers

    def _measured(self, number: int, scenario: Scenario) -> float:
        import engine
        from engine.runs.loop import RunLimits, simulate
        from engine.runs.summary import measured

        ensemble = self._ensemble
        limits = RunLimits(
            until_time=ensemble.until_time,
            until_clusters=ensemble.until_clusters,
            until_events=ensemble.until_events,
        )
        simulation = engine.create(scenario)
        start = system_of(scenario).start(simulation)
        ended = simulate(simulation, limits, stopped=lambda: self._job.cancelled)
        if self._job.cancelled:
            raise CancelledError
        values = measured(simulation, simulation.settled(), ended, compile_s=0.0, setup_s=0.0, start=start)
        self._progress((number + 1) / len(self._scenarios))
        return LessonFormula(ensemble.y).value(values)


_HEIGHT = 184  # pixels
_SYMBOL = 9.0  # pixels


def varied_label(ensemble: Ensemble) -> str:
    """The label of the x axis: name, symbol and unit of the varied key, or the number of the run."""
    if not ensemble.vary:
        return "run"
    field = describe(ensemble.vary)
    unit = f" ({field.unit})" if field.unit else ""
    return f"{field.label} {symbol_html(field.symbol) if field.symbol else ''}".strip() + unit


def draw_ensemble(ensemble: Ensemble, study: EnsembleResult) -> PlotDrawing:
    """Draw the means with their errors, and the level to compare with, if any."""
    x, _ = places_of(ensemble.values or range(1, len(study.points) + 1))
    y = np.array([point.value for point in study.points])
    error = np.nan_to_num(np.array([point.error for point in study.points]))
    levels = [] if study.level is None else [level("level", study.level, dash="dashed", label=ensemble.level_name)]

    def words(index: int) -> str:
        return f"{number_text(x[index])}: {study.points[index].text(3)}"

    means = PlotSeries("means", x, y, role=PLAIN, error=error, marker="o", size=_SYMBOL, words=words)
    up = np.concatenate([y - error, y + error, *(one.y for one in levels)])
    return drawing([*levels, means], (*round_range(x, ensemble.log), *round_range(up, False)))


class EnsemblePlot(DrawingView):
    """Shows a study. ensemble : its specification."""

    def __init__(self, ensemble: Ensemble) -> None:
        _, words = places_of(ensemble.values)
        label = as_html(ensemble.label)
        super().__init__(Axes(varied_label(ensemble), label, x_log=ensemble.log, x_ticks=words))
        self._ensemble = ensemble
        self.setFixedHeight(_HEIGHT)
        self.setAccessibleName(f"{ensemble.label} over {ensemble.vary or 'the runs'}")

    def show_study(self, study: EnsembleResult) -> None:
        """Show the results."""
        self.show_drawing(draw_ensemble(self._ensemble, study))
