"""Studies of very many runs and points: nothing is held that need not be, and the report stays small."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.study import figures, running, tables
from engine.study import run as run_study
from engine.study.grid import Grid
from engine.study.one_run import Row, RunTask
from engine.study.quantities import CurveQuantity
from engine.study.store import Store
from tests.study.studies import tiny


def row(point: int, seed: int, **more: float) -> Row:
    """A run that has given something."""
    return Row(point, seed, "done", numbers=dict(more), stop_reason="finished", host="here")


def test_missing_runs_are_made_on_demand() -> None:
    grid = Grid(tiny(seeds={"first": 5, "count": 4_000}))
    store = Store(None)
    store.add([row(2, 6), Row(1, 5, "failed"), row(9, 5), row(0, 4)])  # a failed one, and two of another study
    tracemalloc.start()
    missing = running.Missing(grid, store)
    first = next(iter(missing))
    count = sum(1 for _ in missing)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert first == RunTask(0, 5, grid.points[0].values | {"seed": 5})
    assert count == len(missing) == 4 * 4_000 - 1
    assert (2, 6) not in {(task.point, task.seed) for _, task in zip(range(8), missing, strict=False)}
    assert peak < 1e6  # as a list of tasks: 6.4 MB


def test_numbers_that_some_runs_do_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    store, grid = Store(None), Grid(tiny())
    store.add([row(0, 3, a=1.0), row(0, 4, b=2.0), row(1, 3, a=3.0), row(3, 5)])
    found = tables.runs(store, grid)
    pd.testing.assert_series_equal(found["a"], pd.Series([1.0, np.nan, 3.0, np.nan], name="a"))
    pd.testing.assert_series_equal(found["b"], pd.Series([np.nan, 2.0, np.nan, np.nan], name="b"))
    assert found["discs.count"].tolist() == [16, 16, 36, 36]
    assert list(found.columns) == ["point", *grid.keys, "seed", "a", "b", *tables.BESIDE]


@pytest.mark.parametrize("at_once", [1, 10_000])
def test_curves_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(tables, "_CURVES", at_once)
    vary = [{"key": "discs.arrangement", "values": ["lattice", "random"]}, {"key": "discs.count", "values": [16, 36]}]
    result = run_study(tiny(vary=vary), workers=0, out=tmp_path)
    found = pd.read_parquet(tmp_path / "curves.parquet")
    pd.testing.assert_frame_equal(found, result.curves())
    assert set(found["curve"]) == {"box_counting", "history.clusters"}
    one = found[(found["point"] == 1) & (found["seed"] == 4) & (found["curve"] == "box_counting")]
    stored = {(point, seed): curves for point, seed, curves in result.store.curves()}
    np.testing.assert_array_equal(one["y"], stored[1, 4]["box_counting"].y)
    assert set(one["discs.count"]) == {36}
    assert set(one["discs.arrangement"]) == {"lattice"}


def test_curves_that_are_written_are_not_all_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, grid = Store(None), Grid(tiny(vary=[], seeds={"first": 0, "count": 80}))
    x = np.geomspace(0.1, 1.0, 1000)
    bare = Row(0, 0, "done", curves={"box_counting": CurveQuantity(x, x, "x", "y")})
    store.add(Row(**vars(bare) | {"seed": seed}) for seed in range(80))
    peak = {}
    for at_once in (80, 4):
        monkeypatch.setattr(tables, "_CURVES", at_once)
        tracemalloc.start()
        tables._write_parts(tmp_path / "curves.parquet", tables.parts_of_curves(store, grid))
        peak[at_once] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(pd.read_parquet(tmp_path / "curves.parquet", columns=["seed"])) == 80_000
    assert peak[4] < 0.2 * peak[80]


def test_figures_of_many_points_are_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drawn: None) -> None:
    result = run_study(tiny(seeds={"first": 3, "count": 2}), workers=0)
    wanted = tiny().figure or figures.chosen_figures(result.study, result.grid)
    size = {}
    for most in (4, 3):
        monkeypatch.setattr(figures, "_MANY_POINTS", most)
        figures._written(result, wanted[0], f"with-{most}", tmp_path)
        size[most] = (tmp_path / f"with-{most}.svg").read_text(encoding="utf-8").count("<image")
    assert size == {4: 0, 3: 1}
