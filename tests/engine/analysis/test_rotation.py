"""Energy and angular momentum of clusters that turn, against plain sums over unwrapped discs."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.aggregation.fields import CLUSTER_DIRECTION, CLUSTER_SPEED, TURNING_CLUSTERS
from engine.analysis import ROTATION, Sample, measure, spins
from engine.boundary import Periodic
from engine.fields import SPEED
from engine.frame import Frame, FrameDiscs
from engine.records import along, columns
from engine.scenario import Scenario
from engine.selection import ClusterColumns
from engine.selection.clusters import FrameClusters
from engine.system import system_of
from tests.builders.boxes import every_boundary

BOX = np.array([10.0, 8.0])
LABELS = np.array([4, 4, 4, 7, 7, 0])
RADII = np.array([0.5, 0.5, 0.4, 0.3, 0.6, 0.5])
MASSES = RADII**2 * np.array([1.0, 2.0, 1.0, 1.0, 3.0, 1.0])
UNWRAPPED = np.array([[9.0, 1.0], [10.0, 1.0], [10.0, 1.9], [3.0, 7.5], [3.9, 7.5], [5.0, 4.0]])
CENTRE_VELOCITY = {4: (0.3, -0.2), 7: (-1.0, 0.4), 0: (0.5, 0.1)}
OMEGA = {4: 0.7, 7: -1.3, 0: 2.0}
SPIN = np.array([OMEGA[label] for label in LABELS])


def moving() -> tuple[np.ndarray, dict[int, tuple[float, float, float]]]:
    """The velocity of each disc, and M, I and I ω of each cluster."""
    velocities, known = np.zeros((6, 2)), {}
    for label, omega in OMEGA.items():
        own = label == LABELS
        mass = MASSES[own].sum()
        away = UNWRAPPED[own] - (MASSES[own] @ UNWRAPPED[own]) / mass
        velocities[own] = CENTRE_VELOCITY[label] + omega * np.column_stack([-away[:, 1], away[:, 0]])
        inertia = float((MASSES[own] * ((away**2).sum(axis=1) + RADII[own] ** 2 / 2)).sum())
        known[label] = float(mass), inertia, inertia * omega
    return velocities, known


def test_spins_follow_from_velocities_without_unwrapping() -> None:
    velocities, known = moving()
    rows = np.unique(LABELS, return_inverse=True)[1]
    found = spins(rows, MASSES, RADII, velocities, SPIN)
    wanted = [known[label] for label in (0, 4, 7)]
    np.testing.assert_allclose(found.momentum, [momentum for _, _, momentum in wanted], rtol=1e-13)
    energy = [0.5 * momentum**2 / inertia for _, inertia, momentum in wanted]
    np.testing.assert_allclose(found.energy, energy, rtol=1e-13)
    still = spins(rows, MASSES, RADII, np.ones((6, 2)), np.zeros(6))
    assert not still.energy.any()
    assert not still.momentum.any()


@every_boundary(2)
def test_the_indicators_of_rotation_are_the_plain_sums(periodic: Periodic) -> None:
    velocities, known = moving()
    positions = np.where(periodic, UNWRAPPED % BOX, UNWRAPPED - (1.0, 0.0))
    sample = Sample(positions, RADII, BOX, periodic=periodic, velocities=velocities, masses=MASSES, cluster=LABELS)
    assert measure(sample, ROTATION) == {}, "left out where no ω is known"
    sample.spin = SPIN
    found = measure(sample, ROTATION)
    flight = velocities - MASSES @ velocities / MASSES.sum() * np.array(periodic)
    own = (0.5 * MASSES * RADII**2 * SPIN).sum()
    energy = 0.5 * (MASSES * (flight**2).sum(axis=1)).sum() + 0.25 * (MASSES * RADII**2 * SPIN**2).sum()
    turning = sum(0.5 * momentum**2 / inertia for _, inertia, momentum in known.values())
    assert found["rotational_share"] == pytest.approx(turning / energy, rel=1e-13)
    x, y = (positions - BOX / 2).T
    total = (MASSES * (x * velocities[:, 1] - y * velocities[:, 0])).sum() + own
    wanted = sum(momentum for *_, momentum in known.values()) if periodic.any else total
    assert found["angular_momentum"] == pytest.approx(wanted, rel=1e-12)


def test_colours_and_tables_have_the_motion_of_the_cluster_not_of_its_discs() -> None:
    velocities, known = moving()
    discs = FrameDiscs(RADII, MASSES, BOX, True, Scenario())
    fields = {"cluster": LABELS.astype(np.int32), "spin": SPIN}
    frame = Frame(0.0, UNWRAPPED % BOX, velocities, fields, 3, 1.0)
    speeds = [np.hypot(*CENTRE_VELOCITY[label]) for label in LABELS]
    np.testing.assert_allclose(CLUSTER_SPEED.values(frame, discs), speeds, rtol=1e-13)
    angles = [np.arctan2(*CENTRE_VELOCITY[label][::-1]) for label in LABELS]
    np.testing.assert_allclose(CLUSTER_DIRECTION.values(frame, discs), angles, rtol=1e-13)
    for disc in range(6):
        assert CLUSTER_SPEED.of_disc(frame, discs, disc) == pytest.approx(speeds[disc])
        assert CLUSTER_DIRECTION.of_disc(frame, discs, disc) == pytest.approx(angles[disc])
    clusters = FrameClusters(frame, discs)
    wanted = [known[label] for label in (0, 4, 7)]
    np.testing.assert_allclose(clusters.moments_of_inertia, [inertia for _, inertia, _ in wanted], rtol=1e-12)
    np.testing.assert_allclose(clusters.angular_momenta, [momentum for *_, momentum in wanted], rtol=1e-12)
    np.testing.assert_array_equal(clusters.spins, [OMEGA[label] for label in (0, 4, 7)])
    assert set(ClusterColumns(clusters, TURNING_CLUSTERS)) == {"spin", "angular_momentum", "inertia"}
    del fields["spin"]
    assert not ClusterColumns(clusters, TURNING_CLUSTERS), "no empty columns where nothing turns"
    assert clusters.__class__(frame, discs).angular_momenta is None
    np.testing.assert_array_equal(CLUSTER_SPEED.values(frame, discs), SPEED.values(frame, discs))


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_the_rotation_of_clusters_of_spheres_is_that_of_the_bodies_of_the_run(boundary: str) -> None:
    values = {"aggregation.rotation": True, "dimensions": 3, "velocities.spin": "thermal", "box.boundary": boundary}
    simulation = engine.create(Scenario().with_values(values | {"discs.count": 60, "discs.arrangement": "random"}))
    simulation.advance(until_clusters=15)
    frame, bodies = simulation.frame(), simulation._clusters()  # type: ignore[attr-defined]
    bodies = bodies[np.argsort(simulation._original[simulation._st.live[: len(bodies)]])]  # type: ignore[attr-defined]
    momentum = columns(bodies, *along("spin_momentum_", 3))
    sample = system_of(simulation.scenario).sample(simulation, frame)
    np.testing.assert_allclose(sample.spins.momentum, momentum, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sample.spins.energy, bodies["turning_energy"], rtol=1e-10)
    found = measure(sample, ROTATION)
    if boundary == "walls":
        share = bodies["turning_energy"].sum() / frame.kinetic_energy
        assert found["rotational_share"] == pytest.approx(share, rel=1e-10)
    else:
        assert found["angular_momentum"] == pytest.approx(np.linalg.norm(momentum.sum(axis=0)), rel=1e-10)
    clusters = FrameClusters(frame, simulation)
    assert clusters.spins is not None
    np.testing.assert_allclose(clusters.angular_momenta, np.linalg.norm(momentum, axis=1), rtol=1e-9)
    wanted = 2.0 * bodies["turning_energy"] / clusters.spins**2
    np.testing.assert_allclose(clusters.moments_of_inertia, wanted, rtol=1e-9)
    speeds = CLUSTER_SPEED.values(frame, simulation)
    assert speeds is not None
    velocities = np.linalg.norm(columns(bodies, "px", "py", "pz"), axis=1) / bodies["mass"]
    np.testing.assert_allclose(speeds, velocities[clusters.rows], rtol=1e-9)
