"""Input from people: the exception for what cannot be accepted, paths as they are typed, and limits of numbers."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class InputError(ValueError):
    """Bad input. The message is one sentence that names the thing and says what is allowed.

    Parameters
    ----------
    message : the sentence, ending without a full stop.
    key : the dotted key of the scenario at fault (``"discs.count"``) or the path of a file; "" for neither. The window
        shows the message at that field; the command line prints it and exits with status 2.
    """

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


def either(words: Iterable[object]) -> str:
    """Words joined for a sentence: ``a``, ``a or b``, ``a, b or c``. There must be at least one."""
    *others, last = map(str, words)
    return f"{', '.join(others)} or {last}" if others else last


def typed_path(text: str | Path) -> Path:
    """The path that a text means, with ~ for a home folder, if there is such a user; nothing need exist there.

    Raises
    ------
    InputError
        No file can have this name: it is too long, or holds a null character.
    """
    try:
        path = Path(os.path.expanduser(text))
        os.lstat(path)
    except ValueError:  # a null character, or one that file names cannot have here
        raise InputError(f"{ascii(str(text))[1:-1]} contains a character that file names cannot have", "") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InputError(f"the name {str(text)[:40]}… is too long for a file", str(text)) from None
    return path


MAX_COUNT = 10_000_000  # discs
MIN_SIDE, MAX_SIDE = 1e-15, 1e15  # of the box
MOST_SLENDER = {2: 1e4, 3: 1e3}  # longest over shortest side of a box: a cell may be wider than it, and see many images
SMALLEST = 1e-12  # radius, relative to the longer side of the box
FASTEST = 1e15  # component of a velocity, and an angular velocity
LIGHTEST, HEAVIEST = 1e-30, 1e30  # mass
UNIT = 1e-3  # how much the length of an orientation may differ from 1


MOST_PERIODS = 1e9
"""The most that images may be displaced, in box widths: beyond this, rounding makes their places inexact."""


def fault_of_flow(strain: float, shear_rate: float, box: NDArray[np.float64], periodic: bool) -> str:
    """What is wrong with the strain and the shear rate of a flow in a box (d,), "" for nothing. periodic : whether the
    box is periodic along every axis."""
    if strain != 0.0 and not periodic:
        return "the strain must be 0 unless the box is periodic along every axis"
    if not abs(strain) * float(box[1]) <= MOST_PERIODS * float(box[0]):
        return f"the strain must be a number, with images at most {MOST_PERIODS:g} box widths ahead, not {strain:g}"
    return "" if np.isfinite(shear_rate) else f"the shear rate must be a finite number, not {shear_rate:g}"


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


def fault_of_spin(spin: NDArray[np.float64]) -> str:
    """An error message about the first angular velocity, (N,) or (N, 3), that is too large, else ""."""
    fast = np.abs(spin).reshape(len(spin), -1).max(axis=1) > FASTEST
    return f"disc {int(fast.argmax())} turns faster than {FASTEST:g}" if fast.any() else ""


def fault_of_orientation(quaternions: NDArray[np.float64]) -> str:
    """An error message about the first quaternion (N, 4) whose length is not 1, else ""."""
    with np.errstate(invalid="ignore", over="ignore"):
        length = np.hypot.reduce(quaternions, axis=1)
        unit = np.abs(length - 1.0) <= UNIT  # false for what is not a number
    bad = int(unit.argmin())
    if unit[bad]:
        return ""
    return f"the orientation of disc {bad} must be a unit quaternion, not one of length {length[bad]:g}"


def fault_of_masses(masses: NDArray[np.float64]) -> str:
    """An error message about the first mass (N,) that is out of range, else ""."""
    bad = (masses < LIGHTEST) | (masses > HEAVIEST)
    if not bad.any():
        return ""
    i = int(bad.argmax())
    return f"the mass of disc {i} must be from {LIGHTEST:g} to {HEAVIEST:g}, not {masses[i]:g}"
