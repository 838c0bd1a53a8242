"""The quantities of each disc that frames and files hold, each declared once.

This is the only place that knows what such a quantity is called here and in other programs, its shape and unit, who has
it, the numbers that are allowed, and how text becomes it. Frames, the states that runs start from, checks and formats
go through `QUANTITIES`. A further field of frames is one more entry, except for a chunk that HOOMD has for it too.

Discs that turn have these fields of float64, all of them or none:

========  ============================  ==============================================
          in the plane                  in space
========  ============================  ==============================================
turned    ``angle`` (N,), -π to π       ``orientation`` (N, 4), unit quaternions
turning   ``spin`` (N,)                 ``spin`` (N, 3), along the axes of the box
========  ============================  ==============================================

Angles and spins in the plane are counterclockwise. Spins are ω of the cluster of a disc. A quaternion is q = (w, x, y,
z) and means the same as -q: a vector b that turns with the disc is at q b q*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.errors import fault_of_masses, fault_of_motion, fault_of_orientation, fault_of_spin

_INT32 = 2**31


@dataclass(frozen=True)
class AllowedNumbers:
    """Which finite numbers a column may hold: ``must be WORDS, not -1``, and a test of numbers (N,)."""

    words: str
    test: Callable[[Floats], NDArray[np.bool_]]


FINITE = AllowedNumbers("a finite number", np.isfinite)
POSITIVE = AllowedNumbers("above 0", lambda values: values > 0.0)
WHOLE = AllowedNumbers(
    "a whole number of 32 bits",
    lambda values: (values == np.rint(values)) & (values >= -_INT32) & (values < _INT32),
)
COUNTED = AllowedNumbers(
    "a whole number from 0 to 2147483647",
    lambda values: (values == np.rint(values)) & (values >= 0.0) & (values < _INT32),
)
FLAG = AllowedNumbers("0 or 1", lambda values: np.isin(values, (0.0, 1.0)))


@dataclass(frozen=True)
class DiscQuantity:
    """A quantity of each disc.

    Parameters
    ----------
    property : its name if its components are one property, as in extended XYZ.
    columns : the name of the column of each component, in tables and in LAMMPS dumps.
    unit : in units of the scenario; "1" for a number without one.
    part : its name in a `FileFrame`, as an attribute or among the fields, and in an `InitialState`; "" for what only
        other programs have. Of several with one part the first one that a file has is read, and the first is written.
    name : what messages call it; "" for `part`.
    allowed : which numbers it may be.
    aliases : further names that other programs give the property, in lower case.
    dimensions : of the frames that have it.
    about_z : the name of its column in tables of the plane, where it is one number: the component along z.
    read, written : from the numbers of its columns, (N,) or (N, k), to the part, and back.
    limits : what is wrong with finite numbers of the part, (N,) or (N, k), beyond `allowed`; "" for nothing.
    """

    property: str
    columns: tuple[str, ...]
    unit: str
    part: str = ""
    name: str = ""
    allowed: AllowedNumbers = FINITE
    aliases: tuple[str, ...] = ()
    dimensions: tuple[int, ...] = (2, 3)
    about_z: str = ""
    read: Callable[[Floats], NDArray[Any]] = lambda values: values
    written: Callable[[NDArray[Any]], NDArray[Any]] = lambda values: values
    limits: Callable[[Floats], str] = lambda values: ""

    def columns_in(self, dimensions: int) -> tuple[str, ...]:
        """Its columns in a table of so many dimensions, none where there is no such quantity."""
        if dimensions not in self.dimensions:
            return ()
        if len(self.columns) != 3:
            return self.columns
        return (self.about_z,) if self.about_z and dimensions == 2 else self.columns[:dimensions]

    def shape(self, count: int, dimensions: int) -> tuple[int, ...]:
        """The shape of its part of a frame of so many discs; (0,) where they have none."""
        size = len(self.columns_in(dimensions))
        return (count, size) if size > 1 else (size and count,)

    def of(self, columns: dict[str, Floats], dimensions: int) -> NDArray[Any] | None:
        """Its part of a frame, from the columns of a file, (N,) each; None if they are not there."""
        names = self.columns_in(dimensions)
        if names == (self.about_z,) and self.about_z not in columns:
            names = self.columns[-1:]
        if not names or not columns.keys() >= set(names):
            return None
        return self.read(np.column_stack([columns[name] for name in names]) if names[1:] else columns[names[0]])

    def fault_of(self, values: NDArray[Any]) -> str:
        """What is wrong with the numbers of its part, as in ``the radius of disc 2 must be above 0, not -1``; "" for
        nothing. values : (N,) or (N, k)."""
        name = self.name or self.part
        finite = np.isfinite(values)
        if not finite.all():
            return f"the {name} of disc {np.argwhere(~finite)[0][0]} is not a finite number"
        if self.allowed is not FINITE and values.dtype.kind == "f" and not (good := self.allowed.test(values)).all():
            bad = int(good.argmin())
            return f"the {name} of disc {bad} must be {self.allowed.words}, not {values[bad]:g}"
        return self.limits(values)


SELECTED = "selected"
"""Which discs are selected, (N,) bool."""

IMAGES = "images"
"""The name, in `FileFrame.fields`, of how often each disc has crossed the periodic box along each axis, (N, d) int32:
positions + images * box is its unwrapped path. No text file has it."""

ANGLE, ORIENTATION, SPIN = "angle", "orientation", "spin"
"""The fields of discs that turn, see above."""


def turned_by(quaternions: Floats, vectors: Floats) -> Floats:
    """Vectors in the frames of discs along the axes of the box, q b q*. quaternions : (…, 4); vectors : (…, 3)."""
    w, v = quaternions[..., :1], quaternions[..., 1:]
    across = 2.0 * np.cross(v, vectors)
    return np.asarray(vectors + w * across + np.cross(v, across))


def _within_a_turn(angles: Floats) -> Floats:
    off = 2.0 * np.pi * np.rint(angles / (2.0 * np.pi))
    return np.where(np.abs(angles) > np.pi, angles - off, angles)


def _clusters_of(molecules: Floats) -> NDArray[np.int32]:
    """Discs that are in no molecule become clusters of their own, with labels below 0."""
    cluster = molecules.astype(np.int32)
    alone = np.flatnonzero(cluster == 0)
    cluster[alone] = -1 - np.arange(len(alone), dtype=np.int32)
    return cluster


QUANTITIES = (
    DiscQuantity("pos", ("x", "y", "z"), "length", "positions", "position", aliases=("position", "positions")),
    DiscQuantity(
        *("velo", ("vx", "vy", "vz"), "length/time", "velocities", "velocity"),
        aliases=("vel", "velocity", "velocities"),
        limits=fault_of_motion,
    ),
    DiscQuantity("momenta", ("px", "py", "pz"), "mass·length/time", aliases=("momentum",)),
    DiscQuantity(ANGLE, (ANGLE,), "1", ANGLE, dimensions=(2,), read=_within_a_turn),
    DiscQuantity(
        *("omega", ("omegax", "omegay", "omegaz"), "1/time", SPIN),
        aliases=("angular_velocity",),
        about_z=SPIN,
        limits=fault_of_spin,
    ),
    DiscQuantity(
        *(ORIENTATION, ("quati", "quatj", "quatk", "quatw"), "1", ORIENTATION),
        dimensions=(3,),
        read=lambda columns: np.roll(columns, 1, axis=1),
        written=lambda quaternions: np.roll(quaternions, -1, axis=1),
        limits=fault_of_orientation,
    ),
    DiscQuantity("radius", ("radius",), "length", "radii", "radius", POSITIVE, ("radii",)),
    DiscQuantity("diameter", ("diameter",), "length", "radii", aliases=("diameters",), read=lambda wide: 0.5 * wide),
    DiscQuantity("masses", ("mass",), "mass", "masses", "mass", POSITIVE, ("mass",), limits=fault_of_masses),
    DiscQuantity("cluster", ("cluster",), "1", "cluster", "", WHOLE, read=lambda labels: labels.astype(np.int32)),
    DiscQuantity("molecule", ("mol",), "1", "cluster", "", COUNTED, ("mol",), read=_clusters_of),
    DiscQuantity(
        *(SELECTED, (SELECTED,), "1", SELECTED, "", FLAG),
        read=lambda flags: flags == 1.0,
        written=lambda flags: flags.astype(np.int64),
    ),
)
"""The quantities that are read and written, further fields of frames among them. z is the same for all discs in the
plane. Discs with the same number in ``cluster`` are joined; so are those with the same ``mol``, where 0 means none."""

PARTS: dict[str, DiscQuantity] = {}
"""The quantity that is written for each part of a frame."""

for _one in QUANTITIES:
    if _one.part:
        PARTS.setdefault(_one.part, _one)

ALWAYS = ("positions", "velocities", "radii", "masses", "cluster")
"""The parts that are attributes of a `FileFrame`; the others are among its fields."""


def fields_last(quantities: Iterable[DiscQuantity]) -> list[DiscQuantity]:
    """What every frame has before its further fields, otherwise in the same order."""
    return sorted(quantities, key=lambda one: one.part not in ("", *ALWAYS))


def vectors_first(quantities: Iterable[DiscQuantity]) -> list[DiscQuantity]:
    """Quantities of several components before those of one, otherwise in the same order."""
    return sorted(quantities, key=lambda one: len(one.columns) == 1)
