"""States for the tests of the engine, made without the engine's own arrangements."""

from __future__ import annotations

import numpy as np

from engine.state import InitialState


def random_state(
    rng: np.random.Generator,
    count: int,
    *,
    periodic: bool,
    fraction: float = 0.2,
    spread: float = 0.0,
    box: tuple[float, float] = (1.0, 1.0),
    joined: int = 0,
    free_masses: bool = False,
) -> InitialState:
    """Discs dropped one by one where there is room; `joined` neighbouring pairs start as one cluster."""
    radii = 1.0 + spread * rng.uniform(-1.0, 1.0, count)
    radii = np.sort(radii)[::-1]
    sides = np.array(box)
    radii *= np.sqrt(fraction * sides.prod() / (np.pi * (radii**2).sum()))
    positions = np.empty((count, 2))
    placed = 0
    for _ in range(200_000):
        if placed == count:
            break
        r = radii[placed]
        x = rng.uniform(0, sides) if periodic else rng.uniform(r, sides - r)
        d = positions[:placed] - x
        if periodic:
            d -= sides * np.round(d / sides)
        if placed == 0 or (np.hypot(d[:, 0], d[:, 1]) > radii[:placed] + r).all():
            positions[placed] = x
            placed += 1
    assert placed == count, "the test asks for a denser state than dropping discs can make"
    angle = rng.uniform(0, 2 * np.pi, count)
    velocities = np.stack([np.cos(angle), np.sin(angle)], axis=1) * rng.uniform(0.2, 1.5, (count, 1))
    masses = rng.uniform(0.1, 3.0, count) if free_masses else radii**2 / (radii**2).mean()
    cluster = np.arange(count, dtype=np.int32)
    for k in range(min(joined, count // 2)):
        cluster[2 * k + 1] = cluster[2 * k]
        mean = (masses[2 * k] * velocities[2 * k] + masses[2 * k + 1] * velocities[2 * k + 1]) / (
            masses[2 * k] + masses[2 * k + 1]
        )
        velocities[2 * k] = velocities[2 * k + 1] = mean
    return InitialState(positions, velocities, radii, masses, cluster, sides, periodic)


def discs(positions, velocities, radii, box, *, periodic=False, masses=None, cluster=None) -> InitialState:
    """A state written out by hand."""
    n = len(positions)
    return InitialState(
        np.array(positions, float).reshape(n, 2),
        np.array(velocities, float).reshape(n, 2),
        np.broadcast_to(np.array(radii, float), n).copy(),
        np.ones(n) if masses is None else np.array(masses, float),
        np.arange(n, dtype=np.int32) if cluster is None else np.array(cluster, np.int32),
        np.broadcast_to(np.array(box, float), 2).copy(),
        periodic,
    )
