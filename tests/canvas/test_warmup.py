"""Getting the kernels of the picture ready: in a child process first, given up when the window closes."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from aggviewer.canvas import warmup

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "_ready", threading.Event())
    monkeypatch.setattr(warmup, "_discs_ready", threading.Event())


def test_the_cache_is_filled_before_anything_is_compiled_here(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def fill(report: Callable[[int, int, str], None], module: str) -> None:
        order.append(module)
        report(0, 1, "picture")
        assert not warmup.ready()

    monkeypatch.setattr(warmup, "fill_cache", fill)
    warming_up = warmup.start()
    assert warming_up is not None
    assert warmup._ready.wait(PATIENCE)
    assert order == ["aggviewer.canvas.warmup"]
    warming_up.close()
    assert warmup.start() is None


def test_closing_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    def fill(report: Callable[[int, int, str], None], module: str) -> None:
        begun.set()
        while True:  # as a child that never ends
            report(0, 1, "picture")

    monkeypatch.setattr(warmup, "fill_cache", fill)
    warming_up = warmup.start()
    assert warming_up is not None
    assert begun.wait(PATIENCE)
    warming_up.close()
    assert not warming_up._thread.is_alive()
    assert not warmup.ready()


def test_discs_can_be_drawn_before_all_else_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    reported, go_on = threading.Event(), threading.Event()

    def fill(report: Callable[[int, int, str], None], module: str) -> None:
        report(0, 2, "discs")
        assert not warmup.discs_ready()
        report(1, 2, "picture")
        reported.set()
        assert go_on.wait(PATIENCE)

    monkeypatch.setattr(warmup, "fill_cache", fill)
    warming_up = warmup.start()
    assert warming_up is not None
    assert reported.wait(PATIENCE)
    assert warmup.discs_ready()
    assert not warmup.ready()
    go_on.set()
    warming_up._thread.join(PATIENCE)
    assert warmup.ready()
    warming_up.close()
