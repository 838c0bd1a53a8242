"""Clusters: their sizes and how these are distributed, the largest one, unwrapped, and its shape (4.11), (4.12)."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, hypot, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis.contact_network import CONTACT, ContactList, list_contacts
from engine.analysis.state import DiscState, disc_state, mean_of, relative_to
from engine.arrays import Floats, Ints, Longs
from engine.boundary import Periodic
from engine.errors import InputError
from engine.geometry.minimum_image import periods_between, periods_to_nearest, shifted
from engine.geometry.vectors import Vector, dot, is_zero, minus, plus, put_row, row_of, times
from engine.kernels import inlined, inner, kernel

_PER_DOUBLING = 2  # bins

_ROUND = 1e-9  # relative difference of the eigenvalues below which no axis is longer
_FLAT = 1e-12  # ratio of the eigenvalues below which the centres lie on a line
# Gaps, relative to R_i + R_j, up to which discs count as joined: touching exactly, within the tolerance of time
# stepping, or in contact by (4.13). The smallest one that holds the cluster together is used, so that a cluster is not
# joined to its own image merely because that is near.
_GAPS = (1e-6, 1e-3, CONTACT - 1.0)


class Gyration(NamedTuple):
    """The shape of a cluster.

    Attributes
    ----------
    tensor : (d, d) float64, the gyration tensor G; None for one disc and for a cluster that cannot be unwrapped (see
        `gyration`).
    aspect_ratio : A_r = lambda_1 / lambda_d >= 1, the largest eigenvalue over the smallest (4.11); None also if the
        centres lie on a line, in space on a plane (no finite ratio).
    orientation : angle of the leading eigenvector (4.12) with the x axis, radians, in (-pi/2, pi/2]; None also if the
        eigenvalues are equal, and in space.
    """

    tensor: Floats | None
    aspect_ratio: float | None
    orientation: float | None


def check_labels(cluster: object, count: int | None = None) -> Ints:
    """`cluster` as an array of integers, (N,), one for each of `count` discs; None for any number of discs. Raises
    InputError if it is not."""
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
    of_each = _tally(check_labels(cluster))[1]
    sizes, number = _tally(of_each)
    return {int(size): int(n) for size, n in zip(sizes, number, strict=True)}


def largest_cluster(cluster: Ints) -> Longs:
    """Discs of the cluster with the most discs, (n,), ascending; among equals, that with the lowest label. cluster :
    (N,)."""
    labels, sizes = _tally(cluster)
    return np.flatnonzero(cluster == labels[sizes.argmax()])


def _tally(numbers: NDArray[Any]) -> tuple[NDArray[Any], Longs]:
    """`np.unique` of whole numbers with counts; without sorting for those of a simulation, from 0 to N."""
    if not len(numbers) or int(numbers.min()) < 0 or int(numbers.max()) > 2 * len(numbers):
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers.astype(np.int64, copy=False))
    known = np.flatnonzero(counts)
    return known, counts[known]


@dataclass(frozen=True, eq=False)
class ClusterSizeDistribution:
    """n_s, the number of clusters of s discs, in bins that are about equally wide in log s.

    Attributes
    ----------
    edges : (B + 1,), whole numbers: a bin contains the sizes from its lower edge up to one less than its upper edge.
    density : (B,), n_s averaged over the whole sizes of each bin.
    number_mean : sum of s n_s over sum of n_s, the size of a cluster that is picked at random.
    weight_mean : S = sum of s^2 n_s over sum of s n_s, the size of the cluster of a disc that is picked at random.
    """

    edges: Longs
    density: Floats
    number_mean: float
    weight_mean: float

    @property
    def sizes(self) -> Floats:
        """(B,), the geometric mean of the smallest and the largest size of each bin."""
        return np.sqrt(self.edges[:-1] * (self.edges[1:] - 1.0))

    @property
    def counts(self) -> Floats:
        """(B,), clusters in each bin."""
        return self.density * np.diff(self.edges)

    def scaled(self) -> tuple[Floats, Floats]:
        """s / S and s^2 n_s / N, each (B,), with the number N of discs.

        If n_s(t) = s^-2 f(s / S(t)), the curves of all times collapse on f (Vicsek and Family 1984).
        """
        sizes, count = self.sizes, self.number_mean * float(self.counts.sum())
        return sizes / self.weight_mean, sizes**2 * self.density / count


def size_distribution(number: dict[int, int]) -> ClusterSizeDistribution:
    """The distribution of the sizes of clusters. number : of clusters by size, as of `cluster_sizes`."""
    size = np.array(list(number), np.int64)
    found = np.array(list(number.values()), np.float64)
    discs = float((size * found).sum())
    edges = size_bins(int(size.max()))
    counts = np.bincount(np.searchsorted(edges, size, side="right") - 1, found, len(edges) - 1)
    return ClusterSizeDistribution(
        edges, counts / np.diff(edges), discs / float(found.sum()), float((size**2 * found).sum()) / discs
    )


def size_bins(largest: int) -> Longs:
    """The edges (B + 1,) of bins of sizes up to `largest`, two for each doubling."""
    doublings = int(np.ceil(np.log2(largest + 1.0)))
    powers = 2.0 ** (np.arange(doublings * _PER_DOUBLING + 1) / _PER_DOUBLING)
    edges = np.unique(np.ceil(powers - 1e-9).astype(np.int64))
    return edges[: int(np.searchsorted(edges, largest, side="right")) + 1]


def gyration(
    positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool, cluster: Ints | None = None
) -> Gyration:
    """Gyration tensor G = 1/n sum of Y Y^T, Y = X - <X>, of the largest cluster (most discs), each disc counted alike.

    positions : (N, d); radii : (N,); box : (d,); cluster : (N,), labels. Without `cluster`, all discs count as one
        cluster. In a periodic box the cluster is first unwrapped along its contacts; a cluster joined to its own image
        has no shape, nor have discs that are not in contact. Raises InputError for arrays of other shapes and values
        that are not finite or not positive.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    labels = None if cluster is None else check_labels(cluster, len(state.radii))
    return shape_of(lay_out(state, labels, list_contacts(state) if state.periodic.any else None).points)


class LaidOut(NamedTuple):
    """The largest cluster, unwrapped.

    Attributes
    ----------
    members : (n,), its discs.
    points : (n, d), their centres; None if it cannot be unwrapped: contacts do not connect all discs, or the cluster is
        joined to its own image (it percolates).
    """

    members: Longs
    points: Floats | None


def lay_out(state: DiscState, cluster: Ints | None, contacts: ContactList | None) -> LaidOut:
    """Unwrap the largest cluster, or all discs without `cluster`, (N,). The contacts, by slots of the grid, are needed
    only where an axis is periodic; there the first disc keeps its position."""
    count = len(state.radii)
    members = np.arange(count) if cluster is None else largest_cluster(cluster)
    points = state.positions if len(members) == count else state.positions[members]
    if contacts is None:
        return LaidOut(members, points)
    order, radii = state.order, state.radii_by_slot  # by slots, neighbours in the box are neighbours in memory
    if len(members) < count:
        inside = np.zeros(count, np.bool_)
        inside[members] = True
        slots = np.flatnonzero(inside[order])
        order, radii, contacts = order[slots], radii[slots], _within(contacts, slots, count)
    positions = np.take(state.positions, order, axis=0)
    sizes = np.array([len(members)])
    image, together = _laid_out(positions, radii, state, contacts, np.zeros(len(members), np.int64), sizes)
    if not together[0]:
        return LaidOut(members, None)
    moved = np.empty(state.positions.shape)
    _move(positions, order, image, image[np.flatnonzero(order == members[0])[0]], state.box, moved)
    return LaidOut(members, moved if len(members) == count else moved[members])


def shape_of(points: Floats | None) -> Gyration:
    """The gyration tensor and shape of unwrapped discs, (n, d), each counted alike; see `gyration`."""
    if points is None or len(points) < 2:
        return Gyration(None, None, None)
    centred = relative_to(points, mean_of(points))
    return _principal(centred.T @ centred / len(points))


def _within(contacts: ContactList, slots: Longs, count: int) -> ContactList:
    """The contacts whose slots are both among these, as numbers into them."""
    local = np.full(count, -1, np.int32)
    local[slots] = np.arange(len(slots))
    within = local[contacts.pairs]
    return _those(ContactList(within, contacts.periods), (within[:, 0] >= 0) & (within[:, 1] >= 0))


def _those(contacts: ContactList, chosen: NDArray[np.bool_]) -> ContactList:
    """Contacts of a list, chosen by a mask (K,)."""
    pairs, periods = contacts
    return ContactList(pairs[chosen], periods[chosen] if len(periods) else periods)


def _principal(tensor: Floats) -> Gyration:
    """Eigenvalues and leading direction of a symmetric tensor; of 2 by 2 in closed form."""
    if len(tensor) > 2:
        least, *_, most = np.linalg.eigvalsh(tensor).tolist()
        return Gyration(tensor, most / least if least > _FLAT * most else None, None)
    xx, xy, yy = float(tensor[0, 0]), float(tensor[0, 1]), float(tensor[1, 1])
    mean, spread = (xx + yy) / 2.0, hypot((xx - yy) / 2.0, xy)
    large, small = mean + spread, mean - spread
    aspect_ratio = large / small if small > _FLAT * large else None
    if spread <= _ROUND * mean:
        return Gyration(tensor, aspect_ratio, None)
    angle = atan2(2.0 * xy, xx - yy) / 2.0
    return Gyration(tensor, aspect_ratio, angle + pi if angle <= -pi / 2.0 else angle)


def layouts(state: DiscState, which: Longs, sizes: Longs) -> tuple[Longs, NDArray[np.bool_]]:
    """Unwrap all clusters along periodic axes: the periods (N, d) to add to each disc.

    Also returns, (C,), which clusters could be unwrapped: contacts connect all of their discs, and they are not joined
    to their own image.

    which : (N,), the number of each disc's cluster. sizes : (C,), discs in each.
    """
    contacts = list_contacts(state, of_discs=True)
    first, second = contacts.pairs.T
    contacts = _those(contacts, which[first] == which[second])
    return _laid_out(state.positions, state.radii, state, contacts, np.asarray(which, np.int64), sizes)


def _laid_out(
    positions: Floats, radii: Floats, state: DiscState, contacts: ContactList, which: Longs, sizes: Longs
) -> tuple[Longs, NDArray[np.bool_]]:
    """`layouts` by the contacts within clusters, of discs of the state in some order."""
    image = np.zeros((len(which), state.dimensions), np.int64)
    together = np.zeros(len(sizes), np.bool_)
    limits, periods = np.array(_GAPS) + 1e-12, state.periodic.periods(state.box)
    sides = tuple(state.box.tolist())
    _join(positions, radii, sides, tuple(periods.tolist()), *contacts, limits, which, sizes, image, together)
    return image, together


@kernel
def _join(
    positions: Floats,
    radii: Floats,
    box: Vector,
    periods: Vector,
    pairs: Ints,
    given: Longs,
    limits: Floats,
    which: Longs,
    sizes: Longs,
    image: Longs,
    together: NDArray[np.bool_],
) -> None:
    """Join the discs of pairs (K, 2), in the order of the `limits` of the gap, and find the periods between them.

    A cluster that is connected by the pairs up to one limit takes no others, nor does one that is joined to its own
    image. Each piece is a tree: a disc has a parent, and the periods between the two.

    given : (K, d), the periods to add to the second disc of each pair; (0, d) for those to the nearest image.
    """
    count = len(which)
    parent = np.arange(count)
    size = np.ones(count, np.int64)
    settled = np.zeros(len(sizes), np.bool_)  # together, or joined to its own image
    left = len(sizes)
    wider = np.empty(len(pairs), np.int32)  # pairs whose gap is above the limits so far
    many = len(pairs)
    for level in range(len(limits)):
        if left == 0:
            break
        looked, many = many, 0
        for n in range(looked):
            k = n if level == 0 else wider[n]
            i, j = pairs[k, 0], pairs[k, 1]
            c = which[i]
            if settled[c]:
                continue
            gap, shift = _link(positions, radii, box, periods, i, j, given, k)
            if gap > limits[level]:
                wider[many] = k
                many += 1
                continue
            a, from_a = _root(parent, image, i, box)
            b, from_b = _root(parent, image, j, box)
            # periods of the second root relative to the first, so that j lies `shift` periods beyond i
            apart = minus(plus(from_a, shift), from_b)
            if a == b:
                if not is_zero(apart):
                    settled[c] = True
                    left -= 1
                continue
            if size[a] < size[b]:
                a, b, apart = b, a, times(-1, apart)
            parent[b] = a
            put_row(image, b, apart)
            size[a] += size[b]
        for i in range(count):
            c = which[i]
            if parent[i] == i and size[i] == sizes[c] and not settled[c]:
                settled[c] = together[c] = True
                left -= 1
    for i in range(count):
        a, away = _root(parent, image, i, box)
        parent[i] = a
        put_row(image, i, away)


@inner
def _root(parent: Longs, image: Longs, disc: int, box: Vector) -> tuple[int, Vector]:
    """The root of the piece of `disc`, and the periods from that to the disc; the path is compressed."""
    away = minus(row_of(image, disc, box), row_of(image, disc, box))
    at = disc
    while parent[at] != at:
        above = parent[at]
        if parent[above] != above:
            put_row(image, at, plus(row_of(image, at, box), row_of(image, above, box)))
            parent[at] = parent[above]
        away = plus(away, row_of(image, at, box))
        at = parent[at]
    return at, away


@kernel
def _move(positions: Floats, order: Ints, image: Longs, origin: Longs, box: Floats, moved: Floats) -> None:
    """Write positions (n, d), moved by the periods (n, d) beyond those of the origin (d,), in the rows `order` (n,)."""
    for k in range(len(order)):
        for axis in range(len(box)):
            moved[order[k], axis] = positions[k, axis] + (image[k, axis] - origin[axis]) * box[axis]


@inlined
def _periods(delta: Vector, periods: Vector) -> Vector:
    """The numbers of periods to add to a difference of two places so that it is the one to the nearest image."""
    x, y = -int(periods_between(delta[0], periods[0])), -int(periods_between(delta[1], periods[1]))
    if len(delta) > 2:
        return x, y, -int(periods_between(delta[2], periods[2]))
    return x, y


@inlined
def _link(
    positions: Floats, radii: Floats, box: Vector, periods: Vector, i: int, j: int, given: Longs, k: int
) -> tuple[float, Vector]:
    """The gap of the discs of pair k, relative to R_i + R_j, and the periods to add to the second one."""
    apart = minus(row_of(positions, j, box), row_of(positions, i, box))
    if len(given) > 0:
        turns = row_of(given, k, box)
        apart = shifted(apart, given[k, 0], given[k, 1], given[k, 2] if given.shape[1] > 2 else 0, box)
    else:
        turns = _periods(apart, periods)
        apart = minus(apart, periods_to_nearest(apart, periods))
    return np.sqrt(dot(apart, apart)) / (radii[i] + radii[j]) - 1.0, turns
