"""The window with discs that bounce: plots, colours, menus and parameters follow the system."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from aggviewer.systems.hard_discs.collisions import PressurePlot
from aggviewer.systems.hard_discs.energy_decay import EnergyDecayPlot
from aggviewer.systems.hard_discs.motion import SpeedsPlot
from aggviewer.systems.registry import Catalog
from aggviewer.window.main_window import MainWindow
from aggviewer.window.run_display import Comparing
from aggviewer.window.side_panels import SidePanels
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
    assert window.plots.kind == "hard-discs"
    qtbot.waitUntil(lambda: not plot_of(window.plots, SpeedsPlot).view.empty_text, timeout=PATIENCE)
    return window


def test_everything_follows_the_system_and_back(bouncing: MainWindow, qtbot: QtBot, small: Path) -> None:
    window, action = bouncing, bouncing.commands.action
    assert [window.top_bar.color_by.itemData(k) for k in range(window.top_bar.color_by.count())] == [
        *("speed", "direction", "collisions", "since_contact"),
        *("contacts", "radius", "local_density", "hexatic", "hexatic_angle"),
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
    qtbot.waitUntil(lambda: window.plots.kind == "aggregation", timeout=PATIENCE)
    assert window.top_bar.color_by.currentData() == "cluster"
    assert action("view.flash_contacts").isVisible(), "merges and walls light up too"
    assert not action("plots.12").isEnabled()
    assert action("plots.1").text() == "Plot N(ε), fractal dimension"
    qtbot.waitUntil(lambda: window.canvas.scene.coloring.by == "cluster", timeout=PATIENCE)
    qtbot.waitUntil(action("edit.select_clusters").isVisible, timeout=PATIENCE)


def test_all_plots_are_drawn_from_a_run(bouncing: MainWindow, qtbot: QtBot) -> None:
    cards = bouncing.plots.cards
    for card in cards:
        card.head.fold.setChecked(True)
        bouncing.plots.column.ensureWidgetVisible(card)
        qtbot.waitUntil(lambda card=card: not card.view.empty_text, timeout=PATIENCE)
    assert "E/Haff" in plot_of(bouncing.plots, EnergyDecayPlot).view.value
    assert "Z" in plot_of(bouncing.plots, PressurePlot).view.value
    part_of(bouncing, SidePanels).focus_plot(7)
    assert bouncing.plots.only_plot == 7


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


def _brightest(window: MainWindow) -> float:
    flashes = window.canvas.scene.data("flashes")
    return 0.0 if flashes is None else float(flashes.strength.max())


def test_contacts_flash_when_asked_for(bouncing: MainWindow, qtbot: QtBot) -> None:
    assert bouncing.canvas.scene.data("flashes") is None
    bouncing.commands.run("view.flash_contacts")
    qtbot.waitUntil(lambda: bouncing.canvas.scene.data("flashes") is not None, timeout=PATIENCE)
    flashes = bouncing.canvas.scene.data("flashes")
    assert flashes is not None
    assert ((flashes.strength > 0.0) & (flashes.strength <= 1.0)).all()
    bouncing.session.pause()
    bouncing.session.step_event()  # the one event is the newest, and as bright as can be
    qtbot.waitUntil(lambda: _brightest(bouncing) > 0.99, timeout=PATIENCE)
    bouncing.commands.run("view.flash_contacts")
    bouncing.session.step_frame()  # a single event would be shown in any case
    qtbot.waitUntil(lambda: bouncing.canvas.scene.data("flashes") is None, timeout=PATIENCE)


def test_the_line_about_a_disc_has_its_collisions_and_speed(bouncing: MainWindow) -> None:
    from aggviewer.window.status_bar import describe

    shown = bouncing.refresher.shown()
    assert shown is not None
    said = shown.frame.fields
    met = f"collisions {said['collisions'][3]}"
    since = f"time since contact {shown.frame.time - max(said['last_contact'][3], 0.0):.3g} time"
    speed = f"|V| = {np.hypot(*shown.frame.velocities[3]):.3g} length/time"
    turned = f"arg V = {np.degrees(np.arctan2(*shown.frame.velocities[3, ::-1])):.0f}°"
    words = f"disc 3, {speed}, R = {shown.disc_set.radii[3]:.3g}, {turned}, {met}, {since}, R / ⟨R⟩ = 1"
    assert describe(shown, 3) == words


def test_scenarios_stand_in_groups(window: MainWindow) -> None:
    groups = dict(part_of(window, Catalog).groups())
    assert list(groups)[:6] == [
        f"{kind} that {verb}" for verb in ("stick", "bounce", "jam") for kind in ("Discs", "Spheres")
    ]
    bouncing = [entry.name for entry in groups["Discs that bounce"]]
    assert {"gas-10000", "cooling-16384", "collapse-1024", "heap-2000", "ball-1", "compression-4000"} == set(bouncing)
    assert {entry.name for entry in groups["Spheres that bounce"]} >= {"spheres-13500", "spheres-heap"}
    assert sum(len(entries) for entries in groups.values()) == len(part_of(window, Catalog).entries)
