"""The small study of a lesson: several runs on a separate thread, while the learner watches the first."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import fmean, stdev

from aggviewer.extensions.lessons.expressions import LessonFormula
from aggviewer.extensions.lessons.model import Ensemble
from aggviewer.extensions.lessons.player import Answer
from aggviewer.latest_job import CancelledError, LatestJob
from engine.errors import InputError
from engine.scenario import Scenario
from engine.system import system_of

Progress = Callable[[float], None]


class EnsembleRun:
    """Runs a scenario with several values of a key and several seeds, one after the other.

    Parameters
    ----------
    scenario : the scenario to vary.
    ensemble : the lesson's specification.
    progress, answer : called on the thread of the runs, with the fraction done, and with ``y0``, ``y0_error``… or an
        error message.
    """

    def __init__(self, scenario: Scenario, ensemble: Ensemble, progress: Progress, answer: Answer) -> None:
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
        from engine.runs.limits import RunLimits
        from engine.runs.loop import simulate
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
