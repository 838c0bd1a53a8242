"""The error for discs that are too large for an arrangement."""

from __future__ import annotations

from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.state import volume_fraction

Array = NDArray[np.float64]

KEY = "discs.volume_fraction"


def refuse_wider(radii: Array, box: Array, fits: float, where: str, most: float | None = None) -> None:
    """Raise InputError if the largest disc is wider than `most`, by default `fits` with a tolerance for rounding.

    Parameters
    ----------
    radii, box : (N,), (d,), d = 2 for discs and 3 for spheres.
    fits : a width; the message gives the volume fraction at which the largest disc has it, to four digits, rounded
        down.
    where : the end of "discs.volume_fraction must be at most 0.1234 …".
    """
    widest, covered = 2.0 * float(radii.max()), volume_fraction(radii, box)
    if widest > (fits * (1.0 + 1e-12) if most is None else most):
        limit = covered * (fits / widest) ** len(box)
        unit = 10.0 ** (floor(log10(limit)) - 3)
        raise InputError(f"{KEY} must be at most {floor(limit / unit) * unit:.4g} {where}, not {covered:.6g}", KEY)
