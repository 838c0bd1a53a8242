"""Whether a window answers while it jams discs, and how soon an iteration is cut off. Reported, not asserted.

The reaches: no gap between two beats of the event loop above 100 ms, and cancelled within 0.2 s. The window has its
panels, its plots and the network, and is compared with itself at rest: with OpenGL in software, and on a machine that
does other work, drawing alone takes its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aggviewer import canvas as canvas_package
from aggviewer.session import Session
from aggviewer.session.load.builder import Engine
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from benchmarks.heartbeat import Heartbeat
from engine.scenario import load_scenario

PATIENCE = 120_000  # milliseconds
LONG_ENOUGH = 8_000
CANCELS = 8


@pytest.mark.parametrize("solver", ["interior-point", "highs"])
@pytest.mark.parametrize("count", [1024, 4096])
def test_the_window_answers_while_it_solves(
    benchmark: BenchmarkFixture, qtbot: QtBot, tmp_path: Path, count: int, solver: str
) -> None:
    Engine().warm_up(lambda done, total, what: None, "jamming")
    canvas_package.warm_up()
    settings = WindowSettings(tmp_path / "window.ini")
    settings.welcome_dismissed = True
    window = MainWindow(Session(), settings)
    session = window.session
    heart: Heartbeat | None = None

    def until(what: Callable[[], bool]) -> None:
        qtbot.waitUntil(what, timeout=PATIENCE)

    try:
        window.resize(1440, 880)
        window.show()
        qtbot.waitExposed(window)
        session.load(load_scenario("jam-1024").with_values({"discs.count": count, "jamming.solver": solver}), run=False)
        until(lambda: session.status().state == "paused" and session.status().count == count)
        until(lambda: window.canvas.frames_drawn > 0)
        session.set_speed(inf)
        session.step_event()
        until(lambda: session.status().time >= 1.0)
        qtbot.wait(1000)
        heart = Heartbeat()
        qtbot.wait(LONG_ENOUGH // 2)
        at_rest = heart.take()
        session.run()
        qtbot.wait(LONG_ENOUGH)
        solving = heart.take()
        benchmark.extra_info.update(
            renderer=window.canvas.renderer,
            programs=session.status().time,
            rest_ms=[round(value, 1) for value in (at_rest.median, at_rest.late, at_rest.greatest)],
            solving_ms=[round(value, 1) for value in (solving.median, solving.late, solving.greatest)],
            above_100_ms=solving.above(100.0),
            cancelled_ms=round(1000.0 * median(_cancel(session, qtbot) for _ in range(CANCELS)), 1),
        )
        benchmark.pedantic(lambda: None, rounds=1)
    finally:
        if heart is not None:
            heart.stop()
        window.close()
        window.deleteLater()


def _cancel(session: Session, qtbot: QtBot) -> float:
    """Seconds from the wish to pause to the pause, amid an iteration."""
    if session.status().state == "finished":
        session.restart()
    session.run()
    qtbot.waitUntil(lambda: session.status().state == "running", timeout=PATIENCE)
    qtbot.wait(300)
    began = time.perf_counter()
    session.pause()
    while session.status().state == "running":
        time.sleep(0.001)
    return time.perf_counter() - began
