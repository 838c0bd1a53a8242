"""What runs end with, against plain references: growth of clusters, cooling, separations at impact, coordination."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.aggregation.system import coarsening_exponent, growth
from engine.hard_discs.fields import GasHistory
from engine.hard_discs.pressure import Stretch
from engine.hard_discs.system import cooling
from engine.hard_discs.theory import haff
from engine.jamming import jam
from engine.jamming.packing import coordination
from engine.runs.loop import RunLimits, simulate
from engine.runs.summary import measured
from engine.scenario import load_scenario
from engine.simulation import History


def summary(name: str, limits: RunLimits, **values: object) -> dict[str, object]:
    """The JSON of a run."""
    scenario = load_scenario(name).with_values({key.replace("__", "."): value for key, value in values.items()})
    simulation = engine.create(scenario)
    ended = simulate(simulation, limits)
    return measured(simulation, simulation.settled(), ended, compile_s=0.0, setup_s=0.0)


def falling(exponent: float, count: int = 10_000) -> History:
    """Clusters that merge one by one, so that M = N t^-exponent from t = 1 on."""
    clusters = np.arange(count, 20, -1)
    return History((count / clusters) ** (1.0 / exponent), clusters, np.ones(len(clusters)))


@pytest.mark.parametrize("exponent", [0.8, 1.0, 1.3])
def test_the_exponent_of_a_power_law(exponent: float) -> None:
    assert coarsening_exponent(falling(exponent)) == pytest.approx(exponent, rel=1e-3)


def test_the_exponent_is_that_of_the_range_alone() -> None:
    """Neither the beginning nor the last few clusters count."""
    history = falling(1.2)
    early = history.clusters > 0.26 * history.clusters[0]
    time = np.where(early, np.linspace(0.0, float(history.time[early][-1]), len(early)), history.time)
    time[early] = np.sort(time[early])
    assert coarsening_exponent(History(time, history.clusters, history.kinetic_energy)) == pytest.approx(1.2, rel=5e-3)


def test_no_exponent_of_a_run_that_has_hardly_begun() -> None:
    history = falling(1.0)
    begun = history.clusters > 2_000  # not by half, from a quarter on
    part = History(history.time[begun], history.clusters[begun], history.kinetic_energy[begun])
    assert coarsening_exponent(part) is None


def test_masses_and_sizes_of_clusters() -> None:
    found = growth(np.array([7, 7, 7, 2, 5, 5, 9], np.int32), np.array([1.0, 2.0, 3.0, 2.0, 1.0, 1.0, 4.0]))
    # masses 6, 2, 2, 4 over the mean 2
    assert found["mean_cluster_mass"] == pytest.approx(3.5 / 2.0)
    assert found["weighted_cluster_mass"] == pytest.approx((36 + 4 + 4 + 16) / 14.0 / 2.0)
    assert found["size_distribution"] == {"edges": [1, 2, 4, 8], "density": [2 / 4, 2 / 4 / 2, 0.0]}


def test_a_run_of_aggregation_has_them() -> None:
    found = summary("lattice-400", RunLimits(until_clusters=40), box__boundary="periodic")
    assert found["mean_cluster_mass"] == 10.0
    assert found["weighted_cluster_mass"] > 10.0
    edges, density = (np.array(found["size_distribution"][key]) for key in ("edges", "density"))
    assert (density * np.diff(edges)).sum() == pytest.approx(1.0)
    assert 0.5 < found["coarsening_exponent"] < 2.5


def cooled(ratio: np.ndarray, restitution: float = 0.9) -> GasHistory:
    """A history that is Haff's law times `ratio`, a row for each half collision of 100 discs."""
    rows = len(ratio)
    time = np.linspace(0.0, 30.0, rows)
    energy = haff(time, restitution, 2.0, 50.0) * ratio
    collisions = 25 * np.arange(rows)
    return GasHistory(
        time, np.full(rows, 100), energy, collisions, np.zeros(rows), np.full(rows, 0.1), energy, np.zeros(rows)
    )


def test_cooling_is_told_over_haffs_law() -> None:
    ratio = np.concatenate([np.ones(50), [1.3], np.ones(20), np.linspace(1.0, 2.0, 50)])
    found = cooling(cooled(ratio), [Stretch(0.0, 0.9, 50.0, 2.0)], 100)
    assert found["temperature_over_haff"] == pytest.approx(2.0)
    first = 71 + int(np.flatnonzero(np.linspace(1.0, 2.0, 50) > 1.2)[0])
    assert found["clustering_onset"] == pytest.approx(0.5 * first)  # for good: not the single row before
    assert found["over_haff_after_20"] == pytest.approx(1.0)
    assert found["temperature_after_20"] == pytest.approx(haff(30.0 * 40 / 120, 0.9, 2.0), rel=1e-12)  # row 40 of 121
    np.testing.assert_allclose(found["cooling"]["over_haff"], ratio)
    np.testing.assert_allclose(found["cooling"]["collisions_per_disc"], 0.5 * np.arange(len(ratio)))


def test_a_run_without_haffs_law_reports_no_cooling() -> None:
    history = cooled(np.ones(30))
    elastic = cooling(history, [Stretch(0.0, 1.0, 50.0, 2.0)], 100)
    assert set(elastic.values()) == {None}
    early = cooling(history, [Stretch(0.0, 0.9, 50.0, 2.0)], 100)
    assert (early["clustering_onset"], early["over_haff_after_20"], early["temperature_after_20"]) == (None,) * 3


def test_impacts_are_counted_where_the_scenario_asks_for_it() -> None:
    limits = RunLimits(until_events=2_000)
    counted = summary("gas-10000", limits, discs__count=100, hard_discs__count_impacts=True)
    plain = summary("gas-10000", limits, discs__count=100)
    assert plain["impact_separations"] is None
    assert plain["overlapping_impacts"] is None
    assert counted["sim_time"] == plain["sim_time"]  # nothing else has changed
    ulps, share = (np.array(counted["impact_separations"][key]) for key in ("ulps", "share"))
    assert (ulps[0], ulps[-1]) == (-256.0, 256.0)
    assert 0.9 < share.sum() <= 1.0 + 1e-12
    assert share[ulps < 0.0].sum() <= counted["overlapping_impacts"] + 1e-12
    assert 0.4 < counted["overlapping_impacts"] < 0.6
    assert counted["collisions_per_disc"] == 40.0
    assert 0.01 < counted["compressibility_error"] < 0.2
    # from equilibrium on, since ω counts the melting lattice too
    settled = summary("gas-10000", limits, discs__count=100, hard_discs__equilibration=30.0)
    z = 1.0 + 0.25 * np.sqrt(np.pi) * settled["reduced_collision_rate"]
    assert settled["compressibility"] == pytest.approx(z, rel=0.02)
    assert summary("gas-10000", limits, discs__count=100, hard_discs__restitution=0.9)["reduced_collision_rate"] is None


def test_coordination_of_a_packing() -> None:
    rng = np.random.default_rng(3)
    radii = np.where(np.arange(64) % 2, 0.02, 0.028)
    grid = (np.stack(np.meshgrid(np.arange(8), np.arange(8)), -1).reshape(-1, 2) + 0.5) / 8.0
    packing = jam(grid + rng.uniform(-0.01, 0.01, (64, 2)), radii, np.ones(2))
    assert packing.jammed
    found = coordination(packing)
    standing = int((~packing.rattlers).sum())
    ends = sum(2 for _ in packing.contacts)
    assert found["rattler_share"] == pytest.approx(packing.rattlers.mean())
    assert found["coordination"] == pytest.approx(ends / standing)
    isostatic = 2 * (standing - 1) + 1
    assert found["excess_coordination"] == pytest.approx(2.0 * (len(packing.forces) - isostatic) / standing)
