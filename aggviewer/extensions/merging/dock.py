"""The dock of the history of merges, below the picture, and the command that opens it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from aggviewer.extensions.merging.panel import MergePanel
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import Dock, add_below, give_height, leave_arrow_keys, to_front
from aggviewer.widgets.part import Context, Part
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.refresher import Refresher
from engine.system import find

_HEIGHT = 260  # pixels when it is shown for the first time


class MergeHistory(Part):
    """Docks the tree of merges, hidden at first, as a tab beside the table of discs."""

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        self._session = context.session
        self._selection = context[SelectionController]
        self.panel = MergePanel(context)
        self.dock = dock = Dock("History of merges", window)
        dock.setObjectName("mergesDock")
        dock.setWidget(self.panel)
        add_below(window, dock)
        refresher = context[Refresher]
        refresher.system_shown.connect(self.panel.on_system)
        refresher.frame_shown.connect(self.panel.on_frame)

    def commands(self) -> Iterator[Command]:
        """The command for the history of the clicked cluster."""
        yield Command(
            "view.merges",
            "History of merges…",
            self.open,
            tooltip="Tree of the merges that formed this cluster. Click one to look back to that moment",
            menu=Place("View/Discs", 3, 1),
            of_discs=True,
            reason=self._reason,
        )

    def open(self) -> None:
        """Show the history of the cluster of the last clicked disc, up to the time on the screen."""
        target = self._selection.target()
        if target is None or self._reason():
            return
        past = self._session.status().past
        self.panel.show_history(*target, inf if past is None else past)
        to_front(self.dock)
        leave_arrow_keys(self._window)
        give_height(self._window, self.dock, _HEIGHT)
        self.panel.plot.setFocus()

    def _reason(self) -> str:
        """Why there is no history now; "" if there is one."""
        target, lanes = self._selection.target(), self._session.status().lanes
        if target is None:
            return "No disc is selected; click one"
        lane = lanes[target[0]] if target[0] < len(lanes) else None
        if lane is None or lane.has_merges:
            return "" if lane is not None else "There are no discs yet"
        system = find(lane.system)
        if system is not None and system.joins:
            return "A recording contains only frames, not the merges between them"
        return "Discs do not stick in this system"

    def close(self) -> None:
        """End the thread of the tree."""
        self.panel.close()
