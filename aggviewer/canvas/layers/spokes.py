"""A fine spoke in each disc of a cluster that turns, and an arc on each sphere, so that turning is seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Bars, Lines, Primitive, Stroke
from aggviewer.canvas.layers.regions import discs_in_view
from engine.arrays import Floats
from engine.files.quantities import ANGLE, ORIENTATION, turned_by
from engine.frame import Frame

_INK = ("#14181d", "#ffffff")
"""Colours on the bright discs of a dark picture and on the dark ones of a light picture."""

_LENGTH = 0.82  # of the radius
_WHOLE, _GONE = 4.0, 2.0  # radii in pixels at which a spoke has its whole width, and at which there is none
_LEAST_WIDTH, _WIDEST = 1.0, 2.0  # pixels
_SHARE = 0.14  # of the radius, between these widths

_ARC = np.linspace(-0.9, 0.9, 6)  # radians from the pole of a sphere, along a meridian
_ABOVE = 1.03  # of the radius, so that the sphere itself does not hide it
_LEAST_SPHERE = 5.0  # radius in pixels of spheres with an arc
_MOST_ARCS = 3000  # in the picture: no more can be told apart

_TURNED = (ANGLE, ORIENTATION)


class SpokeLayer(Layer):
    """A spoke from the centre of each disc in the direction φ of its cluster, or an arc on a sphere; none where nothing
    turns, and none in discs that are too small to show it."""

    name = "spokes"
    label = "Spokes"
    optional = False
    dimensions = (2, 3)

    def available(self, frame: Frame | None) -> bool:
        """Whether a frame has what this layer draws."""
        return frame is not None and not frame.fields.keys().isdisjoint(_TURNED)

    def take(self, given: LayerInput) -> Floats | None:
        """How far each disc is turned, φ (N,) or in space a unit quaternion (N, 4); None where nothing turns."""
        return next((given.frame.fields[name].copy() for name in _TURNED if name in given.frame.fields), None)

    def drawn(self, data: Floats, style: Style) -> bool:
        """Whether discs are large enough for spokes at this zoom. data : (N,) or (N, 4), see `take`."""
        least = _GONE if data.ndim == 1 else _LEAST_SPHERE
        return bool(style.scene.radii.max(initial=0.0) * style.camera.scale > least)

    def marks(self, data: Floats, style: Style) -> Iterator[Primitive]:
        """The spokes of the discs in the picture, or the arcs on spheres. data : (N,) or (N, 4), see `take`."""
        if not self.drawn(data, style):
            return
        scene, scale = style.scene, style.camera.scale
        seen = discs_in_view(style, float(scene.radii.max()))
        seen = seen[scene.radii[seen] * scale > _GONE]
        if data.ndim > 1:
            seen = seen[scene.radii[seen] * scale > _LEAST_SPHERE]
            if 0 < len(seen) <= _MOST_ARCS:
                stroke = min(max(_SHARE * float(scene.radii[seen].mean()) * scale, _LEAST_WIDTH), _WIDEST)
                ways = _along_meridians(data[seen]) * (_ABOVE * scene.radii[seen])[:, None, None]
                arcs = scene.positions[seen, None] + ways
                segments = np.stack([arcs[:, :-1], arcs[:, 1:]], axis=2).reshape(-1, 2, 3)
                yield Lines(segments, (Stroke(style.ink(*_INK), stroke),))
            return
        pixels, angle, foot = scene.radii[seen] * scale, data[seen], scene.positions[seen]
        along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        tips = foot + (_LENGTH * scene.radii[seen])[:, None] * along
        width = np.clip(_SHARE * pixels, _LEAST_WIDTH, _WIDEST) * np.clip((pixels - _GONE) / (_WHOLE - _GONE), 0.0, 1.0)
        ink, none = style.ink(*_INK), np.zeros(len(seen), np.bool_)
        yield Bars(np.stack([foot, tips], axis=1), 0.5 * width, ink, none, ink)


def _along_meridians(quaternions: Floats) -> Floats:
    """Unit vectors (N, P, 3) to points of a meridian on each of N spheres, turned by unit quaternions (N, 4)."""
    points = np.stack([np.sin(_ARC), 0.0 * _ARC, np.cos(_ARC)], axis=1)
    return turned_by(quaternions[:, None], points)
