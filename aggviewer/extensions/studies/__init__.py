"""Studies in the window: set up in a dialog, run in a separate process, and shown while they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the dialog and the windows of studies."""
    points.part("studies", _part)


def _part(context: Context) -> Part:
    from aggviewer.extensions.studies.studies import Studies

    return Studies(context)
