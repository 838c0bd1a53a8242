"""The fourth system in the window: drawn, plotted, in menus and inspector, kept in a session and a recording."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QMenu, QMenuBar

from aggviewer.systems import registry
from aggviewer.window.main_window import MainWindow
from engine.plugins import PlugIn
from engine.scenario import Scenario
from tests.window.conftest import hold, put_away, shown, wait_until
from tests.window.conftest import qapp as qapp
from tests.window.conftest import settings as settings


@pytest.fixture
def window(qapp, settings, points: PlugIn, monkeypatch, tmp_path) -> Iterator[MainWindow]:
    """A window that was opened with the plug-in and holds points, paused."""
    monkeypatch.setattr(registry, "_views", dict(registry._views))
    path = tmp_path / "points.toml"
    path.write_text(Scenario().with_values({"system": "points", "discs.count": 100}).to_toml())
    made = [shown(settings)]
    hold(made[0], path)
    yield made[0]
    put_away(made)


def run_to(window: MainWindow, time: float) -> None:
    """Let it run to a time, and pause."""
    window.session.set_speed(20.0)
    window.session.run()
    wait_until(lambda: window.session.status().time >= time)
    window.session.pause()
    wait_until(lambda: window.session.status().state == "paused")


def texts(menu: QMenu | QMenuBar) -> list[str]:
    """What can be chosen in a menu, with all menus in it."""
    found: list[str] = []
    for action in menu.actions():
        inner = action.menu()
        found += texts(inner) if inner is not None else [action.text()] * action.isVisible()
    return found


def test_points_are_drawn_plotted_and_measured(window: MainWindow) -> None:
    assert window.session.status().system == "points"
    run_to(window, 5.0)
    assert window.canvas.frames_drawn > 1
    (plot,) = window.plots.cards
    assert plot.title == "Impacts"
    wait_until(lambda: plot.items[0].curve.xData is not None and len(plot.items[0].curve.xData) > 1)
    shots = os.environ.get("SYS_SHOT")
    if shots:
        QTest.qWait(500)
        window.grab().save(shots)


def test_its_key_can_be_changed_while_it_runs(window: MainWindow) -> None:
    run_to(window, 1.0)
    before = window.session.latest_frame().frame.kinetic_energy
    window.commands.run("points.heat_up")
    window.session.step_frame()
    wait_until(lambda: window.session.latest_frame().frame.kinetic_energy == pytest.approx(4.0 * before))
    assert window.parameters.scenario.value("points.heat") == 2.0


def test_menus_palette_and_inspector_have_it(window: MainWindow, tmp_path: Path) -> None:
    assert "Heat up" in texts(window.menuBar())
    assert "Plot Impacts" in texts(window.menuBar())
    row = window.parameters.form.rows["points.heat"]
    assert row.isVisibleTo(window.parameters)
    window.session.load(Scenario().with_values({"discs.count": 9}), run=False)
    wait_until(lambda: window.session.status().system == "aggregation")
    wait_until(lambda: "Heat up" not in texts(window.menuBar()))
    assert not row.isVisibleTo(window.parameters)


def test_a_session_is_saved_and_opened_again(window: MainWindow, tmp_path: Path) -> None:
    run_to(window, 2.0)
    path = tmp_path / "points.aggsession"
    window.session.save_session(path)
    wait_until(path.is_file)
    positions = window.session.latest_frame().frame.positions.copy()
    window.session.load(Scenario().with_values({"discs.count": 9}), run=False)
    wait_until(lambda: window.session.status().system == "aggregation")
    window.session.open(path, run=False)
    wait_until(lambda: window.session.status().system == "points" and window.session.status().state == "paused")
    np.testing.assert_array_equal(window.session.latest_frame().frame.positions, positions)


def test_a_run_is_recorded_and_played_again(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "points.gsd"
    window.session.record(path, 0.25)
    run_to(window, 2.0)
    window.session.stop_recording()
    wait_until(lambda: window.session.status().recording is None)
    window.session.open(path, run=False)
    wait_until(lambda: window.session.replayed_file() == path)
    assert window.session.replayed_frames() >= 8
    assert window.session.status().system == "points"
