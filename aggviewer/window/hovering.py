"""The disc under the pointer: what the status bar says of it."""

from __future__ import annotations

from collections.abc import Callable

from aggviewer.session import Shown
from aggviewer.window.bars.status_bar import WindowStatusBar
from engine.fields import Reads, all_read


class Hovering:
    """Keeps the line about the disc under the pointer.

    Parameters
    ----------
    status : has the line.
    shown(lane) : the frame on the screen.
    """

    def __init__(self, status: WindowStatusBar, shown: Callable[[int], Shown | None]) -> None:
        self._status = status
        self._shown = shown
        self._at: tuple[int, int] | None = None  # lane and disc

    def on_hover(self, lane: int, disc: int) -> None:
        """Another disc is under the pointer, -1 for none."""
        self._at = (lane, disc) if disc >= 0 else None
        self._status.show_hover(self._shown(lane), disc)

    def on_frame(self, lane: int) -> None:
        """Update the numbers of the disc under the pointer for a new frame."""
        if self._at is not None and self._at[0] == lane:
            self.on_hover(*self._at)

    def reads(self) -> Reads:
        """What is read of frames now (`Refresher.readers`)."""
        shown = None if self._at is None else self._shown(self._at[0])
        return () if shown is None else all_read(field.reads for field in shown.system.fields)
