"""Removing discs from a packing: the others start again without them."""

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
    """The discs removed before a run started.

    Parameters
    ----------
    discs : number of discs removed from the previous state.
    held : how many of these were held in place by others (not rattlers).
    """

    discs: int
    held: int


class TakingOut:
    """Remembers the discs removed before each run, by the file of its initial state, so that it is also right for runs
    restored by *Undo*."""

    def __init__(self) -> None:
        self._of: dict[str, TakenOut] = {}

    def of(self, start: str) -> TakenOut | None:
        """The discs removed before the run that started from this file; None if none were."""
        return self._of.get(start)

    def change(self, path: Path, discs: Selection, onward: ChangeOfStart) -> ChangeOfStart:
        """Removes discs from a state, passes the others to `onward`, and remembers this under `path`."""

        def change(frame: FileFrame) -> tuple[FileFrame, dict[str, Any]]:
            left, taken = _without(frame, discs)
            start = onward(left)
            self._of[str(path)] = taken
            return start

        return change


def _without(frame: FileFrame, discs: Selection) -> tuple[FileFrame, TakenOut]:
    """A packing without some of its discs, and a description of those removed. InputError if its contacts are unknown,
    or the discs belong to another packing."""
    if frame.network is None or not len(frame.network.pairs):
        raise InputError("no disc can be removed yet: the contacts of these discs are not known")
    if discs.count != len(frame.positions) or not discs:
        raise InputError("no disc of this packing is selected; select the discs to remove")
    rattlers = frame.network.rattlers[discs.mask]
    return frame.only(~discs.mask), TakenOut(len(discs), int((~rattlers).sum()))
