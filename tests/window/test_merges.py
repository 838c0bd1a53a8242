"""The history of merges in the real window: opened from the menu of a disc, clicked at pixels, followed, taken away."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from aggviewer.merging import MergePanel, panel
from aggviewer.merging.panel import MergeHistoryShown
from aggviewer.merging.plot import MergePlot
from aggviewer.session import Notice
from aggviewer.window.canvases.comparing import Comparing
from aggviewer.window.main_window import MainWindow
from aggviewer.window.panels.inspector import Inspector
from aggviewer.window.panels.merges import MergeHistory
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.presenting.presenter import Presenter
from engine.selection import Selection
from tests.window.conftest import GAS, SMALL, hold, load, part_of, put_back, wait_until
from tests.window.screen import turn
from tests.window.test_picking import file, merged

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def held(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """Clusters of several discs, paused; nothing is selected and no history is shown."""
    window = shared_window
    hold(window, file(tmp_path, SMALL))
    yield window
    window.commands.run("edit.select_none")
    part_of(window, MergeHistory).dock.hide()
    put_back(window)


def panel_of(window: MainWindow) -> MergePanel:
    return part_of(window, MergeHistory).panel


def selected(window: MainWindow) -> set[int]:
    return set(window.session.marking.value.selected.numbers.tolist())


def action_of(window: MainWindow, disc: int, lane: int = 0) -> QAction:
    """Right-click a disc in a picture: the entry of its menu."""
    canvas, at = window.canvases.canvases[lane], window.refresher.shown(lane)
    assert at is not None
    pixel = QPoint(*(round(value) for value in canvas.camera.to_pixel(*at.frame.positions[disc])))
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, pixel, canvas.mapToGlobal(pixel))
    QApplication.sendEvent(canvas, event)
    menu = part_of(window, SelectionController)._menu
    assert menu is not None
    assert menu.isVisible()
    return next(action for action in menu.actions() if action.text().startswith("History of merges"))


def open_history(window: MainWindow, disc: int, lane: int = 0) -> MergeHistoryShown:
    """From the menu of a disc to its tree."""
    action_of(window, disc, lane).trigger()
    menu = part_of(window, SelectionController)._menu
    assert menu is not None
    menu.close()
    return settled(window)


def settled(window: MainWindow) -> MergeHistoryShown:
    found = panel_of(window)
    wait_until(lambda: not found.busy and found.shown is not None and found.shown.asked is found.asked)
    assert found.shown is not None
    return found.shown


def largest(window: MainWindow, lane: int = 0) -> tuple[int, set[int]]:
    """A disc of the largest cluster on the screen, and all of them."""
    at = window.refresher.shown(lane)
    assert at is not None
    label = np.bincount(at.frame.cluster).argmax()
    discs = np.flatnonzero(at.frame.cluster == label)
    return int(discs[0]), set(discs.tolist())


def click_merge(window: MainWindow, merge: int) -> None:
    plot = panel_of(window).plot
    QTest.mouseClick(plot.viewport(), LEFT, NONE, plot.position(plot.tree.place(merge)).toPoint())


def alone(plot: MergePlot) -> list[int]:
    """The merges that are drawn where no other one is near."""
    places = {merge: plot.position(plot.tree.place(merge)) for merge in plot.tree.shown_merges.tolist()}
    return [
        merge
        for merge, place in places.items()
        if all((place - other).manhattanLength() > 4.0 for one, other in places.items() if one != merge)
    ]


def words(window: MainWindow) -> str:
    return panel_of(window).told._whole


def test_from_a_disc_to_the_moment_when_two_clusters_met(held: MainWindow) -> None:
    merged(held, 12)
    disc, discs = largest(held)
    made = open_history(held, disc)
    tree, branches = made.tree, made.branches
    assert part_of(held, MergeHistory).dock.isVisible()
    assert set(tree.discs_of(branches.node)) == discs
    assert branches.count == len(discs)
    assert f"Cluster of {len(discs)} discs: {len(discs) - 1} merges" in panel_of(held).words._whole
    plot = panel_of(held).plot
    drawing = plot.tree
    assert 2 <= len(drawing.shown) < branches.count
    assert f"{branches.count - len(drawing.shown)} small branches hidden" in panel_of(held).words._whole
    present = held.session.status().time
    times = held.session._runner.frames.memory.times
    for which in (-1, 0):
        merge = alone(plot)[which]
        click_merge(held, merge)
        when = tree.time[merge]
        last = float(times[times < when][-1])
        wait_until(lambda last=last: held.refresher.shown().frame.time == last)  # type: ignore[misc]
        assert held.session.status().past == last
        one, two = (set(tree.discs_of(node)) for node in tree.children[merge])
        assert selected(held) == one | two
        # in the picture the two clusters are still apart
        frame = held.refresher.shown().frame
        assert not {int(frame.cluster[k]) for k in one} & {int(frame.cluster[k]) for k in two}
        i, j = tree.pairs[merge]
        wait_until(lambda last=last: f"Shown: t = {last:.2f}, the last moment kept before." in words(held))  # type: ignore[misc]
        assert f"t = {when:.2f}: " in words(held)
        assert f"met, at discs {i} and {j}." in words(held)
        assert plot.accessibleDescription() == words(held)
    # a branch, at a time between two merges: the cluster that it was then
    branch = int(drawing.shown[-1])
    x = 0.5 * (plot.seen.left() + float(drawing.axis.place(branches.ends[branch])))
    at = plot.position(QPointF(x, branch)).toPoint()
    QTest.mouseClick(plot.viewport(), LEFT, NONE, at)
    when = drawing.axis.time(plot.plotItem.vb.mapSceneToView(plot.mapToScene(at)).x())
    assert selected(held) == set(tree.discs_of(branches.node_at(branch, when)))
    wait_until(lambda: held.refresher.shown().frame.time == float(times[times <= when][-1]))
    # the tree stays that of the present, which comes back
    assert panel_of(held).shown is made
    held.session.look_at(present)
    wait_until(lambda: held.session.status().past is None)


def test_the_history_of_a_cluster_as_it_was(held: MainWindow) -> None:
    merged(held, 30)
    times = held.session._runner.frames.memory.times
    held.session.look_at(float(times[len(times) // 2]))
    wait_until(lambda: held.session.status().past is not None and held.refresher.shown().frame.clusters > 30)
    disc, discs = largest(held)
    when = held.refresher.shown().frame.time
    made = open_history(held, disc)
    assert set(made.tree.discs_of(made.branches.node)) == discs
    assert f"as it was at t = {when:.2f}" in panel_of(held).words._whole
    assert made.branches.last <= when


def test_the_tree_follows_the_run(held: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panel, "_LEAST_S", 0.0)
    merged(held, 60)
    disc, discs = largest(held)
    before = open_history(held, disc)
    merged(held, 20)
    wait_until(lambda: panel_of(held).shown is not before)
    after = settled(held)
    now = held.refresher.shown().frame.cluster
    assert set(after.tree.discs_of(after.branches.node)) == set(np.flatnonzero(now == now[disc])) > discs
    # a restart has the same discs: that of the disc begins anew
    held.session.restart()
    wait_until(lambda: panel_of(held).shown.system is not after.system and not panel_of(held).busy)
    assert panel_of(held).shown.system is held.refresher.shown().system
    assert panel_of(held).shown.branches.count == 1


def test_a_disc_that_has_not_merged(held: MainWindow) -> None:
    made = open_history(held, 7)
    assert made.branches.count == 1
    view = panel_of(held).empty
    assert view.isVisible()
    assert view.text() == "Disc 7 has not merged yet. Its history begins with its first merge."
    assert panel_of(held).words._whole == "Disc 7 alone."
    assert not panel_of(held).save.isEnabled()
    QTest.mouseClick(view, LEFT, NONE, view.rect().center())
    assert selected(held) == {7}


def test_where_there_is_none_the_command_says_why(held: MainWindow, tmp_path: Path) -> None:
    action = held.commands.action("view.merges")
    assert not action.isEnabled()
    assert "No disc is selected" in action.toolTip()
    load(held, file(tmp_path, GAS), run=False)
    action = action_of(held, 12)
    assert not action.isEnabled()
    assert "These discs do not join" in action.toolTip()
    part_of(held, SelectionController)._menu.close()
    hold(held, file(tmp_path, SMALL))
    path = tmp_path / "run.gsd"
    held.session.set_speed(100.0)
    held.session.record(path, 0.5)
    merged(held, 100)
    held.session.stop_recording()
    wait_until(lambda: held.session.status().recording is None)
    load(held, path, run=False)
    held.commands.run("edit.select_all")
    held.commands.update()
    wait_until(lambda: "A recording has frames alone" in held.commands.action("view.merges").toolTip())
    assert not held.commands.action("view.merges").isEnabled()


def test_keys_go_from_merge_to_merge(held: MainWindow) -> None:
    merged(held, 12)
    made = open_history(held, largest(held)[0])
    view = panel_of(held).plot
    wait_until(view.hasFocus)
    time = held.session.status().time
    tree = made.tree
    last = int(np.sort(view.tree.shown_merges)[-1])
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.tree.focus == last
    assert f"t = {tree.time[last]:.2f}: " in words(held)
    QTest.keyClick(view, Qt.Key.Key_Left)
    before = view.tree.focus
    assert made.branches.branch_of(before) == made.branches.branch_of(last) == 0
    assert before < last
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.tree.focus == last
    QTest.keyClick(view, Qt.Key.Key_Down)
    if view.tree.focus != last:
        assert made.branches.branch_of(view.tree.focus) > 0
        for _ in range(20):
            QTest.keyClick(view, Qt.Key.Key_Right)  # in the end up to the trunk
        assert made.branches.branch_of(view.tree.focus) == 0
    QTest.keyClick(view, Qt.Key.Key_Return)
    wait_until(lambda: held.session.status().past is not None)
    assert selected(held) == set(tree.discs_of(tree.leaf_count + view.tree.focus))
    assert held.session.status().time == time  # no key has made a step of the run
    height = view.seen.height()
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert view.seen.height() < height
    QTest.keyClick(view, Qt.Key.Key_0)
    assert view.seen.height() == height


def test_the_wheel_looks_closer_and_fit_shows_all(held: MainWindow) -> None:
    merged(held, 4)
    open_history(held, largest(held)[0])
    plot = panel_of(held).plot
    whole, shown = plot.seen, plot.shown_count
    turn(plot.viewport(), 600)
    assert plot.seen.height() < whole.height()
    assert plot.seen.width() == whole.width()
    assert plot.shown_count > shown
    turn(plot.viewport(), 600, Qt.KeyboardModifier.ControlModifier)
    assert plot.seen.width() < whole.width()
    panel_of(held).all.click()
    assert plot.seen == whole
    log = panel_of(held).log
    log.click()
    assert plot.tree.axis.log == log.isChecked()
    assert plot.seen != whole


def test_a_moment_that_is_not_kept_says_so(held: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    merged(held, 12)
    made = open_history(held, largest(held)[0])
    merge = int(panel_of(held).plot.tree.shown_merges[-1])
    when = made.tree.time[merge]
    memory = held.session._runner.frames.memory
    while memory.times[0] <= when and len(memory.times) > 1:  # as after a session was opened
        memory._drop(0)
    held.session.refresh()
    wait_until(lambda: held.session.status().timeline.begin > when)
    click_merge(held, merge)
    begin = held.session.status().timeline.begin
    kept = f"The past is kept from t = {begin:.2f} on, which is shown: run again from the start (R) to see it."
    wait_until(lambda: kept in words(held))
    wait_until(lambda: held.refresher.shown().frame.time == begin)


def test_it_is_taken_away(held: MainWindow, tmp_path: Path) -> None:
    merged(held, 12)
    made = open_history(held, largest(held)[0])
    got: list[Notice] = []
    held.session.notices.sent.connect(got.append)
    told: list[object] = []
    panel_of(held).saved.connect(told.append)
    panel_of(held).problem.connect(told.append)
    merges = made.branches.count - 1
    panel_of(held).copy.click()
    rows = list(csv.DictReader(QGuiApplication.clipboard().text().splitlines()))
    assert len(rows) == merges
    assert [float(row["time t"]) for row in rows] == made.tree.time[made.branches.merges].tolist()
    for row in rows:
        one, two = int(row["discs of the larger cluster"]), int(row["discs of the smaller cluster"])
        assert one + two == int(row["discs together"])
    assert int(rows[-1]["discs together"]) == merges + 1
    for ending in (".csv", ".nwk", ".svg", ".pdf", ".png"):
        path = tmp_path / f"merges{ending}"
        panel_of(held).write(path)
        wait_until(lambda path=path: told[-1:] == [path])  # type: ignore[misc]
    assert list(csv.DictReader((tmp_path / "merges.csv").read_text().splitlines())) == rows
    newick = (tmp_path / "merges.nwk").read_text()
    assert len(re.findall(r"d\d+:", newick)) == merges + 1
    assert "<text" in (tmp_path / "merges.svg").read_text() or "<path" in (tmp_path / "merges.svg").read_text()
    assert (tmp_path / "merges.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "merges.png").stat().st_size > 4000
    panel_of(held).write(tmp_path / "merges.txt")
    wait_until(lambda: "must end in one of .csv" in str(told[-1]))
    panel_of(held).write(tmp_path / "none" / "merges.csv")
    wait_until(lambda: "there is no folder" in str(told[-1]))
    panel_of(held).saved.disconnect(told.append)
    panel_of(held).problem.disconnect(told.append)


def test_beside_others(held: MainWindow) -> None:
    """A tab beside the table, behind which the table is found again; hidden in presenter mode; either side of two."""
    merged(held, 40)
    table = part_of(held, Inspector).dock
    held.commands.run("view.inspector")
    wait_until(table.isVisible)
    open_history(held, largest(held)[0])
    dock = part_of(held, MergeHistory).dock
    assert dock in held.tabifiedDockWidgets(table)
    wait_until(lambda: not dock.visibleRegion().isEmpty() and table.visibleRegion().isEmpty())
    held.commands.run("view.inspector")
    wait_until(lambda: not table.visibleRegion().isEmpty())
    held.commands.run("view.inspector")
    part_of(held, Presenter).toggle()
    wait_until(dock.isHidden)
    part_of(held, Presenter).toggle()
    wait_until(dock.isVisible)
    held.commands.run("method.compare")
    wait_until(lambda: part_of(held, Comparing).on and held.refresher.shown(1) is not None)
    disc, discs = largest(held, 1)
    made = open_history(held, disc, 1)
    assert made.asked.lane == 1
    assert set(made.tree.discs_of(made.branches.node)) == discs
    assert panel_of(held).words._whole.startswith("Right: ")
    held.session.compare(None)
    wait_until(lambda: not part_of(held, Comparing).on)
    assert settled(held).asked.lane == 0


def test_other_discs(held: MainWindow, tmp_path: Path) -> None:
    part_of(held, SelectionController).select(Selection.discs([200], 225))
    held.commands.run("view.merges")
    settled(held)
    fewer = SMALL.replace("225", "100")
    hold(held, file(tmp_path, fewer))
    wait_until(lambda: panel_of(held).shown is None)
    assert "Right-click a disc" in panel_of(held).empty.text()
