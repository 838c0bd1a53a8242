"""Voronoi cells, hexatic order, density maps and hulls as their definitions say, by loops over everything."""

from __future__ import annotations

import cmath
from itertools import product

import numpy as np
from scipy.spatial import ConvexHull

from engine.boundary import Periodic
from tests.reference.images import images, step_to

Floats = np.ndarray


def cell_of(
    i: int, positions: Floats, radii: Floats, box: Floats, periodic: Periodic | bool
) -> tuple[Floats, list[complex]]:
    """The corners of a disc's cell, and for each edge to another disc its length times exp(6 i θ), and its length.

    The cell is what is left of a large square when all half planes beyond the lines of equal tangents are cut off.
    """
    lines = []
    for j, image in product(range(len(positions)), images(2, periodic)):
        step = positions[j] + step_to(image, box, periodic) - positions[i]
        squared = float(step @ step)
        if squared > 0.0:
            lines.append((step, 0.5 * (squared + radii[i] ** 2 - radii[j] ** 2), True))
    for axis in Periodic.of(periodic, 2).walls:
        unit = np.eye(2)[axis]
        lines += [(unit, float(box[axis] - positions[i, axis]), False), (-unit, float(positions[i, axis]), False)]
    far = 4.0 * float(box.max())
    corners = [np.array(c) for c in ((-far, -far), (far, -far), (far, far), (-far, far))]
    for normal, half, _ in lines:
        left = []
        for k, here in enumerate(corners):
            after = corners[(k + 1) % len(corners)]
            a, b = here @ normal - half, after @ normal - half
            if a <= 0.0:
                left.append(here)
            if (a <= 0.0) != (b <= 0.0):
                left.append(here + a / (a - b) * (after - here))
        corners = left
    sides = []
    for normal, half, disc in lines:
        on = [c for c in corners if abs(c @ normal - half) < 1e-9 * max(float(normal @ normal), 1e-9)]
        if disc and len(on) >= 2:
            length = max(float(np.hypot(*(a - b))) for a in on for b in on)
            sides.append(complex(length * cmath.exp(6j * cmath.phase(complex(*normal)))))
    return np.array(corners).reshape(-1, 2), sides


def area_of(corners: Floats) -> float:
    """By the formula of the shoelace."""
    x, y = corners.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) if len(corners) else 0.0


def cells(positions: Floats, radii: Floats, box: Floats, periodic: Periodic | bool) -> tuple[Floats, Floats]:
    """Areas and hexatic orders, (N,) each."""
    areas, orders = [], []
    for i in range(len(positions)):
        corners, sides = cell_of(i, positions, radii, box, periodic)
        areas.append(area_of(corners))
        total = sum(abs(side) for side in sides)
        orders.append(sum(sides) / total if total > 0.0 else 0.0)
    return np.array(areas), np.array(orders, complex)


def density_at(
    points: Floats, positions: Floats, radii: Floats, box: Floats, periodic: Periodic | bool, width: float
) -> Floats:
    """Σ π R_i² G(x - X_i) at points (K, 2), over all images; between walls over the part of G that is in the box."""

    def gaussian(steps: Floats) -> Floats:
        return np.exp(-0.5 * np.square(steps).sum(-1) / width**2) / (2.0 * np.pi * width**2)

    shifts = [step_to(image, box, periodic) for image in images(2, periodic)]
    weights = np.pi * radii**2
    found = sum(gaussian(points[:, None] - positions[None] - shift) @ weights for shift in shifts)
    if Periodic.of(periodic, 2).all:
        return np.asarray(found)
    fine = [(np.arange(400) + 0.5) * side / 400 for side in box]
    mesh = np.stack(np.meshgrid(*fine), -1).reshape(-1, 2)
    share = (
        np.array([sum(gaussian(mesh + shift - point).sum() for shift in shifts) for point in points])
        * box.prod()
        / 160_000
    )
    return np.asarray(found / share)


def hull_area(positions: Floats, radii: Floats) -> float:
    """Of discs that lie in the plane, from many points on their rims."""
    turn = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
    rim = np.c_[np.cos(turn), np.sin(turn)]
    return float(ConvexHull((positions[:, None] + radii[:, None, None] * rim[None]).reshape(-1, 2)).volume)
