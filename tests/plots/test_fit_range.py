"""The range of the fits of a plot: what is fitted, dragged, typed, remembered and taken away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel, RunStyle
from aggviewer.plots.card import PlotCard
from aggviewer.plots.fits import PowerFit, exponent_text
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot, PairDistributionPlot
from engine.power_laws import power_through
from tests.plots.aggregate_data import aggregate, history
from tests.plots.panels import data_of, give, kept_of, open_plot, shown_panel
from tests.waiting import laid_out, wait_until

ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")


def by_numpy(x: np.ndarray, y: np.ndarray, low: float, high: float) -> tuple[float, int]:
    """Slope on log axes and the number of points, between `low` and `high`."""
    inside = (x >= low * (1 - 1e-9)) & (x <= high * (1 + 1e-9)) & (y > 0.0)
    return float(np.polyfit(np.log10(x[inside]), np.log10(y[inside]), 1)[0]), int(inside.sum())


def drag(card: PlotCard, edge: int, to: float) -> None:
    """Take an edge of the band with the mouse to a place on the x axis (log10)."""
    view = card.view
    laid_out(view)
    box, viewport = view.getPlotItem().getViewBox(), view.viewport()
    middle = view.viewRect().center().y()
    arrived: list[QPoint] = []

    def at(x: float) -> QPoint:
        return view.mapFromScene(box.mapViewToScene(QPointF(x, middle)))

    def move(pos: QPoint) -> None:
        """The moves come from the display, each a while after it was asked for."""
        QTest.mouseMove(viewport, pos)
        wait_until(lambda: pos in arrived)

    def arrive(pos: QPointF) -> None:
        arrived.append(view.mapFromScene(pos))

    start, end = at(card.fits.band.getRegion()[edge]), at(to)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=start)  # for Qt a double click has left it pressed
    QTest.mouseMove(viewport, start + QPoint(1, 0))  # the mouse may be there already, and then nothing comes
    view.scene().sigMouseMoved.connect(arrive)
    move(start)
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.6, 1.0):
        move(start + (end - start) * share)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=end)
    view.scene().sigMouseMoved.disconnect(arrive)


def test_an_edge_is_dragged_and_the_slope_is_that_of_its_points(panel: PlotsPanel) -> None:
    card = open_plot(panel, BoxCountingPlot)
    x, y = data_of(card, "points")
    before = card.view.viewRect()
    goal = float(np.log10(x[-1] * x[0])) / 2.0
    drag(card, 0, goal)
    assert card.view.viewRect() == before, "the edge moves, not the plot"
    low, high = card.fits.chosen or (0.0, 0.0)
    assert np.log10(low) == pytest.approx(goal, abs=0.05)
    slope, count = by_numpy(x, y, low, high)
    assert count < len(x)
    ((found,),) = card.found.found
    assert found is not None
    assert_allclose([found.exponent, found.count], [slope, count], rtol=1e-8)
    assert f"{-slope:.3f}</b>" in card.view.value
    assert "±" not in card.view.value, "the scatter about the line is no standard error"
    assert f"{count}\u00a0points" in card.view.value


def test_the_ends_can_be_typed_and_what_is_none_is_refused(panel: PlotsPanel, qtbot: QtBot) -> None:
    card = open_plot(panel, PairDistributionPlot)
    card.head.fit.click()
    first, last = card.fits.edits
    assert first.isVisible()
    assert first.accessibleName() == "Pair distribution P(r): fit from"
    told: list[None] = []
    card.fit_chosen.connect(lambda: told.append(None))

    def write(edit: Any, text: str) -> None:
        edit.setFocus()
        edit.selectAll()
        qtbot.keyClicks(edit, text)
        qtbot.keyClick(edit, Qt.Key.Key_Return)

    write(first, "4")
    assert card.fits.chosen == pytest.approx((4.0, card.fits.edits[1].value), rel=1e-3)
    write(last, "10")
    assert card.fits.chosen == (4.0, 10.0)
    assert len(told) == 2
    for wrong in ("-3", "0", "many", "10", "inf"):
        write(first, wrong)
        assert card.fits.chosen == (4.0, 10.0), wrong
        assert first.value == 4.0, wrong
    write(first, "20")  # beyond the other end: they change places
    assert card.fits.chosen == (10.0, 20.0)
    qtbot.keyClick(first, Qt.Key.Key_Down)
    assert card.fits.chosen == (5.0, 20.0)


def test_too_few_points_say_so_and_leave_the_band_to_be_dragged_back(panel: PlotsPanel) -> None:
    card = open_plot(panel, BoxCountingPlot)
    card.head.fit.click()
    card.fits.choose((1.1, 1.2))
    assert "too few sizes" in card.view.value
    assert card.fits.band.isVisible()
    assert card.fits.results.text() == "n < 2"
    card.fits.choose((1.1, 4.0))
    assert "2\u00a0points" in card.view.value


def test_the_choice_stays_while_the_run_goes_on_and_is_kept(panel: PlotsPanel, qtbot: QtBot, indicators: Any) -> None:
    card = open_plot(panel, CoarseningPlot)
    drag(card, 0, 0.5)
    chosen = card.fits.chosen
    assert chosen is not None
    panel.refresh(aggregate(indicators, history(-0.6), 200.0))
    assert card.fits.chosen == chosen
    kept = kept_of(panel)
    other = shown_panel(qtbot)
    give(other, kept)
    assert open_plot(other, CoarseningPlot).fits.chosen == pytest.approx(chosen)
    assert open_plot(other, BoxCountingPlot).fits.chosen is None
    card.fits.reset()
    assert kept_of(panel)["ranges"] == {}


def test_two_runs_are_fitted_over_the_same_range(panel: PlotsPanel, indicators: Any) -> None:
    panel.set_runs([ED, TS])
    for run, power in enumerate((-0.8, -0.5)):
        panel.refresh(aggregate(indicators, history(power), 100.0), run)
    card = open_plot(panel, CoarseningPlot)
    card.fits.choose((20.0, 90.0))
    for run in range(2):
        slope, _ = by_numpy(*data_of(card, "clusters", run), 20.0, 90.0)
        found = card.found.found[run][0]
        assert found is not None
        assert found.exponent == pytest.approx(slope, rel=1e-8)
        assert exponent_text(found.exponent) in card.view.value
    assert "slope of M (TS) [1]" in card.table()


def test_exact_and_noisy_powers() -> None:
    x = np.geomspace(1.0, 100.0, 9)
    exact = power_through(x, 3.0 * x**-1.5, (1.0, 100.0))
    assert exact is not None
    assert_allclose([exact.exponent, exact.amplitude, exact.count], [-1.5, 3.0, 9], rtol=1e-12)
    assert (exponent_text(1.5), exponent_text(-1.5), exponent_text(-0.0)) == ("1.500", "−1.500", "0.000")
    assert exponent_text(-1e-17) == "0.000"
    assert power_through(x, np.where(x > 1.0, np.nan, 1.0), (1.0, 100.0)) is None
    assert power_through(x, np.zeros(9), (1.0, 100.0)) is None
    noisy = x**2 * np.exp(np.random.default_rng(3).normal(0.0, 0.1, 9))
    found = power_through(x, noisy, (1.0, 100.0))
    assert found is not None
    assert_allclose(found.exponent, by_numpy(x, noisy, 1.0, 100.0)[0], rtol=1e-9)


def test_each_fit_has_its_usual_range() -> None:
    x = np.geomspace(1.0, 1000.0, 31)
    assert PowerFit().usual_range(x) == pytest.approx((1.0, 1000.0))
    assert PowerFit(low=3.0).usual_range(x) == pytest.approx((3.0, 1000.0))
    assert PowerFit(decades=1.0).usual_range(x) == pytest.approx((100.0, 1000.0))
    assert PowerFit(low=2000.0).usual_range(x) is None
    assert PowerFit().usual_range(np.array([np.nan, -1.0])) is None
