"""The study in the menu of a plot measures what the plot shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from aggviewer.extensions.studies.plan import (
    SEEDS,
    PlotStudy,
    can_be_studied,
    grid_of,
    study_of,
    study_tables,
    tables_for_plot,
)
from aggviewer.extensions.studies.studies import studies_of_plots
from aggviewer.plots.body import plot_menu
from aggviewer.plots.card import PlotCard
from aggviewer.plots.plot import Plot
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot, ContactsPlot, PairDistributionPlot
from aggviewer.systems.hard_discs.motion import MeanSquareDisplacementPlot
from aggviewer.systems.jamming.packing import ForcesPlot, GapsPlot
from aggviewer.systems.registry import view_of, views
from engine.runs.loop import RunLimits
from engine.scenario import Scenario, load_scenario
from engine.scenario.model import MAX_SEED
from engine.study.one_run import RunTask, perform
from engine.study.running import check, order_of
from tests.plots.errors_told import run_of
from tests.plots.jamming_data import jammed
from tests.plots.panels import open_plot, shown_panel
from tests.plots.test_plot_menu import actions, entry

CASES = {
    "aggregation": (load_scenario("random-2500").with_values({"discs.count": 300}), RunLimits(until_clusters=40)),
    "hard-discs": (
        load_scenario("cooling-16384").with_values({"discs.count": 200, "hard_discs.equilibration": 1.0}),
        RunLimits(until_time=1.0),
    ),
}


def measured(asked: PlotStudy, limits: RunLimits) -> dict[str, float | None]:
    """The numbers of the run with the seed of the scenario, as a study has them."""
    tables = study_tables(
        asked.scenario,
        asked.title,
        (),
        first=asked.scenario.seed,
        count=1,
        limits={"until_time": asked.time},
        quantities=asked.quantities,
        curves=asked.curves,
        slopes=asked.slopes,
    )
    grid = grid_of(tables)
    check(grid)
    (row,) = perform(
        replace(order_of(grid), limits=limits), [RunTask(0, asked.scenario.seed, {"seed": asked.scenario.seed})]
    )
    assert row.status == "done", row.error
    return dict(row.numbers)


@pytest.mark.slow
@pytest.mark.parametrize("system", CASES)
def test_a_study_measures_the_exponents_that_plots_show(qtbot: QtBot, system: str) -> None:
    scenario, limits = CASES[system]
    analysis, _ = run_of(scenario, limits)
    panel = shown_panel(qtbot, system, height=3000)
    panel.refresh(analysis)
    compared = 0
    for card in panel.cards:
        if not card.plot.power_fit.slopes:
            continue
        card.draw_all()
        for within in (None, _narrower(card)):
            card.choose_fit(within)
            asked = study_of(card.plot, analysis, card.fits.chosen, card.fits.range)
            numbers = measured(asked, limits)
            (found,) = card.found.found
            for slope, one in zip(card.plot.power_fit.slopes, found, strict=True):
                if slope.name in numbers and one is not None:
                    # a curve of the history has fewer points in a study
                    history = any(table["curve"].startswith("history.") for table in asked.slopes)
                    assert numbers[slope.name] == pytest.approx(
                        slope.sign * one.exponent, rel=0.05 if history else 1e-6
                    ), (card.key(), within)
                    compared += 1
    assert compared >= 4


def _narrower(card: PlotCard) -> tuple[float, float] | None:
    """The middle of the range of the fits."""
    within = card.fits.range
    if within is None:
        return None
    low, high = np.log(within)
    return float(np.exp(low + 0.2 * (high - low))), float(np.exp(high - 0.2 * (high - low)))


def test_the_study_of_a_plot_has_its_scenario_eight_seeds_and_its_results() -> None:
    analysis, _ = run_of(*CASES["aggregation"])
    asked = study_of(BoxCountingPlot(), analysis, None, (1.0, 9.0))
    grid = grid_of(tables_for_plot(asked, "dust", ended=False))
    assert grid.scenario == analysis.disc_set.scenario
    assert [run.seed for run in grid.runs()] == list(range(grid.scenario.seed, grid.scenario.seed + SEEDS))
    assert grid.study.stop.until_time == analysis.time
    assert grid.study.title == "dust: 8 seeds"
    assert [(one.name, one.curve) for one in grid.study.measure.slope] == [("D_f", "box_counting")]
    assert grid_of(tables_for_plot(asked, "dust", ended=True)).study.stop.until_time is None, "each run to its own end"


def test_the_seeds_of_a_study_end_at_the_largest_one() -> None:
    analysis = jammed(values={"seed": MAX_SEED})
    tables = tables_for_plot(study_of(GapsPlot(), analysis, None, None), "packing", ended=True)
    assert max(run.seed for run in grid_of(tables).runs()) == MAX_SEED


@pytest.mark.parametrize(("plot", "laws"), [(ForcesPlot(), 2), (GapsPlot(), 1)])
def test_the_study_of_forces_or_gaps_pools_their_exponents(plot: Plot, laws: int) -> None:
    grid = grid_of(tables_for_plot(study_of(plot, jammed(), None, None), "packing", ended=True))
    check(grid)
    assert len(grid.study.pool) == laws
    assert [one.exponent for one in grid.study.pool] == [f"{name}.fit.exponent" for name in grid.study.measure.curves]
    assert {*grid.study.measure.quantities} == {name for one in grid.study.pool for name in (one.exponent, one.count)}


def test_every_number_that_lost_its_error_is_offered() -> None:
    for plot in (BoxCountingPlot, PairDistributionPlot, CoarseningPlot, ContactsPlot, MeanSquareDisplacementPlot):
        assert can_be_studied(plot()), plot
    for view in views():
        for plot in view_of(view.name).plots():
            for slope in plot.power_fit.slopes:
                assert slope.field in plot.study_curves or can_be_studied(plot) or not plot.power_fit.always, plot


def test_the_menu_of_a_plot_offers_its_study_and_the_definition_names_it(qtbot: QtBot) -> None:
    scenario, limits = CASES["aggregation"]
    analysis, _ = run_of(scenario, limits)
    panel = shown_panel(qtbot, "aggregation", height=2000)
    asked: list[PlotStudy] = []
    studies = studies_of_plots(panel, asked.append)
    panel.extras.append(studies)
    card = open_plot(panel, BoxCountingPlot)
    name = f"Study with {SEEDS} seeds…"
    assert not entry(card, name).isEnabled(), "nothing is shown yet"
    panel.refresh(analysis)
    entry(card, name).trigger()
    (found,) = asked
    assert isinstance(found.scenario, Scenario)
    assert (found.time, found.title) == (analysis.time, card.title)
    (slope,) = found.slopes
    assert (slope["name"], slope["curve"], slope["sign"]) == ("D_f", "box_counting", -1)
    radius = float(np.mean(analysis.disc_set.radii))
    assert slope["between"][0] == pytest.approx(3.0 * radius)
    assert name in PlotCard(card.plot, 1, [studies]).head.help.toolTip()
    plain = next(one for one in panel.cards if not can_be_studied(one.plot))
    assert name not in actions(plot_menu(plain, 0))
