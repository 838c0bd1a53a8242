"""The convergence plot with made-up steps and with those of the engine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QFont

import engine
from aggviewer.plots import RunStyle
from aggviewer.style.theme import LIGHT
from aggviewer.systems.aggregation.analysis import LONGEST_SUMMARY, Minimisations
from aggviewer.systems.aggregation.convergence import ConvergencePlot
from engine.aggregation.time_stepping.simulation import Convergence
from engine.scenario import Scenario
from tests.plots.panels import aggregate, data_of, open_plot, shown_panel, style_of

ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")
SECOND = RunStyle("f = 1", "time-stepping", 1)
TOLERANCE = 1e-3


def steps_of(iterations, failed=None, residual=None):
    count = len(iterations)
    failed = np.zeros(count, np.int64) if failed is None else np.asarray(failed, np.int64)
    residual = np.full(count, 0.5 * TOLERANCE) if residual is None else np.asarray(residual)
    numbers = np.arange(count)
    return Convergence(
        0.1 * (numbers + 1),
        np.asarray(iterations, np.int64),
        residual,
        failed,
        np.ones(count, np.int64),
        np.ones(count, np.int64),
        np.column_stack([numbers + 0.25, 10.0 * numbers]),
    )


@pytest.fixture
def panel(qtbot):
    panel = shown_panel(qtbot, height=1000)
    open_plot(panel, ConvergencePlot)
    panel.set_runs([TS])
    return panel


def test_it_is_there_for_time_stepping_alone(panel):
    card = open_plot(panel, ConvergencePlot)
    assert card.isVisible()
    panel.set_runs([ED])
    assert not card.isVisible()
    panel.focus_plot(5)
    assert card.isVisible()
    assert card.view.empty_text == "The event-driven method is exact: it needs no iterations."
    panel.set_runs([ED, TS])
    assert "Iterations" in card.view.empty_text
    panel.show_only(None)
    assert all(other.isVisible() for other in panel.cards)


def test_iterations_and_residuals_of_the_last_steps(panel):
    residual = TOLERANCE * np.array([0.5, 0.0, 0.25, 2.0])
    panel.refresh(aggregate(convergence=steps_of([10, 0, 26, 400], [0, 0, 0, 2], residual)))
    card = open_plot(panel, ConvergencePlot)
    x, y = data_of(card, "iterations")
    assert_allclose(x, [-3, -1])  # nothing met in the second step
    assert_allclose(y, [10, 26])
    x, y = data_of(card, "failed_iterations")
    assert_allclose(x, [0])
    assert_allclose(y, [400])
    x, y = data_of(card, "residual")
    assert_allclose(y, [0.5, 0.25])
    x, y = data_of(card, "failed_residual")
    assert_allclose(y, [2.0])
    assert card.views[1].shown["tolerance"].series.y == [1.0]  # the tolerance over itself
    assert style_of(card, "failed_residual").colour == LIGHT.error
    assert style_of(card, "failed_residual").marker != style_of(card, "residual").marker


def test_a_tolerance_that_is_tuned_moves_the_residuals(panel):
    convergence = steps_of([10, 12])
    for tolerance, over in ((TOLERANCE, 0.5), (10 * TOLERANCE, 0.05)):
        panel.refresh(aggregate(convergence=convergence, tolerance=tolerance))
        assert_allclose(data_of(open_plot(panel, ConvergencePlot), "residual")[1], over)


def test_numbers_that_are_none_do_no_harm(panel):
    panel.refresh(aggregate(convergence=steps_of([0, 0, 5000], [0, 1, 1], [0.0, np.inf, np.nan])))
    x, _ = data_of(open_plot(panel, ConvergencePlot), "failed_iterations")
    assert_allclose(x, [-1, 0])  # one failed before its first iteration
    assert len(data_of(open_plot(panel, ConvergencePlot), "failed_residual")[0]) == 0
    assert np.isfinite(open_plot(panel, ConvergencePlot).views[1].ends).all()


def test_the_sentence_of_a_good_run(panel):
    panel.refresh(aggregate(convergence=steps_of([10, 26, 0])))
    assert open_plot(panel, ConvergencePlot).body.message.text() == "26 iterations, 0 of last 3 steps not converged"
    panel.refresh(aggregate(convergence=steps_of([1])))
    assert open_plot(panel, ConvergencePlot).body.message.text() == "1 iteration, 0 of last 1 steps not converged"


def test_the_sentence_of_one_that_does_not_converge_and_back(panel):
    failed = np.zeros(100, int)
    failed[[3, *range(85, 97)]] = 1
    panel.refresh(aggregate(convergence=steps_of(np.full(100, 30), failed)))
    text = open_plot(panel, ConvergencePlot).body.message.text()
    assert "Not converging: 12 of the last 20 steps. Smaller α, β, γ or a smaller step help." in text
    assert LIGHT.error in text
    height = open_plot(panel, ConvergencePlot).view.height()
    panel.refresh(aggregate(convergence=steps_of(np.full(100, 30), np.roll(failed, -40))))
    assert open_plot(panel, ConvergencePlot).body.message.text() == "30 iterations, 13 of last 100 steps not converged"
    assert open_plot(panel, ConvergencePlot).view.height() == height  # nothing jumps


def test_the_longest_sentence_is_the_one_that_room_is_kept_for():
    assert Minimisations.of(steps_of(np.full(20, 9), np.ones(20)), TOLERANCE).summary() == LONGEST_SUMMARY


def test_a_click_on_a_cross_asks_for_its_place(qtbot, panel):
    failed = np.zeros(40, int)
    failed[30] = 1
    panel.refresh(aggregate(convergence=steps_of(np.full(40, 30), failed, np.full(40, 0.4 * TOLERANCE))))
    asked = []
    panel.place_asked.connect(lambda x, y: asked.append((x, y)))
    views = open_plot(panel, ConvergencePlot).views
    for view, key in zip(views, ("failed_iterations", "failed_residual"), strict=True):
        at = view.mapFromScene(view.getPlotItem().getViewBox().mapViewToScene(view.readable.place_of((0, key), 0)))
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert asked == [(30.25, 300.0), (30.25, 300.0)]
    view = open_plot(panel, ConvergencePlot).view
    at = view.mapFromScene(view.getPlotItem().getViewBox().mapViewToScene(view_point(-200.0, np.log10(30))))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert len(asked) == 2


def view_point(x, y):
    return QPointF(float(x), float(y))


def test_the_mouse_reads_a_step_and_points_at_a_cross(panel):
    failed = [0, 0, 1]
    panel.refresh(aggregate(convergence=steps_of([10, 20, 30], failed)))
    view = open_plot(panel, ConvergencePlot).view
    box = view.getPlotItem().getViewBox()
    view.scene().sigMouseMoved.emit(box.mapViewToScene(view_point(0, np.log10(30))))
    assert "30 iterations" in view._text.text()
    assert "1 group not converged" in view._text.text()
    assert view.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    panel.refresh(aggregate(convergence=steps_of([10, 20, 30])))
    view.scene().sigMouseMoved.emit(box.mapViewToScene(view_point(0, np.log10(30))))
    assert view.viewport().cursor().shape() == Qt.CursorShape.ArrowCursor


def test_show_where_asks_for_the_hardest_of_the_last_steps(qtbot, panel):
    asked = []
    panel.place_asked.connect(lambda x, y: asked.append((x, y)))
    iterations = np.full(60, 30)
    iterations[[5, 50]] = 4000, 300
    panel.refresh(aggregate(convergence=steps_of(iterations)))
    button = open_plot(panel, ConvergencePlot).where_button
    assert button.accessibleName() == "Show where"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    failed = np.zeros(60, int)
    failed[55] = 1
    panel.refresh(aggregate(convergence=steps_of(iterations, failed)))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked == [(50.25, 500.0), (55.25, 550.0)]  # most iterations; one that failed comes first
    open_plot(panel, ConvergencePlot).body.message.linkActivated.emit("where")
    assert asked[-1] == (55.25, 550.0)
    panel.refresh(aggregate(convergence=steps_of([0, 0])))
    assert not button.isEnabled()


def test_two_runs_have_a_sentence_each_and_the_worse_one_is_shown(panel):
    panel.set_runs([TS, SECOND])
    panel.refresh(aggregate(convergence=steps_of(np.full(30, 20))), 0)
    panel.refresh(aggregate(convergence=steps_of(np.full(40, 5000), np.ones(40))), 1)
    text = open_plot(panel, ConvergencePlot).body.message.text()
    assert "TS: 20 iterations" in text
    assert "f = 1: <span" in text
    assert LIGHT.time_stepping_shade in text
    asked = []
    panel.place_asked.connect(lambda x, y: asked.append((x, y)))
    open_plot(panel, ConvergencePlot).show_where()
    assert asked == [(39.25, 390.0)]
    assert open_plot(panel, ConvergencePlot).drawings[1]["failed_iterations"].places[2].tolist() == [2.25, 20.0]
    panel.set_runs([TS])
    assert "f = 1" not in open_plot(panel, ConvergencePlot).body.message.text()
    assert len(data_of(open_plot(panel, ConvergencePlot), "iterations")[0]) == 30


def test_the_exact_side_of_a_comparison_has_nothing_here(panel):
    panel.set_runs([ED, TS])
    panel.refresh(aggregate(convergence=None), 0)
    assert open_plot(panel, ConvergencePlot).view.empty_text
    panel.refresh(aggregate(convergence=steps_of([20, 30])), 1)
    assert (
        open_plot(panel, ConvergencePlot)
        .body.message.text()
        .endswith("TS: 30 iterations, 0 of last 2 steps not converged")
    )


def test_it_costs_nothing_while_folded_and_catches_up(panel):
    card = open_plot(panel, ConvergencePlot)
    card.head.fold.setChecked(False)
    panel.refresh(aggregate(convergence=steps_of([20, 30])))
    assert len(data_of(card, "iterations")[0]) == 0
    card.head.fold.setChecked(True)
    assert len(data_of(card, "iterations")[0]) == 2
    panel.refresh(aggregate(convergence=steps_of([20, 30])))
    card.head.fold.setChecked(False)
    panel.set_runs([SECOND])
    assert not card.head.fold.isChecked()


def test_a_new_system_empties_it(panel):
    panel.refresh(aggregate(convergence=steps_of([20, 30])))
    panel.begin()
    assert open_plot(panel, ConvergencePlot).view.empty_text
    assert not open_plot(panel, ConvergencePlot).body.message.isVisible()
    assert not open_plot(panel, ConvergencePlot).views[1].isVisible()
    assert not open_plot(panel, ConvergencePlot).where_button.isVisible()


def test_both_halves_are_held_and_follow_together(panel):
    panel.refresh(aggregate(convergence=steps_of(np.full(256, 20))))
    upper, lower = open_plot(panel, ConvergencePlot).views
    upper.getPlotItem().getViewBox().setXRange(-50, 0, padding=0)
    upper.hold()
    assert not lower.following
    assert_allclose(lower.viewRect().left(), -50, atol=2)
    assert open_plot(panel, ConvergencePlot).head.follow.isVisible()
    lower.follow()
    assert upper.following
    assert upper.viewRect().left() < -250


def test_the_sentence_follows_the_font(panel):
    panel.refresh(aggregate(convergence=steps_of([20, 30])))
    message = open_plot(panel, ConvergencePlot).body.message
    before, room = message.font().pointSizeF(), message.height()
    large = QFont(panel.font())
    large.setPointSizeF(1.5 * large.pointSizeF())
    panel.setFont(large)
    assert_allclose(message.font().pointSizeF(), 1.5 * before, rtol=0.1)
    assert message.minimumHeight() > room


def test_steps_of_the_engine(panel):
    simulation = engine.create(Scenario().with_values({"aggregation.method": "time-stepping", "discs.count": 225}))
    simulation.advance(5.0)
    convergence = simulation.convergence()
    tolerance = simulation.scenario.aggregation.damping.tolerance
    panel.refresh(aggregate(convergence=convergence, tolerance=tolerance))
    met = convergence.iterations > 0
    assert met.any()
    x, y = data_of(open_plot(panel, ConvergencePlot), "iterations")
    good = met & (convergence.not_converged == 0)
    assert_allclose(y, convergence.iterations[good])
    assert_allclose(x, np.flatnonzero(good) - len(met) + 1)
    assert f"{convergence.iterations[met][-1]} iteration" in open_plot(panel, ConvergencePlot).body.message.text()
