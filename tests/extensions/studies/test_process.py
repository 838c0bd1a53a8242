"""The process of a study, played by small scripts: states, messages, and what stays in the folder."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from aggviewer.extensions.studies import process as process_module
from aggviewer.extensions.studies.process import Estimating, Kept, KeptStudy, StudyProcess
from tests.extensions.studies.programs import COMPLETE, STUBBORN, WAITS, Plays, player
from tests.extensions.studies.results import STUDY
from tests.waiting import wait_until

FAILS = "echo noise >&2; echo 'aggviewer: the disk is full' >&2; exit 2"


@pytest.fixture
def plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plays:
    """Has a script run in the place of the program."""
    return player(tmp_path, monkeypatch)


@pytest.fixture
def kept(tmp_path: Path) -> KeptStudy:
    """A study that was begun."""
    return Kept(tmp_path / "studies").new(STUDY)


@pytest.fixture
def made(kept: KeptStudy, qtbot: QtBot) -> Iterator[StudyProcess]:
    """Its process."""
    process = StudyProcess(kept, keep=True)
    yield process
    process.close()


def wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    wait_until(condition, math.inf)  # pytest's limit ends what never comes


def begun(process: StudyProcess, tmp_path: Path, qtbot: QtBot) -> int:
    """Begin, and wait until the script has; the number of its process."""
    process.start()
    assert process.state == "running"
    wait(qtbot, (tmp_path / "began").exists)
    return int(process._child._process.processId())


def test_a_study_that_is_through_is_not_offered_again(made, kept, plays, qtbot, tmp_path) -> None:
    plays(COMPLETE)
    states: list[str] = []
    made.changed.connect(lambda: states.append(made.state))
    made.start()
    assert kept.unfinished
    wait(qtbot, lambda: made.state == "finished")
    assert states == ["running", "finished"]
    assert not kept.unfinished
    words = (tmp_path / "arguments").read_text()
    assert f"study {kept.file} --out {kept.results} --workers {process_module.workers()}" in words
    assert "--keep final --json" in words


def test_pause_ends_the_process_and_keeps_the_study(made, kept, plays, qtbot, tmp_path) -> None:
    plays(WAITS)
    number = begun(made, tmp_path, qtbot)
    # which is set when Qt says that it has started, and it may be quicker than that
    wait(qtbot, lambda: os.getpriority(os.PRIO_PROCESS, number) >= process_module._NICE)
    made.pause()
    assert made.state == "pausing"
    wait(qtbot, lambda: made.state == "paused")
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert kept.unfinished
    made.start()
    assert made.state == "running"


def test_stop_is_for_good(made, kept, plays, qtbot, tmp_path) -> None:
    plays(WAITS)
    number = begun(made, tmp_path, qtbot)
    made.stop()
    assert made.state == "stopping"
    wait(qtbot, lambda: made.state == "stopped")
    assert not kept.unfinished
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    made.start()
    made.pause()
    wait(qtbot, lambda: made.state == "paused")
    made.stop()
    assert made.state == "stopped"
    assert not kept.unfinished


def test_a_window_that_ignores_ctrl_c_can_stop_its_studies(made, plays, qtbot, tmp_path) -> None:
    plays(WAITS)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a program that a script has started with &
    try:
        begun(made, tmp_path, qtbot)
    finally:
        signal.signal(signal.SIGINT, before)
    made.stop()
    wait(qtbot, lambda: made.state == "stopped")


def test_a_process_that_does_not_pause_is_killed(made, plays, qtbot, tmp_path, monkeypatch) -> None:
    made._child._kill_timer.setInterval(50)
    plays(STUBBORN)
    begun(made, tmp_path, qtbot)
    made.pause()
    wait(qtbot, lambda: made.state == "paused")
    assert made.message == ""


def test_why_it_has_failed(made, kept, plays, qtbot, tmp_path) -> None:
    plays(FAILS)
    made.start()
    wait(qtbot, lambda: made.state == "failed")
    assert made.message == "the disk is full"
    assert kept.unfinished
    plays("exit 7")
    made.start()
    assert made.message == ""
    wait(qtbot, lambda: made.state == "failed")
    assert made.message == "the process ended with status 7"


def test_a_process_that_is_killed_from_outside(made, kept, plays, qtbot, tmp_path) -> None:
    plays(WAITS)
    os.kill(begun(made, tmp_path, qtbot), signal.SIGKILL)
    wait(qtbot, lambda: made.state == "failed")
    assert made.message.startswith("another program ended the process; finished runs are kept")
    assert kept.unfinished


def test_a_folder_that_has_gone_is_said(made, kept, plays, qtbot) -> None:
    plays(COMPLETE)
    for file in kept.folder.iterdir():
        file.unlink()
    kept.folder.rmdir()
    made.start()
    assert made.state == "failed"
    assert made.message == f"{kept.folder} cannot be written: No such file or directory"
    made.stop()


# the estimate


def test_an_estimate_is_told_and_a_refusal_has_its_reason(plays, qtbot, tmp_path) -> None:
    estimating = Estimating()
    told: list[object] = []
    estimating.answered.connect(told.append)
    estimating.refused.connect(told.append)
    plays(f"cp $4 asked.toml; echo '{json.dumps({'seconds': 3.0})}'")
    estimating.ask(STUDY)
    wait(qtbot, lambda: bool(told))
    assert told == [{"seconds": 3.0}]
    assert "Two volume fractions" in (tmp_path / "asked.toml").read_text()
    assert (tmp_path / "arguments").read_text().split()[-2:] == ["--dry-run", "--json"]
    plays("echo 'aggviewer: no room for 60 discs' >&2; exit 2")
    estimating.ask(STUDY)
    wait(qtbot, lambda: len(told) == 2)
    assert told[1] == "no room for 60 discs"
    plays(COMPLETE)
    estimating.ask(STUDY)
    estimating.forget()  # ends its process, which is waited for
    assert len(told) == 2
    estimating.close()


# the folders


def test_studies_are_kept_the_newest_first(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "studies")
    assert kept.all() == []
    first = kept.new(STUDY)
    second = kept.new(STUDY | {"title": "Another"})
    assert first.folder != second.folder
    assert [one.read().title for one in kept.all()] == ["Another", STUDY["title"]]
    earlier = KeptStudy(tmp_path / "studies" / "2999-01-01 00.00.00 1")  # of an earlier version, with a wrong clock
    earlier.folder.mkdir()
    earlier.write(STUDY)
    assert kept.all() == [second, first, earlier]
    assert (first.unfinished, earlier.unfinished, first.began) == (True, False, False)


def test_one_core_is_left_to_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "usable", lambda: 8)
    assert process_module.workers() == 7
    monkeypatch.setattr(process_module, "usable", lambda: 1)
    assert process_module.workers() == 1
