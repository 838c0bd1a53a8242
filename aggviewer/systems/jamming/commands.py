"""The commands for discs that jam: jam the discs on screen, remove discs, export contacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from aggviewer.session import Notice, Status
from aggviewer.session.commands.beginning import StartFromShown
from aggviewer.session.notices import attempt, tell_saved
from aggviewer.systems.base import RunningSystem, new_start
from aggviewer.widgets.command import EXPORT, Command, Place
from aggviewer.widgets.part import Context
from engine.errors import InputError
from engine.files import FileFrame, write_contacts
from engine.files.contacts import BONDS_ENDING
from engine.files.writing import cannot_write
from engine.selection import Selection
from engine.words import body_names

if TYPE_CHECKING:
    from engine.scenario import Scenario

_NOT_YET = ("empty", "compiling", "loading")
"""States of the session without discs."""

_LEAST = 2  # number of discs that cannot jam


def jamming_commands(context: Context) -> Iterator[Command]:
    """Commands to jam the discs on screen, remove discs from a packing, and export contacts."""
    yield Command(
        "run.jam",
        "Jam this",
        partial(_jam_shown, context),
        ("J",),
        "Let the {discs} on screen grow and push each other aside until none can grow: a chain of linear programs",
        "mdi6.vector-polygon",
        menu=Place("Run", 3, 1),
        bar=Place("left", 2, 3),
        available=lambda: context[RunningSystem].offers("jam"),
        reason=lambda: reason_against_jamming(context.session.status()),
    )
    yield Command(
        "run.take_out",
        "Remove from packing",
        partial(_take_out, context),
        ("Ctrl+Del",),
        "Remove the selected {discs} from the packing; the others grow again until they jam",
        "mdi6.circle-off-outline",
        menu=Place("Run", 3, 2),
        of_discs=True,
        available=lambda: context[RunningSystem].offers("take_out"),
        reason=lambda: _reason_against_taking_out(context),
    )
    yield Command(
        "file.contacts",
        "Contacts…",
        partial(_save_contacts, context),
        tooltip="The contacts of the packing with their forces, as a table (CSV)",
        menu=Place(EXPORT, 2, 3),
        words="export save forces table csv",
        title="Export contacts…",
        available=lambda: context[RunningSystem].offers("forces"),
    )


def reason_against_jamming(status: Status) -> str:
    """Why the discs on screen cannot be jammed, empty if they can."""
    if status.state in _NOT_YET or not status.lanes:
        return "There are no {discs} yet."
    if status.count <= _LEAST:
        return "Jamming needs at least three {discs}."
    return ""


def _jam_shown(context: Context) -> None:
    """Jam the discs on screen, whatever their system."""
    reason = reason_against_jamming(context.session.status())
    context.files.begin("jam")
    if reason:
        _refuse(context, "These {discs} cannot be jammed", reason, "jam")
    else:
        context.session.give(Jam(new_start(context.session.status())))


def _reason_against_taking_out(context: Context) -> str:
    """Why no disc can be removed from the packing, empty if some can."""
    shown, selected = context.shown(), context.session.marking.value.selected
    network = None if shown is None else shown.frame.network
    if network is None or not len(network.pairs):
        return "The contacts are not known yet; run it first."
    if not selected:
        return "No {disc} is selected; click one"
    left = selected.count - len(selected)
    return "" if left > _LEAST else "Jamming needs at least three {discs}."


def _take_out(context: Context) -> None:
    """Restart the run without the discs that are selected."""
    reason = _reason_against_taking_out(context)
    context.files.begin("take out")
    if reason:
        _refuse(context, "No {disc} can be removed", reason, "take out")
    else:
        context.session.give(TakeOut(new_start(context.session.status()), context.session.marking.value.selected))


def _refuse(context: Context, title: str, reason: str, about: str) -> None:
    fill = body_names(context.commands.dimensions).fill
    context.notify(Notice("warning", fill(title), fill(reason), about=about))


def _save_contacts(context: Context) -> None:
    """Save the contacts of the packing on screen, as a table or as bonds."""
    shown = context.shown()
    network = None if shown is None else shown.frame.network
    context.files.begin("state")
    if shown is None or network is None or not len(network.pairs):
        context.notify(Notice("warning", "No contacts yet", "Run until contacts carry forces.", about="state"))
        return
    packing = FileFrame.of(shown.frame, shown.discs).copy()  # a copy: the buffers change while the user chooses a file
    count, walls = len(network.pairs), int(np.count_nonzero(network.pairs[:, 1] < 0))
    path = context.files.to_save(
        "state", "contacts.csv", "Save the contacts", "Table (*.csv);;Bonds, for OVITO (*.local)"
    )
    if path is None:
        return

    def write() -> None:
        try:
            write_contacts(path, packing)
        except OSError as error:
            raise cannot_write(path, error) from None

    if attempt(write, context.notify, "state"):
        without = walls if path.suffix.lower() == BONDS_ENDING else 0  # a bond joins two discs
        more = f". {without} contacts with walls are left out; a table (CSV) has them." if without else ""
        tell_saved(f"{count - without} contacts saved", path, context.notify, "state", more)


@dataclass(frozen=True)
class Jam(StartFromShown):
    """Jam the discs on the screen, of whatever system: they start as separate discs at rest. See `StartFromShown`."""

    def words(self, scenario: Scenario | None) -> str:
        """See `RunCommand`."""
        return "jam this"

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
        return f"removing a {names.disc}" if len(self.discs) == 1 else f"removing {len(self.discs)} {names.discs}"

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
    radii = without_overlap(frame.positions, frame.radii, frame.box, bool(frame.periodic), most=JammingSystem.forgives)
    start = replace(frame, velocities=None, radii=radii, cluster=None, network=None)
    return start, {"system": "jamming"}
