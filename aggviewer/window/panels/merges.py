"""The dock of the history of merges, below the picture, and the command that opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget

from aggviewer.merging import MergePanel
from aggviewer.merging.files import FILTER
from aggviewer.session import Notice, Session, Shown, SystemInfo
from aggviewer.session.notices import Notify, tell_saved
from aggviewer.style.theme import Colors
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import Dock, give_height, to_front
from aggviewer.window.files.file_dialogs import FileChooser
from engine.system import find

_HEIGHT = 260  # pixels when it is shown for the first time


class MergeHistory:
    """Docks the tree of merges, which is hidden at first, and links it with the session.

    Parameters
    ----------
    window, session : where it is docked, and what it is about.
    target : the lane and the disc that commands for one disc mean, None where no disc is selected.
    beside : the dock that it shares its place with.
    chooser, notify : ask for files, and tell what came of it.
    """

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        target: Callable[[], tuple[int, int] | None],
        beside: QDockWidget,
        chooser: FileChooser,
        notify: Notify,
    ) -> None:
        self._window = window
        self._session = session
        self._target = target
        self._beside = beside
        self._chooser = chooser
        self.panel = MergePanel(session.marking, session.ask_merges, session.look_at, self._kept_from, self._ask_path)
        self.dock = dock = Dock("History of merges", window)
        dock.setObjectName("mergesDock")
        dock.setWidget(self.panel)
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
        window.tabifyDockWidget(beside, dock)  # side by side both would be too narrow
        window.setTabPosition(Qt.DockWidgetArea.BottomDockWidgetArea, QTabWidget.TabPosition.North)
        dock.hide()
        self.panel.saved.connect(lambda path: tell_saved("History of merges saved", path, notify, "table"))
        self.panel.problem.connect(lambda words: notify(Notice("warning", words, about="table")))

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
        target = self._target()
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
        target, lanes = self._target(), self._session.status().lanes
        if target is None:
            return "No disc is selected: click one"
        lane = lanes[target[0]] if target[0] < len(lanes) else None
        if lane is None or lane.has_merges:
            return "" if lane is not None else "There are no discs yet"
        system = find(lane.system)
        if system is not None and system.joins:
            return "A recording has frames alone, and no record of the merges between them"
        return "These discs do not join"

    # what the window says

    def on_frame(self, lane: int, shown: Shown) -> None:
        """A frame is on the screen."""
        self.panel.on_frame(lane, shown)

    def on_system(self, lane: int, system: SystemInfo) -> None:
        """Other discs are on the screen."""
        self.panel.on_system(lane, system)

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self.panel.set_colors(colors)

    def _kept_from(self) -> float | None:
        timeline = self._session.status().timeline
        return None if timeline is None else timeline.begin

    def _ask_path(self, name: str) -> Path | None:
        return self._chooser.to_save("table", name, "Save the history of merges", FILTER)
