"""A plot in the window: how it is read, zoomed and coloured, and what of it is seen in a narrow panel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QFont, QWheelEvent
from PyQt6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel, RunStyle
from aggviewer.plots.card import PlotCard
from aggviewer.plots.drawing import Axes
from aggviewer.plots.head import CornerText
from aggviewer.plots.view import PlotView
from aggviewer.session.data import Analysis
from aggviewer.style.theme import DARK, LIGHT, colors_on
from aggviewer.systems.aggregation.coarsening import CoarseningPlot, ConvergencePlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from engine.simulation import History
from tests.plots.aggregate_data import aggregate, failures, merging, steps_of
from tests.plots.panels import data_of, open_plot, shown_panel, style_of, unfold_all
from tests.waiting import laid_out, wait_until

ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")


@pytest.fixture
def panel(qtbot: QtBot, indicators: Any) -> PlotsPanel:
    """A panel with a state of aggregates and a short history."""
    made = shown_panel(qtbot)
    made.refresh(aggregate(indicators, merging(400, 50), 12.0))
    return made


def point_at(view: PlotView, x: float, y: float) -> None:
    """Move the pointer to a place in coordinates of the view."""
    view.scene().sigMouseMoved.emit(view.getPlotItem().getViewBox().mapViewToScene(QPointF(float(x), float(y))))


def test_the_mouse_reads_the_nearest_point_beside_the_numbers(panel: PlotsPanel, indicators: Any) -> None:
    card = open_plot(panel, BoxCountingPlot)
    x, y = data_of(card, "points")
    (text,) = card.view.texts()[1:] or card.view.texts()
    point_at(card.view, np.log10(x[2]), np.log10(y[2]))
    assert f"N = {indicators.box_counting['n'][2]}" in text.text()
    assert "D<sub>f</sub>" in text.text()
    QApplication.sendEvent(card.view, QEvent(QEvent.Type.Leave))
    assert "N = " not in text.text()


def wheel(view: PlotView, modifiers: Any = Qt.KeyboardModifier.NoModifier, turn: int = 120) -> None:
    at, none = QPointF(view.viewport().rect().center()), Qt.MouseButton.NoButton
    there, by, phase = view.viewport().mapToGlobal(at), QPoint(0, turn), Qt.ScrollPhase.NoScrollPhase
    QApplication.sendEvent(view.viewport(), QWheelEvent(at, there, by, by, none, modifiers, phase, False))


CTRL = Qt.KeyboardModifier.ControlModifier


def test_zoom_holds_the_view_and_double_click_or_a_lets_it_follow(
    qtbot: QtBot, panel: PlotsPanel, indicators: Any
) -> None:
    card = open_plot(panel, CoarseningPlot)
    assert card.view.following
    before = card.view.viewRect()
    wheel(card.view)
    assert card.view.following, "without Ctrl the wheel scrolls the panel"
    wheel(card.view, CTRL)
    assert not card.view.following
    assert card.head.follow.isVisible()
    held = card.view.viewRect()
    assert held.width() < before.width()
    panel.refresh(aggregate(indicators, merging(400, 350), 1200.0))
    assert card.view.viewRect() == held
    qtbot.mouseDClick(card.view.viewport(), Qt.MouseButton.LeftButton)
    assert card.view.following
    assert card.view.viewRect().width() > before.width()
    wheel(card.view, CTRL)
    card.view.setFocus()
    qtbot.keyClick(card.view, Qt.Key.Key_A)
    assert card.view.following
    assert not card.head.follow.isVisible()


@pytest.mark.parametrize("turn", [120, -120])
def test_a_plot_is_not_zoomed_beyond_what_can_be_read(panel: PlotsPanel, turn: int) -> None:
    view = open_plot(panel, CoarseningPlot).view
    view.scene().prepareForPaint()  # the range of the data
    whole = view.viewRect()
    for _ in range(150):
        wheel(view, CTRL, turn)
    seen = view.viewRect()
    assert 0.9e-4 < seen.width() / whole.width() <= 5.01
    assert 0.9e-4 < seen.height() / whole.height() <= 5.01
    assert seen.intersects(whole)
    for _ in range(30):  # nor is it dragged away
        view.getPlotItem().getViewBox().translateBy(x=whole.width(), y=whole.height())
    assert view.viewRect().left() < whole.right() + 2.01 * whole.width()


def test_the_range_holds_the_data_of_all_runs_and_does_not_move_with_each_refresh(
    panel: PlotsPanel, indicators: Any
) -> None:
    whole = merging(400, 52)
    short = History(whole.time[:50], whole.clusters[:50], whole.kinetic_energy[:50])
    panel.set_runs([ED, TS])
    for run, factor in enumerate((1.0, 1e-3)):
        energy = np.concatenate([[3.0], factor * short.kinetic_energy[1:]])
        panel.refresh(aggregate(indicators, History(short.time, short.clusters, energy), 12.0), run)
    card = open_plot(panel, CoarseningPlot)
    seen = card.view.viewRect()
    for run in range(2):
        x, y = np.log10(data_of(card, "energy", run))
        assert seen.left() <= x.min()
        assert x.max() <= seen.right() + 1e-9
        assert seen.top() <= y.min()
        assert y.max() <= seen.bottom() + 1e-9
    panel.refresh(aggregate(indicators, whole, 12.5))
    assert card.view.viewRect() == seen


def test_themes_recolour_curves_axes_and_texts_and_write_each_label_once(
    panel: PlotsPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = open_plot(panel, CoarseningPlot)
    axes, written = [card.view.getPlotItem().getAxis(name) for name in ("bottom", "left")], list[str]()
    for axis in axes:
        write = axis.label.setHtml
        monkeypatch.setattr(axis.label, "setHtml", lambda html, write=write: (written.append(html), write(html)))
    for dark, colours in ((True, DARK), (False, LIGHT)):
        panel.set_theme(colors_on(dark))
        assert style_of(card, "clusters").colour == colours.event_driven
        assert axes[1].textPen().color().name() == colours.muted
        assert colours.event_driven in card.view.value
        assert len(written) == len(axes)
        assert all(colours.text in html for html in written)
        written.clear()
    assert [axis.label.toPlainText().strip() for axis in axes] == ["time t", "M/N, E/E₀"]


def test_axes_and_texts_follow_the_font_and_come_back(panel: PlotsPanel) -> None:
    panel.set_runs([TS])
    panel.refresh(aggregate(None, merging(400, 300), 12.0, convergence=steps_of([20, 30])))
    view, message = open_plot(panel, CoarseningPlot).view, open_plot(panel, ConvergencePlot).body.message

    def sizes() -> list[float]:
        axes = [view.getPlotItem().getAxis(name) for name in ("bottom", "left")]
        ticks = [axis.style["tickFont"].pointSizeF() for axis in axes]
        labels = [float(axis.labelStyle["font-size"].removesuffix("pt")) for axis in axes]
        texts = [text.font().pointSizeF() for text in (*view.texts(), message)]
        return [*ticks, *labels, *texts, axes[1].width(), axes[0].height()]

    before, usual = sizes(), panel.font()
    large = QFont(usual)
    large.setPointSizeF(1.5 * usual.pointSizeF())
    panel.setFont(large)
    assert_allclose(sizes(), 1.5 * np.array(before), rtol=0.1)
    panel.setFont(usual)
    assert sizes() == before


def test_icons_are_there_for_the_pointer_and_the_keyboard(panel: PlotsPanel) -> None:
    changed = QApplication.instance().focusChanged
    changed.emit(None, None)
    card = next(card for card in panel.cards if not card.underMouse())
    shown = [card.head.help.isVisibleTo(card)]
    card.enterEvent(None)
    shown.append(card.head.help.isVisibleTo(card))
    for before, now in ((None, None), (None, card.head.fold), (card.head.fold, None)):
        changed.emit(before, now)
        shown.append(card.head.help.isVisibleTo(card))
    assert shown == [False, True, False, True, False]


def test_a_question_for_a_point_has_axes_also_where_its_plot_has_no_data(qtbot: QtBot) -> None:
    panel = shown_panel(qtbot)
    card = unfold_all(panel).cards[0]
    panel.show_only(1)
    view, axes = card.view, [card.view.getPlotItem().getAxis(name) for name in ("bottom", "left")]
    (empty,) = view.texts()

    def seen() -> tuple[list[bool], list[float], bool]:
        return [axis.style["showValues"] for axis in axes], [axis.opacity() for axis in axes], empty.isVisible()

    before = seen()
    assert before[0] == [False, False]
    assert before[2]
    panel.ask_point(card.key(), 20.0, lambda y: None, 2.0, 90.0)
    for theme in (LIGHT, DARK):
        panel.set_theme(theme)
        assert seen() == ([True, True], [1.0, 1.0], False)
    (x0, x1), (y0, y1) = view.getPlotItem().getViewBox().viewRange()
    line = np.log10(20.0) if view.logarithmic[0] else 20.0
    low, high = np.log10([2.0, 90.0]) if view.logarithmic[1] else (2.0, 90.0)
    assert x0 < line - 0.5 < line < x1
    assert y0 - 1e-9 <= low < high <= y1 + 1e-9
    panel.clear_point()
    assert seen() == before


# convergence: two panes, a message and places among the discs


def test_a_click_on_a_cross_asks_for_its_place(qtbot: QtBot, panel: PlotsPanel) -> None:
    panel.set_runs([TS])
    steps = steps_of(np.full(40, 30), failures(40, [30]), np.full(40, 4e-4))
    panel.refresh(aggregate(convergence=steps))
    card, asked = open_plot(panel, ConvergencePlot), list[Any]()
    panel.place_asked.connect(lambda x, y: asked.append((x, y)))
    for view, key in zip(card.views, ("failed_iterations", "failed_residual"), strict=True):
        place = view.readable.place_of((0, key), 0)
        point_at(view, place.x(), place.y())
        assert view.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
        at = view.mapFromScene(view.getPlotItem().getViewBox().mapViewToScene(place))
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert asked == [(30.25, 300.0), (30.25, 300.0)]
    view = card.view
    beside = view.getPlotItem().getViewBox().mapViewToScene(QPointF(-200.0, np.log10(30.0)))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.mapFromScene(beside))
    assert len(asked) == 2
    panel.refresh(aggregate(convergence=steps_of(np.full(40, 30))))
    point_at(view, 0.0, np.log10(30.0))
    assert view.viewport().cursor().shape() == Qt.CursorShape.ArrowCursor


def test_of_two_runs_each_has_a_sentence_and_the_button_shows_where_the_worse_one_is(
    qtbot: QtBot, panel: PlotsPanel
) -> None:
    second = RunStyle("f = 1", "time-stepping", 1)
    panel.set_runs([TS, second])
    panel.refresh(aggregate(convergence=steps_of(np.full(30, 20))), 0)
    panel.refresh(aggregate(convergence=steps_of(np.full(40, 5000), np.ones(40))), 1)
    card, asked = open_plot(panel, ConvergencePlot), list[Any]()
    text = card.body.message.text()
    assert "TS: 20 iterations" in text
    assert "f = 1: <span" in text
    assert LIGHT.error in text
    panel.place_asked.connect(lambda x, y: asked.append((x, y)))
    assert card.where_button.accessibleName() == "Show where"
    qtbot.mouseClick(card.where_button, Qt.MouseButton.LeftButton)
    card.body.message.linkActivated.emit("where")
    assert asked == [(39.25, 390.0)] * 2
    height = card.view.height()
    panel.set_runs([TS])
    assert "f = 1" not in card.body.message.text()
    assert card.view.height() == height, "nothing jumps"
    panel.refresh(aggregate(convergence=steps_of([0, 0])))
    assert not card.where_button.isEnabled()


def test_both_panes_are_held_and_follow_together(panel: PlotsPanel) -> None:
    panel.set_runs([TS])
    panel.refresh(aggregate(convergence=steps_of(np.full(256, 20))))
    card = open_plot(panel, ConvergencePlot)
    upper, lower = card.views
    upper.getPlotItem().getViewBox().setXRange(-50, 0, padding=0)
    upper.hold()
    assert not lower.following
    assert_allclose(lower.viewRect().left(), -50, atol=2)
    assert card.head.follow.isVisible()
    lower.follow()
    assert upper.following
    assert upper.viewRect().left() < -250


# what a person sees of it


@pytest.mark.parametrize("system", ["aggregation", "hard-discs", "jamming"])
def test_in_a_narrow_panel_nothing_is_cut_off_and_no_text_lies_over_a_plot(
    qtbot: QtBot, states: dict[str, Analysis], system: str
) -> None:
    """Without data in the plane and in space, and with two runs; from the least width to that of a wide window."""
    panel = shown_panel(qtbot, system, height=690)

    def settled(width: int) -> list[PlotCard]:
        panel.resize(width, 690)
        found = [card for card in unfold_all(panel).cards if card.isVisible()]
        for card in found:
            card.head.reveal(True)
        laid_out(panel)
        for card in found:
            assert card.mapTo(panel, card.rect().bottomRight()).x() < width, card.title
            for button in (card.head.help, card.head.alone):
                assert button.mapTo(panel, button.rect().bottomRight()).x() < width, card.title
            assert card.head.fold.accessibleName() == card.title
            assert card.head.fold.text() == card.title or (width <= 256 and card.head.fold.text().endswith("…"))
        return found

    for dimensions in (2, 3):
        panel.set_runs([RunStyle("one", "event-driven", dimensions=dimensions)])
        for card in settled(256):
            (empty,) = card.view.texts()
            label = card.view.getPlotItem().getAxis("left").label
            assert label.isVisible() or card.plot.key() == "autocorrelation", (card.title, dimensions)
            assert empty.heightForWidth(empty.width()) <= empty.height(), (card.title, dimensions)
    panel.set_runs([ED, TS])
    for run in range(2):
        panel.refresh(states[system], run)
    for width in (240, 500):
        for card in settled(width):
            for view in card.views:
                for text in view.texts():
                    if text.isVisible():
                        assert view.rect().contains(text.geometry()), (card.title, text.text())
                        top = view.getPlotItem().getViewBox().sceneBoundingRect().top()
                        assert text.geometry().bottom() <= top + 1, (card.title, text.text())


def test_numbers_that_grow_and_shrink_do_not_move_a_plot(panel: PlotsPanel) -> None:
    view = open_plot(panel, BoxCountingPlot).view
    (text,) = view.texts()[1:] or view.texts()

    def axes_begin() -> float:
        view.getPlotItem().layout().activate()
        return float(view.getPlotItem().getViewBox().sceneBoundingRect().top())

    view.set_value("M = 1<br>E = 2")
    line = text.height()
    assert line < 2 * view.fontMetrics().height(), "both in one line"
    view.set_value(f"M = {'1' * 18}<br>E = {'2' * 18}")
    assert text.height() > 1.5 * line
    high = axes_begin()
    assert high > text.geometry().bottom()
    view.set_value("M = 1<br>E = 2")
    assert axes_begin() == high


def test_numbers_side_by_side_are_apart(qtbot: QtBot) -> None:
    around, close = QWidget(), QLabel("kT = <b>0.5</b> a = <b>1</b>")
    qtbot.addWidget(around)
    text = CornerText(around, Qt.AlignmentFlag.AlignLeft)
    text.write("kT = <b>0.5</b><br>a = <b>1</b>")
    text.fit(400)
    assert text.width() > close.sizeHint().width() + 2 * text.fontMetrics().horizontalAdvance(" ")


def test_the_label_of_a_low_axis_is_left_out(qtbot: QtBot) -> None:
    """It would run into that of the other pane."""
    around = QWidget()
    qtbot.addWidget(around)
    view = PlotView(Axes("step", "iterations of the minimisation"))
    view.setParent(around)
    view.set_theme(DARK)
    around.show()
    for height, there in ((120, False), (300, True), (120, False)):
        view.resize(320, height)
        laid_out(view)
        assert view.getPlotItem().getAxis("left").label.isVisible() == there, f"at {height} pixels"


def test_a_drawing_area_has_no_widgets_that_nobody_sees(qtbot: QtBot) -> None:
    before = set(QApplication.allWidgets())
    view = PlotView(Axes("t", "M"))
    qtbot.addWidget(view)
    made = set(QApplication.allWidgets()) - before
    assert not any(isinstance(widget, QMenu) for widget in made)
    assert len(made) < 12, "the view, its viewport, bars that scroll and two texts"


def test_a_plot_that_nobody_sees_follows_the_font_when_it_is_shown(panel: PlotsPanel) -> None:
    unfold_all(panel).show_only(1)
    laid_out(panel)
    first, second = (card.view.getPlotItem().getAxis("left") for card in panel.cards[:2])
    before = second.width()
    larger = QFont(panel.font())
    larger.setPointSizeF(2.0 * larger.pointSizeF())
    panel.setFont(larger)
    wait_until(lambda: first.width() > 1.5 * before)
    assert second.width() == before
    panel.show_only(2)
    assert second.width() == first.width()
