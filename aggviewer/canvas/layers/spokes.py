"""A fine spoke in each disc of a cluster that turns, so that turning is seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Bars, Primitive
from aggviewer.canvas.layers.regions import discs_in_view
from engine.arrays import Floats
from engine.frame import Frame

_INK = ("#14181d", "#ffffff")
"""Colours on the bright discs of a dark picture and on the dark ones of a light picture."""

_LENGTH = 0.82  # of the radius
_WHOLE, _GONE = 4.0, 2.0  # radii in pixels at which a spoke has its whole width, and at which there is none
_LEAST_WIDTH, _WIDEST = 1.0, 2.0  # pixels
_SHARE = 0.14  # of the radius, between these widths


class SpokeLayer(Layer):
    """A spoke from the centre of each disc in the direction φ of its cluster; none where nothing turns, and none in
    discs that are too small to show it."""

    name = "spokes"
    label = "Spokes"
    optional = False

    def available(self, frame: Frame | None) -> bool:
        """Whether a frame has what this layer draws."""
        return frame is not None and "angle" in frame.fields

    def take(self, given: LayerInput) -> Floats | None:
        """φ of each disc's cluster, (N,); None where nothing turns."""
        angle = given.frame.fields.get("angle")
        return None if angle is None else angle.copy()

    def drawn(self, data: Floats, style: Style) -> bool:
        """Whether discs are large enough for spokes at the present zoom. data : (N,)."""
        return bool(style.scene.radii.max(initial=0.0) * style.camera.scale > _GONE)

    def marks(self, data: Floats, style: Style) -> Iterator[Primitive]:
        """The spokes of the discs in the picture. data : (N,), as `take` returns it."""
        if not self.drawn(data, style):
            return
        scene, scale = style.scene, style.camera.scale
        seen = discs_in_view(style, float(scene.radii.max()))
        seen = seen[scene.radii[seen] * scale > _GONE]
        pixels, angle, foot = scene.radii[seen] * scale, data[seen], scene.positions[seen]
        along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        tips = foot + (_LENGTH * scene.radii[seen])[:, None] * along
        width = np.clip(_SHARE * pixels, _LEAST_WIDTH, _WIDEST) * np.clip((pixels - _GONE) / (_WHOLE - _GONE), 0.0, 1.0)
        ink, none = style.ink(*_INK), np.zeros(len(seen), np.bool_)
        yield Bars(np.stack([foot, tips], axis=1), 0.5 * width, ink, none, ink)
