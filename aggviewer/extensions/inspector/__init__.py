"""The inspector: a table of the discs or the clusters of the frame on the screen, linked with the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the table below the picture."""
    points.part("inspector", _part)


def _part(context: Context) -> Part:
    from aggviewer.extensions.inspector.panel import Inspector

    return Inspector(context)
