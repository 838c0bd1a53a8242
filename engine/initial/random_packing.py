"""Discs at random without overlap: random sequential adsorption, and relaxation where that takes too long."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.initial.adsorption import adsorb
from engine.initial.relaxation import relax

ADSORPTION_LIMIT = 0.45  # equal discs saturate at 0.547; the time for each further disc diverges before
RELAXATION_LIMIT = 0.80  # random packings of equal discs jam at 0.84
_START_FRACTION = 0.40  # relaxation starts from discs adsorbed at this volume fraction, then at full size


def random_positions(
    radii: NDArray[np.float64], box: NDArray[np.float64], periodic: bool, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Positions (N, 2) of discs with `radii` (N,) in `box` (2,), none overlapping, inside walls or periodic.

    Up to V_f = 0.45 random sequential adsorption, the largest discs first; above, the discs are adsorbed smaller, at
    V_f = 0.40, given their full size and pushed apart as soft discs until none overlap. The same `rng` gives the
    same bits. Raises InputError above V_f = 0.80 or where no arrangement is found.
    """
    covered = pi * float(np.square(radii).sum()) / float(box[0] * box[1])
    _refuse_impossible(covered, radii, box)
    by_size = np.argsort(-radii, kind="stable")
    sorted_radii = radii[by_size]
    placed = adsorb(sorted_radii, box, periodic, rng) if covered <= ADSORPTION_LIMIT else None
    if placed is None:
        start = adsorb(sorted_radii * min(1.0, (_START_FRACTION / covered) ** 0.5), box, periodic, rng)
        if start is None:  # few discs in a narrow box
            start = rng.random((len(radii), 2)) * box
        placed = relax(start, sorted_radii, box, periodic)
    if placed is None:
        raise InputError(
            f"discs.volume_fraction = {covered:.4g} is too high here: no random arrangement of {len(radii)} discs "
            "without overlap was found; lower it, or use a lattice",
            "discs.volume_fraction",
        )
    positions = np.empty_like(placed)
    positions[by_size] = placed
    return positions


def _refuse_impossible(covered: float, radii: NDArray[np.float64], box: NDArray[np.float64]) -> None:
    if covered > RELAXATION_LIMIT * (1.0 + 1e-12):
        raise InputError(
            f"discs.volume_fraction must be at most {RELAXATION_LIMIT:g} for a random arrangement (it jams near "
            f"0.84), not {covered:.6g}",
            "discs.volume_fraction",
        )
    widest = 2.0 * float(radii.max())
    if widest > float(box.min()):
        limit = covered * (float(box.min()) / widest) ** 2
        raise InputError(
            f"discs.volume_fraction must be at most {int(limit * 1e4) / 1e4:g} here (the largest disc is wider than "
            f"the box), not {covered:.6g}",
            "discs.volume_fraction",
        )
