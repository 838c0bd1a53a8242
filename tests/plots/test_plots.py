"""The plots panel with made-up data: what is drawn is what was given."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QFont, QWheelEvent
from PyQt6.QtWidgets import QApplication

from aggviewer.plots.runs import RunStyle
from aggviewer.style.theme import DARK, LIGHT, colors_on
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot, ContactsPlot, PairDistributionPlot
from engine.analysis import analyse
from engine.simulation import History
from tests.builders.points import nested
from tests.plots.panels import aggregate, data_of, open_plot, plots_panel, shown_panel, style_of, unfold_all

COUNT = 400
BOX = np.array([20.0, 20.0])
RADIUS = 0.25


@pytest.fixture
def panel(qtbot):
    return shown_panel(qtbot)


def history_of(count, entries):
    clusters = count - np.arange(entries)
    return History(np.linspace(0.0, 10.0, entries), clusters, 3.0 * (clusters / count) ** 1.5)


def test_every_plot_says_what_it_shows_while_it_is_empty(panel):
    assert [card.number for card in panel.cards] == list(range(1, 12))
    for card in unfold_all(panel).cards:
        panel.show_only(card.number)
        assert len(card.view.empty_text) > 20
        assert card.view._empty.isVisible()
        assert "(" in card.plot.definition or card.number > 5  # the number of the equation


def test_a_question_for_a_point_has_axes_also_where_its_plot_has_no_data(panel):
    card = panel.cards[0]
    panel.show_only(1)
    view, axes = card.view, [card.view.getPlotItem().getAxis(name) for name in ("bottom", "left")]

    def seen() -> tuple[list[bool], list[float], bool]:
        return [axis.style["showValues"] for axis in axes], [axis.opacity() for axis in axes], view._empty.isVisible()

    before = seen()
    assert before[0] == [False, False]
    assert before[2]
    panel.ask_point(card.key(), 20.0, lambda y: None, 2.0, 90.0)
    assert seen() == ([True, True], [1.0, 1.0], False)
    (x0, x1), (y0, y1) = view.getPlotItem().getViewBox().viewRange()
    line = np.log10(20.0) if view.logarithmic[0] else 20.0
    low, high = np.log10([2.0, 90.0]) if view.logarithmic[1] else (2.0, 90.0)
    assert x0 < line - 0.5 < line < x1
    assert y0 - 1e-9 <= low < high <= y1 + 1e-9
    panel.set_theme(DARK)
    assert seen() == ([True, True], [1.0, 1.0], False)
    panel.clear_point()
    assert seen() == before


def test_box_counting_and_its_line(panel, indicators):
    panel.refresh(aggregate(indicators, None, 1.0))
    card = open_plot(panel, BoxCountingPlot)
    x, y = data_of(card, "points")
    eps, n = indicators.box_counting["eps"], indicators.box_counting["n"]
    assert_allclose(x, eps / RADIUS)
    assert_allclose(y, n)
    line = card.view.shown[(0, "fit of points")].series
    assert_allclose(line.x, [3.0, 10.0 / RADIUS])  # 3R … L/2
    assert_allclose(card.fits.band.getRegion(), np.log10(line.x))
    inside = eps >= 3.0 * RADIUS
    slope, at_zero = np.polyfit(np.log10(x[inside]), np.log10(y[inside]), 1)
    assert_allclose(np.log10(line.y), at_zero + slope * np.log10(line.x), rtol=1e-9)
    assert f"{-slope:.3f}" in card.view.value
    assert card.view.empty_text == ""


def test_no_line_where_there_is_no_fit(panel, indicators):
    few = SimpleNamespace(**{**vars(indicators), "fractal_dimension": None, "fractal_fit": None})
    panel.refresh(aggregate(few, None, 1.0))
    assert (0, "fit of points") not in open_plot(panel, BoxCountingPlot).view.shown
    assert not open_plot(panel, BoxCountingPlot).fits.band.isVisible()
    assert len(data_of(open_plot(panel, BoxCountingPlot), "points")[0]) == 10


def test_why_there_is_no_fractal_dimension(panel):
    positions, box = np.mgrid[:16, :16].reshape(2, -1).T + 0.5, np.array([16.0, 16.0])
    radii, each = np.full(256, 0.25), np.arange(256, dtype=np.int32)
    panel.begin()
    panel.refresh(aggregate(analyse(positions, radii, box, periodic=False, cluster=each), radius=0.25))
    assert open_plot(panel, BoxCountingPlot).view.value == "D<sub>f</sub> = — (nothing has aggregated)"
    panel.begin()
    panel.refresh(
        aggregate(analyse(positions[:4], radii[:4] * 8.0, box, periodic=False, cluster=0 * each[:4]), radius=2.0)
    )
    assert "too few sizes" in open_plot(panel, BoxCountingPlot).view.value


def test_in_space_full_boxes_are_hollow_and_not_fitted(panel):
    points, each = nested([8, 64, 388, 1261], 3, 20.0), np.full(1261, 20.0 / 48.0)
    found = analyse(points, each, np.full(3, 20.0), periodic=True, cluster=np.zeros(1261, np.int32))
    panel.begin()
    panel.refresh(aggregate(found, radius=20.0 / 48.0, dimensions=3))
    card = open_plot(panel, BoxCountingPlot)
    assert_allclose(data_of(card, "full")[1], [8, 64])
    assert card.view.shown[(0, "full")].series.hollow
    assert_allclose(data_of(card, "points")[1][:3], [388, 1261, 1261])
    assert_allclose(card.view.shown[(0, "fit of points")].series.x, [3.0, 6.0])
    assert f"{np.log2(1261 / 388):.3f}" in card.view.value
    assert "slopes" in card.view.value
    assert "1.70" in card.view.value
    packed = nested([8, 64, 512, 4096], 3, 20.0)
    one = np.zeros(4096, np.int32)
    found = analyse(packed, np.full(4096, 20.0 / 48.0), np.full(3, 20.0), periodic=True, cluster=one)
    panel.begin()
    panel.refresh(aggregate(found, radius=20.0 / 48.0, dimensions=3))
    assert "of which not all boxes are full" in open_plot(panel, BoxCountingPlot).view.value


def test_pair_distribution_in_units_of_the_radius(panel, indicators):
    panel.refresh(aggregate(indicators, None, 1.0))
    x, y = data_of(open_plot(panel, PairDistributionPlot), "curve")
    assert_allclose(x, indicators.pair_distribution["r"] / RADIUS)
    assert_allclose(y, indicators.pair_distribution["p"])


def test_contacts_as_shares_with_six_and_more_together(panel, indicators):
    few = SimpleNamespace(**{**vars(indicators), "contacts_histogram": np.array([10, 20, 30, 20, 10, 5, 3, 2])})
    panel.refresh(aggregate(few, None, 1.0))
    assert_allclose(data_of(open_plot(panel, ContactsPlot), "bars")[1], [0.1, 0.2, 0.3, 0.2, 0.1, 0.05, 0.05])
    assert f"{indicators.contacts_relative:.3f}" in open_plot(panel, ContactsPlot).view.value


def test_clusters_and_energy_over_their_start_up_to_now(panel):
    history = history_of(COUNT, 50)
    panel.refresh(aggregate(None, history, 12.0))
    x, y = data_of(open_plot(panel, CoarseningPlot), "clusters")
    assert_allclose(x, [*history.time[1:], 12.0])  # no place for t = 0 on a log axis
    assert_allclose(y, [*history.clusters[1:] / COUNT, 351 / COUNT])
    x, y = data_of(open_plot(panel, CoarseningPlot), "energy")
    assert_allclose(y[:-1], history.kinetic_energy[1:] / 3.0)
    assert "<b>351 at t = 12.00</b>" in open_plot(panel, CoarseningPlot).view.value


def test_nothing_to_draw_before_the_first_moment_and_at_rest(panel):
    panel.refresh(aggregate(None, history_of(COUNT, 1), 0.0))
    assert open_plot(panel, CoarseningPlot).view.empty_text
    panel.refresh(aggregate(None, History(np.array([0.0]), np.array([COUNT]), np.array([0.0])), 2.0))
    _, y = data_of(open_plot(panel, CoarseningPlot), "clusters")
    assert_allclose(y, 1.0)
    assert "E/E₀ = <b>0</b>" in open_plot(panel, CoarseningPlot).view.value


def test_a_missing_quantity_keeps_its_empty_state(panel, indicators):
    without = SimpleNamespace(**{**vars(indicators), "pair_distribution": None})
    panel.refresh(aggregate(without, None, 1.0))
    assert open_plot(panel, PairDistributionPlot).view.empty_text
    assert not open_plot(panel, ContactsPlot).view.empty_text


def test_a_plot_that_fails_says_so_and_the_others_go_on(panel, indicators, monkeypatch, caplog):
    def fails(*_given):
        raise ZeroDivisionError("no discs")

    failing = open_plot(panel, PairDistributionPlot)
    with monkeypatch.context() as patch:
        patch.setattr(failing.plot, "prepare", fails)
        for time_ in (12.0, 13.0):
            panel.refresh(aggregate(indicators, history_of(COUNT, 50), time_))
    assert failing.view.empty_text == f"{failing.title} cannot be drawn: ZeroDivisionError: no discs"
    assert len(caplog.records) == 1, "once, not several times a second"
    assert caplog.records[0].exc_info
    assert not open_plot(panel, BoxCountingPlot).view.empty_text
    assert open_plot(panel, CoarseningPlot).view.value
    panel.refresh(aggregate(indicators, history_of(COUNT, 50), 14.0))
    assert not failing.view.empty_text


def test_a_new_system_clears(panel, indicators):
    unfold_all(panel)
    panel.refresh(aggregate(indicators, history_of(COUNT, 50), 12.0))
    panel.begin()
    for card in panel.cards:
        assert card.view.empty_text
        assert card.view.value == ""
        assert not card.view.shown


def test_a_million_entries_are_thinned(panel):
    history = history_of(1_000_000, 999_999)
    panel.begin()
    panel.refresh(aggregate(None, history, 10.0, count=1_000_000))
    x, y = data_of(open_plot(panel, CoarseningPlot), "clusters")
    assert len(x) < 1500
    assert_allclose(y[-1], 2e-6, rtol=1e-9)


def test_a_long_history_is_shown_again_and_again(panel, indicators):
    open_plot(panel, BoxCountingPlot)
    history = history_of(1_000_000, 999_999)
    panel.begin()
    panel.refresh(aggregate(indicators, history, 10.0))
    for k in range(3):
        panel.refresh(aggregate(indicators, history, 10.0 + k))
    assert f"{indicators.fractal_dimension:.3f}" in open_plot(panel, BoxCountingPlot).view.value


def test_one_plot_alone_and_all_again(panel):
    unfold_all(panel)
    panel.focus_plot(2)
    assert panel.shown == 2
    assert [card.number for card in panel.cards if card.isVisible()] == [2]
    assert panel.focusWidget() is open_plot(panel, PairDistributionPlot).view
    panel.focus_plot(3)
    assert [card.number for card in panel.cards if card.isVisible()] == [3]
    panel.focus_plot(3)
    assert panel.shown is None
    assert all(card.isVisible() for card in panel.cards[:4])
    panel.show_only(4)
    assert panel.shown == 4
    with pytest.raises(ValueError, match="no plot 12"):
        panel.show_only(12)


def test_the_button_of_a_plot_brings_it_alone(qtbot, panel):
    qtbot.mouseClick(open_plot(panel, ContactsPlot).head.alone, Qt.MouseButton.LeftButton)
    assert panel.shown == 3
    qtbot.mouseClick(open_plot(panel, ContactsPlot).head.alone, Qt.MouseButton.LeftButton)
    assert panel.shown is None


def test_a_folded_plot_costs_nothing_and_catches_up(panel, indicators):
    card = open_plot(panel, BoxCountingPlot)
    card.head.fold.setChecked(False)
    assert not card.view.isVisible()
    panel.refresh(aggregate(indicators, None, 1.0))
    assert len(data_of(card, "points")[0]) == 0
    card.head.fold.setChecked(True)
    assert len(data_of(card, "points")[0]) == 10


def test_hidden_plots_catch_up_when_they_are_shown(panel, indicators):
    panel.show_only(1)
    panel.refresh(aggregate(indicators, None, 1.0))
    assert len(data_of(open_plot(panel, PairDistributionPlot), "curve")[0]) == 0
    panel.show_only(None)
    assert len(data_of(open_plot(panel, PairDistributionPlot), "curve")[0]) > 0


def wheel(view, modifiers=Qt.KeyboardModifier.NoModifier, turn=120):
    at = QPointF(view.viewport().rect().center())
    QApplication.sendEvent(
        view.viewport(),
        QWheelEvent(
            at,
            view.viewport().mapToGlobal(at),
            QPoint(0, turn),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )


def test_zoom_holds_the_view_and_double_click_or_a_lets_it_follow(qtbot, panel, indicators):
    panel.refresh(aggregate(indicators, history_of(COUNT, 50), 12.0))
    card = open_plot(panel, CoarseningPlot)
    assert card.view.following
    before = card.view.viewRect()
    wheel(card.view, Qt.KeyboardModifier.ControlModifier)
    assert not card.view.following
    assert card.head.follow.isVisible()
    held = card.view.viewRect()
    assert held.width() < before.width()
    panel.refresh(aggregate(indicators, history_of(COUNT, 350), 1200.0))
    assert card.view.viewRect() == held
    qtbot.mouseDClick(card.view.viewport(), Qt.MouseButton.LeftButton)
    assert card.view.following
    assert card.view.viewRect().width() > before.width()
    wheel(card.view, Qt.KeyboardModifier.ControlModifier)
    card.view.setFocus()
    qtbot.keyClick(card.view, Qt.Key.Key_A)
    assert card.view.following
    assert not card.head.follow.isVisible()


def test_the_wheel_zooms_a_plot_with_ctrl_alone(qtbot, panel, indicators):
    panel.refresh(aggregate(indicators, None, 1.0))
    panel.resize(340, 200)
    qtbot.waitUntil(lambda: panel._scroll.verticalScrollBar().maximum() > 0)
    wheel(open_plot(panel, BoxCountingPlot).view)
    assert open_plot(panel, BoxCountingPlot).view.following
    panel.show_only(1)  # nothing to scroll: the wheel does nothing
    panel.resize(340, 360)
    qtbot.waitUntil(lambda: panel._scroll.verticalScrollBar().maximum() == 0)
    wheel(open_plot(panel, BoxCountingPlot).view)
    assert open_plot(panel, BoxCountingPlot).view.following
    wheel(open_plot(panel, BoxCountingPlot).view, Qt.KeyboardModifier.ControlModifier)
    assert not open_plot(panel, BoxCountingPlot).view.following


@pytest.mark.parametrize("turn", [120, -120])
def test_a_plot_is_not_zoomed_beyond_what_can_be_read(panel, indicators, turn):
    panel.refresh(aggregate(indicators, history_of(COUNT, 50), 12.0))
    view = open_plot(panel, CoarseningPlot).view
    view.scene().prepareForPaint()  # the range of the data
    whole = view.viewRect()
    for _ in range(400):
        wheel(view, Qt.KeyboardModifier.ControlModifier, turn)
    seen = view.viewRect()
    assert 0.9e-4 < seen.width() / whole.width() <= 5.01
    assert 0.9e-4 < seen.height() / whole.height() <= 5.01
    assert seen.intersects(whole)
    for _ in range(30):  # nor is it dragged away
        view.getPlotItem().getViewBox().translateBy(x=whole.width(), y=whole.height())
    assert view.viewRect().left() < whole.right() + 2.01 * whole.width()


def test_the_mouse_reads_the_nearest_point(panel, indicators):
    panel.refresh(aggregate(indicators, None, 1.0))
    view = open_plot(panel, BoxCountingPlot).view
    x, y = data_of(open_plot(panel, BoxCountingPlot), "points")
    box = view.getPlotItem().getViewBox()
    view.scene().sigMouseMoved.emit(box.mapViewToScene(QPointF(np.log10(x[2]), np.log10(y[2]))))
    assert f"N = {indicators.box_counting['n'][2]}" in view._text.text()
    assert "D<sub>f</sub>" in view._text.text()
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert "N = " not in view._text.text()


def test_numbers_stand_above_the_axes_and_lines_stay_apart_once_they_were(panel, indicators):
    panel.refresh(aggregate(indicators, None, 1.0))
    view = open_plot(panel, BoxCountingPlot).view

    def axes_begin() -> float:
        view.getPlotItem().layout().activate()
        return view.getPlotItem().getViewBox().sceneBoundingRect().top()

    view.set_value("")
    usual, least = axes_begin(), view.minimumHeight()
    view.set_value("M = 1<br>E = 2")
    line = view._text.height()
    assert axes_begin() > view._text.geometry().bottom()
    assert view.minimumHeight() == least + line
    assert line < 2 * view.fontMetrics().height(), "both in one line"
    view._hover = "what the mouse reads moves nothing"
    view._write()
    assert view._text.height() > line
    assert axes_begin() - usual == line
    view._hover = ""
    view.set_value(f"M = {'1' * 18}<br>E = {'2' * 18}")
    assert view._text.height() > 1.5 * line
    high = axes_begin()
    view.set_value("M = 1<br>E = 2")
    assert axes_begin() == high, "numbers that grow and shrink do not move the plot"


def test_icons_are_there_for_the_pointer_and_the_keyboard(panel, qtbot):
    QApplication.instance().focusChanged.emit(None, None)
    card = next(card for card in panel.cards if not card.underMouse())
    assert not card.head.help.isVisibleTo(card)
    card.enterEvent(None)
    assert card.head.help.isVisibleTo(card)
    QApplication.instance().focusChanged.emit(None, None)
    assert not card.head.help.isVisibleTo(card)
    QApplication.instance().focusChanged.emit(None, card.head.fold)
    assert card.head.help.isVisibleTo(card)
    QApplication.instance().focusChanged.emit(card.head.fold, None)
    assert not card.head.help.isVisibleTo(card)


def test_the_range_holds_all_data_and_does_not_move_with_each_refresh(panel, indicators):
    whole = history_of(COUNT, 52)
    panel.refresh(aggregate(indicators, History(whole.time[:50], whole.clusters[:50], whole.kinetic_energy[:50]), 12.0))
    x, y = data_of(open_plot(panel, CoarseningPlot), "energy")
    seen = open_plot(panel, CoarseningPlot).view.viewRect()
    assert seen.left() <= np.log10(x.min())
    assert np.log10(x.max()) <= seen.right() + 1e-9
    assert seen.top() <= np.log10(y.min())
    assert np.log10(y.max()) <= seen.bottom() + 1e-9
    panel.refresh(aggregate(indicators, whole, 12.5))
    assert open_plot(panel, CoarseningPlot).view.viewRect() == seen


def test_themes_recolour_curves_axes_and_texts(panel, indicators):
    panel.refresh(aggregate(indicators, history_of(COUNT, 50), 12.0))
    for dark, colours in ((True, DARK), (False, LIGHT)):
        panel.set_theme(colors_on(dark))
        assert style_of(open_plot(panel, CoarseningPlot), "clusters").colour == colours.event_driven
        assert style_of(open_plot(panel, PairDistributionPlot), "curve").colour == colours.event_driven
        axis = open_plot(panel, BoxCountingPlot).view.getPlotItem().getAxis("left")
        assert axis.textPen().color().name() == colours.muted
        assert colours.event_driven in open_plot(panel, CoarseningPlot).view.value


def test_a_theme_writes_each_label_once(panel, indicators, monkeypatch):
    panel.refresh(aggregate(indicators, history_of(COUNT, 50), 12.0))
    axes = [open_plot(panel, CoarseningPlot).view.getPlotItem().getAxis(name) for name in ("bottom", "left")]
    written = []
    for axis in axes:
        write = axis.label.setHtml
        monkeypatch.setattr(axis.label, "setHtml", lambda html, write=write: (written.append(html), write(html)))
    for dark, colours in ((True, DARK), (False, LIGHT)):
        panel.set_theme(colors_on(dark))
        assert len(written) == len(axes)
        assert all(colours.text in html for html in written)
        written.clear()
        assert [axis.label.toPlainText().strip() for axis in axes] == ["time t", "M/N, E/E₀"]


def test_a_closed_panel_is_freed(qtbot, indicators):
    panel = plots_panel()
    panel.show()
    panel.begin()
    panel.refresh(aggregate(indicators, history_of(COUNT, 50), 12.0))
    gone = weakref.ref(panel)
    panel.close()
    panel.deleteLater()
    del panel

    def is_gone():
        gc.collect()
        return gone() is None

    qtbot.waitUntil(is_gone)


def test_axes_and_texts_follow_the_font_and_come_back(qtbot, panel, indicators):
    panel.refresh(aggregate(indicators, history_of(COUNT, 300), 10.0))
    view = open_plot(panel, CoarseningPlot).view

    def sizes():
        axes = [view.getPlotItem().getAxis(name) for name in ("bottom", "left")]
        ticks = [axis.style["tickFont"].pointSizeF() for axis in axes]
        labels = [float(axis.labelStyle["font-size"].removesuffix("pt")) for axis in axes]
        return [*ticks, *labels, view._text.font().pointSizeF(), axes[1].width(), axes[0].height()]

    before = sizes()
    usual = panel.font()
    large = QFont(usual)
    large.setPointSizeF(1.5 * usual.pointSizeF())
    panel.setFont(large)
    assert_allclose(sizes(), 1.5 * np.array(before), rtol=0.1)
    panel.setFont(usual)
    assert sizes() == before


def test_no_plot_is_shown_until_somebody_asks_for_one(panel):
    panel.show_these([2])
    panel.choose(None)
    assert panel.choice is None
    assert panel.seen == ()
    assert not any(card.isVisible() for card in panel.cards)
    panel.set_runs((RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")))
    assert panel.seen == (), "another run is no reason to show one"
    panel.focus_plot(1)
    assert panel.choice == (1,)
    assert [card.number for card in panel.cards if card.isVisible()] == [1]
    panel.choose(())
    assert len(panel.seen) > 1, "all are there again"
    panel.choose([99])
    assert len(panel.seen) > 1, "what another system has is not there"
