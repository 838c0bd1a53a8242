"""The indicators straight from their definitions: all pairs, no grid, no cleverness."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from tests.reference.images import images, shortest, step_to

Array = NDArray[np.float64]


def squared_distances(positions: Array, box: Array, periodic: Periodic | bool) -> Array:
    """(N, N) squared distances between centres, to the nearest image along each axis that is periodic."""
    if Periodic.of(periodic, len(box)).offset:
        steps = shortest(positions[:, None, :] - positions[None, :, :], box, periodic)
        return np.asarray((steps**2).sum(axis=-1))
    apart: Array = np.abs(positions[:, None, :] - positions[None, :, :])
    apart = np.where(Periodic.of(periodic, len(box)), np.minimum(apart, box - apart), apart)
    squared: Array = (apart**2).sum(axis=-1)
    return squared


def contact_matrix(positions: Array, radii: Array, box: Array, periodic: Periodic | bool) -> NDArray[np.int64]:
    """(N, N), how many images of the second disc the first one touches; of its own, without itself.

    A disc wider than a period lies on its own images: then only nearest images count.
    """
    limit = 1.05 * (radii[:, None] + radii[None, :])
    if 2.0 * radii.max() > 1.05 * Periodic.of(periodic, len(box)).periods(box).min():
        touching = (squared_distances(positions, box, periodic) <= limit**2).astype(np.int64)
    else:
        apart = positions[:, None, :] - positions[None, :, :]
        steps = [step_to(image, box, periodic) for image in images(len(box), periodic)]
        touching = sum((((apart + step) ** 2).sum(axis=-1) <= limit**2).astype(np.int64) for step in steps)
    return np.asarray(touching - np.eye(len(radii), dtype=np.int64))


def relative_contacts(positions: Array, radii: Array, box: Array, periodic: Periodic | bool) -> float:
    """N_c (4.13)."""
    count = len(radii)
    return float((contact_matrix(positions, radii, box, periodic).sum() + count) / (6 * count))


def pair_distribution(positions: Array, box: Array, periodic: Periodic | bool, r: Array) -> Array:
    """P(r) (4.14)."""
    squared = squared_distances(positions, box, periodic)
    return np.array([(squared <= limit**2).sum() for limit in r]) / len(positions)


def box_counting(positions: Array, box: Array, levels: int = 10) -> NDArray[np.int64]:
    """N(eps_m) (4.15), m = 1 … levels; a centre on the far edge belongs to the last box inside."""
    counts = []
    for m in range(1, levels + 1):
        eps = box.max() / 2**m
        last = np.ceil(box / eps) - 1
        counts.append(len(np.unique(np.minimum(np.floor(positions / eps), last), axis=0)))
    return np.array(counts)


def fractal_dimension(eps: Array, n: NDArray[np.int64], mean_radius: float) -> float:
    """D_f: minus the slope of the straight line through log N over log eps for 3 R <= eps."""
    used = eps >= 3 * mean_radius
    return float(-np.polyfit(np.log(eps[used]), np.log(n[used]), 1)[0])


def gyration_tensor(points: Array) -> Array:
    """G of points in the plane."""
    return np.cov(points.T, bias=True)


def aspect_ratio(points: Array) -> float:
    """A_r (4.11)."""
    small, large = np.linalg.eigvalsh(gyration_tensor(points))
    return float(large / small)


def direction(points: Array) -> Array:
    """D (4.12), a unit vector, either sign."""
    return np.linalg.eigh(gyration_tensor(points))[1][:, 1]


def pair_correlation(positions: Array, box: Array, periodic: Periodic | bool, edges: Array, margin: float) -> Array:
    """g(r) between consecutive edges: pairs over those of an ideal gas in the part of the box that centres can reach
    (all but `margin` along walls), whose share of displacements within is averaged over directions by brute force."""
    count, dimensions = positions.shape
    squared = squared_distances(positions, box, periodic)[np.triu_indices(count, 1)]
    found = np.array([((squared > a**2) & (squared <= b**2)).sum() for a, b in pairwise(edges)])
    walls = ~np.array(Periodic.of(periodic, dimensions))
    sides = box - 2.0 * margin * walls
    theta = (np.arange(400) + 0.5) * 2.0 * np.pi / 400
    units = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    if dimensions == 3:  # by rings of equal area around the z axis
        height = (np.arange(400) + 0.5) / 400
        around = np.sqrt(1.0 - height**2)[:, None, None] * units[::4]
        units = np.concatenate([around, np.broadcast_to(height[:, None, None], (400, 100, 1))], axis=2).reshape(-1, 3)
    expected = []
    for low, high in pairwise(edges):
        each = []
        for r in low + (high - low) * (np.arange(20) + 0.5) / 20:
            share = (1.0 - walls * r * np.abs(units) / sides).prod(axis=1).mean()
            each.append((2.0 * np.pi * r if dimensions == 2 else 4.0 * np.pi * r**2) * share)
        expected.append(np.mean(each) * (high - low) / sides.prod())
    ratio: Array = found / (0.5 * count * (count - 1) * np.array(expected))
    return ratio


def count_fluctuations(positions: Array, box: Array, mesh: tuple[int, ...], margin: Array | float) -> float:
    """Variance over mean of the centres in cells of the box less a margin; mesh : how many along each axis."""
    ends = zip(box, np.broadcast_to(margin, box.shape), mesh, strict=True)
    edges = [np.linspace(low, side - low, n + 1) for side, low, n in ends]
    cells = np.histogramdd(positions, bins=edges)[0]
    return float(cells.var(ddof=1) / cells.mean())


def cluster_sizes(labels: NDArray[np.int32]) -> list[int]:
    """The size of each cluster."""
    return [int((labels == label).sum()) for label in set(labels.tolist())]


def structure_factor(positions: Array, wave_vectors: Array) -> Array:
    """S(k) = 1/N sum over i, j of cos(k . (X_i - X_j)) for each wave vector (K, 2)."""
    apart = positions[:, None, :] - positions[None, :, :]
    return np.array([np.cos(apart @ k).sum() / len(positions) for k in wave_vectors])


def velocity_correlation(
    positions: Array, velocities: Array, masses: Array, box: Array, periodic: Periodic | bool, edges: Array
) -> tuple[Array, Array]:
    """C(r) and its part along the line between two discs, between consecutive edges; nan without a pair."""
    around = np.array(Periodic.of(periodic, len(box)))
    velocities = velocities - around * (masses[:, None] * velocities).sum(axis=0) / masses.sum()
    norm = (velocities**2).sum() / len(velocities)
    total: list[list[float]] = [[] for _ in edges[1:]]
    parallel: list[list[float]] = [[] for _ in edges[1:]]
    for i in range(len(positions)):
        for j in range(i):
            apart = shortest(positions[i] - positions[j], box, periodic)
            r = float(np.sqrt((apart**2).sum()))
            place = int(np.searchsorted(edges, r, side="right")) - 1
            if place < len(total):
                total[place].append(float(velocities[i] @ velocities[j]) / norm)
                parallel[place].append(float((velocities[i] @ apart) * (velocities[j] @ apart)) / r**2 / norm)
    return tuple(np.array([np.mean(one) if one else np.nan for one in of]) for of in (total, parallel))  # type: ignore[return-value]


def velocity_autocorrelation(velocities: Array, start: Array, masses: Array, periodic: Periodic | bool) -> float:
    """<v(t) . v(0)> / <v(0)^2>, disc by disc."""
    means = [sum(m * v for m, v in zip(masses, each, strict=True)) / sum(masses) for each in (velocities, start)]
    now, then = (mean * np.array(Periodic.of(periodic, len(mean))) for mean in means)
    both = sum(float((v - now) @ (w - then)) for v, w in zip(velocities, start, strict=True))
    return both / sum(float((w - then) @ (w - then)) for w in start)


def profile(distance: Array, speeds: Array, edges: Array) -> tuple[Array, Array]:
    """How many discs lie between consecutive edges, and their mean speed, nan without any."""
    counts, means = [], []
    for low, high in pairwise(edges):
        inside = (distance >= low) & ((distance < high) | ((high == edges[-1]) & (distance == high)))
        counts.append(int(inside.sum()))
        means.append(float(speeds[inside].mean()) if inside.any() else np.nan)
    return np.array(counts, np.float64), np.array(means)
