"""The command line, called in this process."""

from __future__ import annotations

import json
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


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Call `aggviewer` with arguments."""

    def run(*arguments: str | Path) -> Called:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Called(status, captured.out, captured.err)

    return run
