"""The dock of the history of merges, below the picture, and the command that opens it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QTabBar, QTabWidget

from aggviewer.merging import MergePanel
from aggviewer.merging.files import FILTER
from aggviewer.session import Notice
from aggviewer.session.notices import tell_saved
from aggviewer.style.theme import Colors
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import Dock, give_height, to_front
from aggviewer.widgets.part import Context, Part
from aggviewer.window.panels.inspector import Inspector
from aggviewer.window.picking.controller import SelectionController
from aggviewer.window.refresher import Refresher
from engine.system import find

_HEIGHT = 260  # pixels when it is shown for the first time


class MergeHistory(Part):
    """Docks the tree of merges, which is hidden at first, as a tab with the table of discs."""

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        self._session = session = context.session
        self._selection = context[SelectionController]
        self._other_dock = context[Inspector].dock
        self._chooser, notify = context.files, context.notify
        self.panel = MergePanel(session.marking, session.ask_merges, session.look_at, self._kept_from, self._ask_path)
        self.dock = dock = Dock("History of merges", window)
        dock.setObjectName("mergesDock")
        dock.setWidget(self.panel)
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
        window.tabifyDockWidget(self._other_dock, dock)  # side by side both would be too narrow
        window.setTabPosition(Qt.DockWidgetArea.BottomDockWidgetArea, QTabWidget.TabPosition.North)
        dock.hide()
        self.panel.saved.connect(lambda path: tell_saved("History of merges saved", path, notify, "table"))
        self.panel.problem.connect(lambda words: notify(Notice("warning", words, about="table")))
        context.listen(session.merges_found, self.panel.take)
        context.theme.changed.connect(self.set_colors)
        self.set_colors(context.theme.colors)
        context.listen(session.lanes_changed, lambda scenarios: self.panel.set_lanes(len(scenarios)))
        refresher = context[Refresher]
        refresher.system_shown.connect(self.panel.on_system)
        refresher.frame_shown.connect(self.panel.on_frame)

    def commands(self) -> Iterator[Command]:
        """Show the history of the cluster that was clicked."""
        yield Command(
            "view.merges",
            "History of merges…",
            self.open,
            tooltip="Which clusters became this one, as a tree over time; a click looks back to that moment",
            menu=Place("View/Discs", 3, 1),
            of_discs=True,
            reason=self._reason,
        )

    def open(self) -> None:
        """Show the history of the cluster of the disc that was clicked last, as it is on the screen."""
        target = self._selection.target()
        if target is None or self._reason():
            return
        past = self._session.status().past
        self.panel.show_history(*target, inf if past is None else past)
        to_front(self.dock)
        for bar in self._window.findChildren(QTabBar):
            bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # ← and → belong to the transport
        give_height(self._window, self.dock, _HEIGHT)
        self.panel.plot.setFocus()

    def _reason(self) -> str:
        """Why there is no history now, "" where there is one."""
        target, lanes = self._selection.target(), self._session.status().lanes
        if target is None:
            return "No disc is selected: click one"
        lane = lanes[target[0]] if target[0] < len(lanes) else None
        if lane is None or lane.has_merges:
            return "" if lane is not None else "There are no discs yet"
        system = find(lane.system)
        if system is not None and system.joins:
            return "A recording has frames alone, and no record of the merges between them"
        return "These discs do not join"

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self.panel.set_colors(colors)

    def close(self) -> None:
        """End the thread of the tree."""
        self.panel.close()

    def _kept_from(self) -> float | None:
        timeline = self._session.status().timeline
        return None if timeline is None else timeline.begin

    def _ask_path(self, name: str) -> Path | None:
        return self._chooser.to_save("table", name, "Save the history of merges", FILTER)
