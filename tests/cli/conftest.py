"""The command line, called in this process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aggviewer.__main__ import main


@dataclass
class Called:
    """What a call has left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as strict JSON, and nothing else there."""

        def refuse(word: str) -> None:
            raise ValueError(f"{word} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


Call = Callable[..., Called]


def settings(*values: str) -> tuple[str, ...]:
    """Options that change keys of a scenario, from ``key=value``."""
    return tuple(part for value in values for part in ("--set", value))


GAS = settings("system=hard-discs", "velocities.distribution=maxwell")
"""Discs that bounce."""
JAM = settings(
    "system=jamming",
    "box.boundary=periodic",
    "discs.arrangement=random",
    "discs.volume_fraction=0.78",
    "discs.radii=bidisperse",
    "discs.spread=1.4",
)
"""Discs that jam."""


def refused(done: Called) -> str:
    """What is said of bad input: status 2, and one line on stderr alone."""
    assert (done.status, done.out) == (2, ""), done
    assert done.err.startswith("aggviewer: ")
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1
    return done.err


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> Call:
    """Call `aggviewer` with arguments.

    `render` makes Qt's application without widgets, and a process has but one: it finds one with widgets here, since
    tests of windows may come next.
    """

    def run(*arguments: str | Path) -> Called:
        if arguments and arguments[0] == "render":
            if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
                os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
            request.getfixturevalue("qapp")
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Called(status, captured.out, captured.err)

    return run
