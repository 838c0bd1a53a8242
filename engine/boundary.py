"""The boundary of a box along each axis: it is periodic, or it has a wall on either side."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

AXES = "xyz"


class Periodic(tuple[bool, ...]):
    """For each axis of a box, True where it is periodic and False where it has a wall on either side.

    Made as ``Periodic.of(True, 2)`` or ``Periodic((True, False))``. As a whole it is true for a box that is periodic
    along every axis, and false for one with walls along every axis. For a box with both, ``bool`` raises TypeError: ask
    for the axes that matter (`any`, `all`, `axes`).

    Attributes
    ----------
    offset : how far the images above the box are displaced along x in a shear flow (Lees and Edwards), a length; those
        below are displaced as far the other way. At least -L_x / 2 and below L_x / 2; 0 in all other boxes.
    """

    offset: float

    def __new__(cls, axes: Iterable[Any], offset: float = 0.0) -> Periodic:
        """axes : a truth value for each axis, two or three; offset : see above."""
        made = super().__new__(cls, map(bool, axes))
        made.offset = offset
        return made

    def __eq__(self, other: object) -> bool:
        offset = other.offset if isinstance(other, Periodic) else 0.0
        return tuple.__eq__(self, other) is True and self.offset == offset

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple(self), self.offset)) if self.offset else tuple.__hash__(self)

    @classmethod
    def of(cls, given: bool | Iterable[Any], dimensions: int) -> Periodic:
        """The value for a box. given : one truth value for all axes, or one for each; dimensions : 2 or 3.

        Raises ValueError if the number of truth values is not that of the dimensions.
        """
        if isinstance(given, (bool, int, np.bool_, np.integer)):
            return cls([given] * dimensions)
        axes = given if isinstance(given, Periodic) else cls(np.asarray(given).ravel().tolist())
        if len(axes) != dimensions:
            raise ValueError(f"periodic must be one truth value, or {dimensions} of them, not {len(axes)}")
        return axes

    @classmethod
    def of_boundary(cls, boundary: str | Iterable[str], dimensions: int) -> Periodic:
        """The value for `box.boundary` of a scenario: "periodic", "walls", or one of them for each axis."""
        words = [boundary] * dimensions if isinstance(boundary, str) else boundary
        return cls.of([word == "periodic" for word in words], dimensions)

    @classmethod
    def of_code(cls, code: int, dimensions: int) -> Periodic:
        """The value with this `code`."""
        return cls(code & (1 | 2 << axis) for axis in range(dimensions))

    def __bool__(self) -> bool:
        if self.mixed:
            raise TypeError(f"a box with {self.words} is periodic along some axes only: ask for any, all or axes")
        return self[0]

    def strained(self, strain: float, box: Any) -> Periodic:
        """The same box at a strain, when the images above it are displaced by `strain` times its height; unchanged with
        walls along x or y. box : (d,), the sides."""
        if not (self[0] and self[1]) or strain == self.offset == 0.0:
            return self
        ahead, side = strain * float(box[1]), float(box[0])
        offset = ahead - side * floor(ahead / side + 0.5)
        return Periodic(self, offset if offset < 0.5 * side else -0.5 * side)

    @property
    def any(self) -> bool:
        """Whether it is periodic along some axis."""
        return True in self

    @property
    def all(self) -> bool:
        """Whether it is periodic along every axis, so that there are no walls."""
        return False not in self

    @property
    def mixed(self) -> bool:
        """Whether it is periodic along some axes and has walls along others."""
        return self.any and not self.all

    @property
    def code(self) -> int:
        """The number that stands for it in kernels and checkpoints (`engine.geometry.minimum_image.wraps`): 0 for walls
        along every axis, 1 for periodic along every axis, else the sum of 2 for x, 4 for y and 8 for z."""
        return int(self.all) if not self.mixed else sum(2 << axis for axis in self.axes)

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes along which it is periodic, 0 for x."""
        return tuple(axis for axis, wraps in enumerate(self) if wraps)

    @property
    def walls(self) -> tuple[int, ...]:
        """The axes along which it has walls, 0 for x."""
        return tuple(axis for axis, wraps in enumerate(self) if not wraps)

    @property
    def boundary(self) -> str | tuple[str, ...]:
        """`box.boundary` of a scenario: one word if it holds for all axes, else one for each."""
        words = tuple("periodic" if wraps else "walls" for wraps in self)
        return words if self.mixed else words[0]

    @property
    def words(self) -> str:
        """Its description after "a box with": "periodic edges along x and walls along y and z"."""
        kinds = ("periodic edges", self.axes), ("walls", self.walls)
        return " and ".join(f"{kind} along {_listed(axes)}" for kind, axes in kinds if axes)

    @property
    def title(self) -> str:
        """Its name in a list of choices: "Periodic", "Walls", "Periodic x, walls y and z"."""
        kinds = ("periodic", self.axes), ("walls", self.walls)
        parts = [f"{kind} {_listed(axes)}" if self.mixed else kind for kind, axes in kinds if axes]
        return ", ".join(parts).capitalize()

    def periods(self, box: Any) -> NDArray[np.float64]:
        """The period along each axis, (d,), infinite where there are walls. box : (d,), the sides."""
        return np.where(self, np.asarray(box, np.float64), np.inf)


BOUNDARIES: tuple[str | tuple[str, ...], ...] = (
    "walls",
    "periodic",
    *(one.boundary for d in (2, 3) for one in map(Periodic, product((True, False), repeat=d)) if one.mixed),
)
"""Every value of `box.boundary`, in the plane and in space."""


def _listed(axes: tuple[int, ...]) -> str:
    return " and ".join(AXES[axis] for axis in axes)
