"""Discs at random positions without overlap."""

from __future__ import annotations

import numpy as np

from engine.arrangements.adsorption import adsorb
from engine.arrangements.limits import KEY, Array, refuse_wider
from engine.arrangements.relaxation import relax
from engine.errors import InputError
from engine.state import volume_fraction

ADSORPTION_LIMIT = 0.45  # equal discs saturate at 0.547, and the time per disc diverges before
RELAXATION_LIMIT = 0.80  # random packings of equal discs jam at 0.84
_START_FRACTION = 0.40  # relaxation starts from discs adsorbed at this volume fraction, then at full size


def random_positions(radii: Array, box: Array, periodic: bool, rng: np.random.Generator) -> Array:
    """Positions (N, 2) of discs with `radii` (N,) in `box` (2,), none overlapping, inside walls or periodic.

    Up to V_f = 0.45 random sequential adsorption, the largest discs first; above, the discs are adsorbed with smaller
    radii at V_f = 0.40, grown to full size and pushed apart as soft discs until none overlap. The same `rng` gives the
    same bits. Raises InputError above V_f = 0.80, or if no arrangement is found.
    """
    covered = volume_fraction(radii, box)
    if covered > RELAXATION_LIMIT * (1.0 + 1e-12):
        raise InputError(
            f"{KEY} must be at most {RELAXATION_LIMIT:g} for a random arrangement (it jams near 0.84), not "
            f"{covered:.6g}",
            KEY,
        )
    side = float(box.min())
    refuse_wider(radii, box, side, "here (the largest disc is wider than the box)", most=side)
    by_size = np.argsort(-radii, kind="stable")
    sorted_radii = radii[by_size]
    placed = adsorb(sorted_radii, box, periodic, rng) if covered <= ADSORPTION_LIMIT else None
    if placed is None:
        start = adsorb(sorted_radii * min(1.0, (_START_FRACTION / covered) ** 0.5), box, periodic, rng)
        if start is None:  # a few discs in a narrow box
            start = rng.random((len(radii), 2)) * box
        placed = relax(start, sorted_radii, box, periodic)
    if placed is None:
        raise InputError(
            f"{KEY} = {covered:.4g} is too high: no random arrangement of {len(radii)} discs without overlaps was "
            "found; lower it, or use a lattice",
            KEY,
        )
    positions = np.empty_like(placed)
    positions[by_size] = placed
    return positions
