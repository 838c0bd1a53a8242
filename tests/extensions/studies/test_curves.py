"""Mean curves of a study as references in the plots: the numbers, the names, and what the window says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytestqt.qtbot import QtBot

from aggviewer.extensions.studies.drawing import PointCurves, curves_for, mean_curves
from aggviewer.extensions.studies.keeping import KeepInPlots, PointsDialog
from aggviewer.extensions.studies.plan import grid_of, range_table, study_tables
from aggviewer.extensions.studies.results import Results
from aggviewer.plots import PlotsPanel
from aggviewer.plots.contents import series_of
from aggviewer.plots.plot import StartDiscs, StudyCurve
from aggviewer.plots.runs import Points
from aggviewer.plots.series_items import error_ends
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot, ContactsPlot, PairDistributionPlot
from aggviewer.systems.hard_discs.motion import PairCorrelationPlot
from aggviewer.systems.jamming.packing import ForcesPlot
from aggviewer.systems.registry import plots_of
from engine.initial import initial_radii, initial_state
from engine.scenario import load_scenario
from engine.study import run, running
from tests.extensions.studies.results import failure, read_all, results_of, row
from tests.plots.panels import give, kept_of, plot_of

V_F = "discs.volume_fraction"
SMALL: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "aggregation": ("lattice-100", {}, {}),
    "hard-discs": ("gas-10000", {"discs.count": 144}, {"until_time": 1.0}),
    "jamming": ("jam-256", {"discs.count": 40}, {}),
}
"""Of each system: a bundled scenario, what is set in it, and when it ends."""
RANGES = {"aggregation": (0.1, 0.2), "hard-discs": (0.2, 0.5), "jamming": (0.6, 0.7)}


@pytest.fixture(scope="module", params=list(SMALL))
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A study of two points with two seeds, run here, with all curves that plots show."""
    name, changes, limits = SMALL[request.param]
    scenario = load_scenario(name).with_values(changes)
    vary = [range_table(V_F, *RANGES[request.param], 2)]
    curves = curves_for(plots_of(request.param))
    study = grid_of(study_tables(scenario, "Small", vary, count=2, limits=limits, curves=curves)).study
    folder = tmp_path_factory.mktemp("study") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "draw_all", lambda result, folder: [])  # most of the time, and nothing looks at them
        run(study, out=folder, workers=0).store.close()
    results = Results(study, folder)
    read_all(results)
    assert not results.failures
    return results


def made(results: Results, *points: int) -> list[PointCurves]:
    """The mean curves of some points."""
    return mean_curves(results.folder, results.grid, plots_of(results.grid.scenario.system), points)


def test_every_plot_of_a_real_study_gets_its_curves(real: Results, qtbot: QtBot) -> None:
    panel = PlotsPanel(plots_of)
    qtbot.addWidget(panel)
    panel.set_system(real.grid.scenario.system)
    first, second = made(real, 0, 1)
    low, high = RANGES[real.grid.scenario.system]
    assert first.name == f"Small: V_f = {low:g} (n = 2)"
    assert second.name == f"Small: V_f = {high:g} (n = 2)"
    plots = [plot for plot in plots_of(real.grid.scenario.system) if 2 in plot.dimensions]
    declared = {plot.kept_as: plot for plot in plots if plot.study_curves}
    assert set(first.curves) == set(declared)
    for name, curves in first.curves.items():
        assert set(curves) <= set(declared[name].columns)
        for field, points in curves.items():
            # at the end of these small runs there may be a single cluster, and so one mean of masses
            assert len(points.x) == len(points.y) > (name != "MassRadiusPlot"), (name, field)
            assert (np.diff(points.x) > 0.0).all()
            assert np.isfinite(points.y).any()
            assert points.error is not None
    said = panel.keep_study(real.grid.scenario.system, first.name, first.curves)
    assert said == "Kept in the plots: " + ", ".join(plot.about(2).title for plot in declared.values())
    assert panel.reference_list.names == [first.name]
    for card in panel.cards:
        card.make()
        assert len(card.references) == (card.plot.kept_as in declared)


@pytest.mark.parametrize("name", ["lattice-400", "bidisperse-2500", "polydisperse-2500", "gas-10000", "jam-256"])
def test_the_radii_of_a_run_are_known_without_placing_its_discs(name: str) -> None:
    scenario = load_scenario(name).with_values({"discs.count": 64, V_F: 0.3, "seed": 11})
    np.testing.assert_array_equal(initial_radii(scenario), initial_state(scenario).radii)


def test_plots_show_what_they_do_of_the_run_itself() -> None:
    """Units of the plots: lengths over R or σ, numbers over N, energies over that of the start, shares of discs."""
    discs = StartDiscs(50, 0.5)
    x, y = np.array([1.0, 2.0, 3.0]), np.array([50.0, 20.0, 5.0])
    for plot, field, want in (
        (BoxCountingPlot, "points", (x / 0.5, y)),
        (PairDistributionPlot, "curve", (x / 0.5, y)),
        (CoarseningPlot, "clusters", (x, y / 50)),
        (CoarseningPlot, "energy", (x, y / 50.0)),
        (ContactsPlot, "bars", (np.arange(7.0), np.array([50, 20, 5, 0, 0, 0, 0]) / 75.0)),
        (PairCorrelationPlot, "curve", (x / 40.0, y)),
    ):
        assert_allclose(plot.study_curves[field].shown(x, y, discs), want, err_msg=plot.title)
    shares = ContactsPlot.study_curves["bars"].shown(np.arange(9.0), np.ones(9), discs)[1]
    assert_allclose(shares, np.array([1, 1, 1, 1, 1, 1, 3]) / 9.0)


def test_means_and_errors_are_those_of_the_runs(tmp_path: Path) -> None:
    values = [0.5, 0.9, 0.7, 1.3]
    results = results_of(tmp_path, [row(0, 3 + k, value) for k, value in enumerate(values)] + [failure(1, 3)])
    (found,) = made(results, 0, 1)
    assert found.name == "Two volume fractions: V_f = 0.1 (n = 4)"
    points = found.curves["PairDistributionPlot"]["curve"]
    scenario = results.grid.scenario_at(results.grid.points[0])
    x = np.arange(1.0, 6.0)
    assert_allclose(points.x, x / initial_radii(scenario).mean())
    assert_allclose(points.y, np.mean(values) * x)
    assert_allclose(points.error, np.std(values, ddof=1) / 2.0 * x)


def test_one_run_has_no_error_and_histograms_count_nothing_as_zero() -> None:
    curve = StudyCurve("any")
    x = np.arange(3.0)
    assert curve.mean([]) is None
    assert curve.mean([(x, np.full(3, np.nan))]) is None
    alone = curve.mean([(x, x)])
    assert alone is not None
    assert alone.error is None
    counted = StudyCurve("any", counted=True).mean([(np.array([0.1, 1.0]), np.array([2.0, 4.0])),
                                                    (np.array([1.0, 10.0]), np.array([8.0, 6.0]))])  # fmt: skip
    assert counted is not None
    assert_allclose(counted.x, [0.1, 1.0, 10.0])
    assert_allclose(counted.y, [1.0, 6.0, 3.0])
    falling = curve.mean(
        [(np.array([4.0, 2.0]), np.array([1.0, 3.0])), (np.array([4.0, 2.0, 1.0]), np.array([1.0, 5.0, 9.0]))]
    )
    assert falling is not None
    assert_allclose((falling.x[0], falling.x[-1], falling.y[0], falling.y[-1]), (2.0, 4.0, 4.0, 1.0))
    apart = [(np.array([1.0, 2.0]), np.ones(2)), (np.array([3.0, 4.0]), np.ones(2))]
    assert curve.mean(apart) is None, "no range in common"
    assert ForcesPlot.study_curves["points"].counted


def curves(name: str = "PairDistributionPlot", error: bool = True) -> dict[str, Any]:
    """A curve for one plot, in its units."""
    x = np.geomspace(2.0, 20.0, 50)
    return {name: {"curve": Points(x, x**1.5, 0.1 * x if error else None)}}


def test_a_band_a_column_of_errors_and_settings_that_keep_them(panel: PlotsPanel) -> None:
    panel.keep_study("aggregation", "Contacts over Δt: f = 0.5 (n = 20)", curves())
    card = plot_of(panel, PairDistributionPlot)
    x = np.geomspace(2.0, 20.0, 50)
    (curve,) = [one for pane, one in series_of(card.plot, card.references) if one.kind == "line"]
    (band,) = [one for pane, one in series_of(card.plot, card.references) if one.kind == "band"]
    assert curve.error is None
    assert_allclose(error_ends(band, card.view.scales)[1], np.log10(x**1.5 - 0.1 * x), rtol=1e-5)
    assert_allclose(error_ends(band, card.view.scales)[3], np.log10(x**1.5 + 0.1 * x), rtol=1e-5)
    table = card.table()
    assert_allclose(table["P(r) (Contacts over Δt: f = 0.5 (n = 20)) [1]"], x**1.5, rtol=1e-6)
    assert_allclose(table["P(r) standard error (Contacts over Δt: f = 0.5 (n = 20)) [1]"], 0.1 * x, rtol=1e-6)

    plain = kept_of(panel)
    panel.remove_reference("Contacts over Δt: f = 0.5 (n = 20)")
    give(panel, plain)
    assert_allclose(card.table()["P(r) standard error (Contacts over Δt: f = 0.5 (n = 20)) [1]"], 0.1 * x, rtol=1e-6)
    panel.begin()
    assert not card.view.drawn, "nothing to compare"
    panel.remove_reference("Contacts over Δt: f = 0.5 (n = 20)")
    assert list(card.references) == []


def button_of(results: Results, qtbot: QtBot, keep: Any) -> tuple[KeepInPlots, list[tuple[str, bool]]]:
    """The button, and what it has told."""
    from PyQt6.QtWidgets import QWidget

    window = QWidget()
    qtbot.addWidget(window)
    keeping = KeepInPlots(results, plots_of("aggregation"), keep, lambda: 1, window)
    keeping.refresh()
    told: list[tuple[str, bool]] = []
    keeping.message.connect(lambda words, problem: told.append((words, problem)))
    return keeping, told


def test_the_button_keeps_the_points_that_are_ticked(tmp_path: Path, qtbot: QtBot) -> None:
    results = results_of(tmp_path, [row(0, 3, 0.5), row(1, 3, 0.7), row(1, 4, 0.9)])
    kept: list[str] = []
    keeping, told = button_of(results, qtbot, lambda kind, name, curves: kept.append(f"{kind} {name}") or "Kept")
    assert keeping.button.isEnabled()
    assert keeping.button.accessibleName() == "Keep in plots"
    keeping.button.click()
    (dialog,) = keeping.parent().findChildren(PointsDialog)
    texts = [dialog.list.item(k).text() for k in range(2)]
    assert texts == ["V_f = 0.1 (n = 1)", "V_f = 0.2 (n = 2)"]
    assert dialog.chosen == [0, 1], "all of so few"
    dialog.list.item(0).setCheckState(dialog.list.item(0).checkState().Unchecked)
    dialog.accept_button.click()
    qtbot.waitUntil(lambda: bool(told))
    assert kept == ["aggregation Two volume fractions: V_f = 0.2 (n = 2)"]
    assert told == [("Kept", False)]
    assert keeping.button.isEnabled()
