"""The first collision with eight neighbours at once, against one after the other in plain Python, to the bit."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest

from engine.hard_discs.discs import MOTION, SPACE_MOTION
from engine.hard_discs.meetings import NOBODY, first_meeting, first_meeting_of_images
from engine.kernels import elements, kernel

SIDE = 6.0


@kernel
def _first(motion, numbers, begin, count, i, t, side):
    lines = elements(motion)
    listed = elements(numbers)
    own = lines[i]
    kept = (own.x, own.y), (own.vx, own.vy), own.radius, t
    if side > 0.0:
        box, half = (side, 2.0 * side), (0.5 * side, 0.5 * 2.0 * side)
        return first_meeting_of_images(lines, listed, begin, count, i, *kept, box, half)
    return first_meeting(lines, listed, begin, count, i, *kept)


@kernel
def _first_in_space(motion, numbers, begin, count, i, t, side):
    lines = elements(motion)
    listed = elements(numbers)
    own = lines[i]
    kept = (own.x, own.y, own.z), (own.vx, own.vy, own.vz), own.radius, t
    if side > 0.0:
        box, half = (side, 2.0 * side, side), (0.5 * side, 0.5 * 2.0 * side, 0.5 * side)
        return first_meeting_of_images(lines, listed, begin, count, i, *kept, box, half)
    return first_meeting(lines, listed, begin, count, i, *kept)


def plainly(motion, numbers, i, t, side):
    """The same by the rule of Bannerman et al. (2014), one neighbour after the other."""
    one, best, overlaps = motion[i], (inf, NOBODY, 0), 0
    for j in numbers:
        other = motion[j]
        d, u = [], []
        for x, length in zip("xyz", (side, 2.0 * side, side), strict=True):
            if x not in motion.dtype.names:
                continue
            v = f"v{x}"
            u.append(other[v] - one[v])
            delta = other[x] + other[v] * (t - other["time"]) - one[x]
            if length > 0.0 and abs(delta) > 0.5 * length:
                delta -= length * np.sign(delta)
            d.append(delta)
        sigma = one["radius"] + other["radius"]
        a, b, c = (sum(part * more for part, more in zip(x, y, strict=True)) for x, y in ((u, u), (d, u), (d, d)))
        c -= sigma * sigma
        overlaps += c < 0.0
        if b >= 0.0 or (c > 0.0 and b * b - a * c <= 0.0):
            continue
        when = t + (c / (sqrt(b * b - a * c) - b) if c > 0.0 else 0.0)
        if when < other["renewal"]:
            best = min(best, (when, int(j), int(c < 0.0)))
    return *best, overlaps


@pytest.mark.parametrize("dtype", [MOTION, SPACE_MOTION])
@pytest.mark.parametrize("side", [0.0, SIDE])
def test_eight_at_once_are_one_after_the_other(side, dtype):
    space = dtype is SPACE_MOTION
    first = _first_in_space if space else _first
    rng = np.random.default_rng(31)
    found = []
    for _ in range(1000):
        motion = np.zeros(12, dtype)
        # in steps of a quarter, so that some meet the disc at the same moment and some just touch it
        for name in "xyz" if space else "xy":
            motion[name] = 0.25 * rng.integers(0, 24, 12)
            motion[f"v{name}"] = 0.25 * rng.integers(-8, 9, 12)
        motion["radius"] = 0.25 * rng.integers(1, 6 if space else 3, 12)
        motion["time"] = 0.5 * rng.integers(0, 3, 12)
        motion["renewal"] = np.where(rng.random(12) < 0.5, inf, 1.0 + 0.25 * rng.integers(0, 8, 12))
        i, count = int(rng.integers(12)), int(rng.integers(0, 9))
        numbers = rng.permutation(np.delete(np.arange(12), i)).astype(np.int32)
        numbers = np.concatenate([[7], numbers[:count], np.full(8, 10**6)]).astype(np.int32)  # no such discs beyond
        motion["time"][i] = 1.0
        got = first(motion, numbers, 1, count, i, 1.0, side)
        assert got == plainly(motion, numbers[1 : 1 + count], i, 1.0, side)
        found.append(got)
    when, partner, stabilising, overlaps = map(np.array, zip(*found, strict=True))
    assert 0.15 < (when < inf).mean() < 0.9
    assert ((partner == NOBODY) == (when == inf)).all()
    assert stabilising.sum() > 20
    assert (overlaps > 1).sum() > 3


def test_of_several_at_one_moment_the_smallest_number_counts():
    motion = np.zeros(9, MOTION)
    motion["renewal"], motion["radius"] = inf, 0.5
    motion["x"][1:], motion["vx"][1:] = 3.0, -1.0
    for _ in range(20):
        numbers = np.random.default_rng(_).permutation(np.arange(1, 9)).astype(np.int32)
        assert _first(motion, numbers, 0, 8, 0, 0.0, 0.0) == (2.0, 1, 0, 0)
        assert _first(motion, np.append(numbers, np.zeros(8, np.int32)), 0, 3, 0, 0.0, 0.0)[1] == numbers[:3].min()
