"""Studies that run in this process: rows, tables, going on, what fails."""

from __future__ import annotations

import csv
import json
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import engine
from aggviewer.cli.app import run_command
from engine.errors import InputError
from engine.study import bundled, load_study, one_run
from engine.study import run as run_study
from engine.study.claims import _value
from engine.study.labels import place
from engine.study.one_run import Row
from engine.study.store import Store, StoreError
from engine.study.tables import STATISTICS, mean_curve, statistics
from tests.study.studies import tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, without_figures: None) -> Path:
    """The folder of a study that has run, with its final states."""
    path = tmp_path_factory.mktemp("studies") / "tiny"
    run_study(tiny(), workers=0, out=path, keep=True)
    return path


def test_each_row_is_what_run_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader((folder / "runs.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["point"], row["seed"]) for row in rows] == [(str(p), str(s)) for p in range(4) for s in (3, 4, 5)]
    for row in (rows[0], rows[11]):
        settings = [f"{key}={row[key]}" for key in ("discs.volume_fraction", "discs.count")] + [f"seed={row['seed']}"]
        capsys.readouterr()
        assert run_command(["run", "lattice-100", "--json", *(x for one in settings for x in ("--set", one))]) == 0
        found = json.loads(capsys.readouterr().out)
        assert float(row["contacts_relative"]) == found["indicators"]["contacts_relative"]
        assert float(row["fractal_dimension"]) == found["indicators"]["fractal_dimension"]
        assert int(row["events.merge"]) == found["events"]["merge"]
        assert (row["status"], row["stop_reason"], row["error"]) == ("done", found["stop_reason"], "")


def test_the_tables_say_the_same(folder: Path) -> None:
    rows = pd.read_csv(folder / "runs.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(rows, pd.read_parquet(folder / "runs.parquet"), check_dtype=False)
    summary = pd.read_csv(folder / "summary.csv")
    assert len(summary) == 4 * 3
    for _, line in summary.iterrows():
        values = rows[rows["point"] == line["point"]][line["quantity"]]
        assert line["n"] == 3
        assert line["mean"] == pytest.approx(values.mean(), rel=1e-12)
        assert line["error"] == pytest.approx(values.std() / math.sqrt(3), rel=1e-12)
        assert line["median"] == values.median()
        assert line["low"] <= line["mean"] <= line["high"]
    curves = pd.read_parquet(folder / "curves.parquet")
    assert set(curves["curve"]) == {"box_counting", "history.clusters"}
    one = curves[(curves["point"] == 3) & (curves["seed"] == 4) & (curves["curve"] == "history.clusters")]
    assert (one["y"].iloc[0], one["y"].iloc[-1]) == (36, 1)
    assert len(one) == 36


def test_the_folder_says_how_to_make_it_again(folder: Path) -> None:
    values = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    made_with = values.pop("made_with")
    assert made_with["versions"]["aggviewer"] == engine.__version__
    assert made_with["plugins"] == []
    assert load_study(folder / "study.toml") == tiny()


def test_recorded_runs_are_not_computed_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (folder / "runs.csv").read_bytes()
    monkeypatch.setattr(one_run, "_performed", None)
    run_study(tiny(), workers=0, out=folder)
    assert (folder / "runs.csv").read_bytes() == before


def test_a_refused_study_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"did you mean contacts_relative"):
        run_study(tiny(measure={"quantities": ["contacts_relativ"]}), workers=0, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_another_study_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"contains another study: seeds differs; choose another folder"):
        run_study(tiny(seeds={"first": 3, "count": 2}), workers=0, out=folder)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"already contains something else \(notes.txt\)"):
        run_study(tiny(), workers=0, out=tmp_path)
    with pytest.raises(InputError, match=r"cannot be written to"):
        run_study(tiny(), workers=0, out=tmp_path / "notes.txt")


def test_a_stopped_study_continues_with_the_missing_runs(tmp_path: Path, folder: Path) -> None:
    taken = 0

    def stopped() -> bool:
        nonlocal taken
        taken += 1
        return taken > 5

    first = run_study(tiny(), workers=0, out=tmp_path, stopped=stopped)
    assert not first.complete
    assert 0 < len(pd.read_csv(tmp_path / "runs.csv")) < 12
    assert run_study(tiny(), workers=0, out=tmp_path).complete
    beside = ["seconds", "host"]
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "runs.csv").drop(columns=beside), pd.read_csv(folder / "runs.csv").drop(columns=beside)
    )


def test_a_run_that_fails_costs_its_row_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    performed, tries = one_run._performed, []

    def failing(order: Any, task: Any) -> Row:
        if (task.point, task.seed) == (2, 4):
            tries.append(task)
            raise MemoryError("no room for discs")
        return performed(order, task)

    monkeypatch.setattr(one_run, "_performed", failing)
    result = run_study(tiny(), workers=0, out=tmp_path)
    assert (result.complete, result.failed, len(tries)) == (True, 1, 3)
    row = result.runs[result.runs["status"] == "failed"].iloc[0]
    assert (row["point"], row["seed"], row["error"]) == (2, 4, "MemoryError: no room for discs")
    assert "no room for discs" in (tmp_path / "report.html").read_text(encoding="utf-8")
    monkeypatch.setattr(one_run, "_performed", performed)
    assert run_study(tiny(), workers=0, out=tmp_path).failed == 0  # it is tried again by the next call


def test_the_room_on_the_disk_is_looked_at_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.study import folder as folders

    usage = folders.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(folders.shutil, "disk_usage", lambda path: usage._replace(free=1_000))
    with pytest.raises(InputError, match=r"has room for 1 kB, and this study needs about"):
        run_study(tiny(), workers=0, out=tmp_path / "out")


def test_rows_that_cannot_be_written_are_not_half_written(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([Row(0, 1, "done", numbers={"a": 1.0})])
    store._db.execute("PRAGMA max_page_count = 6")
    with pytest.raises(StoreError, match=r"cannot be written: database or disk is full"):
        store.add([Row(1, seed, "done", numbers={f"number {k}": 0.5 for k in range(200)}) for seed in range(50)])
    store.close()
    assert [(row.point, row.seed) for row in Store(tmp_path).rows()] == [(0, 1)]


def test_statistics_are_those_of_the_textbook() -> None:
    values = np.random.default_rng(3).normal(5.0, 2.0, (3, 40))
    values[1, :39] = math.nan
    values[2, :] = 7.0
    found = statistics(values)
    assert list(found) == list(STATISTICS)
    assert found["n"].tolist() == [40, 1, 40]
    row = values[0]
    assert found["mean"][0] == pytest.approx(sum(row) / 40)
    deviation = math.sqrt(sum((value - sum(row) / 40) ** 2 for value in row) / 39)
    assert found["deviation"][0] == pytest.approx(deviation)
    assert found["error"][0] == pytest.approx(deviation / math.sqrt(40))
    half = (found["high"][0] - found["low"][0]) / 2.0
    assert half == pytest.approx(1.96 * deviation / math.sqrt(40), rel=0.1)  # 95 % of a normal distribution
    assert math.isnan(found["error"][1])
    assert math.isnan(found["low"][1])
    assert (found["low"][2], found["high"][2], found["error"][2]) == (7.0, 7.0, 0.0)


def test_curves_on_different_points_are_averaged_between_them() -> None:
    x = np.geomspace(1.0, 100.0, 50)
    same = mean_curve([(x, x), (x, 3.0 * x)])
    np.testing.assert_allclose(same["y"], 2.0 * x)
    np.testing.assert_allclose(same["error"], x)  # standard deviation √2 x of two values, over √2
    other = np.geomspace(2.0, 200.0, 80)
    mixed = mean_curve([(x, 5.0 * x), (other, 5.0 * other)])
    assert (mixed["x"][0], mixed["x"][-1]) == pytest.approx((2.0, 100.0))
    np.testing.assert_allclose(mixed["y"], 5.0 * mixed["x"], rtol=1e-9)


def test_without_a_name_the_bundled_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["study"]) == 0
    text = capsys.readouterr().out
    for name, study in bundled().items():
        assert name in text
        assert tomllib.loads(study)["title"] in text
    assert run_command(["study", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == list(bundled())


def test_the_boundary_of_each_axis_may_be_varied() -> None:
    """Legends, verdicts and tables name it in words."""
    values = ["walls", ["periodic", "walls"]]
    found = run_study(tiny(vary=[{"key": "box.boundary", "values": values}], seeds={"count": 1}), workers=0)
    assert found.runs["box.boundary"].tolist() == ["walls", "periodic walls"]
    last = found.grid.points[-1]
    assert place(last, found.grid) == "Boundary = periodic, walls"
    assert _value(last.values["box.boundary"]) == "periodic, walls"
    assert _value([10.0, 20]) == "10 × 20"
