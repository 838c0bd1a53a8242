"""Whether the picture moves on beside a study that uses the other cores, and how soon that stops. Nothing is asserted.

The reaches: 20 frames a second beside a study of runs of 2 500 discs, and no run goes on a second after the wish to
stop. The window has its panels and plots and shows a gas of 2 500 discs that runs, with the window of the study over
it; it is compared with itself before the study.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aggviewer import canvas as canvas_package
from aggviewer.session import Session
from aggviewer.session.load.builder import Engine
from aggviewer.studies.plan import range_table, study_tables
from aggviewer.studies.studies import Studies
from aggviewer.studies.view import StudyWindow
from aggviewer.systems.registry import view_of
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from benchmarks.heartbeat import Gaps, Heartbeat
from engine.scenario import load_scenario

PATIENCE = 120_000  # milliseconds
MEASURED = 10_000
SEEDS = 10_000


@pytest.mark.parametrize("until", [{"until_clusters": 1500}, {}], ids=["runs of 10 ms", "whole runs"])
def test_the_picture_moves_beside_a_study(
    benchmark: BenchmarkFixture,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: dict[str, int],
) -> None:
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *args, **more: str(tmp_path))
    for method in ("hard-discs", "event-driven"):
        Engine().warm_up(lambda done, total, what: None, method)
    canvas_package.warm_up()
    settings = WindowSettings(tmp_path / "window.ini")
    settings.welcome_dismissed = True
    window = MainWindow(Session(views=view_of), settings)
    session = window.session
    heart: Heartbeat | None = None

    def wait(what: Callable[[], bool]) -> None:
        qtbot.waitUntil(what, timeout=PATIENCE)

    def seen(heart: Heartbeat) -> tuple[float, Gaps]:
        """Frames a second, and the times in which the window did not answer."""
        drawn, began = window.canvas.frames_drawn, time.perf_counter()
        heart.take()
        qtbot.wait(MEASURED)
        return (window.canvas.frames_drawn - drawn) / (time.perf_counter() - began), heart.take()

    try:
        window.resize(1440, 880)
        window.show()
        qtbot.waitExposed(window)
        session.load(load_scenario("maxwell-2500"), run=True)
        wait(lambda: session.status().state == "running" and window.canvas.frames_drawn > 5)
        studies = window.context[Studies]
        heart = Heartbeat()
        alone, quiet = seen(heart)
        vary = [range_table("discs.volume_fraction", 0.1, 0.3, 3)]
        scenario = load_scenario("lattice-2500")
        studies.begin(study_tables(scenario, "A study", vary, count=SEEDS, limits=until))
        (view,) = studies.windows
        wait(lambda: view.results.done > 3)
        done = view.results.done
        beside, busy = seen(heart)
        rows = (view.results.done - done) / (1e-3 * MEASURED)
        paused = _ended(view, view.pause_button.click, "paused", wait)
        view.look()
        done = view.results.done
        view.pause_button.click()
        wait(lambda: view.results.done > done + 3)
        stopped = _ended(view, view.stop_button.click, "stopped", wait)
        benchmark.extra_info.update(
            renderer=window.canvas.renderer,
            frames_alone=round(alone, 1),
            frames_beside=round(beside, 1),
            runs_a_second=round(rows, 1),
            alone_ms=[round(value, 1) for value in (quiet.median, quiet.late, quiet.greatest)],
            beside_ms=[round(value, 1) for value in (busy.median, busy.late, busy.greatest)],
            paused_s=round(paused, 2),
            report_s=round(stopped, 2),
        )
        print(benchmark.extra_info)
        benchmark.pedantic(lambda: None, rounds=1)
    finally:
        if heart is not None:
            heart.stop()
        window.close()
        window.deleteLater()


def _ended(
    view: StudyWindow, end: Callable[[], object], state: str, wait: Callable[[Callable[[], bool]], None]
) -> float:
    """Seconds from the wish to the end of the process."""
    began = time.perf_counter()
    end()
    wait(lambda: view.process.state == state)
    return time.perf_counter() - began
