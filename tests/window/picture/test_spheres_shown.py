"""Spheres in the real window: words, camera, picking, what is not offered, and the way back to the plane."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QSlider

from aggviewer.canvas import slab
from aggviewer.canvas.in_view import to_pixels
from aggviewer.canvas.layers.velocities import THROW
from aggviewer.canvas.turning import ALONG
from aggviewer.extensions.merging.panel import MergeHistory
from aggviewer.parameters.editors import VectorEditor
from aggviewer.session.builder import Engine
from aggviewer.session.commands.changes import Throw
from aggviewer.systems.hard_discs.flow import FlowPlot
from aggviewer.systems.registry import view_of
from aggviewer.window.commands.help import KeySheet
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.picture_settings import LayerList
from engine.plotting.projection import FROM_ABOVE, WHOLE, Quaternion, axes_of
from engine.simulation import Stride
from tests.window.conftest import GAS, hold, part_of, put_back, wait_until

LEFT = Qt.MouseButton.LeftButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
SPHERES = """
format = 1
system = "hard-discs"
dimensions = 3
seed = 5
[box]
boundary = "walls"
[discs]
count = 125
volume_fraction = 0.1
[hard_discs]
gravity = [0.0, 0.0, -0.5]
"""


STICKING = """
format = 1
dimensions = 3
seed = 3
[discs]
count = 64
volume_fraction = 0.1
"""


@pytest.fixture
def held(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """Spheres, paused."""
    Engine().warm_up(lambda done, total, what: None, "hard-spheres")
    window = shared_window
    (tmp_path / "spheres.toml").write_text(SPHERES)
    hold(window, tmp_path / "spheres.toml")
    yield window
    window.commands.run("edit.select_none")
    put_back(window)


def drag(window: MainWindow, start: QPoint, end: QPoint, how: Qt.KeyboardModifier = NONE) -> None:
    canvas = window.canvas
    QTest.mousePress(canvas, LEFT, how, start)
    for share in (0.4, 0.7, 1.0):
        at = QPointF(start) + share * QPointF(end - start)
        event = QMouseEvent(
            QEvent.Type.MouseMove, at, QPointF(canvas.mapToGlobal(at.toPoint())), Qt.MouseButton.NoButton, LEFT, how
        )
        QApplication.sendEvent(canvas, event)
    QTest.mouseRelease(canvas, LEFT, how, end)


def test_a_slab_is_cut_out_of_the_box_with_two_sliders(held: MainWindow) -> None:
    view, whole = held.session.view, held.grab().toImage()
    assert not held.commands.action("view.whole_depth").isEnabled()
    held.commands.run("view.layers")
    shown = part_of(held, LayerList)
    sliders = {one.accessibleName(): one for one in shown.findChildren(QSlider) if one.isVisible()}
    front, back = sliders["Cut from the front"], sliders["Cut from the back"]
    front.setValue(60)
    assert view.slab == (0.0, 0.4)
    back.setValue(30)
    assert view.slab == (0.3, 0.4)
    back.setValue(90)  # the front gives way
    assert (view.slab, front.value()) == ((0.9, 0.92), 8)
    QTest.keyClick(back, Qt.Key.Key_PageDown)
    assert view.slab == (0.8, 0.92)
    shown.close()
    places = to_pixels(held.canvas.scene.positions, held.canvas.camera)
    cut_off = [place for place in places if held.canvas.disc_at(*place) is None]
    assert len(cut_off) > 20
    held.commands.run("view.whole_depth")
    assert view.slab == (0.0, 1.0)
    assert all(held.canvas.disc_at(*place) is not None for place in cut_off)
    held.commands.action("edit.undo").trigger()
    assert view.slab == (0.8, 0.92)
    assert held.grab().toImage() != whole


def test_a_slab_is_cut_with_a_handle_at_the_box_and_ends_by_a_click_on_the_picture(held: MainWindow) -> None:
    canvas, view, undo = held.canvas, held.session.view, held.commands.action("edit.undo")
    wait_until(lambda: canvas.ready)
    assert canvas.cut_card().isEmpty()
    back, front = slab.handles(canvas.scene, canvas.camera, view)
    start, end = (QPoint(*place.round().astype(int)) for place in (front, 0.4 * back + 0.6 * front))
    drag(held, start, end)
    assert view.slab[0] == 0.0
    assert view.slab[1] == pytest.approx(0.6, abs=0.1)
    assert undo.text() == "Undo slab"
    cut = view.slab
    nearest = int((canvas.scene.positions @ axes_of(view.turn)[2]).argmax())
    assert canvas.disc_at(*to_pixels(canvas.scene.positions[nearest], canvas.camera)) != nearest, "it is cut off"
    held.commands.run("view.fit")
    assert view.slab == cut, "the picture says that it is cut"
    card = canvas.cut_card()
    assert canvas.rect().contains(card.toAlignedRect())
    with_handles = held.canvas.grab().toImage()
    bare = held.canvas.snapshot(with_handles.width(), with_handles.height())
    amber = [(255, 209, 102), (138, 90, 0)]
    assert not any((bare[..., :3] == ink).all(axis=2).any() for ink in amber), "handles are not in exported pictures"
    QTest.mouseClick(canvas, LEFT, NONE, card.center().toPoint())
    assert view.slab == WHOLE
    assert canvas.cut_card().isEmpty()
    undo.trigger()
    assert view.slab == cut
    back, front = slab.handles(canvas.scene, canvas.camera, view)
    drag(held, *(QPoint(*place.round().astype(int)) for place in (back, 0.7 * back + 0.3 * front)))
    assert view.slab[0] > 0.1
    assert view.slab[1] == cut[1]
    undo.trigger()
    undo.trigger()
    assert view.slab == WHOLE
    for axis in "xyz":  # where corners lie behind each other
        held.commands.run(f"view.along_{axis}")
        back, front = slab.handles(canvas.scene, canvas.camera, view)
        assert np.hypot(*(front - back)) > 80.0
        drag(held, *(QPoint(*place.round().astype(int)) for place in (front, 0.7 * front + 0.3 * back)))
        assert view.slab == (0.0, pytest.approx(0.7, abs=0.1))
        undo.trigger()
    held.commands.run("view.show_box")
    assert slab.handle_at(canvas.scene, canvas.camera, view, QPointF(*front)) is None
    held.commands.run("view.show_box")


def test_words_parameters_and_layers_are_those_of_spheres(held: MainWindow, tmp_path: Path) -> None:
    action, rows = held.commands.action, held.parameters.rows
    assert "spheres" in held.windowTitle()
    assert action("edit.select_all").text() == "Select all spheres"
    assert rows["discs.count"].field.label == "Number of spheres"
    gravity = rows["hard_discs.gravity"].editor
    assert isinstance(gravity, VectorEditor)
    assert [edit.value for edit in gravity.edits] == [0.0, 0.0, -0.5]
    assert rows["hard_discs.plates"].isHidden()
    for name in ("voronoi", "density"):
        switch = action(f"view.show_{name}")
        assert not switch.isEnabled()
        assert switch.toolTip() == "In the plane only; these are spheres"
    assert action("view.show_velocities").isEnabled()
    assert action("view.isolate").toolTip() == "No sphere is selected; click one"
    sheet = KeySheet(held.commands)
    told = {label.text() for label in sheet.findChildren(QLabel)}
    sheet.close()
    assert {"Select all spheres", "Select a sphere", "Table of spheres"} <= told
    assert [text for text in told if "disc" in text.casefold()] == []
    held.session.view.color_by = "distance:7"
    assert held.top_bar.color_by.currentText() == "Distance from sphere 7"
    held.commands.run("edit.undo")
    assert [field.name for field in held.refresher.shown().disc_set.fields] == [  # type: ignore[union-attr]
        *("speed", "collisions", "since_contact", "contacts", "radius", "local_density", "free_volume", "sides"),
        *("bond_order", "q4", "q6", "w6", "averaged_q4", "averaged_q6"),
    ]
    cards = [card for card in held.plots.cards if card.isVisibleTo(held.plots)]
    still = [plot.key() for plot in view_of("hard-discs").plots() if not isinstance(plot, FlowPlot)]
    assert [card.plot.key() for card in cards] == still
    assert action("view.along_x").isVisible()
    (tmp_path / "gas.toml").write_text(GAS)
    hold(held, tmp_path / "gas.toml")
    assert action("edit.select_all").text() == "Select all discs"
    assert held.parameters.rows["discs.count"].field.label == "Number of discs"
    assert action("view.show_voronoi").isEnabled()
    assert not action("view.along_x").isVisible()
    assert held.canvas.camera.pose is None


def test_a_drag_turns_shift_moves_and_undo_brings_back(held: MainWindow) -> None:
    canvas, view, undo = held.canvas, held.session.view, held.commands.action("edit.undo")
    middle = canvas.rect().center()
    drag(held, middle, middle + QPoint(90, 40))
    turned = view.turn
    assert turned != FROM_ABOVE
    assert axes_of(turned)[0, 2] == pytest.approx(0.0, abs=1e-9), "gravity stays vertical"
    assert canvas.fitted
    assert undo.text() == "Undo turning the picture"
    undo.trigger()
    assert view.turn == FROM_ABOVE
    drag(held, middle, middle + QPoint(90, 40), CONTROL)
    assert abs(axes_of(view.turn)[0, 2]) > 0.01, "but not with Ctrl"
    undo.trigger()
    before = canvas.camera.middle
    drag(held, middle, middle + QPoint(60, 0), SHIFT)
    assert view.turn == FROM_ABOVE
    assert not canvas.fitted
    assert to_pixels(before, canvas.camera) == pytest.approx([canvas.width() / 2 + 60, canvas.height() / 2])
    held.commands.run("view.along_z")
    assert view.turn == ALONG["z"]
    held.commands.run("view.fit")
    assert canvas.fitted


def test_the_sphere_in_front_is_picked_centred_and_followed(held: MainWindow) -> None:
    canvas, picks = held.canvas, part_of(held, SelectionController)
    held.commands.run("view.along_x")
    shown = held.refresher.shown()
    assert shown is not None
    front = int(shown.frame.positions[:, 0].argmax())
    at = QPoint(*to_pixels(shown.frame.positions[front], canvas.camera).round().astype(int))
    wait_until(lambda: canvas.ready)
    QTest.mouseClick(canvas, LEFT, NONE, at)
    assert picks.selected.numbers.tolist() == [front]
    QTest.mouseDClick(canvas, LEFT, NONE, at)
    assert canvas.camera.middle == pytest.approx(shown.frame.positions[front])
    picks.following.start(front, shown)
    before = shown.frame.positions[front].copy()
    held.session.hold_at(Stride(time=0.5))
    held.session.run()
    wait_until(lambda: held.session.status().state == "paused" and held.session.status().time == 0.5)
    wait_until(lambda: (now := held.refresher.shown()) is not None and now.frame.time == 0.5)
    now = held.refresher.shown()
    assert now is not None
    assert not np.allclose(now.frame.positions[front], before, atol=1e-3), "it has moved"
    assert canvas.camera.middle == pytest.approx(now.frame.positions[front])
    picks.following.stop()


def test_a_selected_sphere_is_thrown_in_the_plane_of_the_picture_and_aimed_and_the_others_turn_the_box(
    held: MainWindow,
) -> None:
    canvas, view, undo = held.canvas, held.session.view, held.session.history
    canvas.fit()  # the test before may have left it near a sphere
    wait_until(lambda: canvas.ready)

    def positions() -> np.ndarray:
        shown = held.refresher.shown()
        assert shown is not None
        return shown.frame.positions.copy()

    def pixel(place: np.ndarray) -> QPoint:
        return QPoint(*to_pixels(place, canvas.camera).round().astype(int))

    before, towards = positions(), axes_of(view.turn)[2]
    from_front = np.argsort(-(before @ towards)).tolist()
    front = next(one for one in from_front if not any(grip(QPointF(pixel(before[one]))) for grip in canvas.grips))
    drag(held, pixel(before[front]), pixel(before[front]) + QPoint(40, 0))
    assert view.turn != FROM_ABOVE
    held.commands.run("edit.undo")
    QTest.mouseClick(canvas, LEFT, NONE, pixel(before[front]))
    goal = pixel(before[front]) + QPoint(14, -9)
    drag(held, pixel(before[front]), goal)
    wait_until(lambda: not np.array_equal(positions()[front], before[front]))
    assert undo.undo_text in ("Undo throwing a sphere", "Undo stopping a sphere")
    assert view.turn == FROM_ABOVE
    after = positions()
    assert pixel(after[front]) == goal
    assert (after[front] - before[front]) @ towards == pytest.approx(0.0, abs=1e-9)
    assert held.refresher.shown().frame.velocities[front] @ towards == pytest.approx(0.0, abs=1e-9)  # type: ignore

    held.session.give(Throw(front, None, (0.0, 0.0, 0.0)))
    wait_until(lambda: (at := canvas.scene.data(THROW)) is not None and not at.velocity.any())
    wait_until(lambda: not held.refresher.shown().frame.velocities[front].any())  # type: ignore[union-attr]
    tip = canvas.scene.data(THROW).tip(canvas.scene, view, canvas.camera)
    drag(held, pixel(tip), pixel(tip) + QPoint(30, 0))
    wait_until(lambda: held.refresher.shown().frame.velocities[front].any())  # type: ignore[union-attr]
    velocity = axes_of(view.turn) @ held.refresher.shown().frame.velocities[front]  # type: ignore[union-attr]
    assert velocity[0] > 0.0
    assert velocity[1:] == pytest.approx([0.0, 0.0], abs=0.05 * velocity[0])
    view.slab = (0.0, 0.3)
    assert not canvas.scene.data(THROW).seen(canvas.scene, canvas.camera)
    view.slab = WHOLE


def test_other_spheres_are_seen_as_at_first_and_undo_shows_how_the_former_ones_were_turned_and_cut(
    held: MainWindow, tmp_path: Path
) -> None:
    def seen() -> tuple[Quaternion, tuple[float, float]] | None:
        pose = held.canvas.camera.pose
        return None if pose is None else (pose.turn, pose.slab)

    held.commands.run("view.along_x")
    held.session.view.slab = slab = (0.2, 0.6)
    held.session.restart(seed=8)
    wait_until(lambda: held.session.scenario is not None and held.session.scenario.seed == 8)
    wait_until(lambda: held.session.status().state == "paused")
    assert seen() == (ALONG["x"], slab)
    (tmp_path / "other.toml").write_text(SPHERES.replace("125", "64"))
    hold(held, tmp_path / "other.toml")
    wait_until(lambda: seen() == (FROM_ABOVE, WHOLE))
    held.commands.run("edit.undo")
    wait_until(lambda: seen() == (ALONG["x"], slab))


def test_spheres_that_stick_have_both_methods_and_the_plots_of_clusters(held: MainWindow, tmp_path: Path) -> None:
    for kernels in ("sticking-spheres", "stepping-spheres"):
        Engine().warm_up(lambda done, total, what: None, kernels)
    (tmp_path / "stick.toml").write_text(STICKING)
    hold(held, tmp_path / "stick.toml")
    action, form, session = held.commands.action, held.parameters.form, held.session
    assert action("method.time-stepping").isVisible()
    assert not action("method.inside").isVisible()
    assert not form.rows["aggregation.method"].isHidden()
    assert [card.plot.key() for card in held.plots.cards if card.isVisibleTo(held.plots)] == [
        *("box_counting", "pair_distribution", "contacts", "coarsening", "cluster_sizes"),
        *("scaled_sizes", "structure_factor", "cluster_profile", "velocity_correlation", "minimum_cover"),
        *("mass_radius", "local_density", "bond_order", "bond_order_plane"),
    ]
    session.hold_at(Stride(clusters=10))
    session.run()
    wait_until(lambda: session.status().state == "paused" and session.status().clusters == 10)
    wait_until(lambda: (found := held.refresher.shown()) is not None and found.frame.clusters == 10)
    shown = held.refresher.shown()
    assert shown is not None
    assert len(np.unique(shown.frame.cluster)) == 10
    assert shown.coloring.label == "Cluster"
    history = part_of(held, MergeHistory).panel
    largest = np.bincount(shown.frame.cluster).argmax()
    history.show_history(0, int(np.flatnonzero(shown.frame.cluster == largest)[0]))
    wait_until(lambda: not history.busy and history.history is not None)
    assert re.match(r"Cluster of \d+ spheres: ", history.words.toolTip())
    action("method.time-stepping").trigger()
    wait_until(lambda: session.status().lanes[0].method == "time-stepping" and session.status().state == "paused")
    session.hold_at(Stride(clusters=5))
    session.run()
    wait_until(lambda: session.status().state == "paused" and session.status().clusters <= 5)
    convergence = next(card for card in held.plots.cards if card.plot.key() == "convergence")
    assert convergence.isVisibleTo(held.plots)
    wait_until(lambda: convergence.shows_data)
    assert convergence.where_button is not None
    assert not convergence.where_button.isVisibleTo(convergence)
    action("edit.undo").trigger()
    wait_until(lambda: session.status().lanes[0].method == "event-driven" and session.status().clusters == 10)
