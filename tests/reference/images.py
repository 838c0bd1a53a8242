"""Pairs of discs or spheres with all their images, by a loop over images."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic

Array = NDArray[np.float64]


def images(dimensions: int, periodic: Periodic | bool, most: int = 2) -> list[tuple[int, ...]]:
    """Numbers of sides along each axis, from -most to most; only zeros between walls. Along x some more where images
    above are ahead, by half a side each at most."""
    around = Periodic.of(periodic, dimensions)
    reach = [most + (axis == 0 and around.offset != 0.0) * most for axis in range(dimensions)]
    return list(product(*(range(-far, far + 1) if wraps else (0,) for wraps, far in zip(around, reach, strict=True))))


def step_to(image: tuple[int, ...], box: Array, periodic: Periodic | bool) -> Array:
    """(d,), the step to the image of a place that lies so many sides away: those above are ahead along x."""
    step = np.array(image) * box
    step[0] += image[1] * Periodic.of(periodic, len(box)).offset
    return np.asarray(step)


def shortest(apart: Array, box: Array, periodic: Periodic | bool) -> Array:
    """Differences of places (..., d) to the nearest of their images; where those above are ahead, in nine rows."""
    around = Periodic.of(periodic, len(box))
    found = apart - np.where(around, box * np.rint(apart / box), 0.0)
    if around.offset:
        found = np.full(apart.shape, np.inf)
        for row in range(-4, 5):
            moved = apart + step_to((0, row, 0)[: len(box)], box, around)
            moved[..., 1] -= box[1] * np.rint(apart[..., 1] / box[1])
            moved[..., 0] -= around.offset * np.rint(apart[..., 1] / box[1])
            moved -= np.where(np.arange(len(box)) == 1, 0.0, box * np.rint(moved / box))
            nearer = (moved**2).sum(axis=-1) < (found**2).sum(axis=-1)
            found = np.where(nearer[..., None], moved, found)
    return np.asarray(found)


def near(
    positions: Array, box: Array, periodic: Periodic | bool, limit: Array
) -> list[tuple[int, int, tuple[int, ...]]]:
    """(i, j, image) of all pairs with |X_j + image · box - X_i| <= limit[i, j], sorted: i < j, or i = j and an image
    that lies ahead along the first axis in which it is not 0."""
    found = []
    for image in images(len(box), periodic):
        apart = positions[None, :, :] + step_to(image, box, periodic) - positions[:, None, :]
        for i, j in np.argwhere(np.sqrt((apart**2).sum(axis=-1)) <= limit):
            if i < j or (i == j and image > (0,) * len(box)):
                found.append((int(i), int(j), image))
    return sorted(found)


def nearest(positions: Array, box: Array, periodic: Periodic | bool, i: int, count: int) -> Array:
    """(count, d), the vectors from disc i to the nearest of all other places of discs, by their length."""
    every = images(len(box), periodic, 2 if len(positions) > count else count // 2)
    apart = [positions + step_to(image, box, periodic) - positions[i] for image in every]
    apart[every.index((0,) * len(box))] = np.delete(positions - positions[i], i, axis=0)
    steps = np.concatenate(apart)
    return np.asarray(steps[np.argsort(np.sqrt((steps**2).sum(axis=1)), kind="stable")[:count]])


def pairs_within(positions: Array, box: Array, periodic: Periodic | bool, r: Array) -> list[int]:
    """The number of pairs up to each distance, each once, by the nearest of its images."""
    shortest = []
    for i in range(len(positions)):
        for j in range(i):
            ways = [step_to(image, box, periodic) for image in images(len(box), periodic, 1)]
            steps = [positions[i] + way - positions[j] for way in ways]
            shortest.append(min(float(np.sqrt(step @ step)) for step in steps))
    return [int((np.array(shortest) <= limit).sum()) for limit in r]
