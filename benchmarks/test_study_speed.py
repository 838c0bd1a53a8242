"""What a study costs beside its runs, and whether the picture moves on beside it.

The targets: 50 runs of 10 ms a second and core (2 500 discs); 20 pictures a second beside a study, and no run goes on a
second after the wish to stop. Reported, not asserted. The machine should have nothing else to do.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from aggviewer.extensions.studies.plan import range_table, study_tables
from aggviewer.extensions.studies.studies import Studies
from benchmarks.conftest import Report, seconds
from benchmarks.test_window_speed import opened, until
from engine.scenario import load_scenario
from engine.study import Study, running
from engine.study import run as run_study
from engine.study.grid import Grid
from engine.study.one_run import RunTask, perform, prepare
from engine.study.workers import DaskWorkers, local

SHORT: dict[str, Any] = {
    "scenario": "lattice-2500",
    "stop": {"until_clusters": 1500},
    "measure": {"quantities": ["contacts_relative", "events.merge"]},
}


def study(values: dict[str, Any], runs: int) -> Study:
    """A study of so many seeds at one point."""
    return Study.from_values(values | {"seeds": {"count": runs}})


def of_a_study(crew: DaskWorkers, values: dict[str, Any], runs: int) -> float:
    """Seconds of a study on workers that have loaded all they need."""
    began = time.perf_counter()
    result = run_study(study(values, runs), client=crew.client)
    assert (result.complete, result.failed) == (True, 0)
    return time.perf_counter() - began


def test_a_study_of_short_runs(report: Report, all_cores: None) -> None:
    """Runs a second of one worker, and beside it the same runs in a loop without any study."""
    order, runs = running.order_of(Grid(study(SHORT, 400))), 400
    tasks = [RunTask(0, seed, {"seed": seed}) for seed in range(1, runs + 1)]
    prepare(order)
    alone = seconds(lambda: perform(order, tasks), 1)
    with closing(local(1)) as crew:
        of_a_study(crew, SHORT, 40)
        took = min(of_a_study(crew, SHORT, runs) for _ in range(3))
    report(**{"runs a second": runs / took, "share of the worker's time that is runs": alone / took})


def test_the_picture_moves_beside_a_study(
    report: Report, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures a second of a gas of 2 500 discs before a study and beside it, and how soon the study stops."""
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *args, **more: str(tmp_path))
    with opened(tmp_path, load_scenario("maxwell-2500")) as window:
        session = window.session

        def pictures() -> float:
            drawn = window.canvas.frames_drawn
            qtbot.wait(8000)
            return (window.canvas.frames_drawn - drawn) / 8.0

        session.set_speed(1.0)
        session.run()
        alone = pictures()
        studies = window.context[Studies]
        vary = [range_table("discs.volume_fraction", 0.1, 0.3, 3)]
        limits = {"until_clusters": 1500}
        studies.begin(study_tables(load_scenario("lattice-2500"), "A study", vary, count=10_000, limits=limits))
        (view,) = studies.windows
        until(lambda: view.results.done > 3)
        beside = pictures()
        began = time.perf_counter()
        view.pause_button.click()
        until(lambda: view.process.state == "paused")
        report(pictures_alone=alone, pictures_beside=beside, paused_s=time.perf_counter() - began)
        view.stop_button.click()
        until(lambda: view.process.state == "stopped")
