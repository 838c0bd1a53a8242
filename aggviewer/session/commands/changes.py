"""Changing the discs of a run by hand: another simulation continues from the changed state."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import engine
from aggviewer.session.log.command import RepeatableCommand, RunCommand, register
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.session.loader import Loader
    from engine.scenario import Scenario
    from engine.simulation import Simulation


@dataclass(frozen=True)
class ChangeDiscs(RepeatableCommand):
    """Base of commands that change discs: a class of this kind says only what becomes of a simulation (`changed`), its
    `words` and its line of `python`.

    lane : the simulation that is changed.
    """

    lane: int = field(default=0, kw_only=True)

    @abstractmethod
    def changed(self, simulation: Simulation) -> Simulation:
        """Another simulation that continues from this one, which stays as it is. InputError if that is impossible."""

    def against_recording(self) -> InputError | None:
        """The reason why the discs of a recording cannot be moved."""
        return InputError("The discs of a recording cannot be moved")

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """See `RunCommand`."""
        lanes = loader.present.lanes
        if self.lane >= len(lanes):  # it has failed, or the comparison was ended a moment before
            return ()
        lane = lanes[self.lane]
        made = {self.lane: (lane.scenario, self.changed(lane.simulation))}
        loader.replace_simulations(made, self, "live", jumps=True)  # the same method: values that wait still wait
        loader.runner.check_ended()
        loader.announce_scenarios()
        return ()

    def again(self, simulation: Simulation, waiting: Mapping[str, Any]) -> Simulation:
        """See `RunCommand`."""
        return self.changed(simulation)


@register
@dataclass(frozen=True)
class Throw(ChangeDiscs):
    """Move a disc with its cluster, and give it another velocity (`engine.throw`).

    Parameters
    ----------
    disc : its number.
    position : the new place of its centre; None leaves it where it is.
    velocity : its new velocity; None for its present one.
    """

    disc: int
    position: tuple[float, float] | None
    velocity: tuple[float, float] | None

    kind: ClassVar[str] = "throw"

    def __post_init__(self) -> None:
        """Turn the values into plain numbers, which files and scripts can hold."""
        object.__setattr__(self, "disc", int(self.disc))
        for name in ("position", "velocity"):
            pair = getattr(self, name)
            if pair is not None:
                object.__setattr__(self, name, (float(pair[0]), float(pair[1])))

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history: the disc is thrown, moved or stopped."""
        flies = self.velocity is not None and any(self.velocity)
        return "throwing a disc" if flies else "moving a disc" if self.velocity is None else "stopping a disc"

    def changed(self, simulation: Simulation) -> Simulation:
        """See `ChangeDiscs`."""
        return engine.throw(simulation, self.disc, self.position, self.velocity)

    def python(self, waiting: Mapping[str, Any]) -> Sequence[str]:
        """See `RunCommand`."""
        given = {"disc": self.disc, "position": self.position, "velocity": self.velocity}
        told = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
        return [f"simulation = engine.throw(simulation, {told})"]
