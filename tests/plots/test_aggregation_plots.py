"""The plots of discs that stick, with made-up data: what is shown is what was given."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

import engine
from aggviewer.plots.fits import fit_all
from aggviewer.plots.runs import RunStyle
from aggviewer.plots.series_items import style_of
from aggviewer.session.analyst import StateCopy
from aggviewer.style.theme import LIGHT
from aggviewer.systems.aggregation.analysis import (
    LONGEST_SUMMARY,
    AggregateAnalysis,
    Minimisations,
    ObservedClusters,
    SizesAt,
    SizesBefore,
)
from aggviewer.systems.aggregation.clusters import ClusterProfilePlot, ClusterSizesPlot, ScaledSizesPlot
from aggviewer.systems.aggregation.coarsening import CoarseningPlot, ConvergencePlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot, ContactsPlot, PairDistributionPlot
from engine.analysis import analyse, size_distribution
from engine.scenario import Scenario
from engine.simulation import History
from tests.builders.points import nested
from tests.plots.aggregate_data import (
    NOTHING,
    SWITCHED,
    TOLERANCE,
    aggregate,
    failures,
    merging,
    steps_of,
    system_of,
)
from tests.plots.drawn import curve, drawn, number

RADIUS = 0.25
ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")
BOX = np.array([20.0, 20.0])


def on_grid(side: float = 20.0) -> np.ndarray:
    """400 places, one apart."""
    x, y = np.meshgrid(np.arange(side) + 0.5, np.arange(side) + 0.5)
    return np.column_stack([x.ravel(), y.ravel()])


# structure


def test_the_dimension_is_the_slope_of_box_counting_from_three_radii_to_half_the_box(indicators: Any) -> None:
    drawing = drawn(BoxCountingPlot(), aggregate(indicators))
    x, y = curve(drawing, "points")
    assert_allclose(x, indicators.box_counting["eps"] / RADIUS)
    assert_allclose(y, indicators.box_counting["n"])
    fits = fit_all(BoxCountingPlot.power_fit, [drawing, None], None)
    ((law,), (other,)) = fits.found
    assert other is None, "the second run has no data"
    slope, at_zero = np.polyfit(np.log10(x[x >= 3.0]), np.log10(y[x >= 3.0]), 1)
    assert law is not None
    assert_allclose([law.exponent, np.log10(law.amplitude)], [slope, at_zero], rtol=1e-9)
    (line,) = fits.series(0, straight=True)
    assert_allclose(line.x, [3.0, 10.0 / RADIUS])
    assert_allclose(line.y, law.amplitude * line.x**law.exponent)
    assert fits.values(0, short=True) == {"D<sub>f</sub>": f"{-slope:.3f}"}


def test_box_counting_says_why_there_is_no_dimension() -> None:
    grid, box, radii = on_grid(16.0), np.array([16.0, 16.0]), np.full(256, RADIUS)
    single = analyse(grid, radii, box, periodic=False, cluster=np.arange(256, dtype=np.int32))
    large = analyse(grid[:4], 8.0 * radii[:4], box, periodic=False, cluster=np.zeros(4, np.int32))
    drawing = drawn(BoxCountingPlot(), aggregate(single))
    assert drawing.note == "D<sub>f</sub> = — (nothing has aggregated)"
    assert fit_all(BoxCountingPlot.power_fit, [drawing], None).range is None, "and no band for a fit"
    assert "too few sizes" in drawn(BoxCountingPlot(), aggregate(large, radius=2.0)).note


def test_in_space_sizes_of_which_all_boxes_are_full_are_rings_and_not_fitted() -> None:
    radius, sides = 20.0 / 48.0, np.full(3, 20.0)

    def counted(*numbers: int) -> Any:
        points = nested([*numbers], 3, 20.0)
        one = np.zeros(len(points), np.int32)
        found = analyse(points, np.full(len(points), radius), sides, periodic=True, cluster=one)
        return drawn(BoxCountingPlot(), aggregate(found, radius=radius, dimensions=3))

    drawing = counted(8, 64, 388, 1261)
    assert drawing["full"].y.tolist() == [8, 64]
    assert drawing["full"].hollow
    assert drawing["points"].y[:3].tolist() == [388, 1261, 1261]
    fits = fit_all(BoxCountingPlot.power_fit, [drawing], None)
    assert_allclose(fits.range, (3.0, 6.0))
    assert fits.values(0, short=True) == {"D<sub>f</sub>": f"{np.log2(1261 / 388):.3f}"}
    assert number(drawing, "slopes") == "1.70"
    assert "too few sizes ε with empty boxes" in counted(8, 64, 512, 4096).note


def test_distances_are_over_the_radius_and_contacts_are_shares_with_six_and_more_together(indicators: Any) -> None:
    x, y = curve(drawn(PairDistributionPlot(), aggregate(indicators)), "curve")
    assert_allclose(x, indicators.pair_distribution["r"] / RADIUS)
    assert_allclose(y, indicators.pair_distribution["p"])
    counts = np.array([10, 20, 30, 20, 10, 5, 3, 2])
    given = SimpleNamespace(**{**vars(indicators), "contacts_histogram": counts, "pair_distribution": None})
    bars = drawn(ContactsPlot(), aggregate(given))
    assert_allclose(bars["bars"].y, [0.1, 0.2, 0.3, 0.2, 0.1, 0.05, 0.05])
    assert bars["bars"].error is None, "contacts of neighbours depend on each other"
    assert number(bars, "N<sub>c</sub>") == f"{indicators.contacts_relative:.3f}"
    assert PairDistributionPlot().prepare(aggregate(given), {}, None) is None


# clusters and energy


def test_clusters_and_energy_are_over_their_start_up_to_now() -> None:
    past = merging(400, 50)
    drawing = drawn(CoarseningPlot(), aggregate(None, past, 12.0))
    x, y = curve(drawing, "clusters")
    assert_allclose(x, [*past.time[1:], 12.0])  # no place for t = 0 on a log axis
    assert_allclose(y, [*past.clusters[1:] / 400, 351 / 400])
    assert_allclose(drawing["energy"].y[:-1], past.kinetic_energy[1:] / 3.0)
    assert number(drawing, "M") == "351"
    assert CoarseningPlot().prepare(aggregate(None, merging(400, 1), 0.0), {}, None) is None, "before any moment"
    at_rest = drawn(CoarseningPlot(), aggregate(None, History(np.zeros(1), np.array([400]), np.zeros(1)), 2.0))
    assert_allclose(at_rest["clusters"].y, 1.0)
    assert number(at_rest, "E/E₀") == "0"
    assert at_rest["clusters at first"].x[-1] == 2.0
    assert at_rest["clusters at first"].x[0] < 1.0, "a line to be seen before the first merge"
    assert_allclose(at_rest["clusters at first"].y, 1.0)


def test_counts_go_to_plots_that_measure_nothing_and_late_measurements_to_the_others() -> None:
    state = aggregate(NOTHING)
    taken = {
        part: [plot.takes(replace(state, part=part)) for plot in (CoarseningPlot(), BoxCountingPlot())]
        for part in ("all", "counts", "measured")
    }
    assert taken == {"all": [True, True], "counts": [True, False], "measured": [False, True]}


def test_every_stretch_of_a_curve_has_the_colour_of_its_method_and_the_switch_is_marked() -> None:
    drawing, times = drawn(CoarseningPlot(), aggregate(None, SWITCHED, 10.0)), SWITCHED.time
    # a stretch begins at the last point of the one before, so that there is no gap
    stretches = {"event-driven": np.r_[times[1:20], times[44:]], "time-stepping": times[19:45]}
    colours = {"event-driven": LIGHT.event_driven, "time-stepping": LIGHT.time_stepping}
    for key in ("clusters", "energy"):
        whole = drawing[key]
        assert style_of(whole, LIGHT, [TS]).width == 0.0, "not drawn a second time"
        parts = {method: drawing[f"{key} by {method}"] for method in stretches}
        for method, part in parts.items():
            assert_allclose(np.unique(part.x[np.isfinite(part.y)].round(9)), stretches[method].round(9))
            assert style_of(part, LIGHT, [TS]).colour == colours[method]
        assert_allclose(np.nanmax([part.y for part in parts.values()], axis=0), whole.y)
    assert_allclose(drawing["switches"].x, times[[20, 45]])
    assert list(drawing["switches"].labels) == ["TS", "ED"]
    wide, thin = (
        style_of(drawing[key], LIGHT, [TS, ED], run).width for run, key in enumerate(("energy by time-stepping",) * 2)
    )
    assert wide > thin, "of two runs the first is wider, also in its stretches"


# convergence of time steps


def test_iterations_and_residuals_are_those_of_the_last_steps_over_the_tolerance() -> None:
    residual = TOLERANCE * np.array([0.5, 0.0, 0.25, 2.0])
    steps = steps_of([10, 0, 26, 400], [0, 0, 0, 2], residual)
    drawing = drawn(ConvergencePlot(), aggregate(convergence=steps))
    assert_allclose(curve(drawing, "iterations"), [[-3, -1], [10, 26]])  # nothing met in the second step
    assert_allclose(curve(drawing, "failed_iterations"), [[0], [400]])
    assert_allclose(drawing["residual"].y, [0.5, 0.25])
    assert_allclose(drawing["failed_residual"].y, [2.0])
    assert drawing["tolerance"].y == [1.0]
    good, failed = (style_of(drawing[key], LIGHT, [TS]) for key in ("residual", "failed_residual"))
    assert failed.colour == LIGHT.error
    assert failed.marker != good.marker
    other = drawn(ConvergencePlot(), aggregate(convergence=steps, tolerance=10.0 * TOLERANCE))
    assert_allclose(other["residual"].y, [0.05, 0.025])


def test_a_sentence_says_whether_the_last_steps_have_converged_and_where_they_have_not() -> None:
    failed = failures(100, [3, *range(85, 97)])

    def said(iterations: Any, failed: Any = None) -> Any:
        return drawn(ConvergencePlot(), aggregate(convergence=steps_of(iterations, failed))).message

    assert said([10, 26, 0]).text == "26 iterations, 0 of last 3 steps not converged"
    assert said([1]).text == "1 iteration, 0 of last 1 steps not converged"
    bad = said(np.full(100, 30), failed)
    assert bad.text == "Not converging: 12 of the last 20 steps. Smaller α, β, γ or a smaller step help."
    assert bad.problem
    again = said(np.full(100, 30), np.roll(failed, -40))
    assert (again.text, again.problem) == ("30 iterations, 13 of last 100 steps not converged", False)
    assert said(np.full(20, 9), np.ones(20)).text == LONGEST_SUMMARY
    iterations = np.full(60, 30)
    iterations[[5, 50]] = 4000, 300
    assert said(iterations).place == (50.25, 500.0), "the most iterations of the last steps"
    assert said(iterations, failures(60, [55])).place == (55.25, 550.0), "one that failed comes first"
    assert said([0, 0]).place is None


def test_a_step_that_did_not_converge_knows_its_place() -> None:
    drawing = drawn(ConvergencePlot(), aggregate(convergence=steps_of([10, 20, 30], [0, 1, 0])))
    failed = drawing["failed_residual"]
    assert failed.places is not None
    assert failed.places.tolist() == [[1.25, 10.0]]
    assert failed.words is not None
    assert "1 group not converged" in failed.words(0)


def test_convergence_has_a_place_beside_time_stepping_alone() -> None:
    plot = ConvergencePlot()
    assert [plot.has_place(runs) for runs in ([ED], [TS], [ED, TS])] == [False, True, True]
    assert plot.text_without_data([ED], {}) == "The event-driven method is exact: it needs no iterations."
    assert "Iterations" in plot.text_without_data([ED, TS], {})


def test_steps_of_the_engine_are_shown() -> None:
    simulation = engine.create(Scenario().with_values({"aggregation.method": "time-stepping", "discs.count": 225}))
    simulation.advance(5.0)
    steps = simulation.convergence()
    tolerance = simulation.scenario.aggregation.damping.tolerance
    drawing = drawn(ConvergencePlot(), aggregate(convergence=steps, tolerance=tolerance))
    met = steps.iterations > 0
    assert met.any()
    good = met & (steps.not_converged == 0)
    assert_allclose(curve(drawing, "iterations"), [np.flatnonzero(good) - len(met) + 1, steps.iterations[good]])
    assert f"{steps.iterations[met][-1]} iteration" in Minimisations.of(steps, tolerance).summary()


# sizes of clusters


def test_cluster_sizes_are_drawn_as_they_are_and_scaled_above_those_at_earlier_times() -> None:
    """300 single discs, 4 clusters of 20 and 2 of 10."""
    cluster = np.repeat(np.arange(306, dtype=np.int32), np.r_[[1] * 300, [20] * 4, [10] * 2])
    found = analyse(on_grid(), np.full(400, 0.5), BOX, periodic=False, cluster=cluster)
    sizes = found.cluster_size_distribution
    before = (SizesAt(1.0, size_distribution({1: 100, 2: 150})), SizesAt(2.0, size_distribution({2: 100, 4: 50})))
    there = sizes.density > 0.0
    for plot, (want_x, want_y) in (
        (ClusterSizesPlot(), (sizes.sizes, sizes.density)),
        (ScaledSizesPlot(), sizes.scaled()),
    ):
        drawing = drawn(plot, aggregate(found, time=3.0, sizes=before))
        x, y = curve(drawing, "curve")
        assert_allclose(x, want_x[there])
        assert_allclose(y, want_y[there])
        assert drawing["curve"].error is not None
        bounds = drawing.panes[0].bounds
        for one in drawing.series:
            assert bounds[0] < one.x.min() <= one.x.max() < bounds[1]
            assert bounds[2] < one.y.min() <= one.y.max() < bounds[3]
        assert "pale: S" in drawing.panes[0].numbers
    last = before[1].sizes
    assert_allclose(curve(drawing, "earlier 0"), [values[last.density > 0.0] for values in last.scaled()])
    assert drawing["earlier 0"].columns[1].name == "s²n_s/N at t = 2"


def test_sizes_that_are_remembered_double_and_follow_a_run_that_goes_back() -> None:
    kept = SizesBefore()
    for time, size in enumerate([1, 2, 3, 4, 6, 9, 20, 50, 99, 128, 300, 700]):
        kept.remember(float(time), size_distribution({size: 10}))
    assert [one.sizes.weight_mean for one in kept.before(100.0)] == [20, 50, 128, 300, 700]
    assert [one.sizes.weight_mean for one in kept.before(7.0)] == [2, 4, 9, 20]
    kept.remember(3.5, size_distribution({40: 10}))
    assert [one.sizes.weight_mean for one in kept.before(100.0)] == [2, 4, 40]


def test_analysis_of_aggregates_remembers_sizes_of_the_present_only() -> None:
    system = system_of(Scenario().with_values({"discs.count": 100}), 100, 0.1)
    positions = np.random.default_rng(1).uniform(0.0, 20.0, (100, 2))
    analysis = AggregateAnalysis()

    def times(time: float, size: int, past: bool = False) -> list[float]:
        observed = ObservedClusters((np.arange(100) // size).astype(np.int32), np.zeros((100, 2)), None, past)
        found = analysis.measure(StateCopy(system, time, positions, 1.0, None, observed))
        return [one.time for one in found.data.sizes]

    assert times(1.0, 2) == []
    assert times(2.0, 5) == [1.0]
    assert times(3.0, 10) == [1.0, 2.0]
    assert times(1.5, 4, past=True) == [1.0]
    assert times(4.0, 20) == [1.0, 2.0, 3.0]


def test_the_largest_cluster_has_a_profile() -> None:
    cluster = np.zeros(400, np.int32)
    found = analyse(on_grid(), np.full(400, 0.5), BOX, periodic=False, cluster=cluster)
    x, y = curve(drawn(ClusterProfilePlot(), aggregate(found, radius=0.5)), "curve")
    assert_allclose(x, found.cluster_profile.middle / 0.5)
    assert_allclose(y, found.cluster_profile.density)
