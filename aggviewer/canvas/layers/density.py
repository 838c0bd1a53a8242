"""The local density as a map over the box, with its scale in the legend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import cmap
import numpy as np
from PyQt6.QtCore import QRectF

from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Flat, Heat, Primitive
from aggviewer.canvas.legend import Entry, Key
from engine.scales import rounded_up

if TYPE_CHECKING:
    from engine.analysis.density_map import DensityMap

MAP = "cmocean:dense"
"""The colour map, from light to dark; from dark to light on dark backgrounds."""

_RAMP = 120.0  # width in pixels of the scale in the legend, at the default text size


class DensityLayer(Layer):
    """A map of the local volume fraction (`engine.analysis.density_map`). Its scale runs from 0 to a round number.

    Hidden discs do not count, as in measured rectangles, and the legend says so.
    """

    name = "density"
    label = "Local density"
    tip = "Share of the area covered by visible discs, smoothed by a Gaussian two mean diameters wide"
    apart_from = 20_000
    opacity = 0.6

    def take(self, moment: Moment) -> DensityMap | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        from engine.analysis.density_map import (
            WIDTH,
            density_map,  # brings numba
        )

        positions, radii = moment.frame.positions, moment.present_radii
        if not len(radii):
            return None
        width = WIDTH * 2.0 * float(radii.mean())  # of all discs, so that it does not change when some are hidden
        if moment.hidden is not None:
            positions, radii = positions[~moment.hidden], radii[~moment.hidden]
        if not len(radii):
            return None
        return density_map(positions, radii, moment.box, periodic=moment.periodic, width=width)

    def marks(self, data: DensityMap, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        entries = np.clip(data.values / _top(data) * 255.0, 0.0, 255.0).astype(np.uint8)
        yield Heat(entries, _table(style))

    def legend(self, data: DensityMap | None, style: Style, key: Key) -> list[Entry]:
        """The entries of this layer in the legend."""
        title = "Local density φ" if style.scene.hidden is None else "Local density φ of the visible discs"
        width = max(_RAMP * key.enlarged, key.advance(title))
        top = 1.0 if data is None else _top(data)

        def draw(rect: QRectF) -> Iterator[Flat]:
            return key.ramp(rect, title, _table(style), ("0", f"{top / 2:g}", f"{top:g}"))

        return [Entry(width, key.ramp_height, draw, True)]


def _top(data: DensityMap) -> float:
    return rounded_up(max(float(data.values.max()), 1e-6))


def _table(style: Style) -> np.ndarray:
    """256 colours, (256, 4)."""
    shares = np.linspace(1.0, 0.0, 256) if style.dark else np.linspace(0.0, 1.0, 256)
    found: np.ndarray = np.rint(255.0 * np.asarray(cmap.Colormap(MAP)(shares))).astype(np.uint8)
    return found
