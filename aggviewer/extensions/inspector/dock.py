"""The dock of the table, below the picture and the side panels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aggviewer.extensions.inspector.panel import InspectorPanel
from aggviewer.session import Notice
from aggviewer.session.notices import tell_saved
from aggviewer.style.things import named
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.docks import Dock, add_below, give_height, in_sight, to_front
from aggviewer.widgets.part import Context, Part
from aggviewer.window.canvases.canvases import Canvases

_HEIGHT = 240  # pixels when it is shown for the first time


class Inspector(Part):
    """Docks the table, hidden at first, and links it with the pictures."""

    def __init__(self, context: Context) -> None:
        self._window = window = context.window
        self._chooser = context.files
        notify, session = context.notify, context.session
        self.panel = InspectorPanel(session.marking, context.shown, self._ask_path)
        self.dock = dock = Dock("Table of discs", window)
        dock.setObjectName("inspectorDock")
        dock.setWidget(self.panel)
        add_below(window, dock)
        dock.visibilityChanged.connect(lambda _visible: context.commands.update())
        self.panel.place_asked.connect(lambda place: context[Canvases].look_at(*place))
        self.panel.saved.connect(lambda path: tell_saved("Table saved", path, notify, "table"))
        self.panel.about.connect(lambda dimensions: dock.setWindowTitle(named("Table of discs", dimensions)))
        self.panel.problem.connect(lambda words: notify(Notice("warning", words, about="table")))
        context.listen(session.marking.changed, self.panel.mark)

    def commands(self) -> Iterator[Command]:
        """Show and hide the table."""
        yield Command(
            "view.inspector",
            "Table of discs",
            self.toggle,
            ("F8",),
            "A table of all discs or clusters. Sort it, filter it, and select rows to highlight them in the picture",
            checked=lambda: in_sight(self._window, self.dock),
            menu=Place("View", 4, 2),
        )

    def toggle(self) -> None:
        """Show the table in front of other tabs at its place, or hide it."""
        if in_sight(self._window, self.dock):
            self.dock.hide()
            return
        to_front(self.dock)
        give_height(self._window, self.dock, _HEIGHT)

    def close(self) -> None:
        """End the thread of the table."""
        self.panel.close()

    def _ask_path(self, name: str) -> Path | None:
        return self._chooser.to_save("table", name, "Save the table", "Table (*.csv)")
