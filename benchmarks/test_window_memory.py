"""Resident memory of the whole program with its window: while a run goes on with all plots, and after it was left for
a small one, when *Undo* could still bring it back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.conftest import Report

CHILD = """
import json, os, sys, time
from PyQt6.QtTest import QTest
from aggviewer.session import Notices
from aggviewer.widgets.gui_thread import collecting_garbage_on_this_thread
from aggviewer.window.app import create_application, make_window

def resident():
    status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    return int(status["VmRSS"].split()[0]) / 1e3

def until(condition):
    end = time.monotonic() + 300.0
    while not condition():
        assert time.monotonic() < end
        QTest.qWait(50)

def opened(name, count):
    window.session.open(name, run=True)
    until(lambda: window.canvas.scene.count == count and window.session.status().state in ("running", "finished"))

application = create_application()
window = make_window(Notices(), None)
window.session.document.panels.everything = True
window.resize(1440, 900)
window.show()
count = int(sys.argv[1])
with collecting_garbage_on_this_thread():
    opened(f"lattice-{count}", count)
    QTest.qWait(10_000)
    found = [resident(), 0.0]
    opened("lattice-400", 400)
    QTest.qWait(5_000)
    found[1] = resident()
print(json.dumps([*found, window.session.undoing.kept_bytes / 1e6]), flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
@pytest.mark.parametrize("count", [100, 100_000, 1_000_000])
def test_memory_of_the_window(report: Report, tmp_path: Path, count: int) -> None:
    child = [sys.executable, "-c", CHILD, str(count)]
    done = subprocess.run(child, capture_output=True, text=True, check=True)
    running, left, kept = json.loads(done.stdout.splitlines()[-1])
    report(**{"discs": count, "running, MB": running, "left, MB": left, "kept for Undo, MB": kept})
