"""The table of discs in the real window: linked with the picture, sorted, filtered, taken away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest

from aggviewer.extensions.inspector.panel import Inspector, InspectorPanel
from aggviewer.extensions.inspector.tables import Table
from aggviewer.session import Notice
from aggviewer.window.main_window import MainWindow
from engine.selection.measures import radius_of_gyration
from tests.window.conftest import SMALL, hold, part_of, put_back, scenario_file, told, wait_until

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def held(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """Clusters, paused; the table is shown."""
    window = shared_window
    hold(window, scenario_file(tmp_path, SMALL))
    window.commands.run("view.inspector")
    wait_until(lambda: table_of(window) is not None)
    yield window
    window.commands.run("edit.select_none")
    panel(window).show_kind("discs")
    if not part_of(window, Inspector).dock.isHidden():
        window.commands.run("view.inspector")
    put_back(window)


def panel(window: MainWindow) -> InspectorPanel:
    return part_of(window, Inspector).panel


def table_of(window: MainWindow) -> Table | None:
    """The table, where it is of the frame on the screen."""
    made, shown = panel(window).model.table, window.refresher.shown()
    same = made is not None and shown is not None and made.source.disc_set is shown.disc_set
    return made if same and made.source.frame.time == shown.frame.time and not panel(window).busy else None


def settle(window: MainWindow) -> Table:
    wait_until(lambda: table_of(window) is not None and table_of(window).ask == panel(window)._ask)
    found = table_of(window)
    assert found is not None
    return found


def row(window: MainWindow, number: int, how: Qt.KeyboardModifier = NONE) -> None:
    """Click a row."""
    view = panel(window).table
    at = view.visualRect(panel(window).model.index(number, 1)).center()
    QTest.mouseClick(view.viewport(), LEFT, how, at)


def selected(window: MainWindow) -> list[int]:
    return window.session.marking.value.selected.numbers.tolist()


def head(window: MainWindow, name: str) -> None:
    """Click the head of a column."""
    fields = [field.name for field in panel(window).model.table.fields]
    heads = panel(window).table.horizontalHeader()
    column = fields.index(name)
    at = QPoint(heads.sectionViewportPosition(column) + heads.sectionSize(column) // 2, heads.height() // 2)
    QTest.mouseClick(heads.viewport(), LEFT, NONE, at)


def condition(window: MainWindow, text: str) -> None:
    line = panel(window).condition
    line.setFocus()
    line.setText(text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def words(window: MainWindow) -> str:
    return panel(window).words._whole


def test_rows_select_discs_and_discs_rows(held: MainWindow) -> None:
    settle(held)
    assert words(held) == "225 discs"
    row(held, 2)
    assert selected(held) == [2]
    row(held, 4, SHIFT)
    assert selected(held) == [2, 3, 4]
    row(held, 3, CONTROL)
    assert selected(held) == [2, 4]
    row(held, 1, CONTROL)
    assert selected(held) == [1, 2, 4]
    positions = held.refresher.shown().frame.positions
    gyration = radius_of_gyration(positions[[1, 2, 4]], np.ones(3), np.ones(2), periodic=False)
    wait_until(lambda: words(held) == f"225 discs, 3 selected, R_g = {gyration:.5g} length")
    model = panel(held).model
    assert model.marked_rows().tolist() == [1, 2, 4]
    assert model.data(model.index(2, 0), Qt.ItemDataRole.BackgroundRole) is not None
    assert model.data(model.index(3, 0), Qt.ItemDataRole.BackgroundRole) is None
    x, y = held.canvas.camera.to_pixel(*held.refresher.shown().frame.positions[100])
    QTest.mouseClick(held.canvas, LEFT, NONE, QPoint(round(x), round(y)))
    assert model.marked_rows().tolist() == [100]
    assert words(held) == "225 discs, 1 selected", "one disc has no radius of gyration"
    seen = panel(held).table.visualRect(model.index(100, 0))
    assert panel(held).table.viewport().rect().contains(seen.center())  # it was scrolled to
    row(held, 100)
    QTest.keyClick(panel(held).table, Qt.Key.Key_Down)
    assert selected(held) == [101]
    QTest.keyClick(panel(held).table, Qt.Key.Key_Down, SHIFT)
    assert selected(held) == [101, 102]
    place = held.canvas.place
    view = panel(held).table
    QTest.mouseDClick(view.viewport(), LEFT, NONE, view.visualRect(model.index(101, 1)).center())
    assert held.canvas.place != place
    middle = np.array((held.canvas.camera.x, held.canvas.camera.y))
    assert np.abs(middle - held.refresher.shown().frame.positions[101]).max() < 1e-6
    held.commands.run("view.fit")


def test_a_table_is_sorted_by_its_head_and_filtered_by_a_condition(held: MainWindow) -> None:
    head(held, "speed")
    made = settle(held)
    speeds = made.values["speed"][made.order]
    assert (np.diff(speeds) <= 0.0).all()
    head(held, "speed")
    wait_until(lambda: not settle(held).ask.descending)
    head(held, "x")
    made = settle(held)
    assert made.order[0] == made.values["x"].argmax()
    condition(held, "disc < 10 and x > mean(x)")
    made = settle(held)
    rows = len(made.order)
    assert 0 < rows < 10
    assert words(held) == f"{rows} of 225 discs"
    condition(held, "sped > 1")
    refusal = panel(held).refusal
    assert refusal.isVisible()
    assert refusal.text().startswith("there is no sped here (did you mean speed?)")
    panel(held).mark()  # another selection does not wipe it away
    assert refusal.isVisible()
    assert panel(held).condition.placeholderText() == "size > 50 and speed < 0.1"
    assert len(panel(held).model.table.order) == rows  # what was there stays
    condition(held, "x > 1e9")
    assert not refusal.isVisible()
    assert len(settle(held).order) == 0
    assert words(held) == "0 of 225 discs"
    condition(held, "")
    assert len(settle(held).order) == 225


def test_clusters_while_it_runs_and_nothing_while_it_is_hidden(held: MainWindow) -> None:
    panel(held).show_kind("clusters")
    settle(held)
    head(held, "size")
    settle(held)
    held.session.set_speed(100.0)
    held.session.run()
    wait_until(lambda: panel(held).model.table.values["size"].max() > 3)
    held.session.pause()
    wait_until(lambda: held.session.status().state in ("paused", "finished"))
    made = settle(held)
    frame = held.refresher.shown().frame
    sizes = np.unique(frame.cluster, return_counts=True)[1]
    assert made.values["size"][made.order].tolist() == sorted(sizes.tolist(), reverse=True)
    row(held, 0)
    label = made.values["cluster"][made.order[0]]
    assert selected(held) == np.flatnonzero(frame.cluster == label).tolist()
    assert panel(held).model.marked_rows()[0] == 0
    held.commands.run("view.inspector")
    assert not panel(held)._timer.isActive()
    wait_until(lambda: not panel(held).busy)  # with what was asked while it was seen
    before = panel(held).model.table
    held.session.step_event()
    wait_until(lambda: held.refresher.shown().frame.time != frame.time or held.session.status().state == "finished")
    told(held)
    assert panel(held).model.table is before
    assert not panel(held).busy


def test_rows_are_copied_and_saved(held: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[Notice] = []
    held.session.notices.sent.connect(got.append)
    settle(held)
    row(held, 2)
    row(held, 3, SHIFT)
    wait_until(lambda: "R_g" in words(held))
    panel(held).copy.click()
    *lines, empty, last = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:3] == ["disc", "x", "y"]
    assert [line.split("\t")[0] for line in lines[1:]] == ["2", "3"]
    name, gyration = last.split("\t")
    assert (empty, name) == ("", "radius of gyration of the selection (length)")
    between = np.subtract(*held.refresher.shown().frame.positions[[2, 3]])
    assert float(gyration) == pytest.approx(np.hypot(*between) / 2.0)
    monkeypatch.setattr("aggviewer.extensions.inspector.panel.MOST_COPIED", 1)
    panel(held).copy.click()
    texts = [toast.notice.title for toast in held.stage.toasts.toasts]
    assert any("too many for the clipboard" in text for text in texts)
    path = tmp_path / "discs.csv"
    monkeypatch.setattr(panel(held), "_ask_path", lambda name: path)
    condition(held, "disc < 7")
    settle(held)
    panel(held).save.click()
    wait_until(path.is_file)
    assert np.loadtxt(path, delimiter=",", skiprows=1).shape[0] == 7
    monkeypatch.setattr(panel(held), "_ask_path", lambda name: tmp_path)  # a folder
    panel(held).save.click()
    wait_until(lambda: any("is a folder" in toast.notice.title for toast in held.stage.toasts.toasts))
    held.session.notices.sent.disconnect(got.append)
