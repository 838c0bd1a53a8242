"""Discs or spheres at random positions without overlap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrangements.adsorption import adsorb
from engine.arrangements.limits import KEY, Array, refuse_wider
from engine.arrangements.relaxation import relax
from engine.errors import InputError
from engine.portable import power
from engine.state import volume_fraction


class _Limits(NamedTuple):
    """Volume fractions of random arrangements in so many dimensions.

    adsorption : up to which discs are adsorbed: the time per disc diverges before equal ones saturate.
    start : of the smaller discs that are adsorbed where they are relaxed.
    relaxation : the largest of all.
    jams : near which random packings of equal discs jam.
    """

    adsorption: float
    start: float
    relaxation: float
    jams: float


LIMITS = {2: _Limits(0.45, 0.40, 0.80, 0.84), 3: _Limits(0.30, 0.25, 0.60, 0.64)}
"""By the number of dimensions. Discs saturate at 0.547, spheres at 0.382."""


def random_positions(radii: Array, box: Array, periodic: bool, rng: np.random.Generator) -> Array:
    """Positions (N, d) of discs or spheres with `radii` (N,) in `box` (d,), none overlapping, inside walls or periodic.

    Up to V_f = 0.45 (0.30 for spheres) random sequential adsorption, the largest discs first; above, the discs are
    adsorbed with smaller radii at V_f = 0.40 (0.25), grown to full size and pushed apart as soft discs until none
    overlap. The same `rng` gives the same bits. Raises InputError above V_f = 0.80 (0.60), or if no arrangement is
    found.
    """
    covered, dimensions = volume_fraction(radii, box), len(box)
    limits = LIMITS[dimensions]
    if covered > limits.relaxation * (1.0 + 1e-12):
        raise InputError(
            f"{KEY} must be at most {limits.relaxation:g} for a random arrangement (it jams near {limits.jams:g}), not "
            f"{covered:.6g}",
            KEY,
        )
    side = float(box.min())
    refuse_wider(radii, box, side, "here (the largest disc is wider than the box)", most=side)
    by_size = np.argsort(-radii, kind="stable")
    sorted_radii = radii[by_size]
    placed = adsorb(sorted_radii, box, periodic, rng) if covered <= limits.adsorption else None
    if placed is None:
        shrunk = sorted_radii * min(1.0, power(limits.start / covered, 1.0 / dimensions))
        start = adsorb(shrunk, box, periodic, rng)
        if start is None:  # a few discs in a narrow box
            start = rng.random((len(radii), dimensions)) * box
        placed = relax(start, sorted_radii, box, periodic)
    if placed is None:
        raise InputError(
            f"{KEY} = {covered:.4g} is too high: no random arrangement without overlaps was found for "
            f"N = {len(radii)}; lower it, or use a lattice",
            KEY,
        )
    positions = np.empty_like(placed)
    positions[by_size] = placed
    return positions
