"""Studies whose command, or whose workers, are killed or interrupted at any moment."""

from __future__ import annotations

import csv
import os
import random
import re
import signal
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
import tomli_w

from aggviewer.cli.app import run_command
from engine.errors import InputError
from engine.study import run as run_study
from engine.study import running
from engine.study.workers import ThisProcess
from tests.study.processes import children, command, recorded, told, wait_for, wait_for_the_end_of, without_times
from tests.study.studies import MANY, tiny

SEEDS = 600  # at each of three points, for kills that shall all hit a study which is not at its end


@pytest.fixture(scope="module")
def study_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`MANY` as a file."""
    path = tmp_path_factory.mktemp("file") / "many.toml"
    path.write_text(tomli_w.dumps(MANY), encoding="utf-8")
    return path


def rows_of(seeds: int) -> pd.DataFrame:
    """The rows of `MANY`, computed in this process."""
    return without_times(run_study(tiny(**MANY | {"seeds": {"count": seeds}}), workers=0).runs)


def check_complete(folder: Path, wanted: pd.DataFrame) -> None:
    """Every row once, and as it should be."""
    pd.testing.assert_frame_equal(without_times(pd.read_parquet(folder / "runs.parquet")), wanted, check_exact=True)
    rows = list(csv.DictReader((folder / "runs.csv").read_text(encoding="utf-8").splitlines()))
    assert len({(row["point"], row["seed"]) for row in rows}) == len(rows) == len(wanted)
    assert not list(folder.rglob("*.partial"))


def test_a_command_that_is_killed_goes_on(study_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    running = command(study_file, "--out", folder, "--workers", 1)
    wait_for(lambda: recorded(folder) > 20)
    workers = children(running.pid)
    before = recorded(folder)
    running.kill()
    running.communicate()
    wait_for_the_end_of(workers)
    assert recorded(folder) >= before
    check_complete_after = run_study(tiny(**MANY), workers=0, out=folder, folder=study_file.parent)
    assert check_complete_after.complete
    check_complete(folder, rows_of(40))


@pytest.mark.slow
def test_a_command_that_is_killed_at_twenty_moments_goes_on(study_file: Path, tmp_path: Path) -> None:
    folder, rng = tmp_path / "out", random.Random(2)
    hits = []
    for k in range(20):
        running = command(study_file, "--out", folder, "--workers", 2, "--seeds", SEEDS)
        before = recorded(folder)
        if k % 4 == 0:  # while it starts
            time.sleep(rng.random() * 6.0)
        else:
            goal = min(before + rng.randrange(1, 3 * SEEDS // 20), 3 * SEEDS - 1)
            wait_for(lambda run=running, at=goal: recorded(folder) >= at or run.poll() is not None)
            time.sleep(rng.random() * 0.05)
        workers, there = children(running.pid), recorded(folder)
        hits.append(there)
        running.kill()
        running.communicate()
        assert recorded(folder) >= there, f"kill {k} has lost rows"
        wait_for_the_end_of(workers)
    print(f"killed with so many of {3 * SEEDS} rows recorded: {hits}")
    told(command(study_file, "--out", folder, "--workers", 2, "--seeds", SEEDS, "--json"))
    check_complete(folder, rows_of(SEEDS))
    for _ in range(5):  # while the tables and figures are written
        running = command(study_file, "--out", folder, "--seeds", SEEDS)
        time.sleep(1.0 + rng.random() * 3.0)
        running.kill()
        running.communicate()
    told(command(study_file, "--out", folder, "--seeds", SEEDS, "--json"))
    check_complete(folder, rows_of(SEEDS))


@pytest.mark.slow
def test_workers_that_are_killed_cost_no_row(study_file: Path, tmp_path: Path) -> None:
    folder, rng = tmp_path / "out", random.Random(5)
    running = command(study_file, "--out", folder, "--workers", 2, "--seeds", 4 * SEEDS, "--json")
    killed = 0
    for goal in sorted(rng.sample(range(50, 3 * 4 * SEEDS - 500), 8)):
        wait_for(lambda at=goal: recorded(folder) >= at or running.poll() is not None)
        workers = [pid for pid in children(running.pid) if "spawn_main" in _command_of(pid)]
        if running.poll() is None and workers:
            os.kill(rng.choice(sorted(workers)), signal.SIGKILL)
            killed += 1
    found = told(running)
    print(f"{killed} workers killed, {found['failed']} runs failed")
    assert (found["complete"], found["failed"]) == (True, 0)
    assert killed >= 4
    check_complete(folder, rows_of(4 * SEEDS))


def test_ctrl_c_writes_what_there_is_while_a_second_call_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tiny(**MANY | {"seeds": {"count": 2000}})
    monkeypatch.setattr(running, "_crew", lambda *_: ThisProcess())
    file, folder, refused = tmp_path / "many.toml", tmp_path / "out", []

    def second_call_and_ctrl_c() -> None:
        wait_for(lambda: recorded(folder) > 20)
        try:
            run_study(many, workers=0, out=folder, folder=tmp_path)
        except InputError as error:
            refused.append(str(error))
        os.kill(os.getpid(), signal.SIGINT)

    file.write_text(tomli_w.dumps(MANY), encoding="utf-8")
    other = threading.Thread(target=second_call_and_ctrl_c)
    other.start()
    status = run_command(["study", str(file), "--out", str(folder), "--seeds", "2000"])
    other.join()
    out, error = capsys.readouterr()
    assert (status, error) == (130, "aggviewer: interrupted; all files written so far are complete\n")
    check_interrupted(folder, out)
    assert ["is in use: another process is writing its results there" in one for one in refused] == [True]


def check_interrupted(folder: Path, out: str) -> None:
    """As many rows as the command says, and a report. out : what it has written to stdout."""
    done = int(re.findall(r"^(\d+) of 6000 runs are done", out.replace("\u2009", ""), re.MULTILINE)[0])
    rows = pd.read_csv(folder / "runs.csv")
    assert len(rows) == done > 20
    assert set(rows["status"]) == {"done"}
    assert (folder / "report.html").exists()


@pytest.mark.slow
def test_ctrl_c_ends_the_command_and_its_workers(study_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    running = command(study_file, "--out", folder, "--workers", 1, "--seeds", 2000)
    wait_for(lambda: recorded(folder) > 20)
    workers = children(running.pid)
    os.killpg(running.pid, signal.SIGINT)  # a terminal sends it to the workers too
    out, error = running.communicate()
    assert (running.returncode, error) == (130, "aggviewer: interrupted; all files written so far are complete\n")
    check_interrupted(folder, out)
    wait_for_the_end_of(workers)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("times", [1, 2])
def test_signals_while_it_starts(study_file: Path, tmp_path: Path, number: signal.Signals, times: int) -> None:
    rng = random.Random(times)
    for k in range(3):
        folder = tmp_path / f"out-{k}"
        running = command(study_file, "--out", folder, "--workers", 2, "--seeds", 5000)
        wait_for(lambda place=folder: (place / "study.toml").exists())
        time.sleep(rng.random() * 4.0)
        seen = set()
        for _ in range(times):
            seen |= children(running.pid)
            os.killpg(running.pid, number) if number == signal.SIGINT else running.send_signal(number)
            time.sleep(0.3)
        _, error = running.communicate()
        assert running.returncode == 128 + number, error
        assert error.splitlines()[-1].endswith("all files written so far are complete")
        assert "Traceback" not in error
        wait_for_the_end_of(seen)
        assert not list(folder.rglob("*.partial"))


def _command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
