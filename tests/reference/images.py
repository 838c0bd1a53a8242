"""Pairs of discs or spheres with all their images, by a loop over images."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic

Array = NDArray[np.float64]


def images(dimensions: int, periodic: Periodic | bool, most: int = 2) -> list[tuple[int, ...]]:
    """Numbers of sides along each axis, from -most to most; only zeros between walls."""
    around = Periodic.of(periodic, dimensions)
    return list(product(*(range(-most, most + 1) if wraps else (0,) for wraps in around)))


def near(
    positions: Array, box: Array, periodic: Periodic | bool, limit: Array
) -> list[tuple[int, int, tuple[int, ...]]]:
    """(i, j, image) of all pairs with |X_j + image · box - X_i| <= limit[i, j], sorted: i < j, or i = j and an image
    that lies ahead along the first axis in which it is not 0."""
    found = []
    for image in images(len(box), periodic):
        apart = positions[None, :, :] + np.array(image) * box - positions[:, None, :]
        for i, j in np.argwhere(np.sqrt((apart**2).sum(axis=-1)) <= limit):
            if i < j or (i == j and image > (0,) * len(box)):
                found.append((int(i), int(j), image))
    return sorted(found)


def nearest(positions: Array, box: Array, periodic: Periodic | bool, i: int, count: int) -> Array:
    """(count, d), the vectors from disc i to the nearest of all other places of discs, by their length."""
    every = images(len(box), periodic, 2 if len(positions) > count else count // 2)
    apart = [positions + np.array(image) * box - positions[i] for image in every]
    apart[every.index((0,) * len(box))] = np.delete(positions - positions[i], i, axis=0)
    steps = np.concatenate(apart)
    return np.asarray(steps[np.argsort(np.sqrt((steps**2).sum(axis=1)), kind="stable")[:count]])


def pairs_within(positions: Array, box: Array, periodic: Periodic | bool, r: Array) -> list[int]:
    """The number of pairs up to each distance, each once, by the nearest of its images."""
    shortest = []
    for i in range(len(positions)):
        for j in range(i):
            steps = [positions[i] + np.array(image) * box - positions[j] for image in images(len(box), periodic, 1)]
            shortest.append(min(float(np.sqrt(step @ step)) for step in steps))
    return [int((np.array(shortest) <= limit).sum()) for limit in r]
