"""Averages over the run in plots: switched on in the head, with errors in the curve, the corner, tables, pages and
films."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import engine
from aggviewer.plots import PlotsPanel
from aggviewer.plots.card import PlotCard
from aggviewer.plots.film import FilmPlot, FilmPlots, film_plots
from aggviewer.plots.runs import RunStyle
from aggviewer.session.analyst import MeasuredState, StateCopy
from aggviewer.session.averaging import RunningAverages
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.style.theme import LIGHT
from aggviewer.systems.registry import plots_of, view_of
from engine.errors import InputError
from engine.scenario import Scenario
from engine.system import systems
from tests.plots.panels import shown_panel

STATES = 170
SCENARIO = Scenario().with_values(
    {
        "system": "hard-discs",
        "box.boundary": "periodic",
        "discs.count": 150,
        "discs.volume_fraction": 0.3,
        "velocities.distribution": "maxwell",
        "hard_discs.equilibration": 5.0,
    }
)


@pytest.fixture(scope="module")
def measured() -> Analysis:
    """The last state of a gas, with the averages over the states before it."""
    simulation, analysis = engine.create(SCENARIO), view_of("hard-discs").analysis()
    analysis.begin(simulation)
    discs, averages = DiscSet.of(SCENARIO, simulation), RunningAverages()
    averages.want(frozenset().union(*(plot.averaged for plot in plots_of("hard-discs"))))
    for k in range(STATES):
        simulation.advance(0.25 * k)
        frame = simulation.frame()
        observed = analysis.observe(simulation, frame, MeasuredState())
        state = StateCopy.of(discs, frame, simulation.history(), observed)
        averages.add_state("hard-discs", state.time, lambda state=state: analysis.sample(state))
        found = analysis.measure(state)
    return replace(found, averaged=averages.so_far())


@pytest.fixture
def panel(qtbot: QtBot, measured: Analysis) -> PlotsPanel:
    made = shown_panel(qtbot)
    made.set_system("hard-discs", 2)
    made.refresh(measured)
    return made


def card_of(panel: PlotsPanel, key: str) -> PlotCard:
    card = next(one for one in panel.cards if one.key() == key)
    card.head.fold.setChecked(True)
    return card


def test_the_switch_in_the_head_shows_the_average_with_its_errors_and_times(
    panel: PlotsPanel, measured: Analysis
) -> None:
    card, wanted = card_of(panel, "pair_correlation"), []
    panel.averages_changed.connect(wanted.append)
    card.draw_all()
    state = card.drawings[0]
    card.head.average.click()
    assert wanted[-1] == {"pair_correlation", "contact_value"}
    assert panel.model.averaged == ("hard-discs/PairCorrelationPlot",)
    drawn, average = card.drawings[0], measured.averaged.averages["pair_correlation"]
    assert state is not None
    assert drawn is not None
    np.testing.assert_array_equal(drawn["curve"].y, average.value.g)
    np.testing.assert_array_equal(drawn["curve"].error, average.errors["g"])
    assert state["curve"].error is None
    assert card.head.moment.text() == "since 0"
    assert f"Average over {STATES} states from t = 0 to 42.25, one every 0.25." in card.head.moment.toolTip()
    assert (0, "curve band") in card.view.drawn
    assert " ± " in card.view.value
    assert "g(r) standard error [1]" in card.table()
    assert any(one.series.kind == "band" for one in card.page(LIGHT)[0].series)
    assert card.kept_curves(0)["curve"].error is average.errors["g"]
    again: list[object] = []
    panel.again_asked.connect(again.append)
    card.head.again.click()
    assert again == [{"pair_correlation", "contact_value"}]
    card.head.average.click()
    assert panel.model.averaged == ()
    shown = card.drawings[0]
    assert shown is not None
    np.testing.assert_array_equal(shown["curve"].y, state["curve"].y)
    assert card.head.moment.text() == "t = 42.25"


def test_every_plot_that_can_shows_errors_of_all_its_numbers(panel: PlotsPanel, measured: Analysis) -> None:
    """But for kT and the mean number of sides of Voronoi cells, which do not change."""
    able = [card for card in panel.offered if card.plot.averaged]
    assert len(able) == 10
    for card in able:
        card.head.fold.setChecked(True)
        card.head.average.click()
        card.draw_all()
        (drawn,) = card.drawings
        assert drawn is not None, card.title
        changing = {name: text for name, text in drawn.panes[0].numbers.items() if name not in ("kT", "sides")}
        assert all(" ± " in str(text) for text in changing.values()), card.title
        assert any(one.error is not None for one in drawn.series), card.title
        curve = next(one for one in reversed(drawn.series) if one.words is not None)
        assert curve.words is not None
        assert " ± " in curve.words(int(curve.y.argmax())), card.title
    moved = card_of(panel, "mean_square_displacement").table()
    (error,) = moved["D/σ² standard error [1/time]"]
    assert 0.0 < error < 0.5 * moved["D/σ² [1/time]"][0]


def test_a_plot_says_that_its_average_has_not_begun_or_needs_more_states(panel: PlotsPanel, measured: Analysis) -> None:
    card = card_of(panel, "pair_correlation")
    card.head.average.click()
    waiting = replace(measured.averaged, averages={}, states=0, begins=43.0, note="It began again.")
    panel.refresh(replace(measured, averaged=waiting))
    assert card.view.empty_text == "It began again. The average begins at t = 43: let the run go on."
    panel.refresh(replace(measured, averaged=replace(waiting, states=9, note="")))
    assert card.view.empty_text == "9 states so far: this average needs more."


@pytest.mark.parametrize("system", [one.name for one in systems()])
def test_the_tip_of_every_plot_says_why_numbers_have_no_error(qtbot: QtBot, system: str) -> None:
    for plot in plots_of(system):
        card = PlotCard(plot, 1, later=True)
        qtbot.addWidget(card)
        assert "A number without ±" in card.head.fold.toolTip()
        assert bool(plot.power_fit.slopes) == ("Slopes have none" in card.head.fold.toolTip())


def test_films_show_averages_of_the_plots_that_are_asked_for(qtbot: QtBot, measured: Analysis) -> None:
    known = plots_of("hard-discs")
    asked = film_plots(["pair_correlation:average", "speeds"], known)
    assert [one.averaging for one in asked] == [True, False]
    with pytest.raises(InputError, match="must be a plot, or one of"):
        film_plots(["pressure:average"], known)
    plots = FilmPlots(asked, [RunStyle("run", "event-driven")], (0, 0, 0))
    assert plots.averaged_indicators == {"pair_correlation", "contact_value"}
    plots.allow_for(measured, 0)
    qtbot.waitUntil(lambda: plots.cards[0].drawings[0] is not None)
    drawn = plots.cards[0].drawings[0]
    assert drawn is not None
    assert drawn["curve"].error is not None
    assert FilmPlot.of(plots.cards[0], ()).averaging
    plots.close()
