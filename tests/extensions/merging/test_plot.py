"""The plot of a tree of merges and its files, without a session."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.extensions.merging.branches import MergeHit
from aggviewer.extensions.merging.panel import write
from aggviewer.extensions.merging.plot import MergePlot, MergeTimes, draw_tree
from aggviewer.plots.film import PAPER
from aggviewer.style.theme import DARK
from engine.errors import InputError
from tests.extensions.merging.trees import branches_of


def test_lines_of_a_tree_are_its_branches_and_what_was_chosen_is_over_them() -> None:
    branches = branches_of(40)
    axis = MergeTimes.of(branches, False)
    rows = branches.with_rows(0)
    drawn = {one.id: one.series for one in draw_tree(branches, axis, rows, (0, 39), DARK)}
    dots = drawn["tree merges"]
    assert sorted(dots.x) == pytest.approx(sorted(branches.step_times))
    joins = drawn["tree joins"]
    assert joins.y[::3].tolist() == (-rows[1:]).tolist()
    assert joins.y[1::3].tolist() == dots.y.tolist() == (-branches.into[1:]).tolist()
    lengths = [np.nansum(one.x[1::3] - one.x[::3]) for name, one in drawn.items() if name.split()[1].isdigit()]
    ends = np.minimum(branches.ends, axis.high)
    assert sum(lengths) == pytest.approx(float((ends - branches.tree.since).sum()))
    node = branches.node_at(0, float(np.median(branches.step_times)))
    tree = branches.tree
    series = {one.id: one.series for one in draw_tree(branches, axis, rows, (0, 39), DARK, node)}
    chosen = [one for name, one in series.items() if name.startswith("chosen")]
    assert max(np.nanmax(one.x, initial=0.0) for one in chosen) == pytest.approx(tree.time_of(node))
    assert len(series["chosen merges"].x) == tree.leaf_counts[node] - 1


@pytest.fixture
def plot(qtbot: QtBot) -> MergePlot:
    """The plot in a panel."""
    panel, made = QWidget(), MergePlot()
    qtbot.addWidget(panel)
    QVBoxLayout(panel).addWidget(made)
    made.set_theme(DARK)
    panel.resize(900, 260)
    panel.show()
    return made


@pytest.mark.parametrize("log", [False, True])
def test_the_plot_of_merges_finds_what_is_at_a_place(plot: MergePlot, log: bool) -> None:
    branches = branches_of(500, 3)
    plot.show_branches(branches, log)
    assert plot.logarithmic == (log, False)
    assert 2 < len(plot.shown_branches) < 100
    hits: list[MergeHit] = []
    plot.chosen.connect(hits.append)
    for merge in plot.shown_merges.tolist():
        QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.position(merge).toPoint())
        distance = plot.position(hits[-1].merge) - plot.position(merge)
        assert distance.manhattanLength() < 12.0  # of merges that are near either may be found
    branch = int(plot.shown_branches[-1])
    low, end = plot.ends[0], float(branches.ends[branch])
    time = float(np.sqrt(low * end)) if log else 0.5 * (low + end)
    assert plot.hit(time, -branch) == MergeHit(branch, time)
    assert plot.hit(0.5 * (end + plot.ends[1]), -branch) is None
    assert plot.hit(time, plot.ends[3]) is None, "above the first row"


def test_keys_go_from_merge_to_merge_and_the_mark_stays_in_view(plot: MergePlot) -> None:
    plot.show_branches(branches_of(500, 3), True)
    last = int(np.sort(plot.shown_merges)[-1])
    hovered: list[MergeHit] = []
    plot.hovered.connect(hovered.append)
    QTest.keyClick(plot, Qt.Key.Key_Left)
    assert plot.focus == hovered[-1].merge == last
    for _ in range(20):
        QTest.keyClick(plot, Qt.Key.Key_Plus)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Down, Qt.Key.Key_Right):
        QTest.keyClick(plot, key)
        assert plot.rect().contains(plot.position(plot.focus).toPoint())
    chosen: list[MergeHit] = []
    plot.chosen.connect(chosen.append)
    QTest.keyClick(plot, Qt.Key.Key_Return)
    assert chosen == [hovered[-1]]


def test_pictures_and_tables_are_written(plot: MergePlot, tmp_path: Path) -> None:
    branches = branches_of(60)
    plot.show_branches(branches, True)
    begins = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG", ".nwk": b"(", ".csv": b"time"}
    for ending, first in begins.items():
        path = tmp_path / f"merges{ending}"
        write(path, branches, plot.page(PAPER))
        assert path.read_bytes().startswith(first)
    assert len(re.findall(r"d\d+:", (tmp_path / "merges.nwk").read_text())) == 60
    with pytest.raises(InputError, match=r"must end in one of \.csv"):
        write(tmp_path / "merges.txt", branches, plot.page(PAPER))
