"""Clusters: their sizes, the largest one, its layout in the plane and its shape (4.11), (4.12)."""

from __future__ import annotations

from math import atan2, hypot, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis.contact_network import CONTACT, list_contacts
from engine.analysis.state import DiscState, Floats, Ints, Longs, disc_state
from engine.errors import InputError
from engine.geometry.minimum_image import periods_between
from engine.kernels import inner, kernel

_ROUND = 1e-9  # relative difference of the eigenvalues below which no direction is the longer one
_FLAT = 1e-12  # ratio of the eigenvalues below which the centres lie on a line
# Gaps, relative to R_i + R_j, up to which discs count as joined: touching exactly, within a time-stepping
# method's tolerance, or in contact by (4.13). The smallest one that holds the cluster together is used: a
# cluster that merely comes near its own image on the far side is not tied to it.
_GAPS = (1e-6, 1e-3, CONTACT - 1.0)


class Gyration(NamedTuple):
    """The shape of a cluster.

    Attributes
    ----------
    tensor : (2, 2) float64, the gyration tensor G; None for one disc and for a cluster that cannot be laid out in the
        plane (see `gyration`).
    aspect_ratio : A_r = lambda_1 / lambda_2 >= 1 (4.11); None also where the centres lie on a line (no finite ratio).
    orientation : angle of the leading eigenvector (4.12) with the x axis, radians, in (-pi/2, pi/2]; None also where
        the eigenvalues agree.
    """

    tensor: Floats | None
    aspect_ratio: float | None
    orientation: float | None


def check_labels(cluster: object, count: int | None = None) -> Ints:
    """`cluster` as an array of integers, one for each of `count` discs; InputError where it is not."""
    labels = np.asarray(cluster)
    if labels.ndim != 1 or (count is not None and len(labels) != count):
        wanted = "one number for each disc" if count is None else f"{count} numbers, one for each disc"
        raise InputError(f"cluster must be {wanted}, not {' by '.join(map(str, labels.shape))}", "cluster")
    if labels.dtype.kind not in "iu" and labels.size:
        raise InputError("cluster must be whole numbers", "cluster")
    return labels


def cluster_sizes(cluster: Ints) -> dict[int, int]:
    """Number of clusters of each size (in discs), sizes ascending.

    cluster : (N,) integers, discs with the same number belong together. Raises InputError for anything else.
    """
    of_each = np.unique(check_labels(cluster), return_counts=True)[1]
    sizes, number = np.unique(of_each, return_counts=True)
    return {int(size): int(n) for size, n in zip(sizes, number, strict=True)}


def largest_cluster(cluster: Ints) -> Longs:
    """Discs of the cluster with the most discs, ascending; of equal ones the one with the lowest label."""
    labels, sizes = np.unique(cluster, return_counts=True)
    return np.flatnonzero(cluster == labels[sizes.argmax()])


def gyration(positions: Floats, radii: Floats, box: Floats, *, periodic: bool, cluster: Ints | None = None) -> Gyration:
    """Gyration tensor G = 1/n sum of Y Y^T, Y = X - <X>, of the largest cluster (most discs), each disc
    counted alike.

    Without `cluster`, all discs are taken as one. In a periodic box the cluster is first laid out in the
    plane by a walk over its contacts; a cluster joined to its own image has no shape, nor have discs that are
    not in contact. Parameters and errors are those of `analyse`.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    labels = None if cluster is None else check_labels(cluster, len(state.radii))
    return shape_of(lay_out(state, labels, list_contacts(state) if periodic else None).points)


class LaidOut(NamedTuple):
    """The largest cluster in the plane.

    Attributes
    ----------
    members : (n,), its discs.
    points : (n, 2), their centres; None where no layout in the plane exists (see `unwrap`).
    """

    members: Longs
    points: Floats | None


def lay_out(state: DiscState, cluster: Ints | None, pairs: Ints | None) -> LaidOut:
    """The largest cluster, or all discs without `cluster`; `pairs`, the contacts, are needed in a periodic box only."""
    count = len(state.radii)
    members = np.arange(count) if cluster is None else largest_cluster(cluster)
    points: Floats | None = state.positions[members]
    if pairs is not None:
        if len(members) < count:
            pairs = _within(pairs, members, count)
        points = unwrap(state.positions[members], state.radii[members], state.box, pairs)
    return LaidOut(members, points)


def shape_of(points: Floats | None) -> Gyration:
    """`gyration` of discs (n, 2) in the plane."""
    if points is None or len(points) < 2:
        return Gyration(None, None, None)
    centred = points - points.mean(axis=0)
    return _principal(centred.T @ centred / len(points))


def _within(pairs: Ints, members: Longs, count: int) -> Ints:
    """The pairs whose discs are both among `members`, as numbers into it."""
    local = np.full(count, -1, np.int32)
    local[members] = np.arange(len(members))
    within = local[pairs]
    return within[(within >= 0).all(axis=1)]


def _principal(tensor: Floats) -> Gyration:
    """Eigenvalues and leading direction of a symmetric 2 by 2 tensor, in closed form."""
    xx, xy, yy = float(tensor[0, 0]), float(tensor[0, 1]), float(tensor[1, 1])
    mean, spread = (xx + yy) / 2.0, hypot((xx - yy) / 2.0, xy)
    large, small = mean + spread, mean - spread
    aspect_ratio = large / small if small > _FLAT * large else None
    if spread <= _ROUND * mean:
        return Gyration(tensor, aspect_ratio, None)
    angle = atan2(2.0 * xy, xx - yy) / 2.0
    return Gyration(tensor, aspect_ratio, angle + pi if angle <= -pi / 2.0 else angle)


def unwrap(positions: Floats, radii: Floats, box: Floats, pairs: Ints) -> Floats | None:
    """Positions (n, 2) of a cluster of a periodic box in the plane; the first disc stays where it is.

    positions : (n, 2), radii : (n,), of the cluster; box : (2,), periods; pairs : (K, 2), contacts within the
    cluster. None where contacts do not hold the discs together, and where the cluster is joined to its own
    image (it percolates): no layout in the plane exists then.
    """
    gap, shift = _links(positions, radii, box, pairs)
    for limit in _GAPS:
        image = np.zeros((len(positions), 2), np.int64)
        reached, unique = _walk(pairs, gap <= limit + 1e-12, shift, image)
        if reached == len(positions):
            return positions + image * box if unique else None
    return None


def layouts(state: DiscState, which: Longs, sizes: Longs) -> tuple[Longs, NDArray[np.bool_]]:
    """Lay all clusters of a periodic box out in the plane: the periods (N, 2) to add to each disc.

    Also returns, (C,), which clusters could be: contacts hold all of their discs together, and none is joined to its
    own image. The gaps up to which discs count as joined are those of `unwrap`.

    which : (N,), the number of each disc's cluster. sizes : (C,), discs in each.
    """
    pairs = list_contacts(state)
    pairs = pairs[which[pairs[:, 0]] == which[pairs[:, 1]]]
    gap, shift = _links(state.positions, state.radii, state.box, pairs)
    level = np.searchsorted(np.array(_GAPS) + 1e-12, gap)
    kept = np.argsort(level, kind="stable")
    kept = kept[level[kept] < len(_GAPS)]
    image = np.zeros((len(which), 2), np.int64)
    together = np.zeros(len(sizes), np.bool_)
    _join(pairs[kept], shift[kept], level[kept], np.asarray(which, np.int64), sizes, image, together)
    return image, together


@kernel
def _join(
    pairs: Ints, shift: Longs, level: Longs, which: Longs, sizes: Longs, image: Longs, together: NDArray[np.bool_]
) -> None:
    """Join the discs of pairs (K, 2), sorted by `level`, and find the periods between them.

    A cluster that is one piece at the end of a level takes no pairs of the next ones. Each piece is a tree: a disc
    knows its parent, and the periods between the two.
    """
    count = len(which)
    parent = np.arange(count)
    size = np.ones(count, np.int64)
    unique = np.ones(len(sizes), np.bool_)
    begin = 0
    while begin < len(pairs):
        end = begin
        while end < len(pairs) and level[end] == level[begin]:
            end += 1
        for k in range(begin, end):
            i, j = pairs[k, 0], pairs[k, 1]
            c = which[i]
            if together[c]:
                continue
            a, ax, ay = _root(parent, image, i)
            b, bx, by = _root(parent, image, j)
            # of the second root beyond the first one, so that j lies `shift` periods beyond i
            x, y = ax + shift[k, 0] - bx, ay + shift[k, 1] - by
            if a == b:
                if x != 0 or y != 0:
                    unique[c] = False
                continue
            if size[a] < size[b]:
                a, b, x, y = b, a, -x, -y
            parent[b] = a
            image[b, 0], image[b, 1] = x, y
            size[a] += size[b]
        for k in range(begin, end):
            a, _, _ = _root(parent, image, pairs[k, 0])
            if size[a] == sizes[which[a]]:
                together[which[a]] = True
        begin = end
    for i in range(count):
        a, x, y = _root(parent, image, i)
        parent[i] = a
        image[i, 0], image[i, 1] = x, y
    for c in range(len(sizes)):
        together[c] = (together[c] or sizes[c] == 1) and unique[c]


@inner
def _root(parent: Longs, image: Longs, disc: int) -> tuple[int, int, int]:
    """The first disc of the piece of `disc`, and the periods from that to the disc; the way there is made shorter."""
    x, y = 0, 0
    at = disc
    while parent[at] != at:
        above = parent[at]
        if parent[above] != above:
            image[at, 0] += image[above, 0]
            image[at, 1] += image[above, 1]
            parent[at] = parent[above]
        x += image[at, 0]
        y += image[at, 1]
        at = parent[at]
    return at, x, y


@kernel
def _links(positions: Floats, radii: Floats, box: Floats, pairs: Ints) -> tuple[Floats, Longs]:
    """Gap (K,), relative to R_i + R_j, and shift (K, 2), the periods to add to the second disc of each pair."""
    gap = np.empty(len(pairs))
    shift = np.empty((len(pairs), 2), np.int64)
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        squared = 0.0
        for axis in range(2):
            step = positions[j, axis] - positions[i, axis]
            periods = -periods_between(step, box[axis])
            shift[k, axis] = int(periods)
            squared += (step + periods * box[axis]) ** 2
        gap[k] = np.sqrt(squared) / (radii[i] + radii[j]) - 1.0
    return gap, shift


@kernel
def _walk(pairs: Ints, joined: NDArray[np.bool_], shift: Longs, image: Longs) -> tuple[int, bool]:
    """Breadth-first from disc 0 over the pairs that are `joined`.

    image : (n, 2), filled with the periods to add to each disc reached: whole numbers, and so exact.
    Returns the number of discs reached, and whether all joined pairs among them agree with the images.
    """
    count = len(image)
    start = np.zeros(count + 1, np.int64)
    for k in np.flatnonzero(joined):
        start[pairs[k, 0] + 1] += 1
        start[pairs[k, 1] + 1] += 1
    for i in range(count):
        start[i + 1] += start[i]
    free = start[:-1].copy()
    link = np.empty(start[count], np.int64)
    for k in np.flatnonzero(joined):
        for end in range(2):
            link[free[pairs[k, end]]] = k
            free[pairs[k, end]] += 1
    seen = np.zeros(count, np.bool_)
    queue = np.empty(count, np.int64)
    queue[0] = 0
    seen[0] = True
    reached = 1
    unique = True
    head = 0
    while head < reached:
        i = queue[head]
        head += 1
        for k in link[start[i] : start[i + 1]]:
            forth = pairs[k, 0] == i
            j = pairs[k, 1] if forth else pairs[k, 0]
            sign = 1 if forth else -1
            across, up = image[i, 0] + sign * shift[k, 0], image[i, 1] + sign * shift[k, 1]
            if not seen[j]:
                seen[j] = True
                image[j, 0], image[j, 1] = across, up
                queue[reached] = j
                reached += 1
            elif image[j, 0] != across or image[j, 1] != up:
                unique = False
    return reached, unique
