"""Limits of lengths, speeds, masses and numbers of discs in scenarios, files and saved states.

They are wide enough for any choice of units, and narrow enough that squares, sums, and lengths in single precision
cannot overflow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_COUNT = 10_000_000  # discs
MIN_SIDE, MAX_SIDE = 1e-15, 1e15  # of the box
MOST_SLENDER = {2: 1e4, 3: 1e3}  # longest over shortest side of a box: a cell may be wider than it, and see many images
SMALLEST = 1e-12  # radius, relative to the longer side of the box
FASTEST = 1e15  # component of a velocity
LIGHTEST, HEAVIEST = 1e-30, 1e30  # mass


def fault_of_box(box: NDArray[np.float64]) -> str:
    """An error message if the sides (d,) of a box are out of range, or too different, else ""."""
    sides = " x ".join(f"{side:g}" for side in box)
    if not ((box >= MIN_SIDE) & (box <= MAX_SIDE)).all():
        return f"the sides of the box must be from {MIN_SIDE:g} to {MAX_SIDE:g}, not {sides}"
    most = MOST_SLENDER[len(box)]
    if box.max() > most * box.min():
        return f"the longest side of the box may be at most {most:g} times the shortest, not {sides}"
    return ""


def fault_of_radii(radii: NDArray[np.float64], box: NDArray[np.float64]) -> str:
    """An error message if one of the radii (N,) is too small for the coordinates in a box (2,), else ""."""
    least = float(radii.min())
    if least >= SMALLEST * float(box.max()):
        return ""
    return (
        f"the smallest radius, {least:.3g}, is less than {SMALLEST:g} of the box's longer side, below the precision "
        "of positions"
    )


def fault_of_motion(velocities: NDArray[np.float64]) -> str:
    """An error message about the first velocity (N, 2) that is too large, else ""."""
    fast = np.abs(velocities).max(axis=1) > FASTEST
    return f"disc {int(fast.argmax())} is faster than {FASTEST:g}" if fast.any() else ""


def fault_of_masses(masses: NDArray[np.float64]) -> str:
    """An error message about the first mass (N,) that is out of range, else ""."""
    bad = (masses < LIGHTEST) | (masses > HEAVIEST)
    if not bad.any():
        return ""
    i = int(bad.argmax())
    return f"the mass of disc {i} must be from {LIGHTEST:g} to {HEAVIEST:g}, not {masses[i]:g}"
