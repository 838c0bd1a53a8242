"""Scenarios and lessons with pictures: the gallery, and the welcome tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aggviewer.widgets.part import Context, Part
    from engine.plugins import PlugPoints

PLUG_POINTS = 1


def register(points: PlugPoints) -> None:
    """Add the gallery and the welcome tiles."""
    points.part("scenarios", _scenarios)
    points.part("welcome", _welcome)


def _scenarios(context: Context) -> Part:
    from aggviewer.extensions.gallery.popup import Scenarios

    return Scenarios(context)


def _welcome(context: Context) -> Part:
    from aggviewer.extensions.gallery.welcome import Welcome

    return Welcome(context)
