"""The fourth system in the window: drawn, plotted, in menus and inspector, kept in a session and a recording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtWidgets import QMenu, QMenuBar

from aggviewer.session import Notice
from aggviewer.systems import registry
from aggviewer.window.main_window import MainWindow
from engine.plugins import PlugIn
from engine.scenario import Scenario
from engine.simulation import Frame
from tests.window.conftest import hold, put_away, shown, wait_until
from tests.window.conftest import qapp as qapp
from tests.window.conftest import settings as settings


@pytest.fixture
def scenario(points: PlugIn, tmp_path: Path) -> Path:
    """A hundred points."""
    path = tmp_path / "points.toml"
    path.write_text(Scenario().with_values({"system": "points", "discs.count": 100}).to_toml())
    return path


@pytest.fixture
def empty(qapp, settings, points: PlugIn, monkeypatch) -> Iterator[MainWindow]:
    """A window that was opened with the plug-in. What goes wrong in it fails the test."""
    monkeypatch.setattr(registry, "_views", dict(registry._views))
    made = [shown(settings)]
    notices: list[Notice] = []
    made[0].session.notices.sent.connect(notices.append)
    yield made[0]
    put_away(made)
    assert [notice for notice in notices if notice.level != "info"] == []


@pytest.fixture
def window(empty: MainWindow, scenario: Path) -> MainWindow:
    """The window with a hundred points, paused."""
    hold(empty, scenario)
    return empty


def run_to(window: MainWindow, time: float) -> None:
    """Let it run to a time, and pause."""
    window.session.set_speed(20.0)
    window.session.run()
    wait_until(lambda: window.session.status().time >= time)
    window.session.pause()
    wait_until(lambda: window.session.status().state == "paused")
    wait_until(lambda: frame_of(window).time == window.session.status().time)


def texts(menu: QMenu | QMenuBar) -> list[str]:
    """What can be chosen in a menu, with all menus in it."""
    found: list[str] = []
    for action in menu.actions():
        inner = action.menu()
        found += texts(inner) if inner is not None else [action.text()] * action.isVisible()
    return found


def frame_of(window: MainWindow) -> Frame:
    shown = window.refresher.shown(0)
    assert shown is not None
    return shown.frame


def test_points_are_drawn_coloured_and_plotted(window: MainWindow) -> None:
    assert window.session.status().system == "points"
    assert [window.top_bar.color_by.itemText(k) for k in range(window.top_bar.color_by.count())] == [
        "Impacts with walls",
        "Speed",
    ]
    run_to(window, 30.0)
    assert window.canvas.frames_drawn > 1
    (plot,) = window.plots.cards
    assert plot.title == "Impacts"
    wait_until(lambda: plot.items[0].curve.xData is not None and len(plot.items[0].curve.xData) > 2)
    impacts = frame_of(window).fields["hits"].sum() // 100 * 100
    wait_until(lambda: plot.items[0].curve.yData[-1] == impacts)


def test_its_key_can_be_changed_while_it_runs(window: MainWindow) -> None:
    run_to(window, 1.0)
    before = frame_of(window).kinetic_energy
    window.commands.run("points.heat_up")
    window.session.step_frame()
    wait_until(lambda: frame_of(window).kinetic_energy == pytest.approx(4.0 * before))
    wait_until(lambda: window.parameters.form.rows["points.heat"].editor.edit.value == 2.0)


def test_menus_and_inspector_have_it_while_points_are_shown(empty: MainWindow, scenario: Path) -> None:
    window, row = empty, empty.parameters.form.rows["points.heat"]
    assert not {"Heat up", "Plot Impacts"} & set(texts(window.menuBar()))
    assert not row.isVisibleTo(window.parameters)
    hold(window, scenario)
    wait_until(lambda: {"Heat up", "Plot Impacts"} <= set(texts(window.menuBar())))
    assert row.isVisibleTo(window.parameters)


def test_a_session_is_saved_and_opened_again(window: MainWindow, tmp_path: Path) -> None:
    run_to(window, 2.0)
    path = tmp_path / "points.aggsession"
    window.session.save_session(path)
    wait_until(path.is_file)
    time, positions = frame_of(window).time, frame_of(window).positions.copy()
    window.session.load(Scenario().with_values({"system": "points", "discs.count": 9}), run=False)
    wait_until(lambda: len(frame_of(window).positions) == 9)
    window.session.open(path, run=False)
    wait_until(lambda: len(frame_of(window).positions) == 100)
    assert frame_of(window).time == time
    np.testing.assert_array_equal(frame_of(window).positions, positions)


def test_a_run_is_recorded_and_played_again(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "points.gsd"
    window.session.record(path, 0.25)
    run_to(window, 2.0)
    window.session.stop_recording()
    wait_until(lambda: window.session.status().recording is None)
    window.session.open(path, run=False)
    wait_until(lambda: (replay := window.session.replay) is not None and replay.trajectory.path == path)
    assert len(window.session.replay.times) >= 8
    assert window.session.status().system == "points"
