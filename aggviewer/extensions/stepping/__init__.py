"""The inside of one time step, played in slow motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the view and its bar."""
    points.part("stepping", _part)


def _part(context: Context) -> Part:
    from aggviewer.extensions.stepping.mode import StepView

    return StepView(context)
