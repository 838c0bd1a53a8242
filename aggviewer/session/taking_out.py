"""Discs that are taken out of a packing: the others begin again without them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aggviewer.session.load.shown_state import ChangeOfStart
from engine.errors import InputError
from engine.files import FileFrame
from engine.selection import Selection


@dataclass(frozen=True)
class TakenOut:
    """What a run began without.

    Parameters
    ----------
    discs : how many discs were taken out of the state before.
    held : how many of these were held: others pushed on them, so that they were no rattlers.
    """

    discs: int
    held: int


class TakingOut:
    """Remembers what each run began without, by the file of its start: so the answer is right too where a run comes
    back by *Undo*."""

    def __init__(self) -> None:
        self._of: dict[str, TakenOut] = {}

    def of(self, start: str) -> TakenOut | None:
        """What the run that began from this file began without; None where that was nothing."""
        return self._of.get(start)

    def change(self, path: Path, discs: Selection, onward: ChangeOfStart) -> ChangeOfStart:
        """Takes discs out of a state, hands the others to `onward`, and remembers that under `path`."""

        def change(frame: FileFrame) -> tuple[FileFrame, dict[str, Any]]:
            left, taken = _without(frame, discs)
            start = onward(left)
            self._of[str(path)] = taken
            return start

        return change


def _without(frame: FileFrame, discs: Selection) -> tuple[FileFrame, TakenOut]:
    """A packing without some of its discs, and what was taken out. InputError where its contacts are not known, or
    where these are not discs of it."""
    if frame.network is None or not len(frame.network.pairs):
        raise InputError("no disc can be removed yet: the contacts of these discs are not known")
    if discs.count != len(frame.positions) or not discs:
        raise InputError("no disc of this packing is selected; select the discs to remove")
    rattlers = frame.network.rattlers[discs.mask]
    return frame.only(~discs.mask), TakenOut(len(discs), int((~rattlers).sum()))
