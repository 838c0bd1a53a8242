"""The quantities that expressions name and tables show: of discs, those of the system's fields and a few more; of
clusters, those of the system's cluster fields. They are computed when they are asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.fields import Field, fields_in
from engine.frame import discs_of
from engine.selection.clusters import ClusterField, FrameClusters
from engine.selection.expressions import Expression
from engine.selection.sets import Selection
from engine.words import body_names

if TYPE_CHECKING:
    from engine.frame import Frame
    from engine.state import Discs
    from engine.system import System

PLACE = (
    Field("disc", "{Disc}", lambda frame, discs: np.arange(len(frame.positions)), kind="integer"),
    Field("x", "Position, x", lambda frame, discs: frame.positions[:, 0], "x", "length"),
    Field("y", "Position, y", lambda frame, discs: frame.positions[:, 1], "y", "length"),
    Field("z", "Position, z", lambda frame, discs: frame.positions[:, 2], "z", "length", dimensions=(3,)),
    Field("radius", "Radius", lambda frame, discs: discs.radii * frame.radius_factor, "R", "length"),
    Field("mass", "Mass", lambda frame, discs: discs.masses, "m", "mass"),
)
"""What every disc has. These names mean this in every system, even if a field has one of them."""

VELOCITY = (
    Field("vx", "Velocity along x", lambda frame, discs: frame.velocities[:, 0], "V_x", "length / time"),
    Field("vy", "Velocity along y", lambda frame, discs: frame.velocities[:, 1], "V_y", "length / time"),
    Field(
        "vz", "Velocity along z", lambda frame, discs: frame.velocities[:, 2], "V_z", "length / time", dimensions=(3,)
    ),
)
"""What discs have that fly."""


_EXAMPLES = (
    "size > 50 and speed < 0.1",
    "speed > 2 * mean(speed)",
    "pressure > 2 * mean(pressure)",
    "contacts >= 3",
)


def example(names: Collection[str]) -> str:
    """A condition that one could ask for, of things with these quantities; "" if none of the known ones fits."""
    return next((text for text in _EXAMPLES if set(Expression(text).names) <= {*names}), "")


def disc_fields(system: System | None, dimensions: int = 2) -> tuple[Field, ...]:
    """The quantities of discs of a system, by which discs can be selected; None for those of every system.

    ``disc``, ``x``, ``y``, ``radius`` and ``mass`` come first, then the velocity where discs fly; of spheres, in three
    dimensions, z too.
    """
    own = PLACE if system is None or not system.moves else (*PLACE, *VELOCITY)
    taken = {field.name for field in own}
    more = () if system is None else (field for field in system.all_fields if field.name not in taken)
    return fields_in((*own, *more), dimensions)


class DiscColumns(Mapping[str, NDArray[Any]]):
    """The quantities of the discs of a frame by name, (N,) each, computed when they are asked for.

    Parameters
    ----------
    frame : the state.
    discs : the simulation, for radii, masses, box and boundary; not used if the frame has its own.
    system : theirs.
    """

    def __init__(self, frame: Frame, discs: Discs, system: System) -> None:
        self._frame = frame
        self._discs = discs_of(frame, discs)
        self.fields = {field.name: field for field in disc_fields(system, frame.dimensions)}
        self._found: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._found:
            self._found[name] = values_of(self.fields[name], self._frame, self._discs)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)


class ClusterColumns(Mapping[str, NDArray[Any]]):
    """The quantities of the clusters of a frame by name, (M,) each, computed when they are asked for.

    Parameters
    ----------
    clusters : of the frame.
    fields : the system's cluster fields; those that the frame has no data for are left out.
    """

    def __init__(self, clusters: FrameClusters, fields: Sequence[ClusterField]) -> None:
        self.clusters = clusters
        fill = body_names(clusters.frame.dimensions).fill
        self.fields = {
            field.name: replace(field, unit=fill(field.unit), meaning=fill(field.meaning))
            for field in fields
            if not field.part or field.part in clusters.frame.fields
        }
        self._found: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._found:
            values = self.fields[name].values(self.clusters)
            self._found[name] = np.full(len(self.clusters), np.nan) if values is None else values
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)


def values_of(field: Field, frame: Frame, discs: Discs) -> NDArray[Any]:
    """The values of a field, (N,): computed if necessary, and NaN if the frame does not contain it."""
    values = field.values(frame, discs)
    if values is None and field.measure is not None:
        values = field.measure(frame, discs)
    return np.full(len(frame.positions), np.nan) if values is None else values


def where(text: str, frame: Frame, discs: Discs, system: System) -> Selection:
    """The discs of a frame for which a condition is true.

    Parameters
    ----------
    text : the condition, such as ``size > 50 and speed < 0.1``.
    frame : the state.
    discs : the simulation, which has radii, masses, box and boundary.
    system : theirs.

    Raises
    ------
    InputError
        It is not a condition, or it names something that discs do not have. The message says what is allowed.
    """
    columns = DiscColumns(frame, discs, system)
    return Selection.of(Expression(text, known=tuple(columns)).mask(columns, len(frame.positions)))
