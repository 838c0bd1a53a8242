"""How long a study takes, told before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from aggviewer.cli.app import run_command
from engine.study import running, schedule
from engine.study.one_run import Row, RunTask
from engine.study.schedule import StudyEstimate, estimated
from tests.study.studies import TINY, tiny

SLOW_IS_SHORT = {"at": {"aggregation.method": "time-stepping"}, "x": "discs.count", "between": [500, 1e9]}


@pytest.mark.parametrize("skip", [[], [SLOW_IS_SHORT]], ids=["whole grid", "without the large slow ones"])
def test_the_time_is_estimated_from_runs_along_each_axis(
    monkeypatch: pytest.MonkeyPatch, skip: list[dict[str, Any]]
) -> None:
    study = tiny(
        vary=[
            {"key": "aggregation.method", "values": ["event-driven", "time-stepping"]},
            {"key": "discs.count", "range": {"from": 100, "to": 10_000, "steps": 5, "log": True, "square": True}},
            {"key": "discs.volume_fraction", "values": [0.1, 0.2, 0.3]},
        ],
        skip=skip,
    )
    grid = running.Grid(study)

    def takes(point: int) -> float:
        values = grid.points[point].values
        slow = 8.0 if values["aggregation.method"] == "time-stepping" else 1.0
        return slow * 1e-5 * values["discs.count"] ** 1.3 / values["discs.volume_fraction"]

    tried = []

    def pretended(order: Any, tasks: list[RunTask]) -> list[Row]:
        tried.append(tasks[0].point)
        return [Row(tasks[0].point, 1, "done", seconds=takes(tasks[0].point))]

    monkeypatch.setattr(schedule, "perform", pretended)
    monkeypatch.setattr(schedule, "prepare", lambda order: 0.0)
    truth = sum(takes(point.number) for point in grid.points) * 3
    found = estimated(grid, running.order_of(grid))
    assert found.seconds == pytest.approx(truth, rel=0.05)
    assert found.longest == pytest.approx(max(takes(point.number) for point in grid.points), rel=0.05)
    assert len(set(tried)) < 12
    assert len(tried) <= 3 * len(set(tried))
    assert estimated(running.Grid(tiny(vary=[])), running.order_of(grid)).seconds == pytest.approx(3 * takes(0))


def test_estimated_times_include_start_and_end() -> None:
    shared = StudyEstimate(runs=10, points=2, seconds=60.0, bytes=0, longest=20.0, beside=8.0)
    assert [shared.on(workers) for workers in (1, 2, 8)] == [68.0, 38.0, 28.0]  # the longest run is nobody's to share
    alone = StudyEstimate(runs=10, points=2, seconds=60.0, bytes=0, longest=20.0, beside=8.0, alone=True)
    assert [alone.on(workers) for workers in (1, 8)] == [68.0, 68.0]


@pytest.mark.parametrize(
    ("quantities", "told"), [(["wall_s"], " on any number of cores, since its runs are timed"), ([], " on one core, ")]
)
def test_a_study_that_is_timed_gains_nothing_by_more_cores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], quantities: list[str], told: str
) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(tomli_w.dumps(TINY | {"measure": {"quantities": quantities}}), encoding="utf-8")
    assert run_command(["study", str(file), "--dry-run"]) == 0
    assert told in capsys.readouterr().out


def test_chance_is_averaged_over_seeds_where_runs_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    def pretended(order: Any, tasks: list[RunTask]) -> list[Row]:
        (task,) = tasks
        return [Row(task.point, task.seed, "done", seconds={3: 0.01, 4: 0.02, 5: 0.06}[task.seed])]

    monkeypatch.setattr(schedule, "perform", pretended)
    monkeypatch.setattr(schedule, "prepare", lambda order: 0.0)
    grid = running.Grid(tiny(vary=[]))
    assert estimated(grid, running.order_of(grid)).seconds == pytest.approx(3 * 0.03)
