"""Measuring in the real window: clicks at pixels, numbers that follow, ends that are dragged, sessions and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, pi
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QGuiApplication, QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit

from aggviewer.canvas.layers.measures import NAME, state_of, words_of
from aggviewer.session.marks.kinds import digits, readings_of
from aggviewer.window.main_window import MainWindow
from aggviewer.window.measuring.measuring import Measuring
from engine.selection import Selection
from engine.selection.measures import in_rectangle, profile, radius_of_gyration
from engine.simulation import Stride
from tests.fields import enter
from tests.waiting import laid_out
from tests.window.conftest import GAS, SMALL, hold, part_of, put_back, wait_until

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def held(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """Discs between walls, paused, nothing measured."""
    hold(shared_window, file(tmp_path, SMALL))
    clean(shared_window)
    yield shared_window
    clean(shared_window)
    put_back(shared_window)


def clean(window: MainWindow) -> None:
    window.session.marking.clear()
    window.commands.run("measure.close")
    window.commands.run("edit.select_none")
    window.canvas.fit()


@pytest.fixture
def periodic(held: MainWindow, tmp_path: Path) -> MainWindow:
    """A gas in a periodic box."""
    hold(held, file(tmp_path, GAS))
    return held


def file(folder: Path, text: str) -> Path:
    path = folder / "s.toml"
    path.write_text(text)
    return path


def measuring(window: MainWindow) -> Measuring:
    return part_of(window, Measuring)


def at(window: MainWindow, place: object) -> QPoint:
    """The pixel of a place, or of a disc."""
    frame = window.refresher.shown().frame
    x, y = window.canvas.camera.to_pixel(*(frame.positions[place] if isinstance(place, int) else place))
    return QPoint(round(x), round(y))


def click(window: MainWindow, *places: object, how: Qt.KeyboardModifier = NONE) -> None:
    for place in places:
        QTest.mouseClick(window.canvas, LEFT, how, at(window, place))


def drag(window: MainWindow, start: QPoint, end: QPoint) -> None:
    canvas = window.canvas
    for kind, place in (
        (QEvent.Type.MouseButtonPress, start),
        (QEvent.Type.MouseMove, (start + end) / 2),
        (QEvent.Type.MouseMove, end),
        (QEvent.Type.MouseButtonRelease, end),
    ):
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
        QApplication.sendEvent(
            canvas, QMouseEvent(kind, QPointF(place), canvas.mapToGlobal(place).toPointF(), button, LEFT, NONE)
        )
    assert canvas.gesture is None


def values(window: MainWindow, number: int = 0) -> dict[str, float]:
    state = state_of(window.canvas.scene)
    return {each.symbol + each.unit: each.value for each in readings_of(window.session.marking.value[number], state)}


def numbers_in_list(window: MainWindow, row: int = 0) -> str:
    return measuring(window).bar.list.item(row, 2).text()


def run_until(window: MainWindow, events: int) -> None:
    window.session.set_speed(100.0)
    window.session.hold_at(Stride(events=events))
    window.session.run()
    wait_until(lambda: window.session.status().state == "paused" and window.session.status().time > 0)
    wait_until(lambda: window.refresher.shown().frame.time == window.session.status().time)  # the last frame


def test_a_distance_between_discs_follows_them(held: MainWindow) -> None:
    before = held.refresher.shown().frame.positions.copy()
    QTest.keyClick(held.canvas, Qt.Key.Key_M)
    bar = measuring(held).bar
    assert bar.isVisible()
    assert bar.hint.text().startswith("Click where the distance begins")
    click(held, 3)
    assert bar.hint.text().startswith("Click where it ends")
    click(held, 40)
    [mark] = held.session.marking.value
    assert [anchor.disc for anchor in mark.anchors] == [3, 40]
    expected = hypot(*(before[40] - before[3]))
    assert values(held)["dlength"] == pytest.approx(expected)
    assert values(held)["ddiameters"] == pytest.approx(expected / held.canvas.scene.mean_radius / 2)
    assert f"d = {expected:.3f} length" in numbers_in_list(held)
    assert held.session.picking.value.selected.numbers.size == 0  # the click was the tool's alone
    run_until(held, 60)
    after = held.refresher.shown().frame.positions
    moved = hypot(*(after[40] - after[3]))
    assert abs(moved - expected) > 1e-6
    assert values(held)["dlength"] == pytest.approx(moved)
    wait_until(lambda: f"d = {moved:.3f} length" in numbers_in_list(held))
    QTest.keyClick(held.canvas, Qt.Key.Key_Escape)
    assert measuring(held).tool is None
    click(held, 7)
    assert held.session.picking.value.selected.numbers.tolist() == [7]


def test_through_the_periodic_edge_it_is_the_nearest_image(periodic: MainWindow) -> None:
    box = periodic.refresher.shown().system.box
    one, other = np.array([0.06, 0.5]) * box, np.array([0.92, 0.45]) * box
    periodic.commands.run("measure.distance")
    click(periodic, one, other, how=CONTROL)
    [mark] = periodic.session.marking.value
    assert [anchor.disc for anchor in mark.anchors] == [None, None]
    pixel = 1.0 / periodic.canvas.camera.scale
    assert values(periodic)["dlength"] == pytest.approx(hypot(0.14 * box[0], 0.05 * box[1]), abs=2 * pixel)
    assert words_of(mark, state_of(periodic.canvas.scene)).endswith("across the edge")
    assert "to the nearest image, across the edge" in numbers_in_list(periodic)


def test_an_angle_by_three_clicks(held: MainWindow) -> None:
    box = held.refresher.shown().system.box
    held.commands.run("measure.angle")
    click(held, 0.2 * box, how=CONTROL)
    QTest.mouseMove(held.canvas, at(held, 0.4 * box))
    click(held, np.array([0.2, 0.5]) * box, np.array([0.6, 0.5]) * box, how=CONTROL)
    assert values(held)["∠°"] == pytest.approx(90.0, abs=1.0)
    assert held.session.history.undo_text == "Undo angle"
    assert measuring(held).bar.hint.text().startswith("Click the end of the first side")


def test_density_in_a_rectangle_that_is_dragged(held: MainWindow) -> None:
    box = held.refresher.shown().system.box
    held.commands.run("measure.rectangle")
    drag(held, at(held, 0.3 * box), at(held, np.array([0.72, 0.61]) * box))
    [mark] = held.session.marking.value
    corners = [(anchor.x, anchor.y) for anchor in mark.anchors]
    scene = held.canvas.scene
    found = in_rectangle(scene.positions, scene.radii, box, *corners, periodic=False)
    assert found.count > 10
    assert 0.1 < found.volume_fraction < 0.3
    got = values(held)
    assert got["N"] == found.count
    assert got["V_f"] == found.volume_fraction
    assert got["n1 / length²"] == found.number_density
    assert f"N = {found.count},  n = " in numbers_in_list(held)


def test_a_profile_with_its_plot_and_csv(periodic: MainWindow) -> None:
    box = periodic.refresher.shown().system.box
    periodic.commands.run("measure.profile")
    click(periodic, 0.2 * box, 0.8 * box)
    card = measuring(periodic).bar.profile
    assert card.isVisible()
    assert card.width_field.value == 4.0
    scene = periodic.canvas.scene
    [mark] = periodic.session.marking.value
    ends = [(anchor.x, anchor.y) for anchor in mark.anchors]
    enter(card.width_field, 6.0)
    width = 12.0 * scene.mean_radius
    assert periodic.session.marking.value[0].width == pytest.approx(width)
    periodic.commands.run("measure.copy_profile")
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0] == "s,volume_fraction,number_density"
    table = np.array([row.split(",") for row in rows[1:]], float)
    found = profile(scene.positions, scene.radii, box, *ends, width, periodic=True, bins=len(table))
    np.testing.assert_allclose(table.T, (found.at, found.volume_fraction, found.number_density))
    drawn = card._curves[0].getData()
    np.testing.assert_allclose(drawn, (found.at, found.volume_fraction))
    assert values(periodic)["V_f"] == pytest.approx(table[:, 1].mean())
    assert table[:, 1].mean() == pytest.approx(0.4, abs=0.15)


def test_radius_of_gyration_of_the_selection(periodic: MainWindow) -> None:
    action = periodic.commands.action("measure.gyration")
    assert not action.isEnabled()
    assert action.toolTip() == "No disc is selected: click one"
    measuring_discs = [3, 4, 30, 31]
    periodic.session.picking.select(Selection.discs(measuring_discs, 225))
    wait_until(action.isEnabled)
    periodic.commands.run("measure.gyration")
    scene = periodic.canvas.scene
    expected = radius_of_gyration(
        scene.positions[measuring_discs], scene.radii[measuring_discs], scene.box, periodic=True
    )
    assert values(periodic)["R_glength"] == pytest.approx(expected)
    assert values(periodic)["N"] == 4


def test_text_and_arrow(held: MainWindow) -> None:
    held.commands.run("measure.text")
    click(held, 12)
    field = held.canvas.findChild(QLineEdit)
    QTest.keyClicks(field, "the  first m ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    [note] = held.session.marking.value
    assert (note.text, note.anchors[0].disc) == ("the first m", 12)
    held.commands.run("measure.arrow")
    click(held, 30, 100)
    field = measuring(held)._field
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert [mark.kind for mark in held.session.marking.value] == ["text", "arrow"]
    assert measuring(held)._field is None
    click(held, 30, 100)
    QTest.keyClick(measuring(held)._field, Qt.Key.Key_Escape)  # back to the picture, then the field goes
    QTest.keyClick(held.canvas, Qt.Key.Key_Escape)
    assert measuring(held)._field is None
    assert len(held.session.marking.value) == 2


def test_an_end_is_dragged_and_a_mark_deleted_and_all_is_undone(held: MainWindow) -> None:
    held.commands.run("measure.distance")
    click(held, 3, 40)
    QTest.keyClick(held.canvas, Qt.Key.Key_Escape)
    before = held.session.marking.value
    place = held.canvas.place
    drag(held, at(held, 40), at(held, 100))
    assert held.canvas.place == place
    assert [anchor.disc for anchor in held.session.marking.value[0].anchors] == [3, 100]
    assert held.session.history.undo_text == "Undo moving distance"
    QTest.keyClick(held.canvas, Qt.Key.Key_Z, CONTROL)
    assert held.session.marking.value == before
    click(held, 3)
    assert measuring(held).chosen == 0
    assert not held.session.picking.value.selected  # a grip, not a disc
    QTest.keyClick(held.canvas, Qt.Key.Key_Delete)
    assert held.session.marking.value == ()
    QTest.keyClick(held.canvas, Qt.Key.Key_Z, CONTROL)
    assert held.session.marking.value == before
    assert measuring(held).bar.list.rowCount() == 1
    click(held, 100)  # no end: a click selects again
    assert held.session.picking.value.selected.numbers.tolist() == [100]


def test_names_list_and_csv(held: MainWindow) -> None:
    held.commands.run("measure.distance")
    click(held, 3, 40, 50, 61)
    table = measuring(held).bar.list
    assert table.rowCount() == 2
    table.item(1, 0).setText('a "gap", wide')
    assert held.session.marking.value[1].text == 'a "gap", wide'
    assert words_of(held.session.marking.value[1], state_of(held.canvas.scene)).startswith('a "gap", wide: d = ')
    table.selectRow(0)
    assert measuring(held).chosen == 0
    held.commands.run("measure.copy")
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0] == "number,kind,name,quantity,symbol,value,unit,note"
    assert rows[5].startswith('1,distance,"a ""gap"", wide",Distance,d,')
    assert float(rows[1].split(",")[5]) == values(held)["dlength"]


def test_esc_goes_back_by_one_end_then_the_tool_then_the_choice(held: MainWindow) -> None:
    held.commands.run("measure.distance")
    click(held, 3, 40, 50)
    tool = measuring(held).tool
    assert tool is not None
    assert tool.begun
    drawn = held.canvas.scene.data(NAME)
    assert len(drawn.marks) == 2  # with the one that is not complete
    for check in (lambda: not tool.begun, lambda: measuring(held).tool is None, lambda: measuring(held).chosen < 0):
        assert not check()
        QTest.keyClick(held.canvas, Qt.Key.Key_Escape)
        assert check()
    assert len(held.session.marking.value) == 1
    held.commands.run("edit.select_lasso")
    held.commands.run("measure.angle")
    assert not held.commands.action("edit.select_lasso").isChecked()
    assert held.commands.action("measure.angle").isChecked()
    held.commands.run("edit.select_lasso")
    assert measuring(held).tool is None


def test_marks_come_back_with_a_session_and_are_in_pictures(held: MainWindow, tmp_path: Path) -> None:
    high = held.canvas.height()
    held.commands.run("measure.rectangle")
    wait_until(lambda: held.canvas.height() < high)  # the bar takes its place
    plain, size = held.canvas.snapshot(500, 400), held.canvas.size()
    box = held.refresher.shown().system.box
    click(held, 0.3 * box, 0.6 * box)
    held.commands.run("measure.distance")
    click(held, 3, 40)
    assert measuring(held).bar.list.isVisible()

    def high_again() -> bool:
        measuring(held).bar.list.hide()  # which makes the picture lower, and comes again with new numbers
        return held.canvas.size() == size

    wait_until(high_again)
    marks = held.session.marking.value
    assert NAME in held.session.view.layers
    drawn = held.canvas.snapshot(500, 400)
    assert (plain != drawn).any(axis=2).sum() > 300
    held.commands.run("view.show_measures")
    np.testing.assert_array_equal(held.canvas.snapshot(500, 400), plain)
    held.session.view.layers = (NAME,)
    path = tmp_path / "kept.aggsession"
    held.session.save_session(path)
    wait_until(path.exists)
    held.session.marking.clear()
    hold(held, path)
    wait_until(lambda: held.session.marking.value == marks)
    wait_until(lambda: held.canvas.scene.data(NAME) is not None)
    hold(held, file(tmp_path, GAS))
    wait_until(lambda: held.session.marking.value == ())  # other discs
    assert held.canvas.scene.data(NAME) is None


def test_volume_fraction_of_the_whole_box(periodic: MainWindow) -> None:
    scene = periodic.canvas.scene
    periodic.commands.run("measure.rectangle")
    click(periodic, 0.0 * scene.box, scene.box)
    # corners at whole pixels: not quite the box
    assert values(periodic)["V_f"] == pytest.approx(float((pi * scene.radii**2).sum() / scene.box.prod()), rel=0.02)


def test_in_a_comparison_each_side_has_its_own_numbers(held: MainWindow) -> None:
    held.commands.run("method.compare")
    wait_until(lambda: len(held.canvases.canvases) == 2 and all(c.ready for c in held.canvases.canvases))
    wait_until(lambda: len(held.canvases.runs) == 2)
    left, right = held.canvases.canvases
    held.commands.run("measure.distance")
    laid_out(held)
    for disc in (3, 40):  # on the right side
        x, y = right.camera.to_pixel(*held.refresher.shown(1).frame.positions[disc])
        QTest.mouseClick(right, LEFT, NONE, QPoint(round(x), round(y)))
    [mark] = held.session.marking.value
    assert [anchor.disc for anchor in mark.anchors] == [3, 40]
    assert left.scene.data(NAME).marks == right.scene.data(NAME).marks == (mark,)
    run_until(held, 60)
    wait_until(lambda: left.scene.time == right.scene.time)
    table = measuring(held).bar.list
    heads = [table.horizontalHeaderItem(column).text() for column in range(table.columnCount())]
    assert heads == ["Name", "Mark", "Numbers, ED", "Numbers, TS"]

    def lengths() -> list[float]:
        return [readings_of(mark, state_of(canvas.scene))[0].value for canvas in (left, right)]

    def listed(column: int, length: float) -> bool:
        return f"d = {digits(length)} " in table.item(0, column).text()

    wait_until(lambda: all(listed(column, length) for column, length in zip((2, 3), lengths(), strict=True)))
    one, other = lengths()
    assert one != other
    held.commands.run("measure.copy")
    rows = [row.split(",") for row in QGuiApplication.clipboard().text().splitlines()]
    assert rows[0][-1] == "run"
    assert [(row[-1], float(row[5])) for row in rows if row[3] == "Distance" and row[6] == "length"] == [
        ("ED", one),
        ("TS", other),
    ]
    held.commands.run("measure.profile")
    side = held.refresher.shown().system.box[0]
    click(held, (0.1 * side, 0.5 * side), (0.9 * side, 0.5 * side))
    card = measuring(held).bar.profile
    curves = [curve.getData()[1] for curve in card._curves]
    assert len(curves[0]) == len(curves[1]) > 5
    assert (curves[0] != curves[1]).any()
    pens = [curve.opts["pen"].color().name() for curve in card._curves]
    assert pens[0] != pens[1]
    held.commands.run("measure.copy_profile")
    assert QGuiApplication.clipboard().text().splitlines()[0].startswith("s ED,volume_fraction ED,")
    held.commands.run("edit.undo")
    wait_until(lambda: held.session.marking.value == (mark,))
    assert right.scene.data(NAME).marks == (mark,)
    held.commands.run("method.compare")
    wait_until(lambda: len(held.canvases.canvases) == 1)
    wait_until(lambda: table.columnCount() == 3)
    assert table.horizontalHeaderItem(2).text() == "Numbers"
