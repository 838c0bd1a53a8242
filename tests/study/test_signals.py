"""Signals that come while workers start and end."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.study import workers as crews
from engine.study.signals import held_back
from engine.study.workers import DaskWorkers, local

BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


@pytest.fixture
def came() -> Iterator[list[int]]:
    """The signals that a handler has been given."""
    found: list[int] = []
    before = {number: signal.signal(number, lambda n, _: found.append(n)) for number in (signal.SIGINT, signal.SIGTERM)}
    yield found
    for number, handler in before.items():
        signal.signal(number, handler)


class Recorded:
    """Something with a loop that notices its end."""

    def __init__(self, ends: list[str], during: Callable[[], object] = lambda: None) -> None:
        self.ends, self.during, self.scheduler, self.status = ends, during, self, "running"
        self.address = "tcp://here"

    def close(self, timeout: float) -> None:
        self.during()
        self.ends.append("closed")


@BOTH
def test_a_signal_waits_until_the_end_of_the_block(number: signal.Signals, came: list[int]) -> None:
    before = signal.getsignal(number)
    with held_back():
        signal.raise_signal(number)
        signal.raise_signal(number)
        assert came == []
    assert came == [number, number]
    assert signal.getsignal(number) is before


def test_other_threads_hold_nothing_back(came: list[int]) -> None:
    """Handlers can be changed by the main thread alone; elsewhere the block is simply done."""
    done: list[bool] = []

    def other() -> None:
        with held_back():
            done.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert done == [True]


def test_workers_that_started_while_ctrl_c_was_pressed_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[str] = []

    def start(count: int) -> DaskWorkers:
        signal.raise_signal(signal.SIGINT)
        return DaskWorkers(client := Recorded(ends), (client,))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(crews, "_local", start)
    try:
        with pytest.raises(KeyboardInterrupt):
            local(2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ends == ["closed"]


@BOTH
def test_a_signal_does_not_disturb_the_end_of_workers(number: signal.Signals, came: list[int]) -> None:
    ends: list[str] = []
    first: Any = Recorded(ends)
    second: Any = Recorded(ends, lambda: (signal.raise_signal(number), ends.append(f"{len(came)} told")))
    DaskWorkers(first, (first, second)).close()
    assert ends == ["0 told", "closed", "closed"]
    assert came == [number]


@BOTH
def test_who_asks_again_after_the_last_line_sees_nothing_more(number: signal.Signals) -> None:
    code = (
        "import atexit, signal\n"
        f"atexit.register(signal.raise_signal, signal.Signals({int(number)}))\n"
        "from aggviewer.cli.exits import guarded\n"
        "def stopped():\n    raise KeyboardInterrupt\n"
        "raise SystemExit(guarded(stopped))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 130
    assert found.stderr == "aggviewer: interrupted; every file that is there is complete\n"
