"""Whether discs or clusters in free flight will ever meet again."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import hypot

import numpy as np
from numpy.typing import NDArray

from engine.frame import Frame, FrameDiscs

MOST_BODIES = 16
"""With more clusters or single discs of different velocities this is not checked: some of them will meet."""
_MOST_PAIRS = 4_000_000  # of discs of two clusters that are compared
_WAYS = 1000  # a path around a periodic box that closes after more sides than this fills the box
_ROUNDING = 1e-12  # of velocities and distances


def never_meet(frame: Frame, *, cluster: bool) -> bool:
    """Whether the discs of `frame` will certainly never touch again.

    False if it is not certain. In a periodic box two bodies never meet if they have the same velocity, or if their
    relative path closes after a few sides of the box without contact. Between walls they never meet if they move along
    the same axis without overlapping sideways, or are at rest.

    Parameters
    ----------
    frame : positions (N, 2) and velocities (N, 2).
    cluster : whether discs with the same ``frame.cluster`` are one body; else each is a body.
    """
    known = frame.discs
    assert known is not None
    velocities, names = frame.velocities, np.arange(len(frame.velocities))
    if known.periodic and (velocities == velocities[0]).all():
        return True
    if frame.dimensions > 2:
        return False  # not certain: ways in space are not followed
    if cluster:
        names = np.flatnonzero(np.bincount(frame.cluster))
    if len(names) > MOST_BODIES:
        return False
    discs = [np.flatnonzero(frame.cluster == name) if cluster else np.array([name]) for name in names]
    part = _pass_by if known.periodic else _in_lanes
    return all(part(frame, known, a, b) for a, b in combinations(discs, 2))


def velocities_part(velocities: NDArray[np.float64], box: NDArray[np.float64], periodic: bool) -> bool:
    """Whether bodies with these velocities, (M, 2), could fly forever without touching, wherever they are.

    Almost always False, and cheap: checked before a frame is made for `never_meet`.
    """
    if periodic:
        return all(_step_across(va, vb, box) is not None for va, vb in combinations(velocities, 2))
    return all(_common_axes(va, vb) for va, vb in combinations(velocities, 2))


def _step_across(va: NDArray[np.float64], vb: NDArray[np.float64], box: NDArray[np.float64]) -> float | None:
    """The spacing of the images of one body, measured perpendicular to the relative path of the other, times the
    relative speed; 0 if both have the same velocity, None if the path never closes and so fills the box."""
    wx, wy = (float(part) for part in va - vb)
    size = max(np.abs(va).max(), np.abs(vb).max()) * _ROUNDING
    lx, ly = (float(side) for side in box)
    if max(abs(wx), abs(wy)) <= size:
        return 0.0
    # a side of the box along x shifts the perpendicular distance by lx wy, one along y by ly wx: together by multiples
    # of the step below, if their ratio is a fraction of small integers
    along, other = (ly * wx, lx * wy) if abs(ly * wx) >= abs(lx * wy) else (lx * wy, ly * wx)
    ratio = Fraction(other / along).limit_denominator(_WAYS)
    if abs(other / along - float(ratio)) > _ROUNDING:
        return None
    return abs(along) / ratio.denominator


def _pass_by(frame: Frame, known: FrameDiscs, a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Whether two bodies in a periodic box pass by each other forever."""
    va, vb = frame.velocities[a[0]], frame.velocities[b[0]]
    step = _step_across(va, vb, known.box)
    if not step:
        return step is not None
    if len(a) * len(b) > _MOST_PAIRS:
        return False
    wx, wy = (float(part) for part in va - vb)
    pa, pb = frame.positions[a], frame.positions[b]
    across = np.subtract.outer(pa[:, 0], pb[:, 0]) * wy - np.subtract.outer(pa[:, 1], pb[:, 1]) * wx
    across = np.abs(across - step * np.round(across / step))
    reach = np.add.outer(known.radii[a], known.radii[b]) * hypot(wx, wy)
    return bool((across >= reach * (1.0 - _ROUNDING)).all())


def _common_axes(va: NDArray[np.float64], vb: NDArray[np.float64]) -> tuple[int, ...]:
    """The axes across which neither of two bodies moves: both for two at rest."""
    size = max(np.abs(va).max(), np.abs(vb).max()) * _ROUNDING
    return tuple(axis for axis in (0, 1) if max(abs(va[axis]), abs(vb[axis])) <= size)


def _in_lanes(frame: Frame, known: FrameDiscs, a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    """Whether two bodies between walls move along the same axis without overlapping sideways, or are at rest apart."""
    lanes = _common_axes(frame.velocities[a[0]], frame.velocities[b[0]])
    if len(lanes) != 1 or len(a) * len(b) > _MOST_PAIRS:
        return len(lanes) == 2
    away = np.abs(np.subtract.outer(frame.positions[a, lanes[0]], frame.positions[b, lanes[0]]))
    return bool((away >= np.add.outer(known.radii[a], known.radii[b]) * (1.0 - _ROUNDING)).all())
