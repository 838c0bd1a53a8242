"""Commands in processes of their own, and clusters that were started by hand."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd


def without_times(table: pd.DataFrame) -> pd.DataFrame:
    """A table of runs without what no other call repeats."""
    return table.drop(columns=["seconds", "host"])


def command(*arguments: object, plugin: Path | None = None) -> subprocess.Popen[str]:
    """`aggviewer study` in a process of its own, and in a group of its own, as a terminal does it."""
    before = [] if plugin is None else ["--plugin", str(plugin)]
    return subprocess.Popen(
        [sys.executable, "-m", "aggviewer", *before, "study", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def wait_for(what: Callable[[], Any]) -> Any:
    """The first thing that is true. pytest's limit of time ends what never is."""
    while not (found := what()):
        time.sleep(0.02)
    return found


def recorded(folder: Path) -> int:
    """Rows in the store of a folder."""
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


def wait_for_the_end_of(pids: set[int]) -> None:
    """Wait until none of these processes is there."""
    wait_for(lambda: not any(Path(f"/proc/{pid}/stat").exists() for pid in pids))


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The JSON of a command that succeeds."""
    out, error = process.communicate()
    assert process.returncode == 0, error
    found: dict[str, Any] = json.loads(out)
    return found
