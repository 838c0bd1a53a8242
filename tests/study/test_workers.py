"""Studies on clusters: the same rows whoever computes them, and what becomes of them when somebody is killed."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tomli_w

from engine.study import run as run_study
from engine.study.workers import DaskWorkers, at, local
from tests.study.studies import TINY, tiny

MANY: dict[str, Any] = TINY | {
    "vary": [{"key": "discs.count", "values": [100, 144, 196]}],
    "seeds": {"count": 40},
    "measure": {"quantities": ["contacts_relative", "events.merge"]},
}
"""So many short runs that a kill hits the middle."""

DEADLY = """
import os
from engine.indicators import Indicator

PLUG_POINTS = 1


def measure(sample):
    if len(sample.radii) == 25:
        os._exit(9)
    return 1.0


def register(points):
    points.indicator(Indicator("deadly", "Deadly", measure))
"""


@pytest.fixture(scope="module")
def crew() -> Iterator[DaskWorkers]:
    """A local cluster of two workers."""
    found = local(2)
    yield found
    found.close()


def without_times(table: pd.DataFrame) -> pd.DataFrame:
    """A table of runs without what no other call repeats."""
    return table.drop(columns=["seconds", "host"])


def command(*arguments: object, plugin: Path | None = None) -> subprocess.Popen[str]:
    """`aggviewer study` in a process of its own."""
    before = [] if plugin is None else ["--plugin", str(plugin)]
    return subprocess.Popen(
        [sys.executable, "-m", "aggviewer", *before, "study", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def wait_for(what: Callable[[], Any], seconds: float = 120.0) -> Any:
    """The first thing that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it has not come true in time")


def recorded(folder: Path) -> int:
    """Rows in the store of a folder."""
    import sqlite3

    if not (folder / "runs.sqlite").exists():
        return 0
    try:
        with sqlite3.connect(f"file:{folder / 'runs.sqlite'}?mode=ro", uri=True) as found:
            return int(found.execute("SELECT COUNT(*) FROM runs").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0


def children(pid: int) -> set[int]:
    """All processes that a process has started, and they."""
    found = set()
    for path in Path("/proc").iterdir():
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1]) if path.name.isdigit() else 0
        except (OSError, IndexError):
            continue
        if parent == pid:
            found |= {int(path.name)} | children(int(path.name))
    return found


@pytest.fixture(scope="module")
def study_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`MANY` as a file."""
    path = tmp_path_factory.mktemp("file") / "many.toml"
    path.write_text(tomli_w.dumps(MANY), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def wanted() -> pd.DataFrame:
    """The rows of `MANY`, computed in this process."""
    return without_times(run_study(tiny(**MANY), workers=0).runs)


def test_a_cluster_gives_the_same_bits_as_this_process(crew: DaskWorkers, wanted: pd.DataFrame) -> None:
    told = []
    result = run_study(tiny(**MANY), client=crew._client, progress=told.append)
    pd.testing.assert_frame_equal(without_times(result.runs), wanted)
    assert (told[-1].done, told[-1].failed, told[-1].total, told[-1].running) == (120, 0, 120, 0)
    assert len(set(result.runs["seconds"])) > 100  # each run has been timed by itself


def test_a_run_that_kills_its_worker_fails_and_the_others_do_not(tmp_path: Path) -> None:
    plugin, file = tmp_path / "deadly.py", tmp_path / "study.toml"
    plugin.write_text(DEADLY, encoding="utf-8")
    changes = {
        "vary": [{"key": "discs.count", "values": [16, 25, 36]}],
        "seeds": {"count": 2},
        "measure": {"quantities": ["deadly", "contacts_relative"]},
    }
    file.write_text(tomli_w.dumps(TINY | changes), encoding="utf-8")
    running = command(file, "--out", tmp_path / "out", "--workers", 2, "--json", plugin=plugin)
    out, error = running.communicate(timeout=300)
    assert running.returncode == 1, error
    told = json.loads(out)
    assert (told["done"], told["failed"], told["complete"]) == (4, 2, True)
    rows = pd.read_csv(tmp_path / "out" / "runs.csv")
    assert rows.groupby("discs.count")["status"].agg(set).to_dict() == {16: {"done"}, 25: {"failed"}, 36: {"done"}}
    assert rows[rows["status"] == "failed"]["error"].str.fullmatch(r"the worker \S+ has died").all()


def check_complete(folder: Path, wanted: pd.DataFrame) -> None:
    """Every row once, and as it should be."""
    pd.testing.assert_frame_equal(without_times(pd.read_parquet(folder / "runs.parquet")), wanted)
    rows = list(csv.DictReader((folder / "runs.csv").read_text(encoding="utf-8").splitlines()))
    assert len({(row["point"], row["seed"]) for row in rows}) == len(rows) == len(wanted)


def killed_and_called_again(times: int, study_file: Path, folder: Path, wanted: pd.DataFrame, seed: int) -> None:
    """SIGKILL the command at random moments, then let it end."""
    rng = random.Random(seed)
    for k in range(times):
        running = command(study_file, "--out", folder, "--workers", 2)
        moment = rng.randrange(len(wanted))
        wait_for(lambda run=running, at=moment: recorded(folder) >= at or run.poll() is not None)
        time.sleep(rng.random() * 0.3)
        workers = children(running.pid)
        before = recorded(folder)
        running.kill()
        running.communicate()
        assert recorded(folder) >= before, f"kill {k} has lost rows"
        wait_for(lambda pids=workers: not any(Path(f"/proc/{pid}/stat").exists() for pid in pids), 10.0)
    last = command(study_file, "--out", folder, "--workers", 2, "--json")
    out, error = last.communicate(timeout=300)
    assert last.returncode == 0, error
    assert json.loads(out)["complete"]
    check_complete(folder, wanted)


def test_a_command_that_is_killed_goes_on(study_file: Path, tmp_path: Path, wanted: pd.DataFrame) -> None:
    killed_and_called_again(1, study_file, tmp_path / "out", wanted, seed=1)


@pytest.mark.slow
def test_a_command_that_is_killed_twenty_times_goes_on(study_file: Path, tmp_path: Path, wanted: pd.DataFrame) -> None:
    killed_and_called_again(20, study_file, tmp_path / "out", wanted, seed=2)


def test_ctrl_c_writes_what_there_is_and_a_second_call_waits_for_nobody(
    study_file: Path, tmp_path: Path, wanted: pd.DataFrame
) -> None:
    folder = tmp_path / "out"
    running = command(study_file, "--out", folder, "--workers", 1, "--seeds", 400)
    wait_for(lambda: recorded(folder) > 20)
    second = command(study_file, "--out", folder, "--seeds", 400)
    assert second.communicate()[1].endswith("is in use: another process works on the study there\n")
    assert second.returncode == 2
    running.send_signal(signal.SIGINT)
    out, error = running.communicate(timeout=60)
    assert (running.returncode, error) == (130, "aggviewer: interrupted; every file that is there is complete\n")
    done = int(re.findall(r"^(\d[\d,]*) of 1,200 runs are done", out, re.MULTILINE)[0].replace(",", ""))
    rows = pd.read_csv(folder / "runs.csv")
    assert len(rows) == done > 20
    assert (folder / "report.html").exists()


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers that were started by hand: its address, and the processes."""
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    options = ["--scheduler-file", str(file), "--port", "0", "--host", "127.0.0.1", "--no-dashboard"]
    started = [subprocess.Popen([*dask, *options], **quiet)]  # type: ignore[call-overload]
    started += [subprocess.Popen([*worker, "--no-dashboard"], **quiet) for _ in range(2)]  # type: ignore[call-overload]
    yield wait_for(lambda: file.exists() and json.loads(file.read_text() or "{}").get("address")), started
    for process in started:
        process.kill()
        process.wait()


def test_a_cluster_by_its_address_gives_the_same(
    by_hand: tuple[str, list[subprocess.Popen[bytes]]], wanted: pd.DataFrame, tmp_path: Path, study_file: Path
) -> None:
    address, processes = by_hand
    crew = at(address)
    wait_for(lambda: crew.size == 2)
    crew._client.close()
    folder = tmp_path / "out"
    done = command(study_file, "--out", folder, "--scheduler", address)
    _, error = done.communicate(timeout=300)
    assert done.returncode == 0, error
    check_complete(folder, wanted)

    going = command(study_file, "--out", tmp_path / "gone", "--scheduler", address, "--seeds", 5000)
    wait_for(lambda: recorded(tmp_path / "gone") > 20)
    os.kill(processes[0].pid, signal.SIGKILL)
    _, error = going.communicate(timeout=120)
    assert going.returncode == 1
    assert f"the scheduler at {address} has gone away" in error
    assert "the same call goes on" in error
    assert recorded(tmp_path / "gone") > 20


def test_a_scheduler_that_is_not_there_is_said(tmp_path: Path) -> None:
    done = command("degond-2024", "--out", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:9")
    _, error = done.communicate(timeout=120)
    assert done.returncode == 2
    assert error.startswith("aggviewer: --scheduler tcp://127.0.0.1:9 does not answer")
