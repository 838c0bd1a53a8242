"""Shapes of clusters that lie across the edges of a periodic box."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import analysis

BOX = np.array([40.0, 50.0])

Array = NDArray[np.float64]


def hook() -> Array:
    """Discs of radius 1 in a chain that turns twice: a shape with a direction, 20 by 12."""
    return np.array(
        [(2.0 * i, 0.0) for i in range(11)]
        + [(20.0, 2.0 * i) for i in range(1, 7)]
        + [(20.0 - 2.0 * i, 12.0) for i in range(1, 5)]
    )


def shape(positions: Array, box: Array = BOX, cluster: NDArray[np.int32] | None = None) -> analysis.Gyration:
    return analysis.gyration(positions, np.ones(len(positions)), box, periodic=True, cluster=cluster)


@pytest.mark.parametrize("offset", [(5.0, 5.0), (31.0, 5.0), (5.0, 43.0), (31.0, 43.0), (-117.3, 512.9)])
def test_shape_does_not_depend_on_where_the_edges_cut(offset: tuple[float, float]) -> None:
    here = analysis.gyration(hook() + 5.0, np.ones(len(hook())), BOX, periodic=False)
    there = shape((hook() + offset) % BOX)
    assert there.aspect_ratio == pytest.approx(here.aspect_ratio, rel=1e-9)
    assert there.orientation == pytest.approx(here.orientation, abs=1e-9)


def test_other_discs_do_not_hold_a_cluster_together() -> None:
    """Two halves of a chain named alike, and the disc between them named otherwise: not one body."""
    chain = np.array([(2.0 * i, 5.0) for i in range(7)])
    named = np.array([0, 0, 0, 1, 0, 0, 0], np.int32)
    assert shape(chain, cluster=named) == (None, None, None)
    assert shape(chain, cluster=np.zeros(7, np.int32)).orientation == pytest.approx(0.0)


def test_loose_discs_have_no_shape() -> None:
    assert shape(np.array([(1.0, 1.0), (9.0, 9.0), (30.0, 2.0)])) == (None, None, None)


def test_a_cluster_joined_to_its_own_image_has_no_shape() -> None:
    around = np.array([(2.0 * i, 5.0) for i in range(20)] + [(8.0, 7.0)])  # 20 discs of diameter 2: the whole period
    assert shape(around) == (None, None, None)
    assert shape(around[1:-1]).orientation == pytest.approx(0.0)  # one disc less, and the ring is open


def test_a_cluster_near_its_own_image_keeps_its_shape() -> None:
    """A gap of 0.08 R at the far side is a contact for N_c, but nothing holds there: all else touches exactly."""
    box = np.array([40.08, 50.0])
    around = np.array([(2.0 * i, 5.0) for i in range(20)] + [(8.0, 7.0)])
    assert analysis.contact_counts(around, np.ones(21), box, periodic=True)[0] == 2
    in_the_plane = analysis.gyration(around, np.ones(21), box, periodic=False)
    assert shape((around + 17.0) % box, box).aspect_ratio == pytest.approx(in_the_plane.aspect_ratio, rel=1e-9)


@pytest.mark.parametrize("gap", [5e-4, 0.03])
def test_a_cluster_held_by_inexact_contacts_has_a_shape(gap: float) -> None:
    """Time stepping leaves small gaps, files may leave wider ones."""
    apart = hook() * (1.0 + gap)
    here = analysis.gyration(apart + 5.0, np.ones(len(apart)), BOX, periodic=False)
    there = shape((apart + np.array([31.0, 43.0])) % BOX)
    assert there.aspect_ratio == pytest.approx(here.aspect_ratio, rel=1e-9)
