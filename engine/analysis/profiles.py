"""Density and speed over the distance from a centre, or over the height."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.state import DiscState, Floats, Longs
from engine.kernels import kernel

_MOST = 50  # rings, or slabs
_LEAST = 0.5  # mean diameters: their width, at least
_GROWS = 1.25  # outer radius of a ring around a cluster over its inner one
_FEWEST = 10  # discs of a cluster that has a profile


@dataclass(frozen=True, eq=False)
class Profile:
    """Discs in rings or slabs.

    Attributes
    ----------
    edges : (K + 1,), of the rings or slabs, rising.
    density : (K,); see the function that made it.
    speed : (K,), mean |v|, nan where there is no disc; None without velocities.
    """

    edges: Floats
    density: Floats
    speed: Floats | None

    @property
    def middle(self) -> Floats:
        """(K,), of the rings or slabs."""
        return 0.5 * (self.edges[1:] + self.edges[:-1])


def radial_profile(state: DiscState, velocities: Floats | None = None) -> Profile | None:
    """Over the distance from the centre of the box: the density of centres over their mean density.

    Rings of equal width, at least half a mean diameter and at most 50, out to half of the shorter side; between walls
    of the part of the box that centres can reach (all but a mean radius along the walls), so that 1 is an even
    density in both. None for a box without room for a ring.
    """
    margin = 0.0 if state.periodic else state.mean_radius
    sides = state.box - 2.0 * margin
    edges = _even(0.5 * float(sides.min()), state.mean_radius)
    if edges is None:
        return None
    centred = state.positions - 0.5 * state.box
    number, speeds = _count(np.hypot(centred[:, 0], centred[:, 1]), edges, velocities)
    even = len(state.radii) * np.pi * np.diff(edges**2) / float(sides.prod())
    return Profile(edges, number / even, speeds)


def height_profile(state: DiscState, velocities: Floats | None = None) -> Profile | None:
    """Over y: the density of centres over their mean density, in up to 50 slabs of equal height.

    Between walls of the part of the box that centres can reach. In an even gas it is 1; under gravity it falls with
    the height. None for a box without room for a slab.
    """
    margin = 0.0 if state.periodic else state.mean_radius
    height = float(state.box[1]) - 2.0 * margin
    edges = _even(height, state.mean_radius)
    if edges is None:
        return None
    number, speeds = _count(np.clip(state.positions[:, 1] - margin, 0.0, height), edges, velocities)
    return Profile(edges + margin, number * (len(edges) - 1) / len(state.radii), speeds)


def cluster_profile(points: Floats, mean_radius: float, velocities: Floats | None = None) -> Profile | None:
    """Over the distance from the centre of a cluster: the share of each ring that discs of the cluster cover.

    The first ring reaches to a diameter, each further one to 1.25 times as far. In a cluster of the fractal dimension
    D the share falls as r^(D - 2). None below ten discs.

    points : (n, 2), the centres of the discs, laid out in the plane; mean_radius : of the discs.
    """
    if len(points) < _FEWEST:
        return None
    apart = points - points.mean(axis=0)
    distance = np.hypot(apart[:, 0], apart[:, 1])
    first = 2.0 * mean_radius
    rings = max(0, int(np.ceil(np.log(max(float(distance.max()) / first, 1.0)) / np.log(_GROWS))))
    edges = np.append(0.0, first * _GROWS ** np.arange(rings + 1))
    number, speeds = _count(distance, edges, velocities)
    return Profile(edges, number * mean_radius**2 / np.diff(edges**2), speeds)


def _even(length: float, mean_radius: float) -> Floats | None:
    """Edges of equal parts of a length; None where not even one has room."""
    parts = min(_MOST, int(length / (2.0 * mean_radius * _LEAST) + 1e-9))
    return np.linspace(0.0, length, parts + 1) if parts > 0 else None


def _count(distance: Floats, edges: Floats, velocities: Floats | None) -> tuple[Longs, Floats | None]:
    """Numbers of discs between edges, and their mean speed. Discs on the last edge belong to the last part."""
    number, speeds = np.zeros(len(edges) - 1, np.int64), np.zeros(len(edges) - 1)
    _add(distance, np.zeros((0, 2)) if velocities is None else velocities, edges, number, speeds)
    if velocities is None:
        return number, None
    return number, np.divide(speeds, number, out=np.full(len(number), np.nan), where=number > 0)


@kernel
def _add(distance: Floats, velocities: Floats, edges: Floats, number: Longs, speeds: Floats) -> None:
    """Count discs (N,) between edges, and add up their speeds where velocities (N, 2) are known."""
    last, most = edges[-1], len(number) - 1
    per_unit = len(number) / last
    for i in range(len(distance)):
        if distance[i] > last:
            continue
        place = min(int(distance[i] * per_unit), most)  # right at once where the edges are even
        if not edges[place] <= distance[i] < edges[place + 1]:
            place = min(np.searchsorted(edges, distance[i], side="right") - 1, most)
        number[place] += 1
        if len(velocities) > 0:
            speeds[place] += np.sqrt(velocities[i, 0] ** 2 + velocities[i, 1] ** 2)
