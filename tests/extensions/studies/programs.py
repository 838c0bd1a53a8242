"""Small scripts that a study runs in the place of the program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

COMPLETE = """echo '{"complete": true}'"""
WAITS = """trap 'echo "{\\"complete\\": false}"; exit 143' TERM; touch began; while :; do sleep 0.02; done"""
STUBBORN = """trap '' TERM; touch began; while :; do sleep 0.02; done"""

Plays = Callable[[str], None]


def player(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Plays:
    """A function that takes a script for bash. The script runs in the folder, and its arguments are in a file there."""
    program = folder / "program"
    monkeypatch.chdir(folder)

    def play(text: str) -> None:
        program.write_text(f'#!/bin/bash\necho "$@" > arguments\n{text}\n')
        program.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(program))

    return play
