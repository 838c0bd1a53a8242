"""What can be drawn: a simulation as it is now, one of its frames, or a state from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError, either
from engine.fields import Field, fields_in
from engine.files import FileFrame
from engine.frame import Frame, FrameDiscs, living
from engine.plotting.projection import FROM_ABOVE, WHOLE, FlatView, Turn, flat_view
from engine.scenario import Scenario
from engine.system import find, known_fields
from engine.words import body_names

if TYPE_CHECKING:
    from engine.simulation import Simulation
    from engine.system import System


@dataclass(frozen=True)
class DrawableState:
    """A state with all that is needed to draw it.

    Parameters
    ----------
    frame, discs : the state.
    system : the kind of simulation that it belongs to; None if a file does not say.
    turn, slab : how a box in space is seen, see `engine.plotting.projection.Pose`.
    """

    frame: Frame
    discs: FrameDiscs
    system: System | None
    turn: Turn = FROM_ABOVE
    slab: tuple[float, float] = WHOLE

    @property
    def view(self) -> FlatView:
        """The discs as circles in the plane of the picture."""
        return flat_view(self.frame.positions, self.radii, self.discs.box, self.turn, self.slab)

    @property
    def radii(self) -> NDArray[np.float64]:
        """The present radii, (N,)."""
        return self.discs.radii * self.frame.radius_factor

    @property
    def fields(self) -> tuple[Field, ...]:
        """The quantities that these discs may have."""
        return fields_in(known_fields() if self.system is None else self.system.fields, self.frame.dimensions)

    @property
    def title(self) -> str:
        """The time, and the number of clusters where discs join."""
        clock = None if self.system is None else self.system.clock
        name, time = ("t", self.frame.time) if clock is None else (clock.symbol, self.frame.time)
        words = f"{name} = {time:.0f}" if clock is not None and clock.counts else f"{name} = {time:.4g}"
        count, thing = len(self.frame.positions), body_names(self.frame.dimensions).disc
        joins = self.system.joins if self.system is not None else self.frame.clusters < count
        return f"{words}, {_number(self.frame.clusters, 'cluster') if joins else _number(count, thing)}"

    def field(self, name: str | None) -> Field:
        """The quantity of this name; without a name the one that discs of this system are coloured by.

        Raises InputError if these discs have no such quantity.
        """
        if name is None:
            return self.fields[0]
        for field in self.fields:
            if field.name == name:
                return field
        of = "" if self.system is None else f" for {self.system.name}"
        raise InputError(f"color_by must be {either(field.name for field in self.fields)}{of}, not {name!r}")

    def values(self, field: Field) -> NDArray[np.float64]:
        """One number for each disc, (N,). Raises InputError if the state does not hold what they follow from."""
        values = field.values(self.frame, self.discs)
        if values is None and field.measure is not None:
            values = field.measure(self.frame, self.discs)
        if values is None and field.absent is not None:
            values = np.full(len(self.frame.positions), field.absent)
        if values is None:
            raise InputError(f"color_by={field.name!r} needs {field.needs or field.label}, and this state has none")
        return np.asarray(values, np.float64)


def seen(shown: Simulation | Frame | FileFrame) -> DrawableState:
    """Whatever can be drawn, ready to be drawn.

    Raises
    ------
    InputError
        It is neither a simulation nor a frame, or it is a frame that does not say the radii or the box of its discs.
    """
    if isinstance(shown, FileFrame):
        return _from_file(shown)
    if isinstance(shown, Frame):
        if shown.discs is None:
            raise InputError("this frame does not know which discs it belongs to; pass the simulation instead")
        return DrawableState(shown, shown.discs, find(shown.discs.scenario.system))
    alive = living(shown)
    if alive is None:
        raise InputError(f"a simulation or one of its frames can be drawn, not {type(shown).__name__}")
    return DrawableState(alive.frame(), FrameDiscs.of(alive), find(alive.scenario.system))


def _from_file(frame: FileFrame) -> DrawableState:
    """A state from a file. Without a box in the file, the box just contains the discs."""
    count, dimensions = frame.positions.shape
    if frame.radii is None:
        raise InputError("this frame has no radii, which are needed to draw the discs")
    scenario = _scenario_of(frame)
    box = frame.box
    if box is None:
        box = (frame.positions + frame.radii[:, None]).max(axis=0, initial=1e-300)
    masses = frame.radii**dimensions if frame.masses is None else frame.masses
    velocities = np.zeros((count, dimensions)) if frame.velocities is None else frame.velocities
    cluster = np.arange(count, dtype=np.int32) if frame.cluster is None else frame.cluster
    state = Frame(
        0.0 if frame.time is None else frame.time,
        frame.positions,
        velocities,
        {"cluster": cluster, **frame.fields},
        len(np.unique(cluster)),
        0.5 * float((masses[:, None] * velocities**2).sum()),
        network=frame.network,
    )
    discs = FrameDiscs(frame.radii, masses, box, bool(frame.periodic), scenario or Scenario())
    return DrawableState(state, discs, None if scenario is None else find(scenario.system))


def _scenario_of(frame: FileFrame) -> Scenario | None:
    """The scenario that a file holds; None if it holds none, or one of a system that is not there."""
    if not frame.scenario:
        return None
    try:
        return Scenario.from_toml(frame.scenario)
    except InputError:
        return None


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}".replace(",", "\N{NARROW NO-BREAK SPACE}")
