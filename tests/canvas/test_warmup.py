"""Getting the kernels of the picture ready: in a child process first, given up when the window closes."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from aggviewer.canvas import warmup
from tests.canvas.conftest import PLAIN, MakeCanvas, grabbed

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "_ready", threading.Event())


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


def test_closing_the_program_gives_the_compilation_up(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert "canvas-kernels" not in {thread.name for thread in threading.enumerate()}
    assert not warmup.ready()


def test_opengl_draws_discs_without_kernels_and_asks_for_them_afterwards(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, make_canvas: MakeCanvas
) -> None:
    started: list[int] = []
    monkeypatch.setattr(warmup, "start", lambda: started.append(canvas.frames_drawn))
    canvas = make_canvas("opengl")
    canvas.replace_discs(np.full(3, 4.0), np.array([40.0, 30.0]), True)
    positions = np.array([[0.0, 15.0], [20.0, 15.0], [30.0, 29.0]])  # two of them cross an edge
    canvas.show_frame(positions, np.zeros(3, np.float32), PLAIN, 1.0)
    without = grabbed(qtbot, canvas)
    assert without.any()
    assert not canvas.ready
    assert canvas.disc_at(200.0, 150.0) is None, "nothing waits for the kernel that finds it"
    qtbot.waitUntil(lambda: bool(started), timeout=int(1000 * PATIENCE))
    assert started[0] >= 1, "the picture comes first"
    warmup._ready.set()
    np.testing.assert_array_equal(without, grabbed(qtbot, canvas))


def test_a_surface_that_needs_kernels_loads_them_at_once(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, make_canvas: MakeCanvas
) -> None:
    started: list[bool] = []
    monkeypatch.setattr(warmup, "start", lambda: started.append(True))
    canvas = make_canvas("painter")
    qtbot.waitUntil(lambda: bool(started), timeout=int(1000 * PATIENCE))
    assert canvas.frames_drawn == 0
