"""Whether discs or clusters in free flight will ever meet again."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.frame import Frame, FrameDiscs

MOST_BODIES = 16
"""With more clusters or single discs of different velocities this is not checked: some of them will meet."""
_MOST_PAIRS = 4_000_000  # of discs of two clusters that are compared
_WAYS = 1000  # a path around a periodic rectangle that closes after more sides than this fills it
_WAYS_IN_SPACE = 20  # the same of sums of sides of a periodic box in space
_ROUNDING = 1e-12  # of velocities and distances


def never_meet(frame: Frame, *, cluster: bool) -> bool:
    """Whether the discs of `frame` will certainly never touch again.

    False if it is not certain. In a periodic box two bodies never meet if they have the same velocity, or if their
    relative path closes after a few sides of the box, or in space stays in a plane that does, without contact. Between
    walls they never meet if they are far enough apart along the axes along which neither of them moves. In a box with
    both, only the axes with walls are looked at.

    Parameters
    ----------
    frame : positions (N, d) and velocities (N, d).
    cluster : whether discs with the same ``frame.cluster`` are one body; else each is a body.
    """
    known = frame.discs
    assert known is not None
    velocities, names = frame.velocities, np.arange(len(frame.velocities))
    if known.periodic.all and (velocities == velocities[0]).all():
        return True
    if cluster:
        names = np.flatnonzero(np.bincount(frame.cluster))
    if len(names) > MOST_BODIES:
        return False
    discs = [np.flatnonzero(frame.cluster == name) if cluster else np.array([name]) for name in names]
    part = _pass_by if known.periodic.all else _in_lanes
    return all(part(frame, known, a, b) for a, b in combinations(discs, 2))


def velocities_part(velocities: NDArray[np.float64], box: NDArray[np.float64], periodic: Periodic) -> bool:
    """Whether bodies with these velocities, (M, d), could fly forever without touching, wherever they are.

    Almost always False, and cheap: checked before a frame is made for `never_meet`.
    """
    if periodic.all:
        return all(len(_closed_ways(va, vb, box)) > 0 for va, vb in combinations(velocities, 2))
    return all(_lanes(va, vb, periodic) for va, vb in combinations(velocities, 2))


def _closed_ways(va: NDArray[np.float64], vb: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.float64]:
    """The directions across which the images of one body, seen from another, come back to the same places.

    Rows g, (r, d): along each of them all images of a moving point have the same place modulo 1, g · x, forever.
    There are d of them for bodies with the same velocity, no row if the path fills the box.
    """
    way = (va - vb) / box
    size = max(np.abs(va / box).max(), np.abs(vb / box).max()) * _ROUNDING
    if np.abs(way).max() <= size:
        return np.diag(1.0 / box)
    return _whole_numbers(way / np.abs(way).max(), box) / box


def _whole_numbers(way: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.float64]:
    """A basis of the whole numbers k, not too large, with k · way = 0, (r, d), that with the shortest k / box first.
    The largest component of `way` is 1 or -1."""
    if len(way) == 2:
        large = int(np.abs(way).argmax())
        ratio = way[1 - large] / way[large]
        fraction = Fraction(ratio).limit_denominator(_WAYS)
        if abs(ratio - float(fraction)) > _ROUNDING:
            return np.zeros((0, 2))
        turns = np.zeros((1, 2))
        turns[0, large], turns[0, 1 - large] = -fraction.numerator, fraction.denominator
        return turns
    every, sizes = _turns_in_space()
    found = every[np.abs(every @ way) <= _ROUNDING * sizes]
    found = found[np.argsort(((found / box) ** 2).sum(axis=1), kind="stable")]
    # the shortest one, and the shortest one that is not a multiple of it
    others = found[np.cross(found[:1], found).any(axis=1)] if len(found) else found
    return np.concatenate([found[:1], others[:1]]).astype(float)


@cache
def _turns_in_space() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Whole numbers k (K, 3) without 0 and most of those that are the negative of others, and |k_x| + |k_y| + |k_z|."""
    tried = np.arange(-_WAYS_IN_SPACE, _WAYS_IN_SPACE + 1)
    every = np.stack(np.meshgrid(tried, tried, tried[_WAYS_IN_SPACE:], indexing="ij"), axis=-1).reshape(-1, 3)
    every = every[every.any(axis=1)]
    return every, np.abs(every).sum(axis=1)


def _pass_by(frame: Frame, known: FrameDiscs, a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Whether two bodies in a periodic box pass by each other forever."""
    ways = _closed_ways(frame.velocities[a[0]], frame.velocities[b[0]], known.box)
    if len(ways) in (0, len(known.box)):
        return len(ways) > 0
    if len(a) * len(b) > _MOST_PAIRS:
        return False
    lengths = np.linalg.pinv(ways)
    # places modulo 1 along each of the ways: the same for all times
    turns = [np.subtract.outer(frame.positions[a] @ way, frame.positions[b] @ way) for way in ways]
    turns = [turn - np.round(turn) for turn in turns]
    reach2 = (np.add.outer(known.radii[a], known.radii[b]) * (1.0 - _ROUNDING)) ** 2
    for more in product((-1.0, 0.0, 1.0), repeat=len(ways)):
        across = [
            sum(length * (turn + one) for length, turn, one in zip(row, turns, more, strict=True)) for row in lengths
        ]
        if (sum(part**2 for part in across) < reach2).any():
            return False
    return True


def _still_axes(va: NDArray[np.float64], vb: NDArray[np.float64]) -> tuple[int, ...]:
    """The axes along which neither of two bodies moves: all for two at rest."""
    size = max(np.abs(va).max(), np.abs(vb).max()) * _ROUNDING
    return tuple(axis for axis in range(len(va)) if max(abs(va[axis]), abs(vb[axis])) <= size)


def _lanes(va: NDArray[np.float64], vb: NDArray[np.float64], periodic: Periodic) -> tuple[int, ...]:
    """The axes with walls along which neither of two bodies moves: all axes for two at rest."""
    still = _still_axes(va, vb)
    return still if len(still) == len(va) else tuple(axis for axis in still if not periodic[axis])


def _in_lanes(frame: Frame, known: FrameDiscs, a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Whether two bodies between walls are far enough apart along the axes along which neither moves."""
    axes = _lanes(frame.velocities[a[0]], frame.velocities[b[0]], known.periodic)
    if len(axes) in (0, len(known.box)) or len(a) * len(b) > _MOST_PAIRS:
        return len(axes) == len(known.box)
    away = [np.subtract.outer(frame.positions[a, axis], frame.positions[b, axis]) for axis in axes]
    reach = np.add.outer(known.radii[a], known.radii[b]) * (1.0 - _ROUNDING)
    return bool((sum(one**2 for one in away) >= reach**2).all())
