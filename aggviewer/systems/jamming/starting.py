"""What is asked of a run: to jam the discs that are shown, and to take some out of a packing. Nothing here knows the
window; the commands in its menus are in `view`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aggviewer.session.commands.beginning import StartFromShown
from engine.errors import InputError
from engine.files import FileFrame
from engine.selection import Selection
from engine.words import body_names, count

if TYPE_CHECKING:
    from engine.scenario import Scenario


@dataclass(frozen=True)
class Jam(StartFromShown):
    """Jam the discs on the screen, of whatever system: they start as separate discs at rest. See `StartFromShown`."""

    def words(self, scenario: Scenario | None) -> str:
        """See `RunCommand`."""
        return "jamming"

    def change(self, frame: FileFrame) -> tuple[FileFrame, dict[str, Any]]:
        """See `jam`."""
        return jam(frame)


@dataclass(frozen=True)
class TakeOut(StartFromShown):
    """Remove discs from a packing and jam the others.

    Parameters
    ----------
    path : see `StartFromShown`.
    discs : the discs to remove.
    held : how many of these others held in place (not rattlers); filled in by `of`.
    """

    discs: Selection
    held: int = 0

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history, with the number of discs."""
        names = body_names(2 if scenario is None else scenario.dimensions)
        number = len(self.discs)
        return f"removing a {names.disc}" if number == 1 else f"removing {count(number)} {names.discs}"

    def of(self, frame: FileFrame) -> TakeOut:
        """With `held`. InputError if the contacts are unknown, or the discs belong to another packing."""
        if frame.network is None or not len(frame.network.pairs):
            raise InputError("no disc can be removed yet: the contacts of these discs are not known")
        if self.discs.count != len(frame.positions) or not self.discs:
            raise InputError("no disc of this packing is selected; select the discs to remove")
        return replace(self, held=int((~frame.network.rattlers[self.discs.mask]).sum()))

    def change(self, frame: FileFrame) -> tuple[FileFrame, dict[str, Any]]:
        """The remaining discs as a start for `jam`."""
        return jam(frame.only(~self.discs.mask))


def jam(frame: FileFrame) -> tuple[FileFrame, dict[str, Any]]:
    """The discs of a state as separate discs at rest without overlaps, and the changes to their scenario.

    Touching discs may overlap by up to 1 %; then all radii are reduced accordingly. InputError if they overlap by more.
    """
    from engine.jamming.checks import without_overlap  # imported here because its kernels take a second to load
    from engine.jamming.system import JammingSystem

    if frame.radii is None or frame.box is None:
        raise InputError("there is no state to jam")
    radii = without_overlap(frame.positions, frame.radii, frame.box, frame.around, most=JammingSystem.forgives)
    start = replace(frame, velocities=None, radii=radii, cluster=None, network=None)
    return start, {"system": "jamming"}
