"""The contents of a frame in a text file: named columns of numbers, and values that hold for all discs.

`engine.files.quantities` says which columns there are. A text format turns its text into `FrameColumns`, and these into
text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import Periodic
from engine.files.checks import Location, along_each, box_of_sides, checked, is_flat, plain, strain_of
from engine.files.frame import FileFrame
from engine.files.quantities import ALWAYS, FINITE, PARTS, QUANTITIES, DiscQuantity

_BY_NAME = {name: quantity for quantity in QUANTITIES for name in (quantity.property, *quantity.aliases)}
_ALLOWED = {column: quantity.allowed for quantity in QUANTITIES for column in quantity.columns}


def quantity_named(name: str) -> DiscQuantity | None:
    """The quantity that some program calls `name`, in capitals or not; None for other names."""
    return _BY_NAME.get(name.lower())


def all_allowed(column: str, values: Floats) -> bool:
    """Whether a column may hold these numbers, (N,). A column that is not declared here holds finite numbers."""
    return bool(np.isfinite(values).all() and _ALLOWED.get(column, FINITE).test(values).all())


def fault_of(column: str, word: str, decimal: str = ".") -> str:
    """What is wrong with a word in a column, as in "radius must be above 0, not -1"; "" for nothing.

    decimal : the decimal mark of the file.
    """
    try:
        value = float(word.replace(decimal, "."))
    except ValueError:
        return f'{column} must be a number, not "{plain(word)}"'
    if not np.isfinite(value):
        return f"{column} must be a finite number, not {plain(word)}"
    allowed = _ALLOWED.get(column, FINITE)
    return "" if allowed.test(np.array([value])).all() else f"{column} must be {allowed.words}, not {plain(word)}"


DEEP = frozenset(("x", "y", "z", "vz", "pz"))
"""The columns from which `FrameColumns.known_dimensions` is found."""


@dataclass
class FrameColumns:
    """A frame as a text file holds it.

    Parameters
    ----------
    columns : the numbers of each column, (N,) each, by its name (`engine.files.quantities`). ``x`` and ``y`` must be
        there; columns of other names are ignored.
    box : (2,) or (3,), None if the file has none.
    corner : (3,), the lower corner of the box, from which positions are measured in a `FileFrame`.
    periodic : whether the box is periodic along x, y and z, None for what the file does not say
        (`engine.files.checks.along_each`).
    time : as in `FileFrame`.
    dimensions : 2 or 3 where the file says it beside its numbers; 0 where it does not.
    plane : the z of discs in a plane, which is z = 0 of the file, measured as the column z is.
    tilt : how far along x the images above the box are ahead, a length; strain, shear_rate : what the file says of it
        and of the flow, as in `FileFrame`.
    """

    columns: dict[str, Floats]
    box: Floats | None = None
    corner: Floats = field(default_factory=lambda: np.zeros(3))
    periodic: Sequence[bool | None] = (None, None, None)
    time: float | None = None
    dimensions: int = 0
    plane: float = 0.0
    tilt: float = 0.0
    strain: float = 0.0
    shear_rate: float = 0.0

    @property
    def known_dimensions(self) -> int:
        """How many dimensions the state has by what the file says of it: 2, 3, or 0 where it leaves that open.

        Without z there are two. Otherwise the file may say it beside its numbers (`dimensions`); else there are three
        where z differs, two where the box has no height or is periodic along z only, or along x and y only, and three
        where something moves along z or lies in the box at another height than 0. What is left, discs or spheres that
        all have z = 0 or of which there is no box, may be either.
        """
        if "z" not in self.columns:
            return 2
        if self.dimensions:
            return self.dimensions
        if not self._level:
            return 3
        x, y, z = self.periodic
        if self.box is not None and (self.box[2] <= 0.0 or (x == y and z not in (None, x))):
            return 2
        moves = any(self.columns[name].any() for name in ("vz", "pz") if name in self.columns)
        return 3 if moves or (self.box is not None and not self.in_plane) else 0

    @property
    def in_plane(self) -> bool:
        """Whether z is 0 for all discs, up to rounding."""
        return is_flat(np.append(self.columns["z"], self.plane), self._width)

    @property
    def usual_plane(self) -> bool:
        """Whether the box reaches from -1/2 to 1/2 along z, as LAMMPS writes the plane."""
        if self.box is None:
            return False
        return float(self.box[2]) == 1.0 and float(self.corner[2] - self.plane) == -0.5

    @property
    def _level(self) -> bool:
        """Whether z is the same for all discs, up to rounding."""
        return is_flat(self.columns["z"], self._width)

    @property
    def _width(self) -> float:
        """The longer side of the box; without a box, that of the rectangle in which the discs are."""
        if self.box is not None:
            return float(self.box[:2].max())
        return float(max(np.ptp(self.columns[axis]) for axis in "xy"))

    def frame(self, where: Location, dimensions: int) -> FileFrame:
        """Make a frame of two or three dimensions, and check it (`engine.files.checks`).

        Without velocities they come from momenta over masses.

        Raises
        ------
        InputError
            The numbers are no state of discs or spheres. The message begins with `where`.
        """
        columns = self.columns
        if dimensions == 2 and "z" in columns and not self._level:
            raise where.error("the file says that it is two-dimensional, but z is not the same for all discs")
        if dimensions > 2 and "z" not in columns:
            raise where.error("the file says that it is three-dimensional, but there is no z")
        corner, box = self.corner[:dimensions], self.box
        periodic = along_each(where, self.periodic, dimensions)
        if periodic is None and self.tilt:  # which no box with walls has
            periodic = Periodic.of(True, dimensions)
        if box is not None:
            box = box_of_sides(where, box[:dimensions].tolist())
        parts: dict[str, Any] = {}
        for quantity in QUANTITIES:
            values = None if quantity.part in ("", *parts) else quantity.of(columns, dimensions)
            if values is not None:
                parts[quantity.part] = values
        momenta = (
            None if "velocities" in parts or "masses" not in parts else _BY_NAME["momenta"].of(columns, dimensions)
        )
        if momenta is not None:
            parts["velocities"] = momenta / parts["masses"][:, None]
        if corner.any():
            parts["positions"] = parts["positions"] - corner
        always = {name: parts.pop(name, None) for name in ALWAYS}
        strain = 0.0 if box is None else strain_of(where, self.tilt, box, periodic, self.strain)
        found = FileFrame(**always, box=box, periodic=periodic, time=self.time, fields=parts)
        found.strain, found.shear_rate = strain, self.shear_rate
        return checked(where, found)


def find_dimensions(frames: Iterable[FrameColumns], asked: int, tell: Callable[[str], None]) -> int:
    """How many dimensions a file has: 2 or 3.

    The first frame that tells them decides (`FrameColumns.known_dimensions`), but if any frame has spheres, all have.
    If no frame tells, `asked` decides; if that is 0, the file holds discs if z is 0 in all frames, and spheres if not.
    If the first two frames that are read have z = 0 in LAMMPS' usual box of the plane, it holds discs.

    Parameters
    ----------
    frames : all frames, the first one first, then best the last, the others in any order; read until one tells.
    asked : how many are asked for, 0 for none.
    tell : takes a notice about a file that may hold either, unless it is read as the plane in LAMMPS' usual box.
    """
    plane, usual = True, True
    for number, frame in enumerate(frames):
        if frame.known_dimensions and (number == 0 or frame.known_dimensions > 2):
            return frame.known_dimensions
        if not frame.known_dimensions:
            plane, usual = plane and frame.in_plane, usual and frame.usual_plane
            if number == 1 and plane and usual and not asked:
                return 2  # as LAMMPS writes discs: the other frames of a long film need not be read
    natural = 2 if plane else 3
    found, other = asked or natural, 5 - (asked or natural)
    read = {2: "discs in the plane", 3: "spheres"}
    if found != natural or not usual:
        why = f"{read[found]}, as dimensions = {asked} says"
        if found == natural:
            why = f"{read[found]}; dimensions = {other} (--set dimensions={other}) reads {read[other]}"
        tell(f"all z are {'0' if plane else 'the same'}, which is read as {why}")
    return found


def columns_of(frame: FileFrame) -> dict[str, NDArray[Any]]:
    """The columns that text files have of a frame, (N,) each, for the parts that it has; without z in the plane."""
    columns: dict[str, NDArray[Any]] = {}
    for name, quantity in PARTS.items():
        if (values := frame.part(name)) is not None:
            values = quantity.written(values)
            columns |= dict(zip(quantity.columns_in(frame.dimensions), np.atleast_2d(values.T), strict=True))
    return columns


def in_space(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Columns (`columns_of`) as programs for three dimensions have them: in the plane z is 0, velocities have a third
    component, 0, and what is one number about z is a vector."""
    nothing, found = np.zeros(len(columns["x"])), dict(columns)
    for quantity in QUANTITIES:
        if quantity.about_z in found:
            found[quantity.columns[-1]] = found.pop(quantity.about_z)
        if not found.keys().isdisjoint(quantity.columns):
            found = dict.fromkeys(quantity.columns, nothing) | found
    return found
