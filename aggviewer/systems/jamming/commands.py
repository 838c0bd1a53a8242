"""The commands for discs that jam: jam the discs on screen, remove discs, export contacts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from aggviewer.session import Notice, Status
from aggviewer.session.notices import attempt, tell_saved
from aggviewer.systems.base import RunningSystem, new_start
from aggviewer.systems.jamming.starting import Jam, TakeOut
from aggviewer.widgets.command import EXPORT, Command, Place
from aggviewer.widgets.part import Context
from engine.files import FileFrame, write_contacts
from engine.files.contacts import BONDS_ENDING
from engine.files.writing import cannot_write
from engine.words import body_names, count

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
    pairs, walls = len(network.pairs), int(np.count_nonzero(network.pairs[:, 1] < 0))
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
        more = f". {count(without)} contacts with walls are left out; a table (CSV) includes them." if without else ""
        tell_saved(f"{count(pairs - without)} contacts saved", path, context.notify, "state", more)
