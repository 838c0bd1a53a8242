"""From the start of the process to the window, to a moving picture and to the run itself, and the memory of the program
with 100, 10^5 and 10^6 discs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.conftest import Report

_LONGEST = 300.0  # seconds after which a start is given up
_NOT_OF_A_PERSON = ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")

# a child process: notes when two different times have been drawn, and when the run itself is there
_CHILD = """
import json, sys, time
began, files = float(sys.argv[1]), sys.argv[2:]
from aggviewer.cli import exits

def open_watched(files):
    exits.load_installed()
    from aggviewer.window import app
    app.MainWindow = watched(app.MainWindow)
    return app.run_window(files)

def watched(MainWindow):
    from PyQt6.QtCore import QTimer
    class Watched(MainWindow):
        def open_first(self, files, default):
            super().open_first(files, default)
            self.marks, self.times, self.drawn = {"window": time.time() - began}, set(), 0
            self.watch = QTimer(self)
            self.watch.timeout.connect(self.look)
            self.watch.start(10)

        def look(self):
            now, canvas, status = time.time() - began, self.canvas, self.session.status()
            shown = self.refresher.shown()
            if shown is not None and canvas.frames_drawn > self.drawn:
                self.drawn = canvas.frames_drawn
                self.times.add(shown.frame.time)
            if len(self.times) > 1:
                self.marks.setdefault("moving", now)
            if status.state == "running" and not status.stand_in and "live" not in self.marks:
                self.marks |= {"live": now, "live_at": status.time}
            if "live" in self.marks and "moving" in self.marks:
                memory = dict(line.split(":", 1) for line in open("/proc/self/status"))["VmHWM"]
                print(json.dumps(self.marks | {"peak memory, MB": int(memory.split()[0]) / 1e3}), flush=True)
                self.close()
    return Watched

exits._open = open_watched
sys.exit(exits.open_window(files))
"""


def start(cache: Path, *files: str) -> dict[str, float]:
    """Start the window once; seconds until it is up (``window``), until the picture moves (``moving``) and until the
    run itself is there (``live``), which then is at the simulation time ``live_at``.

    cache : folder of the kernels; files : what it opens, names of bundled scenarios as well.
    """
    folders = {"XDG_CACHE_HOME": str(cache), "XDG_STATE_HOME": str(cache / "s"), "XDG_CONFIG_HOME": str(cache / "c")}
    # as for a person, whose Python keeps what it has compiled of the sources
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_OF_A_PERSON} | folders
    command = [sys.executable, "-c", _CHILD, repr(time.time()), *files]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_LONGEST, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"the window did not start:\n{done.stderr}")
    found: dict[str, float] = json.loads(lines[-1])
    return found


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder for the kernels, which the first start fills."""
    return tmp_path_factory.mktemp("kernels")


@pytest.mark.parametrize("name", ["", "lattice-100", "lattice-100000", "lattice-1000000"])
def test_start(report: Report, all_cores: None, cache: Path, name: str) -> None:
    """Of the default scenario without compiled kernels (``first``) and with them, then of others with them."""
    if not name:
        report(first=list(start(cache).values()))
    report(**start(cache, *filter(None, [name])))
