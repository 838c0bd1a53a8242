"""The history of merges: which clusters became one, drawn as a tree over time, linked with the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the tree below the picture."""
    points.part("merging", _part)


def _part(context: Context) -> Part:
    from aggviewer.extensions.merging.panel import MergeHistory

    return MergeHistory(context)
