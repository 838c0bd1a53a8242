"""The menu of a plot: scales of the axes, ranges by numbers and kept ones, data and files; what is kept of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel
from aggviewer.plots.axes import FLOOR, AxisScale
from aggviewer.plots.body import plot_menu
from aggviewer.plots.card import PlotCard
from aggviewer.plots.fit_range import RangeDialog
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from tests.plots.aggregate_data import aggregate, history
from tests.plots.gas_data import gas
from tests.plots.panels import data_of, give, kept_of, open_plot, plots_panel, shown_panel


def actions(menu: QMenu) -> dict[str, QAction]:
    """Text of each entry, with those of inner menus as ``Horizontal axis/Linear``."""
    found = {}
    for action in menu.actions():
        inner = action.menu()
        found[action.text().split("\t")[0]] = action
        if inner is not None:
            found |= {f"{action.text()}/{one.text()}": one for one in inner.actions()}
    return found


def entry(card: PlotCard, text: str, place: int = 0) -> QAction:
    menu = plot_menu(card, place)
    card.kept_menu = menu  # type: ignore[attr-defined]
    return actions(menu)[text]


def view_range(card: PlotCard, place: int = 0) -> tuple[list[float], list[float]]:
    return card.views[place].getPlotItem().getViewBox().viewRange()


@pytest.fixture
def gas_panel(qtbot: QtBot) -> PlotsPanel:
    made = shown_panel(qtbot, "hard-discs", height=2400)
    made.refresh(gas(0.9))
    return made


def test_a_scale_shows_and_reads_back() -> None:
    shown = AxisScale(True).show(np.array([-1.0, 0.0, 10.0]))
    assert np.isnan(shown[:2]).all()
    assert shown[2] == 1.0
    for scale in (AxisScale(True), AxisScale(False)):
        assert scale.quantity(float(scale.show(0.7))) == pytest.approx(0.7)
        assert scale.quantity(scale.coordinate(3.0)) == pytest.approx(3.0)
    assert AxisScale(False).coordinate(3.0) == 3.0
    assert AxisScale(True).coordinate(0.0) == FLOOR


def test_a_logarithmic_plot_becomes_linear_and_its_table_stays(panel: PlotsPanel) -> None:
    card = open_plot(panel, BoxCountingPlot)
    before, fitted = card.table(), card.view.value
    x, y = data_of(card, "points")
    for axis in ("Horizontal axis", "Vertical axis"):
        assert entry(card, f"{axis}/Logarithmic").isChecked()
        entry(card, f"{axis}/Linear").trigger()
        assert entry(card, f"{axis}/Linear").isChecked()
    assert [card.view.readable.place_of((0, "points"), k).x() for k in range(len(x))] == pytest.approx(x)
    (x0, x1), (y0, y1) = view_range(card)
    assert (x0, y0) == (0.0, 0.0)
    assert x1 >= x.max()
    assert y1 >= y.max()
    after = card.table()
    fit = [name for name in before if "by the fit" in name]
    assert len(fit) == 2
    assert len(after[fit[0]]) > 20, "the line of the fit is bent"
    assert {name: values.tolist() for name, values in after.items() if name not in fit} == {
        name: values.tolist() for name, values in before.items() if name not in fit
    }
    assert card.view.value == fitted
    low, high = card.fits.band.getRegion()
    assert (low, high) == pytest.approx(card.fits.range)
    card.fits.band.setRegion((4.0, 20.0))  # as the person drags it
    assert card.fits.chosen == pytest.approx((4.0, 20.0))
    axis = card.view.getPlotItem().getAxis("bottom")
    assert axis.tickStrings([10.0, 20.0], 1.0, 10.0) == ["10", "20"]
    entry(card, "Reset").trigger()
    assert card.view.readable.place_of((0, "points"), 0).x() == pytest.approx(np.log10(x[0]))
    assert card.fits.chosen is None
    assert not entry(card, "Reset").isEnabled()


def test_a_range_is_set_by_numbers_and_kept_for_the_following_runs(panel: PlotsPanel, qtbot: QtBot) -> None:
    card = open_plot(panel, CoarseningPlot)
    dialog = RangeDialog(card.view, card.title, card)
    qtbot.addWidget(dialog)
    ok = dialog.buttons.buttons()[0]
    assert dialog.ends == pytest.approx(card.view.ends, rel=1e-5)
    for edit, value in zip(dialog.edits, (1.0, 50.0, 0.01, 0.5), strict=True):
        edit.set_value(value)
    dialog._check()
    assert ok.isEnabled()
    assert dialog.ends == (1.0, 50.0, 0.01, 0.5)
    for place, wrong, words in ((0, 60.0, "Horizontal axis: the lower"), (2, 0.0, "above 0"), (1, None, "number")):
        before = dialog.edits[place].value
        dialog.edits[place].set_value(wrong)
        dialog._check()
        assert words in dialog.problem.text()
        assert not ok.isEnabled()
        assert dialog.ends is None
        dialog.edits[place].set_value(before)
    card.view.set_range((1.0, 50.0, 0.01, 0.5), lock=True)
    card.look_chosen.emit()
    assert view_range(card) == [pytest.approx([0.0, np.log10(50.0)]), pytest.approx([-2.0, np.log10(0.5)])]
    panel.begin()
    panel.refresh(aggregate(None, history(-0.2), 900.0))
    assert card.view.ends == pytest.approx((1.0, 50.0, 0.01, 0.5)), "the following run has the same range"
    assert entry(card, "Keep this range").isChecked()
    card.view.follow()
    assert not entry(card, "Keep this range").isChecked()
    assert card.view.ends[1] > 50.0


def test_scales_and_ranges_are_kept_with_the_other_choices(panel: PlotsPanel, qtbot: QtBot) -> None:
    changed = []
    panel.model.events.looks.connect(changed.append)
    card = open_plot(panel, BoxCountingPlot)
    entry(card, "Vertical axis/Linear").trigger()
    card.view.set_range((1.0, 40.0, 0.0, 300.0), lock=True)
    entry(card, "Keep this range").trigger()  # not any more
    entry(card, "Keep this range").trigger()
    card.view.set_range((1.0, 40.0, 0.0, 300.0), lock=True)
    card.look_chosen.emit()
    assert len(changed) == 3
    plain = kept_of(panel)
    assert plain["looks"] == {
        "aggregation/BoxCountingPlot": [{"logarithmic": [True, False], "range": pytest.approx([1.0, 40.0, 0.0, 300.0])}]
    }
    other = plots_panel()
    qtbot.addWidget(other)
    give(other, plain)
    same = open_plot(other, BoxCountingPlot)
    assert same.view.logarithmic == (True, False)
    assert same.view.locked
    assert same.view.ends == pytest.approx((1.0, 40.0, 0.0, 300.0))
    give(other, {"looks": {}})
    assert same.view.logarithmic == (True, True)
    assert not same.view.locked


def test_damaged_scales_and_ranges_are_left_out(qtbot: QtBot) -> None:
    made = plots_panel()
    qtbot.addWidget(made)
    card = open_plot(made, BoxCountingPlot)
    for look in (
        3,
        [],
        [{}, {}],
        [{"logarithmic": [True]}],
        [{"range": [1, 2, 3]}],
        [{"range": [1.0, 2.0, 3.0, "x"]}],
        [{"range": [2.0, 1.0, 1.0, 2.0]}],
        [{"range": [-1.0, 1.0, 1.0, 2.0]}],
        [{"range": [float("nan"), 1.0, 1.0, 2.0]}],
        [7],
    ):
        give(made, {"looks": {"aggregation/BoxCountingPlot": look}})
        assert card.view.logarithmic == (True, True), look
        assert not card.view.locked, look
    give(made, {"looks": {"aggregation/BoxCountingPlot": [{"logarithmic": [False, True], "range": None}]}})
    assert card.view.logarithmic == (False, True), "what can be read is taken"


def test_entries_of_the_menu_reach_the_panel(panel: PlotsPanel) -> None:
    card, asked = open_plot(panel, BoxCountingPlot), list[Any]()
    panel.copy_asked.connect(asked.append)
    panel.save_asked.connect(asked.append)
    entry(card, "Copy data").trigger()
    entry(card, "Export plot…").trigger()
    assert asked == [card, card]
    entry(card, "Keep as reference").trigger()
    assert len(panel.references) == 1
    entry(card, "Enlarge, or show all plots").trigger()
    assert panel.enlarged == 1
