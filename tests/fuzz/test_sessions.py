"""Checkpoints that are spoiled at random: refused with one sentence, or they run and nothing breaks or hangs.

Kernels do not look at bounds, so cases run in a child process: one that a wrong index ends is a failure.
`make fuzz` has kernels that do (NUMBA_BOUNDSCHECK=1), and AGGVIEWER_FUZZ_SESSIONS cases of every system, which start
from more checkpoints. What may be wrong with a file itself: `tests/session/test_session_file_hostile.py`.
"""

from __future__ import annotations

import collections
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.session_child import SYSTEMS

CASES = int(os.environ.get("AGGVIEWER_FUZZ_SESSIONS", "40"))


class Child:
    """The process of `session_child`; a new one where a case has ended it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._start()

    def _start(self) -> None:
        root = Path(__file__).parents[2]
        self._errors = (self._folder / "errors.txt").open("w+")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.session_child"],
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root), "PYTHONFAULTHANDLER": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._read()

    def ask(self, system: str, seed: int) -> str:
        """What has come of a case."""
        if self._process.poll() is not None:
            self.close()
            self._start()
        with contextlib.suppress(BrokenPipeError):  # it ends just now: reading says how
            self._process.stdin.write(f"{system} {seed}\n")
            self._process.stdin.flush()
        return self._read()

    def _read(self) -> str:
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            pytest.fail(f"the process ended with {self._process.wait(60)}: {self._errors.read()[-3000:]}")
        return line.rstrip("\n")

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
        self._errors.close()


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Child]:
    made = Child(tmp_path_factory.mktemp("sessions"))
    yield made
    made.close()


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.timeout(7200)
def test_a_spoiled_state_is_refused_or_runs(child: Child, system: str) -> None:
    answers: collections.Counter[str] = collections.Counter()

    @settings(
        max_examples=CASES,
        derandomize="AGGVIEWER_FUZZ_SESSIONS" not in os.environ,
        database=None,
        phases=(Phase.generate,),  # a seed has no simpler one
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**64))
    def run(seed: int) -> None:
        answer = child.ask(system, seed)
        answers[answer.split()[0]] += 1
        assert answer.split()[0] in ("refused", "ran"), f"{system} {seed}: {answer}"

    run()
    # neither all of them harmless nor all of them refused: else this test would show nothing
    assert answers["refused"] > 0
    assert answers["ran"] > 0
