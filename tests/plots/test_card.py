"""A plot in the window: how it is read, zoomed and coloured, and what of it is seen in a narrow panel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel, RunStyle
from aggviewer.plots.view import PlotView
from aggviewer.style.theme import LIGHT
from aggviewer.systems.aggregation.coarsening import CoarseningPlot, ConvergencePlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from engine.simulation import History
from tests.plots.aggregate_data import aggregate, failures, merging, steps_of
from tests.plots.panels import data_of, open_plot, shown_panel

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


# what a person sees of it
