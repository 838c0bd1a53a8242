"""Gravity: the floor under spheres, and an arrow. Both are drawn with what else stands around discs and spheres
(`aggviewer.canvas.directions`), which finds the acceleration in the data of this layer."""

from __future__ import annotations

from collections.abc import Iterator

from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Primitive
from aggviewer.canvas.scene import GRAVITY
from aggviewer.document.view import ViewModel
from engine.system import gravity_in


class GravityLayer(Layer):
    """Its data are the acceleration of all discs, a number for each axis. They are taken even while it is not shown,
    since a box in space is turned about the vertical."""

    name = GRAVITY
    optional = False
    even_hidden = True
    dimensions = (2, 3)

    def switched_on(self, view: ViewModel) -> bool:
        """Whether the view shows floor and arrow."""
        return view.show_gravity

    def take(self, given: LayerInput) -> tuple[float, ...] | None:
        """The acceleration of all discs; None without gravity."""
        return gravity_in(given.frame) or None

    def drawn(self, data: tuple[float, ...], style: Style) -> bool:
        """False: it lies over no disc."""
        return False

    def marks(self, data: tuple[float, ...], style: Style) -> Iterator[Primitive]:
        """Nothing over the discs."""
        return iter(())
