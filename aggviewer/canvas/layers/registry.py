"""The layers that there are, in the order in which they are painted."""

from __future__ import annotations

from typing import Any

from aggviewer.canvas.layers.flashes import FlashLayer
from aggviewer.canvas.layers.forces import ForceNetwork
from aggviewer.canvas.layers.layer import Layer, Moment
from aggviewer.canvas.layers.remark import RemarkLayer
from aggviewer.canvas.layers.steps import StepLayer
from aggviewer.canvas.layers.velocities import VelocityLayer
from aggviewer.session.view import ViewModel
from engine import plugins

_layers: list[Layer] = []


def register(layer: Layer, below: str = "") -> Layer:
    """Make a layer known, and return it; it is painted over the others, or right below the one called `below`.

    Raises ValueError for a name that is taken.
    """
    names = [known.name for known in _layers]
    if layer.name in names:
        raise ValueError(f"there is a layer {layer.name} already")
    _layers.insert(names.index(below) if below else len(_layers), layer)
    return layer


def layers() -> tuple[Layer, ...]:
    """All of them, from the lowest to the highest, those of plug-ins too."""
    plugins.use("layer", lambda make: register(make()), once=True)
    return tuple(_layers)


def switches() -> tuple[Layer, ...]:
    """Those that a person can switch on and off."""
    return tuple(layer for layer in layers() if layer.optional)


def of_frame(moment: Moment, view: ViewModel) -> dict[str, Any]:
    """What the layers draw of a frame, by their names."""
    taken = {layer.name: layer.take(moment) for layer in layers() if layer.even_hidden or layer.shown(view)}
    return {name: data for name, data in taken.items() if data is not None}


for _layer in (ForceNetwork(), VelocityLayer(), FlashLayer(), StepLayer(), RemarkLayer()):
    register(_layer)
