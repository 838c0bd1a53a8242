"""Plots of cluster sizes, structure factor, velocity correlations and profiles: what is drawn is what was given."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pytestqt.qtbot import QtBot

from aggviewer.session.measuring import MeasuredState, StateCopy
from aggviewer.systems.aggregation.analysis import AggregateAnalysis, ObservedClusters, SizesAt, SizesBefore
from aggviewer.systems.aggregation.clusters import ClusterProfilePlot, ClusterSizesPlot, ScaledSizesPlot
from aggviewer.systems.hard_discs.analysis import GasAnalysis
from aggviewer.systems.hard_discs.motion import AutocorrelationPlot
from aggviewer.systems.jamming.packing import JamStructureFactorPlot
from aggviewer.systems.state_plots import (
    HeightProfilePlot,
    RadialProfilePlot,
    StructureFactorPlot,
    VelocityCorrelationPlot,
)
from engine.analysis import analyse, size_distribution
from engine.capabilities import counting
from engine.initial import initial_state
from engine.scenario import Scenario
from engine.system import system_of as engine_system
from tests.plots.gas_data import gas
from tests.plots.jamming_data import jammed
from tests.plots.panels import aggregate, data_of, open_plot, shown_panel, system_of


def clusters() -> np.ndarray:
    """300 single discs, 4 clusters of 20 and 2 of 10."""
    return np.repeat(np.arange(306, dtype=np.int32), np.r_[[1] * 300, [20] * 4, [10] * 2])


def test_cluster_sizes_as_they_are_and_scaled(qtbot: QtBot) -> None:
    rng = np.random.default_rng(1)
    x, y = np.meshgrid(np.arange(20) + 0.5, np.arange(20) + 0.5)
    found = analyse(
        np.column_stack([x.ravel(), y.ravel()]),
        np.full(400, 0.5),
        np.array([20.0, 20.0]),
        periodic=False,
        cluster=clusters(),
        velocities=rng.normal(size=(400, 2)),
        masses=np.ones(400),
    )
    sizes = found.cluster_size_distribution
    assert sizes is not None
    before = (SizesAt(1.0, size_distribution({1: 100, 2: 150})), SizesAt(2.0, size_distribution({2: 100, 4: 50})))
    panel = shown_panel(qtbot, height=1600)
    panel.refresh(aggregate(found, time=3.0, sizes=before))
    plain, scaled = open_plot(panel, ClusterSizesPlot), open_plot(panel, ScaledSizesPlot)
    there = sizes.density > 0.0
    for card, (want_x, want_y) in ((plain, (sizes.sizes, sizes.density)), (scaled, sizes.scaled())):
        got_x, got_y = data_of(card, "curve")
        assert_allclose(got_x, want_x[there])
        assert_allclose(got_y, want_y[there])
        drawn = [np.log10(data_of(card, f"earlier {k}")) for k in (1, 0)]
        assert [len(one[0]) for one in drawn] == [2, 2]
        (low_x, high_x), (low_y, high_y) = card.view.getPlotItem().getViewBox().viewRange()
        assert low_x < min(one[0].min() for one in drawn if len(one[0]))
        assert high_x > np.log10(got_x.max())
        assert low_y < np.log10(got_y.min())
        assert high_y > max(one[1].max() for one in drawn if len(one[1]))
        assert "pale: S" in card.view.value
    assert_allclose(data_of(scaled, "earlier 0")[0], before[1].sizes.scaled()[0][before[1].sizes.density > 0])
    table = scaled.table()
    wanted = before[1].sizes.scaled()[1]
    assert_allclose(table["s²n_s/N at t = 2 [1]"], wanted[wanted > 0.0])
    assert "s²n_s/N standard error [1]" in table
    panel.refresh(aggregate(time=0.0))
    assert plain.view.empty_text
    assert "s²n_s/N at t = 2 [1]" not in scaled.table()


def test_sizes_that_are_remembered_double_and_follow_a_run_that_goes_back() -> None:
    kept = SizesBefore()
    for time, size in enumerate([1, 2, 3, 4, 6, 9, 20, 50, 99, 128, 300, 700]):
        kept.remember(float(time), size_distribution({size: 10}))
    means = [one.sizes.weight_mean for one in kept.before(100.0)]
    assert means == [20, 50, 128, 300, 700]
    assert [one.sizes.weight_mean for one in kept.before(7.0)] == [2, 4, 9, 20]
    kept.remember(3.5, size_distribution({40: 10}))
    assert [one.sizes.weight_mean for one in kept.before(100.0)] == [2, 4, 40]


def test_analysis_of_aggregates_remembers_sizes_of_the_present_only() -> None:
    scenario = Scenario().with_values({"discs.count": 100})
    system = system_of(scenario, 100, 0.1)
    positions = np.random.default_rng(1).uniform(0.0, 20.0, (100, 2))
    analysis = AggregateAnalysis()

    def measured(time: float, size: int, past: bool = False) -> tuple[SizesAt, ...]:
        cluster = (np.arange(100) // size).astype(np.int32)
        observed = ObservedClusters(cluster, np.zeros((100, 2)), None, past)
        found: tuple[SizesAt, ...] = analysis.measure(
            StateCopy(system, time, positions, 1.0, None, observed)
        ).data.sizes
        return found

    assert measured(1.0, 2) == ()
    assert [one.time for one in measured(2.0, 5)] == [1.0]
    assert [one.time for one in measured(3.0, 10)] == [1.0, 2.0]
    assert [one.time for one in measured(1.5, 4, past=True)] == [1.0]
    assert [one.time for one in measured(4.0, 20)] == [1.0, 2.0, 3.0]


def test_the_largest_cluster_has_a_profile(qtbot: QtBot) -> None:
    x, y = np.meshgrid(np.arange(20.0) + 0.5, np.arange(20.0) + 0.5)
    positions = np.column_stack([x.ravel(), y.ravel()])
    cluster = np.zeros(400, np.int32)
    found = analyse(positions, np.full(400, 0.5), np.array([20.0, 20.0]), periodic=False, cluster=cluster)
    panel = shown_panel(qtbot, height=1600)
    panel.refresh(aggregate(found, radius=0.5))
    got_x, got_y = data_of(open_plot(panel, ClusterProfilePlot), "curve")
    assert found.cluster_profile is not None
    assert_allclose(got_x, found.cluster_profile.middle / 0.5)
    assert_allclose(got_y, found.cluster_profile.density)


def test_plots_of_a_gas_show_what_is_measured(qtbot: QtBot) -> None:
    panel = shown_panel(qtbot, "hard-discs", height=2400)
    time = np.linspace(0.0, 10.0, 50)
    given = gas(autocorrelation=(time, np.exp(-time)))
    panel.refresh(given)
    seen = given.indicators
    waves = open_plot(panel, StructureFactorPlot)
    got_x, got_y = data_of(waves, "curve")
    assert_allclose(got_x, seen.structure_factor.k * seen.structure_factor.diameter)
    assert_allclose(got_y, seen.structure_factor.s)
    assert "ideal" in waves.view.shown
    assert_allclose(waves.table()["S(k) standard error [1]"], seen.structure_factor.error)
    alike = open_plot(panel, VelocityCorrelationPlot)
    assert_allclose(data_of(alike, "total")[1], seen.velocity_correlation.total)
    assert_allclose(data_of(alike, "parallel")[1], seen.velocity_correlation.parallel)
    assert_allclose(data_of(alike, "total")[0], seen.velocity_correlation.r / seen.velocity_correlation.diameter)
    left = open_plot(panel, AutocorrelationPlot)
    got_x, got_y = data_of(left, "curve")
    assert_allclose(got_x, time[1:])
    assert_allclose(got_y, np.exp(-time[1:]))
    for plot, profile in ((RadialProfilePlot, seen.radial_profile), (HeightProfilePlot, seen.height_profile)):
        card = open_plot(panel, plot)
        got_x, got_y = data_of(card, "density")
        assert_allclose(got_x, profile.middle / 0.8)
        assert_allclose(got_y, profile.density)
        _, speed = data_of(card, "speed")
        ratio = profile.speed / speed
        assert_allclose(ratio[np.isfinite(ratio)], ratio[np.isfinite(ratio)][0])  # over one mean
        area = np.diff(profile.edges**2) if plot is RadialProfilePlot else np.diff(profile.edges)
        weight = profile.density * area
        assert (weight * np.nan_to_num(speed)).sum() / weight.sum() == pytest.approx(1.0)
        assert f"ρ/ρ̄ = <b>{profile.density.max():.2f}" in card.view.value


def test_a_packing_has_a_structure_factor_before_it_has_contacts(qtbot: QtBot) -> None:
    panel = shown_panel(qtbot, "jamming", height=1600)
    given = jammed(arrangement=SimpleNamespace(structure_factor=None))
    card = open_plot(panel, JamStructureFactorPlot)
    panel.refresh(given)
    assert card.view.empty_text
    found = gas().indicators
    waves = found.structure_factor
    panel.refresh(replace(given, indicators=None, data=replace(given.data, arrangement=found)))
    assert_allclose(data_of(card, "curve")[1], waves.s)


def test_a_gas_is_followed_from_its_first_state() -> None:
    scenario = Scenario().with_values(
        {"system": "hard-discs", "discs.count": 60, "discs.volume_fraction": 0.3, "box.boundary": "periodic"}
    )
    kind = engine_system(scenario)
    state = initial_state(scenario)
    simulation = kind.create(scenario, state)
    analysis = GasAnalysis()
    system = system_of(scenario, 60, 0.1)
    system = replace(system, radii=state.radii, masses=state.masses, box=state.box, periodic=True)
    assert counting(simulation) is not None
    found = None
    for _ in range(4):
        frame = simulation.settled()
        observed = analysis.observe(simulation, frame, MeasuredState())
        found = analysis.measure(StateCopy(system, frame.time, frame.positions.copy(), 1.0, None, observed))
        simulation.advance(max_events=60)
    assert found is not None
    time, alike = found.data.autocorrelation
    assert time[0] == 0.0
    assert len(time) == 4
    assert alike[0] == pytest.approx(1.0)
    assert (np.abs(alike[1:]) < 0.99).all()
    assert found.indicators.velocity_autocorrelation == alike[-1]
