"""Starts of jamming, and one linear program straight from its definition: every pair and image, by scipy's linprog."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.optimize import linprog

from engine.arrangements.relaxation import relax
from engine.boundary import Periodic
from engine.jamming.run import JammingRun
from tests.reference.images import images as images_of

DENSE = {
    "system": "jamming",
    "box.boundary": "periodic",
    "discs.count": 64,
    "discs.arrangement": "random",
    "discs.volume_fraction": 0.78,
    "discs.radii": "bidisperse",
    "discs.spread": 1.4,
}
"""Settings of a scenario that jams in some twenty iterations."""

IN_SPACE = {"dimensions": 3, "discs.volume_fraction": 0.4}
"""Settings that make it one of spheres."""


def dense(count: int, seed: int, fraction: float = 0.8) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bidisperse discs 1 : 1.4 in a periodic box, relaxed: positions, radii, box."""
    rng = np.random.default_rng(seed)
    radii = np.where(np.arange(count) < count // 2, 1.4, 1.0)
    box = np.full(2, np.sqrt(np.pi * (radii**2).sum() / fraction))
    positions = relax(rng.random((count, 2)) * box, radii, box, True)
    assert positions is not None
    return positions, radii, box


def crystal(columns=6, lines=6):
    """Equal discs on a periodic hexagonal lattice, a little too small to touch: positions, radii, box."""
    positions = np.array([(x + 0.5 * (y % 2), y * sqrt(0.75)) for y in range(lines) for x in range(columns)])
    return positions, np.full(len(positions), 0.48), np.array([columns, lines * sqrt(0.75)])


def ended(run: JammingRun) -> JammingRun:
    """A `JammingRun`, run to its end."""
    while not run.reason:
        run.step()
    return run


def images(box, periodic):
    """Shifts of the box, (n, d)."""
    return np.array(images_of(len(box), periodic)) * np.asarray(box)


def parts(state):
    """Positions, radii, box and boundary of a `DenseState`."""
    return state.positions, state.radii, state.box, state.periodic


def gaps(positions, radii, box, periodic):
    """Every distance less the radii: pairs with all images, a disc with its own images, walls."""
    found = []
    for shift in images(box, periodic):
        for i in range(len(radii)):
            for j in range(i, len(radii)):
                if i < j or shift.any():
                    found.append(np.linalg.norm(positions[i] - positions[j] - shift) - radii[i] - radii[j])
    walls = list(Periodic.of(periodic, len(box)).walls)
    found.extend((positions - radii[:, None])[:, walls].ravel())
    found.extend((box - positions - radii[:, None])[:, walls].ravel())
    return np.array(found)


def best_growth(positions, radii, box, periodic, bound, most, fixed):
    """Greatest Γ - 1 of the linearised conditions of every pair, |s| <= bound, Γ - 1 <= most."""
    count, d = positions.shape
    rows, limits = [], []

    def add(vector, reach, i, j):
        row = np.zeros(count * d + 1)
        row[i * d : i * d + d] -= 2.0 * vector
        if j is not None:
            row[j * d : j * d + d] += 2.0 * vector
        row[-1] = reach**2
        rows.append(row)
        limits.append(vector @ vector - reach**2)

    for shift in images(box, periodic):
        for i in range(count):
            for j in range(i + 1, count):
                add(positions[i] - positions[j] - shift, radii[i] + radii[j], i, j)
    for i in range(count):
        for axis in Periodic.of(periodic, d).walls:
            for way in (positions[i, axis], positions[i, axis] - box[axis]):
                # the mirror image moves the other way: twice the change
                row = np.zeros(count * d + 1)
                row[i * d + axis] = -8.0 * way
                row[-1] = 4.0 * radii[i] ** 2
                rows.append(row)
                limits.append(4.0 * (way**2 - radii[i] ** 2))
    bounds = [(-bound, bound)] * (count * d) + [(0.0, most)]
    if fixed >= 0:
        bounds[fixed * d : fixed * d + d] = [(0.0, 0.0)] * d
    cost = np.zeros(count * d + 1)
    cost[-1] = -1.0
    answer = linprog(cost, np.array(rows), np.array(limits), bounds=bounds, method="highs-ds")
    assert answer.status == 0
    return -answer.fun


def scattered(
    count: int, d: int, fraction: float, periodic: Periodic | bool, rng: np.random.Generator, ratio: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Discs without overlap in a unit box: positions, radii, box; those of half the discs are `ratio` times larger.

    Raises LookupError if there is no room left for a disc in 3·10^6 random places.
    """
    box, around = np.ones(d), Periodic.of(periodic, d)
    radii = np.where(np.arange(count) % 2 == 0, 1.0, ratio)
    volume = np.pi if d == 2 else 4.0 * np.pi / 3.0
    radii *= (fraction / (volume * (radii**d).sum())) ** (1.0 / d)
    positions = np.zeros((0, d))
    tries, failed = 1, 0
    while len(positions) < count:
        radius, before = radii[len(positions)], rng.bit_generator.state
        points = rng.random((tries, d))  # many places at once where most are taken: the last disc may need 10^5
        points = np.where(around, points, radius + points * (1.0 - 2.0 * radius))
        away = positions - points[:, None]
        away -= np.where(around, np.rint(away), 0.0)
        free = (np.linalg.norm(away, axis=2) >= radii[: len(positions)] + radius).all(axis=1)
        if free.any():
            first = int(free.argmax())
            rng.bit_generator.state = before  # whatever was drawn for later places is drawn again
            rng.random((first + 1, d))
            positions = np.vstack((positions, points[first]))
        failed = 0 if free.any() else failed + tries
        if failed > 3_000_000:
            raise LookupError("there is no room for a disc")
        tries = 1 if free.any() else min(2 * tries, 4096)
    return positions, radii, box
