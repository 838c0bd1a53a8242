"""Near clusters of the same colour have different rims, against all pairs of discs."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.rims import LOOKS, NEAR, rims
from tests.builders.boxes import EVERY


def near_alike(labels, colors, positions, radii, box, periodic):
    """The pairs of labels whose clusters have the same colour and are near each other."""
    steps = positions[:, None] - positions
    steps -= np.where(periodic, box * np.rint(steps / box), 0.0)
    near = np.linalg.norm(steps, axis=-1) < NEAR * 2.0 * radii.mean()
    joined = np.bincount(labels)[labels] > 1
    near &= (colors[:, None] == colors) & (labels[:, None] != labels) & joined & joined[:, None]
    return {(int(labels[i]), int(labels[j])) for i, j in zip(*np.nonzero(near), strict=True)}


@pytest.mark.parametrize("seed", range(40))
def test_a_rim_appears_exactly_where_a_larger_near_cluster_has_the_same_colour(seed):
    rng = np.random.default_rng(seed)
    count, axes = int(rng.integers(5, 200)), 2 + seed % 2
    periodic = EVERY[axes][seed // 2 % len(EVERY[axes])]
    box = rng.uniform(3.0, 30.0 if axes == 2 else 12.0, axes)
    radii = rng.uniform(0.2, 0.8, count)
    positions = rng.uniform(0.0, 1.0, (count, axes)) * box
    labels = rng.integers(0, max(2, count // 3), count)
    colors = rng.integers(0, 3, count)[labels]
    look = rims(labels, colors, positions, radii, box, periodic)
    sizes, pairs = np.bincount(labels), near_alike(labels, colors, positions, radii, box, periodic)
    of = {label: set(look[labels == label].tolist()) for label in np.unique(labels).tolist()}
    assert all(len(one) == 1 for one in of.values()), "a cluster has one look"
    for label, (mine,) in of.items():
        larger = [other for one, other in pairs if one == label and (-sizes[other], other) < (-sizes[label], label)]
        taken = {next(iter(of[other])) for other in larger}
        assert mine == min(set(range(LOOKS)) - taken, default=LOOKS - 1)
        if sizes[label] == 1:
            assert mine == 0


def test_discs_outside_the_picture_are_not_considered():
    positions = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0], [5.0, 5.0]])
    case = np.array([0, 0, 0, 3, 3]), np.full(5, 7), positions, np.full(5, 0.5), np.array([40.0, 10.0]), True
    assert rims(*case).tolist() == [0, 0, 0, 1, 1]
    assert rims(*case, np.array([3, 4])).tolist() == [0] * 5
    assert rims(*case, np.array([2, 3])).tolist() == [0, 0, 0, 1, 1]
    assert rims(*case, np.zeros(0, np.int64)).tolist() == [0] * 5
