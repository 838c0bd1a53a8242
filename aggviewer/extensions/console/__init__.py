"""The Python console: its predefined names, its prompt and its panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the panel."""
    points.part("console", _part)


def _part(context: Context) -> Part:
    from aggviewer.extensions.console.console import Console

    return Console(context)
