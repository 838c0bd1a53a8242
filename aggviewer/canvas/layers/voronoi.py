"""The edges of the Voronoi cells of the discs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Bars, Primitive, Stroke
from aggviewer.canvas.legend import Entry, Key, line_sample

Floats = NDArray[np.float64]

INK = ("#9fd8ff", "#0b4a8f")
"""Colours on dark and on light backgrounds."""

_WIDTH = 1.1  # pixels
_LEAST_CELL = 7.0  # pixels across a mean cell; smaller ones would be a grey area


class VoronoiLayer(Layer):
    """The edges of Voronoi cells (`engine.analysis.voronoi`)."""

    name = "voronoi"
    label = "Voronoi cells"
    tip = "The area nearest to each disc: every point belongs to the disc to which its tangent is shortest"
    apart_from = 2_000
    too_small = "zoom in"
    opacity = 0.8

    def take(self, moment: Moment) -> Floats | None:
        """Segments (K, 2, 2) of the edges between two discs; the walls are drawn with the box."""
        from engine.analysis.voronoi import voronoi  # brings numba

        frame = moment.frame
        if not len(frame.positions):
            return None
        found = voronoi(frame.positions, moment.present_radii, moment.box, periodic=moment.periodic)
        wanted = found.pairs[:, 1] >= 0
        if moment.hidden is not None:  # cells of all discs are computed, and those of visible discs drawn
            wanted &= ~moment.hidden[found.pairs].all(axis=1)
        segments = found.segments[wanted]
        if moment.periodic:  # an edge may lie in another period than its disc: moved back into the box
            middle = 0.5 * (segments[:, 0] + segments[:, 1])
            segments -= (np.floor(middle / moment.box) * moment.box)[:, None]
        return segments

    def drawn(self, data: Floats, style: Style) -> bool:
        """Whether discs are large enough for this layer at the present zoom."""
        scene = style.scene
        area = float(scene.box.prod()) / max(scene.count, 1)
        return float(np.sqrt(area)) * style.camera.scale >= _LEAST_CELL

    def marks(self, data: Floats, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        if self.drawn(data, style):
            ink = style.ink(*INK)
            half = np.full(len(data), 0.5 * _WIDTH)
            yield Bars(data, half, ink, np.zeros(len(data), np.bool_), ink)

    def legend(self, data: Floats | None, style: Style, key: Key) -> list[Entry]:
        """The entries of this layer in the legend."""
        return [key.row(line_sample(Stroke(style.ink(*INK), _WIDTH)), "Voronoi cell")]
