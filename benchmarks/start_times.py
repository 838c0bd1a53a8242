"""From the start of the process to a moving picture: `.ci/with-display .venv/bin/python -m benchmarks.start_times`.

Three starts with an empty cache for kernels, each in a folder of its own, then three with what the last one has left.
Each is told on stderr when it is done; the table comes at the end. Another program that uses the processor makes the
figures worthless: run it alone. ``first`` or ``warm`` after the name measures these starts alone, for a folder that is
named then.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 3
_LONGEST = 300.0  # seconds after which a start is given up
_NOT_OF_A_PERSON = ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")
_MARKS = ("window", "moving", "live")

# a child process: notes when two different times have been drawn, and when the run itself is there
_CHILD = """
import json, sys, time
from pathlib import Path
began = float(sys.argv[1])
out, looks = Path(sys.argv[2]), [float(at) for at in sys.argv[3].split(",") if at]
from aggviewer.cli import entry

def open_watched(files):
    entry.load_installed()
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
            if status.state == "running":
                if "live" not in self.marks:
                    self.marks["live"], self.marks["live_at"] = now, status.time
                    looks.append(now + 0.5)
            while looks and now >= min(looks):
                at = min(looks)
                looks.remove(at)
                if out.is_dir():
                    image = self.screen().grabWindow(self.winId())
                    image.save(str(out / f"at-{at:04.1f}.png"))
            if "live" in self.marks and "moving" in self.marks and not looks:
                print(json.dumps(self.marks), flush=True)
                self.close()
    return Watched

entry._open = open_watched
sys.exit(entry.open_window([]))
"""


def start(cache: Path, pictures: Path | None = None, looks: str = "") -> dict[str, float]:
    """Start the window once; seconds until it is up (``window``), until the picture moves (``moving``) and until the
    run itself is there (``live``), which then is at the simulation time ``live_at``.

    cache : folder of the kernels; pictures, looks : where to put screenshots, and at which seconds (``"2,5,10"``).
    """
    folders = {
        "XDG_CACHE_HOME": str(cache),
        "XDG_STATE_HOME": str(cache / "state"),
        "XDG_CONFIG_HOME": str(cache / "c"),
    }
    # as for a person, whose Python keeps what it has compiled of the sources
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_OF_A_PERSON} | folders
    arguments = [repr(time.time()), str(pictures or "/nowhere"), looks]
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=_LONGEST,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(f"the window did not start:\n{done.stderr}")
    found: dict[str, float] = json.loads(lines[-1])
    return found


def measure(kind: str, folder: Path) -> str:
    """Three starts of a kind, as a row of the table. folder : for the caches; those of `first` are emptied by that."""
    rows = []
    for run in range(RUNS):
        cache = folder / (str(run) if kind == "first" else str(RUNS - 1))
        if kind == "first":
            shutil.rmtree(cache, ignore_errors=True)
        rows.append(start(cache))
        print(f"{kind} {run + 1}: {rows[-1]}", file=sys.stderr, flush=True)
    figures = (", ".join(f"{row[mark]:.1f}" for row in rows) for mark in _MARKS)
    return f"| {kind} | " + " | ".join(figures) + " |"


def main() -> None:
    kinds = sys.argv[1:2] or ["first", "warm"]
    if len(sys.argv) > 2:
        table = [measure(kind, Path(sys.argv[2])) for kind in kinds]
    else:
        with tempfile.TemporaryDirectory(prefix="aggviewer-start-") as folder:
            table = [measure(kind, Path(folder)) for kind in kinds]
    print("\n".join(["| start | " + " | ".join(f"{mark} s" for mark in _MARKS) + " |", "|---|" + "---|" * len(_MARKS)]))
    print("\n".join(table))


if __name__ == "__main__":
    main()
