"""The list of layers and the scale of the colours, in the real window: with the mouse, with keys, undone, kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QCheckBox, QLabel, QSlider

from aggviewer.canvas import colors
from aggviewer.document.view import ColorScale
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picture_settings import LayerList, ScaleEditor
from tests.window.conftest import part_of, put_back, wait_until


@pytest.fixture
def held(shared_window: MainWindow) -> Iterator[MainWindow]:
    """A paused window of aggregation, put back afterwards."""
    QApplication.setActiveWindow(shared_window)
    wait_until(shared_window.isActiveWindow)
    shared_window.canvas.setFocus()
    yield shared_window
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()
    put_back(shared_window)


def layer_list(window: MainWindow) -> LayerList:
    QTest.keyClick(window.canvas, Qt.Key.Key_Y)
    wait_until(lambda: isinstance(QApplication.activePopupWidget(), LayerList))
    found = QApplication.activePopupWidget()
    assert isinstance(found, LayerList)
    return found


def row(shown: LayerList, label: str) -> tuple[QCheckBox, QLabel, QSlider]:
    box = next(box for box in shown.findChildren(QCheckBox) if box.text() == label)
    grid = shown._grid
    at = grid.getItemPosition(grid.indexOf(box))[0]
    note, slider = (grid.itemAtPosition(at, column).widget() for column in (1, 2))  # type: ignore[union-attr]
    assert isinstance(note, QLabel)
    assert isinstance(slider, QSlider)
    return box, note, slider


def editor_of(window: MainWindow) -> ScaleEditor:
    return part_of(window, ScaleEditor)


def test_layers_are_switched_and_made_paler_in_the_list(held: MainWindow) -> None:
    view = held.session.view
    shown = layer_list(held)
    labels = [box.text() for box in shown.findChildren(QCheckBox)]
    for label in ("Contacts", "Voronoi cells", "Cluster hulls", "Local density", "Tracks", "Velocity arrows"):
        assert label in labels
    room = held.rect().translated(held.mapToGlobal(QPoint(0, 0)))
    assert room.contains(shown.geometry())
    box, note, slider = row(shown, "Voronoi cells")
    assert not box.isChecked()
    assert not slider.isEnabled()
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert "voronoi" in view.layers
    wait_until(lambda: held.canvas.scene.data("voronoi") is not None)
    shown.refresh()
    assert slider.isEnabled()
    assert slider.value() == 80
    assert held.commands.action("view.show_voronoi").isChecked()
    slider.setValue(40)
    assert view.opacities == {"voronoi": 0.4}
    slider.setValue(80)
    assert view.opacities == {}, "as its maker wanted"
    hulls, note, _ = row(shown, "Cluster hulls")
    QTest.mouseClick(hulls, Qt.MouseButton.LeftButton, pos=QPoint(8, hulls.height() // 2))
    shown.refresh()
    assert note.text() == "no discs have joined"
    forces, note, _ = row(shown, "Force network")
    assert not forces.isEnabled()
    assert note.text() == "nothing to draw"
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    wait_until(lambda: QApplication.activePopupWidget() is None)
    assert held.commands.action("edit.undo").text() == "Undo showing the hulls"
    held.commands.run("edit.undo")
    assert "hulls" not in view.layers


def test_a_click_on_the_legend_opens_the_scale_of_what_is_shown(held: MainWindow) -> None:
    view, canvas = held.session.view, held.canvas
    view.color_by = "speed"
    wait_until(lambda: canvas.scene.coloring.by == "speed")
    place = canvas._overlay.scale_rect()
    assert place.width() > 100
    QTest.mouseMove(canvas, place.center().toPoint())
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place.center().toPoint())
    editor = QApplication.activePopupWidget()
    assert editor is editor_of(held)
    assert isinstance(editor, ScaleEditor)
    assert editor.title.text() == "Speed (length / time)"
    assert (editor.low.text(), editor.low.lineEdit().placeholderText()) == ("", "0")  # type: ignore[union-attr]
    room = held.rect().translated(held.mapToGlobal(QPoint(0, 0)))
    assert room.contains(editor.geometry())

    def typed(edit: object, text: str) -> None:
        edit.lineEdit().setText(text)  # type: ignore[attr-defined]
        QTest.keyClick(edit, Qt.Key.Key_Return)  # type: ignore[call-overload]

    typed(editor.low, "0,5")
    typed(editor.high, "2")
    editor.steps.setCurrentIndex(editor.steps.findData(4))
    editor.steps.activated.emit(editor.steps.currentIndex())
    editor.colormap.setCurrentIndex(editor.colormap.findData("magma"))
    editor.colormap.activated.emit(editor.colormap.currentIndex())
    assert view.scales == {"speed": ColorScale(low=0.5, high=2.0, steps=4, colormap="magma")}
    shown = colors.coloring_in_view(canvas.scene, view)
    assert (shown.limits, shown.steps, shown.colormap) == ((0.5, 2.0), 4, "magma")
    assert len(np.unique(colors.scene_table(canvas.scene, view), axis=0)) == 4
    typed(editor.high, "0.1")
    assert "must be below the upper one" in editor.problem.text()
    assert view.scales["speed"].high == 2.0, "what was there stays"
    typed(editor.high, "much")
    assert editor.problem.text() == "much is not a number"
    typed(editor.high, "3")
    assert editor.problem.text() == ""
    QTest.mouseClick(editor.log, Qt.MouseButton.LeftButton, pos=QPoint(8, editor.log.height() // 2))
    assert view.scales["speed"].log is True
    typed(editor.low, "0")
    assert "above 0" in editor.problem.text()
    editor.reset.click()
    assert view.scales == {}
    assert not editor.reset.isEnabled()
    editor.close()
    for _ in range(2):
        held.commands.run("edit.undo")
    assert "speed" in view.scales
    assert held.commands.action("edit.redo").text() == "Redo scale of speed"
