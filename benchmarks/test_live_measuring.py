"""What it costs a run that it is measured for the plots while somebody looks at it. Reported, not asserted.

The reach: with all plots open a run goes at 0.9 of the pace or more that it has in the same window when nothing is
measured. Measuring is switched off and on in turns during one run, which goes frame by frame, so that its pace is that
of its pictures. The figures are the pictures a second without and with measuring, the states that were measured a
second, and how much of its time each thread had a processor meanwhile.

Under Xvfb: ``pytest benchmarks/test_live_measuring.py --benchmark-only``, alone on the machine.
"""

from __future__ import annotations

import threading
import time
from math import inf
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aggviewer import canvas as canvas_package
from aggviewer.session.load.builder import Engine
from aggviewer.session.publish.analyst import Analyst
from benchmarks.heartbeat import Scheduled
from benchmarks.person import PATIENCE, person
from engine.scenario import Scenario

_TURNS = 3  # stretches without measuring, and as many with
_STRETCH = {100_000: 1.2, 1_000_000: 4.0}  # seconds of each, by discs: not beyond the end, but many measurements
_SETTLES = 0.5  # seconds of the run before
_THREADS = {"MainThread": "window", "aggviewer-simulation": "simulation", "aggviewer-analyst": "measuring"}


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """All kernels are there."""
    Engine().warm_up(lambda done, total, what: None, "event-driven")
    canvas_package.warm_up()


@pytest.mark.parametrize("plots", ["as at first", "all open"])
@pytest.mark.parametrize("count", list(_STRETCH))
def test_share_of_a_run(
    benchmark: BenchmarkFixture,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    plots: str,
) -> None:
    monkeypatch.setenv("AGGVIEWER_CANVAS", "painter")
    measuring = True  # until the thread that measures is there: it begins with what it measures first
    measured = 0
    ready, take = Analyst.ready, Analyst.take

    def taken(analyst: Analyst) -> object:
        nonlocal measured
        found = take(analyst)
        measured += found is not None
        return found

    monkeypatch.setattr(Analyst, "take", taken)
    monkeypatch.setattr(Analyst, "ready", property(lambda analyst: measuring and ready.__get__(analyst)))
    with person(qtbot, tmp_path, monkeypatch) as somebody:
        session, window = somebody.session, somebody.window
        somebody.load(Scenario().with_values({"discs.count": count}))
        if plots == "all open":
            for card in window.plots.cards:
                card.head.fold.setChecked(True)
        session.set_speed(inf, fast=True)
        session.restart()
        qtbot.waitUntil(lambda: measured > 0, timeout=PATIENCE)
        measuring = False
        clocks = {
            _THREADS[thread.name]: Scheduled(thread.native_id)
            for thread in threading.enumerate()
            if thread.name in _THREADS and thread.native_id is not None
        }
        seconds, pictures = {False: 0.0, True: 0.0}, {False: 0, True: 0}
        busy = dict.fromkeys(clocks, 0.0)
        qtbot.wait(round(1000.0 * _SETTLES))
        measured = 0
        for turn in range(2 * _TURNS):
            measuring = turn % 2 == 1
            quiet = clocks["measuring"].read()[0] if not measuring else -1.0
            qtbot.wait(50)
            while not measuring and clocks["measuring"].read()[0] > quiet:  # what it is at is finished
                quiet = clocks["measuring"].read()[0]
                qtbot.wait(50)
            before = {name: clock.read()[0] for name, clock in clocks.items()}
            began, drawn = time.perf_counter(), window.canvas.frames_drawn
            qtbot.wait(round(1000.0 * _STRETCH[count]))
            seconds[measuring] += time.perf_counter() - began
            pictures[measuring] += window.canvas.frames_drawn - drawn
            if measuring:
                for name, clock in clocks.items():
                    busy[name] += 1e-3 * (clock.read()[0] - before[name])
        clusters = session.status().clusters
    rates = {on: pictures[on] / seconds[on] for on in (False, True)}
    benchmark.extra_info.update(
        pictures_without=round(rates[False], 1),
        pictures_with=round(rates[True], 1),
        pace=round(rates[True] / rates[False], 3),
        measured_a_second=round(measured / seconds[True], 2),
        clusters_left=clusters,
        **{name: round(spent / seconds[True], 3) for name, spent in busy.items()},
    )
    benchmark.pedantic(lambda: None, rounds=1)
