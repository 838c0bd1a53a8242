"""Speed of the indicators on one core, compile apart. Target: all together within 1 s at 10^6 discs.

Discs of radius 1 at V_f = 0.2: loose ones, spread evenly, and a dense aggregate whose discs touch. Read the medians.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.conftest import Report, Timed, seconds
from engine import analysis
from engine.system import system

Array = NDArray[np.float64]

VOLUME_FRACTION = 0.2


def side(count: int) -> float:
    """Side of the box."""
    return float(np.sqrt(count * np.pi / VOLUME_FRACTION))


def loose(count: int) -> Array:
    """A lattice, each disc moved at random within its own square, in random order."""
    rng = np.random.default_rng(1)
    along = int(np.ceil(np.sqrt(count)))
    spacing = side(count) / along
    x, y = np.meshgrid(np.arange(along), np.arange(along))
    points = np.column_stack([x.ravel(), y.ravel()])[:count] * spacing + 1.0
    return rng.permutation(points + rng.random((count, 2)) * (spacing - 2.0))


def aggregate(count: int) -> Array:
    """Discs of a triangular lattice, all touching, where a smooth random field is low: branches and holes of tens of
    radii, denser than ballistic aggregates are. In random order.
    """
    rng = np.random.default_rng(2)
    columns, rows = int(side(count) / 2.0) - 1, int(side(count) / np.sqrt(3.0)) - 1
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    points = np.column_stack([(2.0 * x + y % 2).ravel() + 1.0, np.sqrt(3.0) * y.ravel() + 1.0])
    field = np.zeros(len(points))
    for angle, wavelength, phase in rng.random((24, 3)):
        wave = 2 * np.pi / (20.0 + 180.0 * wavelength)
        field += np.cos(wave * (points @ (np.cos(np.pi * angle), np.sin(np.pi * angle))) + 2 * np.pi * phase)
    return rng.permutation(points[np.argsort(field)[:count]])


@pytest.mark.parametrize("periodic", [False, True], ids=["walls", "periodic"])
@pytest.mark.parametrize(("name", "arrange"), [("aggregation", aggregate), ("hard-discs", loose)])
def test_each_indicator_of_a_system(
    timed: Timed, report: Report, name: str, arrange: Callable[[int], Array], periodic: bool
) -> None:
    """All that are registered for a system, together and each alone, of 10^6 discs. What several need is computed once
    where they are measured together."""
    count = 1_000_000
    positions, velocities = arrange(count), np.random.default_rng(3).normal(size=(count, 2))
    clusters: dict[str, Any] = {"cluster": np.zeros(count, np.int32)} if name == "aggregation" else {"joins": False}
    indicators = system(name).indicators()

    def sample() -> analysis.Sample:
        return analysis.Sample(
            positions,
            np.ones(count),
            np.full(2, side(count)),
            periodic=periodic,
            velocities=velocities,
            masses=np.ones(count),
            images=np.zeros((count, 2), np.int32),
            start=positions,
            start_velocities=velocities,
            **clusters,
        )

    def measure(*chosen: analysis.Indicator) -> None:
        analysis.measure(sample(), chosen)

    timed(measure, *indicators, rounds=3)
    alone = [one for one in indicators if one.possible(sample()) and not (one.of_clusters and name == "hard-discs")]
    report(**{f"{one.name} alone, ms": 1e3 * seconds(partial(measure, one), 2) for one in alone})
