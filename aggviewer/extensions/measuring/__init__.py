"""Measurements and notes in the picture: tools to set them, draggable ends, and the panel with their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the tools and the panel."""
    points.part("measuring", _part)


def _part(context: Context) -> Part:
    from aggviewer.extensions.measuring.controller import MarkController

    return MarkController(context)
