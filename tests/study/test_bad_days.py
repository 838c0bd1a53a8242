"""Studies on bad days: full disks, folders that vanish, files that are cut, runs that give nothing."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tomli_w

from aggviewer.cli.app import run_command
from aggviewer.cli.study import _Bar
from engine.errors import InputError
from engine.study import one_run, running, tables
from engine.study import run as run_study
from engine.study.one_run import Row, RunTask, failed
from engine.study.schedule import Standing
from engine.study.store import Store, StoreError, reading
from engine.study.tables import statistics
from engine.study.workers import ThisProcess
from tests.builders.file_frames import files_of_at_most
from tests.study.processes import without_times
from tests.study.studies import MANY, TINY, tiny

KEPT = "; all recorded rows are kept; repeat the same command to continue\n"


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """`aggviewer study` of `TINY` with --out DIR/out and more arguments, whose runs are done in this process."""
    monkeypatch.setattr(running, "_crew", lambda *_: ThisProcess())
    file = tmp_path / "tiny.toml"
    file.write_text(tomli_w.dumps(TINY), encoding="utf-8")
    return lambda *more: run_command(["study", str(file), "--out", str(tmp_path / "out"), *map(str, more)])


def test_a_disk_that_is_full_keeps_what_is_recorded(
    called: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = without_times(run_study(tiny(), workers=0).runs)  # compiles the kernels, which need room of their own
    for size in (40_000, 60_000):  # while the first rows and later ones are written
        with files_of_at_most(size):
            assert called() == 1
        error = capsys.readouterr().err
        assert "cannot be written" in error
        assert error.endswith(KEPT)
        assert error.count("the same command") == error.count("\n") == 1
    assert called("--json") == 0
    assert json.loads(capsys.readouterr().out)["done"] == 12
    rows = without_times(pd.read_csv(tmp_path / "out" / "runs.csv", keep_default_na=False))
    pd.testing.assert_frame_equal(rows, wanted, check_dtype=False)


def test_a_disk_that_is_full_for_the_first_file_is_said(tmp_path: Path) -> None:
    run_study(tiny(), workers=0)
    with files_of_at_most(0), pytest.raises(InputError, match=r"--out \S+ cannot be written to: File too large"):
        run_study(tiny(), workers=0, out=tmp_path / "out")
    assert run_study(tiny(), workers=0, out=tmp_path / "out").complete


def test_tables_that_cannot_be_written_are_said(
    called: Callable[..., int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(tables, "write", full)
        assert called() == 1
    said = f"aggviewer: the tables cannot be written to {tmp_path / 'out'}: No space left on device{KEPT}"
    assert capsys.readouterr().err == said
    assert called() == 0


def test_a_folder_that_vanishes_is_said(tmp_path: Path) -> None:
    def vanish(standing: Standing) -> None:
        if standing.done == 3:
            shutil.rmtree(tmp_path / "out")

    with pytest.raises(StoreError, match=r"runs.sqlite cannot be written: No such file or directory"):
        run_study(tiny(), workers=0, out=tmp_path / "out", progress=vanish)


def test_a_folder_that_is_replaced_gets_no_rows_of_another_study(tmp_path: Path) -> None:
    def replace(standing: Standing) -> None:
        if standing.done == 3:
            (tmp_path / "runs.sqlite").rename(tmp_path / "old")
            (tmp_path / "runs.sqlite").write_bytes(b"")

    with pytest.raises(StoreError, match=r"it has been replaced by another file"):
        run_study(tiny(), workers=0, out=tmp_path, progress=replace)


@pytest.mark.parametrize("share", [0.0, 0.6])
def test_a_study_file_that_is_cut_is_refused(tmp_path: Path, share: float) -> None:
    run_study(tiny(), workers=0, out=tmp_path, stopped=lambda: True)
    text = (tmp_path / "study.toml").read_text(encoding="utf-8")
    (tmp_path / "study.toml").write_text(text[: int(share * len(text))], encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot be read|contains another study|an unknown version"):
        run_study(tiny(), workers=0, out=tmp_path)


@pytest.mark.parametrize("made_with", [3, {"versions": 3}, {"versions": {}}])
def test_a_study_file_that_does_not_say_its_version_is_refused(tmp_path: Path, made_with: Any) -> None:
    run_study(tiny(), workers=0, out=tmp_path, stopped=lambda: True)
    values = tiny().to_values()
    scenario = running.Grid(tiny()).scenario.to_toml()
    table = made_with | {"scenario": scenario} if isinstance(made_with, dict) else made_with
    (tmp_path / "study.toml").write_text(tomli_w.dumps(values | {"made_with": table}), encoding="utf-8")
    with pytest.raises(InputError, match=r"contains another study|with an unknown version"):
        run_study(tiny(), workers=0, out=tmp_path)


@pytest.mark.parametrize("share", [0.0001, 0.7])
def test_rows_that_are_cut_are_refused(tmp_path: Path, share: float) -> None:
    run_study(tiny(), workers=0, out=tmp_path).store.close()
    file = tmp_path / "runs.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))] or b"x")
    with pytest.raises(InputError, match=r"runs.sqlite cannot be used: "):
        run_study(tiny(), workers=0, out=tmp_path)


def test_half_written_files_of_a_killed_study_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".study.toml.77.partial").write_text("half")
    assert run_study(tiny(), workers=0, out=tmp_path).complete
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / ".figure-1.png.77.partial").write_text("half")
    run_study(tiny(), workers=0, out=tmp_path)
    assert not list(tmp_path.rglob("*.partial"))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no place where nobody may write")
def test_a_place_where_nobody_may_write_is_said() -> None:
    with pytest.raises(InputError, match=r"--out /proc/study cannot be written to: "):
        run_study(tiny(), workers=0, out="/proc/study")


def test_a_study_that_is_stopped_before_its_first_row_writes_empty_tables(tmp_path: Path, drawn: None) -> None:
    started: list[Any] = []
    result = run_study(tiny(), workers=0, out=tmp_path, stopped=lambda: True, progress=started.append)
    assert not result.complete
    assert not started
    assert len(pd.read_csv(tmp_path / "runs.csv")) == len(pd.read_csv(tmp_path / "summary.csv")) == 0
    assert (tmp_path / "report.html").exists()


def test_a_study_of_one_point(tmp_path: Path, drawn: None) -> None:
    result = run_study(tiny(vary=[]), workers=0, out=tmp_path)
    assert result.complete
    assert result.summary()["n"].tolist() == [3, 3, 3]
    assert (tmp_path / "report.html").exists()


def test_runs_that_all_fail(
    called: Callable[..., int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    drawn: None,
) -> None:
    monkeypatch.setattr(one_run, "_performed", lambda order, task: (_ for _ in ()).throw(RuntimeError("no luck")))
    assert called() == 1
    assert capsys.readouterr().out.startswith("0 of 12 runs are done; 12 have failed\n")
    rows = pd.read_csv(tmp_path / "out" / "runs.csv")
    assert set(rows["error"]) == {"RuntimeError: no luck"}
    assert len(pd.read_csv(tmp_path / "out" / "summary.csv")) == 0


def test_values_that_are_not_there_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    performed = one_run._performed

    def without(order: Any, task: RunTask) -> Row:
        row = performed(order, task)
        return one_run.Row(**vars(row) | {"numbers": row.numbers | {"fractal_dimension": None}})

    monkeypatch.setattr(one_run, "_performed", without)
    result = run_study(tiny(), workers=0, out=tmp_path)
    found = result.summary()
    assert set(found[found["quantity"] == "fractal_dimension"]["n"]) == {0}
    assert set(found[found["quantity"] == "contacts_relative"]["n"]) == {3}
    rows = pd.read_csv(tmp_path / "runs.csv", dtype=str, keep_default_na=False)
    assert set(rows["fractal_dimension"]) == {""}


def test_axes_of_texts_switches_and_mixed_values(tmp_path: Path, drawn: None) -> None:
    vary = [
        {"key": "box.boundary", "values": ["walls", "periodic"]},
        {"key": "aggregation.time_stepping.fraction", "values": [1, 0.5]},
    ]
    study = tiny(
        vary=vary, base={"aggregation.method": "time-stepping", "discs.count": 16}, seeds={"count": 1},
        measure={"quantities": ["contacts_relative"]},
    )  # fmt: skip
    result = run_study(study, workers=0, out=tmp_path)
    assert (result.complete, result.failed) == (True, 0)
    assert sorted(set(pd.read_parquet(tmp_path / "runs.parquet")["box.boundary"])) == ["periodic", "walls"]


def test_rows_are_read_while_others_replace_them(tmp_path: Path) -> None:
    writing = Store(tmp_path)
    writing.add([Row(0, seed, "failed", error="first") for seed in range(500)])
    with reading(tmp_path) as store:
        seen = store.rows()
        first = next(seen)
        writing.add([Row(0, seed, "done", numbers={"a": 1.0}) for seed in range(500)])
        assert {first.status, *(row.status for row in seen)} == {"failed"}  # as it was when the look began
        assert store.counts() == {"done": 500}
        with pytest.raises(StoreError, match=r"cannot be written"):
            store.add([Row(0, 1, "done")])
    writing.close()


TASKS = [RunTask(0, seed, {}) for seed in range(200)]


def test_a_run_is_timed_on_one_processor_which_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(
        one_run, "_performed", lambda order, task: seen.append(os.sched_getaffinity(0)) or failed(task, "")
    )
    before = os.sched_getaffinity(0)
    order = running.order_of(running.Grid(tiny(measure={"quantities": ["wall_s"]})))
    one_run.perform(order, TASKS[:1])
    assert len(seen[0]) == 1
    assert os.sched_getaffinity(0) == before


def test_only_the_indicators_that_are_wanted_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.analysis import sample

    order = running.order_of(running.Grid(tiny(**MANY)))
    assert order.indicators == {"contacts_relative", "events"}
    task = RunTask(0, 1, {"discs.count": 16, "seed": 1})
    one_run.perform(order, [task])  # the first run of a process warms the kernels, of which all are called
    monkeypatch.setattr(sample, "distribution_of", lambda state: pytest.fail("nobody wants it"))
    (row,) = one_run.perform(order, [task])
    assert row.status == "done"
    assert running.order_of(running.Grid(tiny(measure={}))).indicators is None


def test_many_runs_at_a_point_need_little_memory() -> None:
    import tracemalloc

    values = np.random.default_rng(1).normal(size=(4, 5_000))
    tracemalloc.start()
    found = statistics(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120e6  # drawn all at once: 330 MB
    assert np.all((found["low"] < found["mean"]) & (found["mean"] < found["high"]))


def test_a_reader_that_has_gone_is_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(tomli_w.dumps(TINY), encoding="utf-8")
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, "-m", "aggviewer", "study", str(file), "--dry-run"]
    done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_without_the_libraries_it_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("distributed", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    assert run_command(["study", "degond-2024", "--out", "x"]) == 2
    assert capsys.readouterr().err == "aggviewer: studies need distributed, pandas: pip install 'aggviewer[study]'\n"


def test_the_bar_tells_what_is_done_running_failed_and_left(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    with _Bar() as bar:
        bar.show(Standing(1200, 300, 2, 16, 75.0))
        bar._bar.refresh()
    assert "302 of 1\u2009200 runs" in screen.getvalue()
    assert "16 running, 2 failed, 0:01:15 left" in screen.getvalue()
