"""The history of merges in the real window: opened from the menu of a disc, clicked at pixels, followed, taken away."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from aggviewer.extensions.merging.branches import MergeHistoryShown
from aggviewer.extensions.merging.panel import MergeHistory, MergePanel
from aggviewer.extensions.merging.plot import MergePlot
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picking.controller import SelectionController
from tests.window.conftest import SMALL, hold, part_of, put_back, scenario_file, wait_until
from tests.window.picking.test_picking import merged

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def held(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """Clusters of several discs, paused; nothing is selected and no history is shown."""
    window = shared_window
    hold(window, scenario_file(tmp_path, SMALL))
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
    wait_until(lambda: not found.busy and found.history is not None and found.history.request is found.request)
    assert found.history is not None
    return found.history


def largest(window: MainWindow, lane: int = 0) -> tuple[int, set[int]]:
    """A disc of the largest cluster on the screen, and all of them."""
    at = window.refresher.shown(lane)
    assert at is not None
    label = np.bincount(at.frame.cluster).argmax()
    discs = np.flatnonzero(at.frame.cluster == label)
    return int(discs[0]), set(discs.tolist())


def click_merge(window: MainWindow, merge: int) -> None:
    plot = panel_of(window).plot
    QTest.mouseClick(plot.viewport(), LEFT, NONE, plot.position(merge).toPoint())


def alone(plot: MergePlot) -> list[int]:
    """The merges that are drawn where no other one is near."""
    places = {merge: plot.position(merge) for merge in plot.shown_merges.tolist()}
    return [
        merge
        for merge, place in places.items()
        if all((place - other).manhattanLength() > 4.0 for one, other in places.items() if one != merge)
    ]


def words(window: MainWindow) -> str:
    return panel_of(window).plot.accessibleDescription()


def head(window: MainWindow) -> str:
    return panel_of(window).words.toolTip()


def toasts(window: MainWindow) -> list[str]:
    return [one.notice.title for one in window.stage.toasts.toasts]


def test_from_a_disc_to_the_moment_when_two_clusters_met(held: MainWindow) -> None:
    merged(held, 12)
    disc, discs = largest(held)
    made = open_history(held, disc)
    tree, branches = made.tree, made.branches
    assert part_of(held, MergeHistory).dock.isVisible()
    assert set(tree.discs_of(branches.node)) == discs
    assert branches.count == len(discs)
    assert f"Cluster of {len(discs)} discs: {len(discs) - 1} merges" in head(held)
    plot = panel_of(held).plot
    assert 2 <= len(plot.shown_branches) < branches.count
    assert f"{branches.count - len(plot.shown_branches)} small branches hidden" in head(held)
    present = held.session.status().time
    times = held.session._runner.present.past.times
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
        wait_until(lambda last=last: f"Shown: t = {last:.2f}, the last stored frame before it." in words(held))  # type: ignore[misc]
        assert f"t = {when:.2f}: " in words(held)
        assert f"met, at discs {i} and {j}." in words(held)
    # a branch, at a time between two merges: the cluster that it was then
    branch = int(plot.shown_branches[-1])
    box = plot.getPlotItem().getViewBox()
    x = 0.5 * (plot.viewRect().left() + plot.scales[0].coordinate(float(branches.ends[branch])))
    at = plot.mapFromScene(box.mapViewToScene(QPointF(x, -branch)))
    QTest.mouseClick(plot.viewport(), LEFT, NONE, at)
    when = plot.scales[0].quantity(box.mapSceneToView(plot.mapToScene(at)).x())
    assert selected(held) == set(tree.discs_of(branches.node_at(branch, when)))
    wait_until(lambda: held.refresher.shown().frame.time == float(times[times <= when][-1]))
    # the tree stays that of the present, which comes back
    assert panel_of(held).history is made
    held.session.look_at(present)
    wait_until(lambda: held.session.status().past is None)


def test_keys_go_from_merge_to_merge_and_it_is_taken_away(held: MainWindow, tmp_path: Path) -> None:
    merged(held, 12)
    made = open_history(held, largest(held)[0])
    view = panel_of(held).plot
    wait_until(view.hasFocus)
    time = held.session.status().time
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    wait_until(lambda: held.session.status().past is not None)
    assert selected(held) == set(made.tree.discs_of(made.tree.leaf_count + view.focus))
    assert held.session.status().time == time  # no key has made a step of the run
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert not view.following
    panel_of(held).all.click()
    assert view.following
    log = panel_of(held).log
    log.click()
    assert view.logarithmic[0] == log.isChecked()

    panel_of(held).copy.click()
    rows = list(csv.DictReader(QGuiApplication.clipboard().text().splitlines()))
    assert len(rows) == made.branches.count - 1
    assert [float(row["time t"]) for row in rows] == made.tree.time[made.branches.merges].tolist()
    path = tmp_path / "merges.csv"
    panel_of(held).write(path)
    wait_until(lambda: "History of merges saved" in toasts(held))
    assert list(csv.DictReader(path.read_text().splitlines())) == rows
    panel_of(held).write(tmp_path / "none" / "merges.svg")
    wait_until(lambda: any("there is no folder" in title for title in toasts(held)))
