"""Shape of a cluster from its gyration tensor: aspect ratio (4.11) and orientation (4.12)."""

from __future__ import annotations

from math import atan2, hypot, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis.clusters import check_labels, largest_cluster
from engine.analysis.contact_network import pairs_of
from engine.analysis.state import DiscState, disc_state
from engine.analysis.unwrap import unwrap

_ROUND = 1e-9  # relative difference of the eigenvalues below which no direction is the longer one
_FLAT = 1e-12  # ratio of the eigenvalues below which the centres lie on a line


class Gyration(NamedTuple):
    """tensor : (2, 2) float64, G; aspect_ratio : A_r = lambda_1 / lambda_2 >= 1 (4.11);

    orientation : angle of the leading eigenvector (4.12) with the x axis, radians, in (-pi/2, pi/2].
    tensor is None for one disc and for a cluster that cannot be laid out in the plane (see `gyration`);
    aspect_ratio also where the centres lie on a line (no finite ratio), orientation also where the
    eigenvalues agree.
    """

    tensor: NDArray[np.float64] | None
    aspect_ratio: float | None
    orientation: float | None


def gyration(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    *,
    periodic: bool,
    cluster: NDArray[np.int32] | None = None,
) -> Gyration:
    """Gyration tensor G = 1/n sum of Y Y^T, Y = X - <X>, of the largest cluster (most discs), each disc
    counted alike.

    Without `cluster`, all discs are taken as one. In a periodic box the cluster is first laid out in the
    plane by a walk over its contacts; a cluster joined to its own image has no shape, nor have discs that are
    not in contact.

    Parameters
    ----------
    positions : (N, 2), N >= 1; radii : (N,), > 0; box : (2,), side lengths;
    cluster : (N,) integers, discs with the same number belong together. Anything else raises InputError.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    labels = None if cluster is None else check_labels(cluster, len(state.radii))
    return shape_of(state, labels, pairs_of(state)[1] if periodic else None)


def shape_of(state: DiscState, cluster: NDArray[np.int32] | None, pairs: NDArray[np.int32] | None) -> Gyration:
    """`gyration` of a checked state; `pairs`, its contacts, are needed in a periodic box only."""
    count = len(state.radii)
    members = np.arange(count) if cluster is None else largest_cluster(cluster)
    points: NDArray[np.float64] | None = state.positions[members]
    if pairs is not None:
        if len(members) < count:
            pairs = _within(pairs, members, count)
        points = unwrap(state.positions[members], state.radii[members], state.box, pairs)
    if points is None or len(points) < 2:
        return Gyration(None, None, None)
    centred = points - points.mean(axis=0)
    return _principal(centred.T @ centred / len(points))


def _within(pairs: NDArray[np.int32], members: NDArray[np.int64], count: int) -> NDArray[np.int32]:
    """The pairs whose discs are both among `members`, as numbers into it."""
    local = np.full(count, -1, np.int32)
    local[members] = np.arange(len(members))
    within = local[pairs]
    return within[(within >= 0).all(axis=1)]


def _principal(tensor: NDArray[np.float64]) -> Gyration:
    """Eigenvalues and leading direction of a symmetric 2 by 2 tensor, in closed form."""
    xx, xy, yy = float(tensor[0, 0]), float(tensor[0, 1]), float(tensor[1, 1])
    mean, spread = (xx + yy) / 2.0, hypot((xx - yy) / 2.0, xy)
    large, small = mean + spread, mean - spread
    aspect_ratio = large / small if small > _FLAT * large else None
    if spread <= _ROUND * mean:
        return Gyration(tensor, aspect_ratio, None)
    angle = atan2(2.0 * xy, xx - yy) / 2.0
    return Gyration(tensor, aspect_ratio, angle + pi if angle <= -pi / 2.0 else angle)
