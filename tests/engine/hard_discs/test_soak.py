"""The gas against the literature, and against an independent count of what the figures of the paper show: minutes."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest

import engine
from engine import Scenario
from engine.hard_discs import theory
from tests.engine.hard_discs.test_cooling import energy_over_haff
from tests.engine.hard_discs.test_cooling import gas as granular
from tests.engine.hard_discs.test_counts import gas as small_gas
from tests.reference import theory as reference
from tests.reference.counting import count

pytestmark = pytest.mark.slow
BLOCKS = 20  # whose scatter is the standard error of a mean


def gas(count, fill, **changes):
    """A periodic Maxwellian gas of equal discs with k T = m = 1."""
    values = {
        "system": "hard-discs",
        "box.boundary": "periodic",
        "discs.count": count,
        "discs.volume_fraction": fill,
        "discs.arrangement": "random",
        "velocities.distribution": "maxwell",
    }
    return engine.create(
        Scenario().with_values(values | {key.replace("__", "."): value for key, value in changes.items()})
    )


def run(simulation, collisions):
    """On by so many collisions of two discs."""
    simulation.advance(max_events=collisions)


def measured(simulation, collisions):
    """Z and ω, each with its standard error over `BLOCKS` blocks."""
    found = []
    for _ in range(BLOCKS):
        simulation.reset_measures()
        run(simulation, collisions // BLOCKS)
        measures = simulation.measures()
        sigma = 2.0 * float(simulation.radii[0])
        found.append((measures.compressibility, measures.collision_rate * sigma / sqrt(measures.temperature)))
    z, omega = np.array(found).T
    error = 1.0 / sqrt(BLOCKS - 1)
    return float(z.mean()), float(z.std() * error), float(omega.mean()), float(omega.std() * error)


@pytest.mark.parametrize("known", reference.SMALL_SYSTEM_Z, ids=["1 : √3/2", "square"])
def test_pressure_of_72_discs(known):
    """Exact to 1e-5 in the literature; 4e7 collisions tell β P σ² to about 0.003."""
    side = float(np.sqrt(72 / known.aspect))
    simulation = gas(72, 0.65, box__size=[side, side * known.aspect])
    run(simulation, 100_000)
    z, z_error, _, _ = measured(simulation, 40_000_000)
    scale = 4.0 * 0.65 / pi
    error = float(np.hypot(z_error, known.error)) * scale
    print(f"beta P sigma^2 = {z * scale:.5f} +- {error:.5f}, literature {known.pressure:.6f}")
    assert error < 0.006
    assert z * scale == pytest.approx(known.pressure, abs=3.0 * error)


@pytest.mark.parametrize("known", theory.REFERENCE_Z[:3], ids=lambda known: f"{known.phi:g}")
def test_compressibility_to_a_thousandth(known):
    """16 384 discs, 2e7 collisions; also from the collision rate, with which it is bound exactly."""
    simulation = gas(16_384, known.phi)
    run(simulation, 150 * 16_384)
    z, z_error, omega, _ = measured(simulation, 20_000_000)
    from_rate = float(reference.z_from_collision_rate(omega))
    print(f"Z = {z:.4f} +- {z_error:.4f}, from omega {from_rate:.4f}, literature {known.z}")
    assert z == pytest.approx(known.z, rel=1e-3)
    assert from_rate == pytest.approx(known.z, rel=1e-3)


@pytest.mark.parametrize("restitution", [0.95, 0.98])
def test_haffs_law(restitution):
    """N = 1024, φ = 0.1: on the law or up to 2 % above it until 20 collisions a disc; the mean of 20 runs."""
    ratios = [
        energy_over_haff(
            granular(hard_discs__restitution=restitution, hard_discs__equilibration=20.0, seed=seed), stops
        )
        for seed in range(1, 21)
        for stops in [(5, 10, 20)]
    ]
    mean, error = np.mean(ratios, axis=0), np.std(ratios, axis=0) / np.sqrt(19.0)
    print(f"E over Haff {mean.round(4)} +- {error.round(4)}")
    assert (mean > 1.0 - 2.0 * error).all()
    assert (mean < 1.02).all()


def test_conservation_over_a_hundred_million_collisions():
    """1 000 elastic discs at φ = 0.5: about two minutes."""
    simulation = gas(1_000, 0.5)
    run(simulation, 100_000_000)
    found = simulation.measures()
    print(f"energy {found.energy_drift:.1e}, momentum {found.momentum_error:.1e}")
    assert found.pair_collisions == 100_000_000
    assert abs(found.energy_drift) < 1e-13
    assert found.momentum_error < 1e-13
    assert (found.stabilising_events, found.three_body_events) == (0, 0)
    assert simulation.invariants()["max_overlap"] < 1e-12


@pytest.mark.parametrize(("fraction", "restitution"), [(0.1, 1.0), (0.5, 1.0), (0.5, 0.8), (0.5, 0.6)])
def test_figure_3(fraction, restitution):
    """The histogram of impact separations, bin by bin, from positions at each impact in exact arithmetic."""
    simulation = small_gas(400, fraction, boundary="walls", restitution=restitution)
    simulation.count_impacts = True
    counted = count(simulation, 10_000)
    edges, told = simulation.impact_histogram()
    middle = 0.5 * (edges[1:] + edges[:-1])
    exact = np.sort(np.clip(counted.separations, middle[0], middle[-1]))
    assert told.sum() == len(exact) == counted.pairs
    off = np.abs(np.repeat(middle, told) - exact)
    print(
        f"overlapping {told[edges[1:] <= 0].sum() / told.sum():.3f}, off by {off.mean():.2f}, at most {off.max():.2f}"
    )
    # the square of the distance is rounded, and so is the place in the histogram
    assert off.max() <= 2.5
    assert np.abs(np.repeat(middle, told)).mean() == pytest.approx(np.abs(exact).mean(), rel=0.05)
    assert 0.45 < told[edges[1:] <= 0].sum() / told.sum() < 0.55


@pytest.mark.parametrize(
    ("fraction", "restitution", "none"), [(0.3, 1.0, True), (0.5, 0.8, True), (0.5, 0.4, False), (0.65, 0.4, False)]
)
def test_figure_5(fraction, restitution, none):
    """Three-body events of small groups that collapse, counted from positions.

    When a group collapses is left to chance: of single gases between 2 and 80 % of all impacts are such events, of the
    five together a third.
    """
    walls = {"hard_discs.wall_restitution": max(restitution, 0.9)}
    least = told = most = pairs = 0
    for seed in range(1, 6):
        simulation = small_gas(64, fraction, boundary="walls", restitution=restitution, seed=seed, **walls)
        counted = count(simulation, 4_000)
        found = simulation.measures().three_body_events
        low, high = counted.three_body
        print(f"three-body {low} <= {found} <= {high} of {counted.pairs}")
        assert low <= found <= high
        least, told, most, pairs = least + low, told + found, most + high, pairs + counted.pairs
    assert (most == 0) if none else (least > 0.1 * pairs)
    assert most <= 2 * told
