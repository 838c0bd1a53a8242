"""The window where there is no display: a sentence and status 1, no crash of Qt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aggviewer.window.app import why_no_window

GAVE_UP = (
    "This application failed to start because no Qt platform plugin could be initialized.\n"
    "\nAvailable platform plugins are: wayland, offscreen, xcb.\n"
)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":7654"}, "the display :7654 (DISPLAY) cannot be reached"),
        ({"WAYLAND_DISPLAY": "wayland-7654"}, "the display wayland-7654 (WAYLAND_DISPLAY) cannot be reached"),
        ({"QT_QPA_PLATFORM": "nonsense"}, "QT_QPA_PLATFORM names 'nonsense', but Qt has"),
        ({"DISPLAY": ":7654", "QT_QPA_PLATFORM": "xcb"}, "the display :7654 (DISPLAY) cannot be reached"),
    ],
)
def test_a_sentence_and_status_1(environment: dict[str, str], words: str, tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, "-m", "aggviewer"],
        capture_output=True,
        text=True,
        env={**kept, **environment, "XDG_RUNTIME_DIR": str(tmp_path)},
        check=False,
        timeout=120,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert words in done.stderr
    assert done.stdout == ""


def test_a_platform_that_is_there_but_fails_is_told_in_its_own_words() -> None:
    said = why_no_window(GAVE_UP, ["libfoo is missing."], {"DISPLAY": ":0"})
    assert said.startswith("aggviewer cannot open its window: libfoo is missing;")
    assert "no Qt platform plugin" in why_no_window(GAVE_UP, [], {"DISPLAY": ":0"})
