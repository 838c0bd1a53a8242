"""Marks in the real window: drawn with the mouse, followed, dragged, named, undone, compared, in sessions."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QGuiApplication, QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit

from aggviewer.canvas.layers.marks import NAME, discs_of_scene
from aggviewer.document.mark_kinds import digits, in_words
from aggviewer.document.run import Mark
from aggviewer.extensions.measuring.controller import MarkController
from aggviewer.extensions.measuring.panel import MarkPanel
from aggviewer.window.main_window import MainWindow
from engine.selection.measures import in_rectangle
from engine.simulation import Stride
from tests.waiting import delete_now, laid_out
from tests.window.conftest import SMALL, hold, part_of, put_back, scenario_file, wait_until

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def held(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """Discs between walls, paused, without marks."""
    hold(shared_window, scenario_file(tmp_path, SMALL))
    clean(shared_window)
    yield shared_window
    clean(shared_window)
    put_back(shared_window)


def clean(window: MainWindow) -> None:
    window.session.marking.clear_marks()
    window.commands.run("measure.close")
    window.commands.run("edit.select_none")
    window.canvas.fit()


def panel(window: MainWindow) -> MarkPanel:
    return part_of(window, MarkController).panel


def marks(window: MainWindow) -> tuple[Mark, ...]:
    return window.session.marking.value.marks


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


def values(window: MainWindow, number: int = -1) -> dict[str, float]:
    found = marks(window)[number].measure(discs_of_scene(window.canvas.scene))
    return {each.symbol + each.unit: each.value for each in found}


def listed(window: MainWindow, row: int = 0, column: int = 2) -> str:
    return panel(window).list.item(row, column).text()


def run_until(window: MainWindow, events: int) -> None:
    window.session.set_speed(100.0)
    window.session.hold_at(Stride(events=events))
    window.session.run()
    wait_until(lambda: window.session.status().state == "paused" and window.session.status().time > 0)
    wait_until(lambda: window.refresher.shown().frame.time == window.session.status().time)  # the last frame


def test_each_kind_is_drawn_with_the_mouse_and_measured(held: MainWindow) -> None:
    box = held.refresher.shown().disc_set.box
    QTest.keyClick(held.canvas, Qt.Key.Key_M)
    assert panel(held).isVisible()
    for hint, disc in (("Click where the distance begins", 3), ("Click where it ends", 40)):
        assert panel(held).hint.text().startswith(hint)
        click(held, disc)
    assert [anchor.disc for anchor in marks(held)[0].anchors] == [3, 40]
    assert not held.session.marking.value.selected, "the click was the tool's alone"
    held.commands.run("measure.angle")
    click(held, 0.2 * box, np.array([0.2, 0.5]) * box, np.array([0.6, 0.5]) * box, how=CONTROL)
    assert values(held)["∠°"] == pytest.approx(90.0, abs=1.0)
    assert held.session.history.undo_text == "Undo angle"
    held.commands.run("measure.rectangle")
    drag(held, at(held, 0.3 * box), at(held, np.array([0.72, 0.61]) * box))
    corners = [(anchor.x, anchor.y) for anchor in marks(held)[2].anchors]
    scene = held.canvas.scene
    found = in_rectangle(scene.positions, scene.radii, box, *corners, periodic=False)
    assert found.count > 10
    assert values(held)["N"] == found.count
    assert values(held)["V_f"] == found.volume_fraction
    held.commands.run("measure.text")
    click(held, 12)
    field = held.canvas.findChild(QLineEdit)
    QTest.keyClicks(field, "the  first m ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert (marks(held)[3].text, marks(held)[3].anchors[0].disc) == ("the first m", 12)
    drawn = held.canvas.scene.data(NAME)
    assert drawn.marks == marks(held)
    before = values(held, 0)["dlength"]
    assert f"d = {digits(before)} length" in listed(held)
    run_until(held, 60)
    positions = held.refresher.shown().frame.positions
    after = hypot(*(positions[40] - positions[3]))
    assert abs(after - before) > 1e-6, "it follows its discs"
    assert values(held, 0)["dlength"] == pytest.approx(after)
    wait_until(lambda: f"d = {digits(after)} length" in listed(held))


def test_an_end_is_dragged_and_a_mark_deleted_and_all_is_undone(held: MainWindow) -> None:
    held.commands.run("measure.distance")
    click(held, 3, 40)
    QTest.keyClick(held.canvas, Qt.Key.Key_Escape)
    before, place = marks(held), held.canvas.place
    drag(held, at(held, 40), at(held, 100))
    assert held.canvas.place == place
    assert [anchor.disc for anchor in marks(held)[0].anchors] == [3, 100]
    assert held.session.history.undo_text == "Undo moving distance"
    QTest.keyClick(held.canvas, Qt.Key.Key_Z, CONTROL)
    assert marks(held) == before
    click(held, 3)
    assert part_of(held, MarkController).chosen == 0
    assert not held.session.marking.value.selected, "an end of the mark, not a disc"
    QTest.keyClick(held.canvas, Qt.Key.Key_Delete)
    assert marks(held) == ()
    QTest.keyClick(held.canvas, Qt.Key.Key_Z, CONTROL)
    assert marks(held) == before
    assert panel(held).list.rowCount() == 1
    click(held, 100)
    assert held.session.marking.value.selected.numbers.tolist() == [100], "no end is there: a click selects again"


def test_names_list_and_csv(held: MainWindow) -> None:
    held.commands.run("measure.distance")
    click(held, 3, 40, 50, 61)
    table = panel(held).list
    assert table.rowCount() == 2
    table.item(1, 0).setText('a "gap", wide')
    assert marks(held)[1].words(discs_of_scene(held.canvas.scene)).startswith('a "gap", wide: d = ')
    table.selectRow(0)
    assert part_of(held, MarkController).chosen == 0
    held.commands.run("measure.copy")
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0] == "number,kind,name,quantity,symbol,value,unit,note"
    assert rows[5].startswith("1,distance,a 'gap'; wide,Distance,d,")
    assert float(rows[1].split(",")[5]) == values(held, 0)["dlength"]


def test_esc_goes_back_by_one_end_then_the_tool_then_the_choice(held: MainWindow) -> None:
    controller = part_of(held, MarkController)
    held.commands.run("measure.distance")
    click(held, 3, 40, 50)
    tool = controller.tool
    assert tool is not None
    assert tool.begun
    assert len(held.canvas.scene.data(NAME).marks) == 2, "with the one that is not complete"
    for check in (lambda: not tool.begun, lambda: controller.tool is None, lambda: controller.chosen < 0):
        assert not check()
        QTest.keyClick(held.canvas, Qt.Key.Key_Escape)
        assert check()
    assert len(marks(held)) == 1
    held.commands.run("edit.select_lasso")
    held.commands.run("measure.angle")
    assert not held.commands.action("edit.select_lasso").isChecked()
    held.commands.run("edit.select_lasso")
    assert controller.tool is None
    held.commands.run("edit.select_lasso")
    held.commands.run("measure.text")
    click(held, 30)
    field = held.canvas.findChild(QLineEdit)
    QTest.keyClicks(field, "no")
    for _ in range(2):  # back to the picture, then the field goes
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not field.isVisible()
    assert len(marks(held)) == 1


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
    [mark] = marks(held)
    assert [anchor.disc for anchor in mark.anchors] == [3, 40]
    assert left.scene.data(NAME).marks == right.scene.data(NAME).marks == (mark,)
    run_until(held, 60)
    wait_until(lambda: left.scene.time == right.scene.time)
    table = panel(held).list
    heads = [table.horizontalHeaderItem(column).text() for column in range(table.columnCount())]
    assert heads == ["Name", "Mark", "Values, ED", "Values, TS"]

    def measured() -> list[str]:
        return [in_words(mark.measure(discs_of_scene(canvas.scene))) for canvas in (left, right)]

    wait_until(lambda: [listed(held, 0, 2), listed(held, 0, 3)] == measured())
    one, other = (mark.measure(discs_of_scene(canvas.scene))[0].value for canvas in (left, right))
    assert one != other
    held.commands.run("measure.copy")
    rows = [row.split(",") for row in QGuiApplication.clipboard().text().splitlines()]
    assert rows[0][-1] == "run"
    lengths = [(row[-1], float(row[5])) for row in rows if row[3] == "Distance" and row[6] == "length"]
    assert lengths == [("ED", one), ("TS", other)]
    held.commands.run("measure.text")
    QTest.mouseClick(right, LEFT)
    assert right.findChild(QLineEdit) is not None
    held.commands.run("method.compare")
    wait_until(lambda: len(held.canvases.canvases) == 1)
    wait_until(lambda: table.columnCount() == 3)
    assert table.horizontalHeaderItem(2).text() == "Values"
    delete_now()  # the right picture, and the note that was being written in it
    wait_until(lambda: held.refresher.shown() is not None, 60.0)
    click(held, 30)
    assert held.canvas.findChild(QLineEdit) is not None
