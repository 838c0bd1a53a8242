"""The window where there is no display: a sentence and status 1, no crash of Qt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from aggviewer.window.app import why_no_window

GAVE_UP = (
    "This application failed to start because no Qt platform plugin could be initialized.\n"
    "\nAvailable platform plugins are: wayland, offscreen, xcb.\n"
)


CASES = (
    ({}, "neither DISPLAY nor WAYLAND_DISPLAY is set"),
    ({"DISPLAY": ":7654"}, "the display :7654 (DISPLAY) cannot be reached"),
    ({"WAYLAND_DISPLAY": "wayland-7654"}, "the display wayland-7654 (WAYLAND_DISPLAY) cannot be reached"),
    ({"QT_QPA_PLATFORM": "nonsense"}, "QT_QPA_PLATFORM names 'nonsense', but Qt has"),
    ({"DISPLAY": ":7654", "QT_QPA_PLATFORM": "xcb"}, "the display :7654 (DISPLAY) cannot be reached"),
)
EACH = """
import json, os, sys
import aggviewer.window.app
from aggviewer.__main__ import main
for number, environment in enumerate(json.loads(sys.argv[1])):
    child = os.fork()
    if child == 0:  # as a program of its own, which need not import everything anew
        os.environ.update(environment)
        for name, descriptor in (("out", 1), ("err", 2)):
            os.dup2(os.open(f"{number}.{name}", os.O_CREAT | os.O_WRONLY), descriptor)
        sys.exit(main([]))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status, flush=True)  # before the next fork, which would print it again
"""


def test_a_sentence_and_status_1(tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", EACH, json.dumps([case for case, _ in CASES])],
        capture_output=True,
        text=True,
        env={**kept, "XDG_RUNTIME_DIR": str(tmp_path), "PYTHONPATH": paths},
        cwd=tmp_path,
        check=True,
        timeout=120,
    )
    assert done.stdout.split() == ["1"] * len(CASES)
    for number, (_, words) in enumerate(CASES):
        said = (tmp_path / f"{number}.err").read_text(encoding="utf-8")
        assert said.count("\n") == 1, said
        assert words in said
        assert (tmp_path / f"{number}.out").read_text(encoding="utf-8") == ""


def test_a_platform_that_is_there_but_fails_is_told_in_its_own_words() -> None:
    said = why_no_window(GAVE_UP, ["libfoo is missing."], {"DISPLAY": ":0"})
    assert said.startswith("aggviewer cannot open its window: libfoo is missing;")
    assert "no Qt platform plugin" in why_no_window(GAVE_UP, [], {"DISPLAY": ":0"})
