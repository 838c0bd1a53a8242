"""The window with discs that jam: everything follows the system, one iteration at a time, the network, "Jam this"."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from aggviewer.session import Notice
from aggviewer.systems.jamming.packing import JamContactsPlot
from aggviewer.widgets import file_dialogs
from aggviewer.window.main_window import MainWindow
from aggviewer.window.status_bar import describe
from engine.scenario import load_scenario
from engine.selection import Selection
from tests.plots.panels import plot_of
from tests.window.conftest import JAM, hold, window_again

from .conftest import PATIENCE

window = window_again


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "jam.toml"
    path.write_text(JAM)
    return path


@pytest.fixture
def jamming(window: MainWindow, qtbot: QtBot, scenario: Path, all_compiled: None) -> MainWindow:
    """A window with discs that jam, before the first iteration."""
    hold(window, scenario)
    assert window.plots.system == "jamming"
    return window


def programs(window: MainWindow) -> float:
    """Solved in the frame on the screen."""
    shown = window.refresher.shown()
    return -1.0 if shown is None else shown.frame.time


def to_the_end(window: MainWindow, qtbot: QtBot) -> None:
    """Run it as fast as it can."""
    window.session.set_speed(float("inf"))
    window.session.run()
    qtbot.waitUntil(lambda: window.session.status().state == "finished", timeout=PATIENCE)
    qtbot.waitUntil(lambda: programs(window) == window.session.status().time, timeout=PATIENCE)


@pytest.fixture
def jammed(window: MainWindow, qtbot: QtBot, scenario: Path, all_compiled: None) -> MainWindow:
    """A window with a packing: that which a test before has left there, or one that is made."""
    status, there = window.session.status(), window.session.scenario
    if (status.state, status.past) != ("finished", None) or there != load_scenario(scenario):
        hold(window, scenario)
        to_the_end(window, qtbot)
        qtbot.waitUntil(lambda: not plot_of(window.plots, JamContactsPlot).view.empty_text, timeout=PATIENCE)
    return window


@pytest.mark.extension("stepping")
def test_everything_follows_the_system_and_back(jamming: MainWindow, qtbot: QtBot, small: Path) -> None:
    window, action = jamming, jamming.commands.action
    bar = window.top_bar.color_by
    assert [bar.itemData(k) for k in range(bar.count())] == [
        *("contacts", "radius", "pressure", "force", "largest_force", "rattlers", "self_stress"),
        *("local_density", "free_volume", "sides", "hexatic", "hexatic_angle"),
    ]
    assert "½ Σ f·r" in bar.itemData(2, Qt.ItemDataRole.ToolTipRole)
    assert "½ Σ f·r" in action("view.color_by_pressure").toolTip()
    assert [action(f"plots.{k}").text() for k in range(1, 6)] == [
        f"Plot {name}" for name in ("Convergence", "Forces", "Gaps", "Contacts per disc", "Volume fraction")
    ]
    assert not action("plots.8").isVisible(), "bond orders are of spheres"
    for name in ("view.show_forces", "file.contacts", "method.compare"):
        assert action(name).isVisible(), name
    for name in ("run.jam", "run.step_frame", "view.flash_contacts", "method.event-driven", "method.inside"):
        assert not action(name).isVisible(), name
    assert action("run.step_event").text() == "One iteration"
    assert "next iteration" in action("run.step_event").toolTip(), "while discs move far it is no linear program"
    qtbot.waitUntil(lambda: window.transport.time.text() == "start", timeout=PATIENCE)
    assert "iterations/s" in window.transport.value.text()
    assert not window.transport.buttons["run.step_frame"].isVisible()
    assert {title for title, section in window.parameters.sections.items() if section.isVisible()} >= {"Jamming"}

    window.session.open(small, run=False)
    qtbot.waitUntil(lambda: window.plots.system == "aggregation", timeout=PATIENCE)
    qtbot.waitUntil(lambda: window.transport.time.text() == "t = 0.00", timeout=PATIENCE)
    assert action("run.jam").isVisible()
    assert not action("run.take_out").isVisible()
    assert not action("view.show_forces").isVisible()
    assert action("run.step_event").text() == "Single event"
    assert window.transport.value.text().endswith(" t/s")
    assert window.transport.buttons["run.step_frame"].isVisible()


def test_before_the_first_iteration_there_are_no_contacts_and_then_one_follows_the_other(
    jamming: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "contacts.csv"
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *args, **kwargs: path)
    jamming.commands.run("file.contacts")
    assert not path.exists()
    assert any("No contacts yet" in toast.notice.title for toast in jamming.stage.toasts.toasts)
    jamming.session.marking.select(Selection.discs([3], jamming.session.status().count))
    jamming.commands.update()
    action = jamming.commands.action("run.take_out")
    assert not action.isEnabled()
    assert action.toolTip() == "The contacts are not known yet; run it first."
    for expected in (1.0, 2.0):
        jamming.commands.run("run.step_event")
        qtbot.waitUntil(lambda expected=expected: programs(jamming) == expected, timeout=PATIENCE)
    assert jamming.session.status().state == "paused"
    qtbot.waitUntil(lambda: jamming.transport.time.text() == "iteration 2", timeout=PATIENCE)


def test_the_packing_is_told_in_numbers_network_and_plots(jammed: MainWindow, qtbot: QtBot) -> None:
    shown = jammed.refresher.shown()
    assert shown is not None
    network = shown.frame.network
    assert network is not None
    assert len(network.pairs) > 60
    radii = shown.disc_set.radii * shown.frame.radius_factor
    fraction = np.pi * np.square(radii).sum() / shown.disc_set.box.prod()
    convergence = jammed.plots.cards[0]
    qtbot.waitUntil(lambda: f"{fraction:.5f}" in convergence.view.value, timeout=PATIENCE)
    assert jammed.status.events.text().endswith("iterations/s")
    assert jammed.canvas.scene.data("forces") is not None
    assert len(jammed.canvas.scene.data("forces").segments) == len(network.pairs)
    for card in jammed.plots.cards:
        if 2 not in card.plot.dimensions:
            continue
        card.head.fold.setChecked(True)
        jammed.plots.column.ensureWidgetVisible(card)
        qtbot.waitUntil(lambda card=card: not card.view.empty_text, timeout=PATIENCE)
    loose = np.flatnonzero(network.rattlers)
    held = int(network.pairs[0, 0])
    contacts = np.count_nonzero(network.pairs == held)
    size = radii[held] / radii.mean()
    ends, pressure = network.pairs == held, shown.frame.fields["pressure"][held]
    forces = network.forces[ends.any(axis=1)]
    assert describe(shown, held).startswith(
        f"disc {held}, contacts {contacts}, R = {radii[held]:.3g}, R / ⟨R⟩ = {size:.3g}, p = {pressure:.3g} mean "
        f"force/length, Σ f = {forces.sum():.3g} mean force, max f = {forces.max():.3g} mean force, held"
    )
    for disc in loose[:1]:
        assert "contacts 0" in describe(shown, int(disc))
        assert ", rattler" in describe(shown, int(disc))


def test_contacts_are_saved_as_a_table(
    jammed: MainWindow, notices: list[Notice], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "contacts.csv"
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *args, **kwargs: path)
    jammed.commands.run("file.contacts")
    head, *rows = path.read_text().splitlines()
    assert head == "i,j,force,nx,ny,gap"
    shown = jammed.refresher.shown()
    assert shown is not None
    assert shown.frame.network is not None
    assert len(rows) == len(shown.frame.network.pairs)
    gaps = np.array([float(row.split(",")[-1]) for row in rows])
    assert np.abs(gaps).max() < 1e-6 * shown.disc_set.radii.mean()


def test_jam_this_begins_from_what_is_shown(held: MainWindow, qtbot: QtBot, all_compiled: None) -> None:
    before = held.refresher.shown()
    assert before is not None
    radii, box = before.disc_set.radii.copy(), before.disc_set.box.copy()
    held.commands.run("run.jam")
    qtbot.waitUntil(lambda: held.plots.system == "jamming", timeout=PATIENCE)
    qtbot.waitUntil(lambda: held.refresher.shown().disc_set is not before.disc_set)  # type: ignore[union-attr]
    after = held.refresher.shown()
    assert after is not None
    assert after.disc_set.scenario.system == "jamming"
    assert np.allclose(after.disc_set.radii, radii)
    assert np.allclose(after.disc_set.box, box)
    qtbot.waitUntil(lambda: not held.commands.action("run.jam").isVisible())


def test_discs_that_flow_or_have_flowed_cannot_be_jammed(held: MainWindow, qtbot: QtBot, all_compiled: None) -> None:
    hold(held, "shear-4000")
    qtbot.waitUntil(lambda: held.plots.system == "hard-discs", timeout=PATIENCE)
    assert not held.commands.action("run.jam").isEnabled()
    assert "Discs that flow, or have flowed, cannot be jammed" in held.commands.action("run.jam").toolTip()


def test_discs_are_taken_out_with_keys_or_menu_and_put_back(jammed: MainWindow, qtbot: QtBot) -> None:
    action, session = jammed.commands.action("run.take_out"), jammed.session
    count = session.status().count
    assert action.isVisible()
    session.marking.select(Selection.none(count))
    jammed.commands.update()
    assert not action.isEnabled()
    assert action.toolTip() == "No disc is selected; click one"
    session.marking.select(Selection.discs([0, 1], count))
    jammed.commands.update()
    assert action.isEnabled()
    jammed.canvas.setFocus()
    QTest.keyClick(jammed.canvas, Qt.Key.Key_Delete, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: session.status().count == count - 2, timeout=PATIENCE)
    qtbot.waitUntil(lambda: session.status().state == "finished", timeout=PATIENCE)
    qtbot.waitUntil(lambda: not session.marking.value.selected)  # the discs that are left have other numbers
    jammed.commands.run("edit.undo")
    qtbot.waitUntil(lambda: session.status().count == count, timeout=PATIENCE)
    qtbot.waitUntil(lambda: session.marking.value.selected.numbers.tolist() == [0, 1])


def test_after_the_end_the_button_restarts_the_run(jammed: MainWindow, qtbot: QtBot) -> None:
    button, used = jammed.transport.run_button, list[str]()
    qtbot.waitUntil(lambda: button.text() == "Restart", timeout=PATIENCE)
    assert button.isEnabled()
    jammed.commands.used.connect(used.append)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    jammed.commands.used.disconnect(used.append)
    assert used == ["run.restart"]
    to_the_end(jammed, qtbot)
