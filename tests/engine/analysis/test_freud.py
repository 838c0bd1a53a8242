"""freud as an independent check, in a periodic box (freud knows no walls, and computes in single precision)."""

from __future__ import annotations

import freud
import numpy as np
import pytest
from numpy.typing import NDArray

from engine import analysis

SIDE = 90.0
BOX = np.array([SIDE, SIDE])
COUNT = 500


@pytest.fixture(scope="module")
def positions() -> NDArray[np.float64]:
    """Discs of radius 1 without overlap, at V_f = 0.19, many of them within 2.1 of a neighbour."""
    rng = np.random.default_rng(12)
    placed = np.empty((0, 2))
    while len(placed) < COUNT:
        trial = rng.random(2) * SIDE
        apart = np.abs(placed - trial)
        if (np.hypot(*np.minimum(apart, SIDE - apart).T) >= 2.0).all():
            placed = np.concatenate([placed, trial[None]])
    return placed


def in_freud(positions: NDArray[np.float64]) -> tuple[freud.box.Box, NDArray[np.float32]]:
    """freud's box is centred at the origin, and its points have three coordinates."""
    box = freud.box.Box.square(SIDE)
    points = np.zeros((len(positions), 3), np.float32)
    points[:, :2] = positions - SIDE / 2
    return box, box.wrap(points)


def test_gyration_of_the_largest_cluster_and_cluster_sizes(positions: NDArray[np.float64]) -> None:
    box, points = in_freud(positions)
    found = freud.cluster.Cluster().compute((box, points), neighbors={"r_max": 3.0})
    properties = freud.cluster.ClusterProperties().compute((box, points), found.cluster_idx)
    labels = found.cluster_idx.astype(np.int32)
    sizes, number = np.unique(properties.sizes, return_counts=True)
    assert analysis.cluster_sizes(labels) == dict(zip(sizes.tolist(), number.tolist(), strict=True))

    # radii that make freud's 3.0 the contact distance here
    shape = analysis.gyration(positions, np.full(COUNT, 3.0 / 2.1), BOX, periodic=True, cluster=labels)
    largest = int(np.argmax(properties.sizes))
    assert properties.sizes[largest] >= 5
    assert np.count_nonzero(properties.sizes == properties.sizes[largest]) == 1
    assert shape.tensor is not None
    np.testing.assert_allclose(shape.tensor, properties.gyrations[largest][:2, :2], rtol=1e-4, atol=1e-3)
