"""Signals that come when the command has said its last line."""

from __future__ import annotations

import subprocess
import sys


def test_a_signal_after_the_last_line_prints_nothing() -> None:
    code = (
        "import atexit, signal\n"
        "atexit.register(signal.raise_signal, signal.SIGTERM)\n"
        "atexit.register(signal.raise_signal, signal.SIGINT)\n"
        "from aggviewer.cli.exits import guarded\n"
        "def stopped():\n    raise KeyboardInterrupt\n"
        "raise SystemExit(guarded(stopped))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 130
    assert found.stderr == "aggviewer: interrupted; all files written so far are complete\n"
