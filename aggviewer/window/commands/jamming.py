"""The commands about packings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.window.commands.command import Command
from aggviewer.window.seed_series import NEXT, SERIES

if TYPE_CHECKING:
    from aggviewer.window.main_window import MainWindow


def declare_jamming(w: MainWindow) -> None:
    """Declare them."""
    add = w.commands.add
    add(
        Command(
            "run.jam",
            "Jam this",
            w.jamming.jam_shown,
            ("J",),
            "Let the discs that are shown grow and make room for each other until none can: a chain of linear programs",
            "mdi6.vector-polygon",
        )
    )
    add(
        Command(
            NEXT,
            "Jam the next seed",
            w.series.jam_next,
            ("Shift+J",),
            "Another packing with the same settings, to be pooled in the plots of forces and gaps",
            "mdi6.skip-forward-outline",
        )
    )
    add(
        Command(
            SERIES,
            "Jam the next seeds…",
            w.series.toggle,
            tooltip="Many packings, one after the other; again to end with the one that runs",
            checked=lambda: w.series.on,
        )
    )
