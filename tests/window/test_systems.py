"""The window with discs that bounce: plots, colours, menus and parameters follow the system."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from aggviewer.systems.hard_discs.motion import SpeedsPlot
from aggviewer.window.main_window import MainWindow
from aggviewer.window.run_display import Comparing
from tests.plots.panels import plot_of
from tests.window.conftest import GAS, load, part_of, window_again

from .conftest import PATIENCE

window = window_again


@pytest.fixture
def bouncing(window: MainWindow, qtbot: QtBot, tmp_path: Path, all_compiled: None) -> MainWindow:
    """A window in which a gas runs, and has been measured."""
    path = tmp_path / "gas.toml"
    path.write_text(GAS)
    load(window, path, run=True)
    assert window.plots.system == "hard-discs"
    qtbot.waitUntil(lambda: not plot_of(window.plots, SpeedsPlot).view.empty_text, timeout=PATIENCE)
    return window


def test_everything_follows_the_system_and_back(bouncing: MainWindow, qtbot: QtBot, small: Path) -> None:
    window, action = bouncing, bouncing.commands.action
    assert [window.top_bar.color_by.itemData(k) for k in range(window.top_bar.color_by.count())] == [
        *("speed", "direction", "collisions", "since_contact"),
        *("contacts", "radius", "local_density", "free_volume", "sides", "hexatic", "hexatic_angle"),
    ]
    assert window.session.view.color_by == "cluster"  # what was chosen for discs that stick stays chosen
    assert window.top_bar.color_by.currentData() == "speed"
    assert action("view.color_by_speed").isChecked()
    assert not action("view.color_by_cluster").isVisible()
    assert action("view.flash_contacts").isVisible()
    window.commands.update()
    assert not action("edit.select_clusters").isVisible()
    names = ("Energy and Haff's law", "Speeds", "Pressure Z", "g(r)")
    names += ("Density fluctuations", "Mean square displacement", "Impact separations")
    for number, text in enumerate(names, 1):
        assert action(f"plots.{number}").text() == f"Plot {text}"
        assert action(f"plots.{number}").isEnabled()
    assert window.parameters.sections["Collisions"].isVisibleTo(window.parameters)
    window.session.open(small, run=False)
    qtbot.waitUntil(lambda: window.plots.system == "aggregation", timeout=PATIENCE)
    assert window.top_bar.color_by.currentData() == "cluster"
    assert action("view.flash_contacts").isVisible(), "merges and walls light up too"
    assert not action("plots.14").isEnabled(), "for spheres only"
    assert action("plots.1").text() == "Plot N(ε), fractal dimension"
    qtbot.waitUntil(lambda: window.canvas.scene.coloring.by == "cluster", timeout=PATIENCE)
    qtbot.waitUntil(action("edit.select_clusters").isVisible, timeout=PATIENCE)


def test_restitution_is_tuned_and_colours_are_chosen_while_it_runs(bouncing: MainWindow, qtbot: QtBot) -> None:
    bouncing.parameters.rows["hard_discs.restitution"].editor.edited.emit(0.5)
    qtbot.waitUntil(lambda: bouncing.session.status().state == "running", timeout=PATIENCE)
    qtbot.waitUntil(
        lambda: part_of(bouncing, Comparing).scenarios[0].hard_discs.restitution == 0.5,
        timeout=PATIENCE,
    )
    assert bouncing.parameters.draft == {}
    bouncing.commands.run("view.color_by_collisions")
    qtbot.waitUntil(lambda: bouncing.canvas.scene.coloring.by == "collisions", timeout=PATIENCE)
    assert bouncing.top_bar.color_by.currentData() == "collisions"
    low, high = bouncing.canvas.scene.coloring.limits
    assert low < high
