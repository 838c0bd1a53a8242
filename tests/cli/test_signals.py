"""Ctrl-C and SIGTERM: what is there is complete, and the exit status says which it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from aggviewer.session.saved.session_file import read_session
from engine.files import open_trajectory, read
from engine.runs import summary
from tests.cli.conftest import Call

SIGNALS = [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
PATIENCE = 300.0


ENDLESS = ("run", "lattice-400", "--set", "system=hard-discs", "--max-wall", "1000", "--record", "--every", "0.5")


def well_under_way(folder: Path) -> None:
    """Wait until a run has recorded some frames."""
    end, recorded = time.monotonic() + PATIENCE, folder / "trajectory.gsd"
    while not (recorded.exists() and recorded.stat().st_size > 200_000):
        assert time.monotonic() < end
        time.sleep(0.02)


def check_ended(folder: Path, found: dict[str, Any]) -> None:
    """All that a run without an end of its own has left behind is complete. found : its summary."""
    assert found["stop_reason"] == "interrupted"
    assert found == json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert found["sim_time"] > 1.0
    assert read(folder / "final.gsd")[-1].time == found["sim_time"]
    assert read_session(folder / "final.aggsession").time == found["sim_time"]
    with open_trajectory(folder / "trajectory.gsd") as trajectory:
        assert trajectory.notice == ""
        assert trajectory.times[-1] == found["sim_time"]


def test_ctrl_c_ends_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "aggviewer", *ENDLESS, "--out", str(tmp_path), "--json"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        well_under_way(tmp_path)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=PATIENCE)
    finally:
        program.kill()
        program.communicate()
    assert (program.returncode, err) == (130, "aggviewer: interrupted; all files written so far are complete\n")
    check_ended(tmp_path, json.loads(out))


def test_sigterm_ends_a_run_while_kernels_compute(call: Call, tmp_path: Path) -> None:
    def end() -> None:
        well_under_way(tmp_path)
        os.kill(os.getpid(), signal.SIGTERM)

    sender = threading.Thread(target=end)
    sender.start()
    done = call(*ENDLESS, "--out", tmp_path, "--json")
    sender.join()
    assert (done.status, done.err) == (143, "aggviewer: terminated; all files written so far are complete\n")
    check_ended(tmp_path, done.json)


@pytest.mark.parametrize(("number", "status", "word"), SIGNALS)
def test_while_it_is_measured_the_results_are_still_written(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, status: int, word: str
) -> None:
    fraction = summary.volume_fraction

    def interrupted(*arguments: Any) -> Any:
        signal.raise_signal(number)
        return fraction(*arguments)

    monkeypatch.setattr(summary, "volume_fraction", interrupted)
    done = call("run", "lattice-100", "--json", "--out", tmp_path)
    assert (done.status, done.err) == (status, f"aggviewer: {word}; all files written so far are complete\n")
    assert done.json["stop_reason"] == "finished"
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8")) == done.json


def test_a_second_one_does_not_wait(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("run", "lattice-100", "--until-clusters", "50", "--out", tmp_path).status == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def interrupted(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(summary, "volume_fraction", interrupted)
    done = call("run", "lattice-100", "--json", "--out", tmp_path, "--overwrite")
    assert (done.status, done.out) == (143, "")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
