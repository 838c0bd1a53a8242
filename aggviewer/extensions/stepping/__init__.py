"""The inside of one time step, played in slow motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.canvas.layers.layer import Layer
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the view and its bar, and what it draws in the picture."""
    points.part("stepping", _part)
    points.layer("steps", _layer)


def _part(context: Context) -> Part:
    from aggviewer.extensions.stepping.mode import StepView

    return StepView(context)


def _layer() -> Layer:
    from aggviewer.extensions.stepping.layer import StepLayer

    return StepLayer()
