"""The registry of layers, in painting order, and the handling of failing layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from aggviewer.canvas.layers.flashes import FlashLayer
from aggviewer.canvas.layers.forces import ContactLayer, ForceNetwork
from aggviewer.canvas.layers.gravity import GravityLayer
from aggviewer.canvas.layers.grids import BoxLayer, DensityLayer
from aggviewer.canvas.layers.layer import Layer, LayerInput
from aggviewer.canvas.layers.marks import MarkLayer
from aggviewer.canvas.layers.paths import PathLayer, TrackLayer
from aggviewer.canvas.layers.regions import SELECTION, HullLayer, RemarkLayer, RimLayer, SelectionLayer, VoronoiLayer
from aggviewer.canvas.layers.spokes import SpokeLayer
from aggviewer.canvas.layers.velocities import ThrowLayer, VelocityLayer
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine import plugins
from engine.errors import InputError
from engine.registry import Registry

T = TypeVar("T")


def _fits(layer: Layer, others: Sequence[Layer]) -> None:
    if layer.name in [known.name for known in others]:
        raise InputError(f"there is a layer {layer.name} already")


def _fits_of_plug_in(layer: Any, others: Sequence[Layer]) -> None:
    if not isinstance(layer, Layer):
        raise InputError(f"what it adds as a layer is of the type {type(layer).__name__}, not a Layer")
    _fits(layer, (*LAYERS.parts, *others))


LAYERS: Registry[Layer] = Registry(_fits)
"""The program's own layers."""

plugins.check("layer", _fits_of_plug_in)


def register(layer: Layer) -> Layer:
    """Register a layer and return it. Raises InputError for a name that is taken."""
    return LAYERS.add(layer)


def layers() -> tuple[Layer, ...]:
    """All layers, from bottom to top: in the order in which they were added, except for those with `Layer.below`."""
    found: list[Layer] = []
    for layer in (*LAYERS.parts, *plugins.added_parts("layer")):
        above = (place for place, other in enumerate(found) if other.name == layer.below)
        found.insert(next(above, len(found)) if layer.below else len(found), layer)
    return tuple(found)


def layers_in(dimensions: int) -> Iterator[Layer]:
    """Those that have a meaning in so many dimensions; nothing of the others is taken or shown there, even where they
    are switched on."""
    return (layer for layer in layers() if dimensions in layer.dimensions)


def switches() -> tuple[Layer, ...]:
    """The layers with a switch."""
    return tuple(layer for layer in layers() if layer.optional)


class Guard:
    """Calls layers, and leaves out one that fails until it is switched on again.

    Parameters
    ----------
    failed : called with the layer and its error, once until it is switched on again. Without it an InputError that
        names the layer is raised: an exported picture is complete, or there is none.
    """

    def __init__(self, failed: Callable[[Layer, Exception], None] | None = None) -> None:
        self._failed = failed
        self._left_out: dict[str, bool] = {}  # by name: whether it has been switched off since it failed

    def ask(self, layer: Layer, view: ViewModel, work: Callable[[], T]) -> T | None:
        """The result of `work`, which calls the layer; None if the layer is left out."""
        try:
            shown = layer.switched_on(view)
            if layer.name in self._left_out:
                if not (shown and self._left_out[layer.name]):
                    self._left_out[layer.name] |= not shown
                    return None
                del self._left_out[layer.name]
            return work()
        except Exception as error:  # of a plug-in: whatever it raises
            if self._failed is None:
                words = f"{type(error).__name__}: {error}"
                raise InputError(f"the layer {layer.name} fails: {words}", layer.name) from error
            if layer.name not in self._left_out:
                self._left_out[layer.name] = False
                self._failed(layer, error)
            return None


Memories = dict[str, Any]
"""The layers' memories of earlier frames of a picture, by name."""

Apart = Callable[[Layer, LayerInput], Any]
"""Takes the data of a layer on another thread: returns the latest known data, None if there are none."""


def in_scene(given: LayerInput, scene: Scene) -> LayerInput:
    """What layers are given, with the selected and hidden discs of a picture."""
    return replace(given, chosen=scene.pinned.get(SELECTION), hidden=scene.hidden)


def is_slow(layer: Layer, given: LayerInput) -> bool:
    """Whether a layer takes its data on another thread, as there are many discs."""
    return 0 < layer.apart_from <= len(given.radii) and len(given.box) in layer.dimensions


def of_frame(
    given: LayerInput,
    view: ViewModel,
    guard: Guard | None = None,
    memories: Memories | None = None,
    apart: Apart | None = None,
) -> dict[str, Any]:
    """The data of the layers for a frame, by name.

    Parameters
    ----------
    guard : handles layers that fail.
    memories : of this picture, filled here; without it layers do not remember earlier frames.
    apart : computes slow layers on another thread; without it they are computed here.
    """
    guard = guard or Guard()
    memories = {} if memories is None else memories
    taken = {}
    for layer in layers_in(len(given.box)):

        def take(layer: Layer = layer) -> Any:
            if not (layer.even_hidden or layer.switched_on(view)):
                return None
            if layer.name not in memories:
                memories[layer.name] = layer.new_memory()
            own = replace(given, memory=memories[layer.name])
            if apart is not None and is_slow(layer, given):
                return apart(layer, own)
            return layer.take(own)

        data = guard.ask(layer, view, take)
        if data is not None:
            taken[layer.name] = data
    return taken


for _layer in (
    GravityLayer(),
    RimLayer(),
    SpokeLayer(),
    DensityLayer(),
    BoxLayer(),
    HullLayer(),
    VoronoiLayer(),
    ForceNetwork(),
    ContactLayer(),
    TrackLayer(),
    VelocityLayer(),
    FlashLayer(),
    PathLayer(),
    SelectionLayer(),
    RemarkLayer(),
    MarkLayer(),
    ThrowLayer(),
):
    register(_layer)
