"""The disc under the pointer, described in the status bar."""

from __future__ import annotations

from aggviewer.widgets.part import Context, Part
from aggviewer.window.bars.status_bar import WindowStatusBar
from aggviewer.window.canvases.canvases import Canvases
from aggviewer.window.refresher import Refresher


class Hovering(Part):
    """Updates the status bar's line about the disc under the pointer."""

    def __init__(self, context: Context) -> None:
        self._status, self._shown = context[WindowStatusBar], context.shown
        self._at: tuple[int, int] | None = None  # lane and disc
        context[Canvases].hovered.connect(self._on_hover)
        context[Refresher].frame_shown.connect(self._on_frame)

    def _on_hover(self, lane: int, disc: int) -> None:
        """React to another disc under the pointer, -1 for none."""
        self._at = (lane, disc) if disc >= 0 else None
        self._status.show_hover(self._shown(lane), disc)

    def _on_frame(self, lane: int) -> None:
        """Update the numbers of the disc under the pointer for a new frame."""
        if self._at is not None and self._at[0] == lane:
            self._on_hover(*self._at)
