"""Grids over the box: the boxes of side ε that contain a disc's centre, with their number, and a map of the local
density, with its scale in the legend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cmap
import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF

from aggviewer.canvas.in_pixels import shapes
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Flat, Heat, Lines, Polygons, Primitive, Stroke
from aggviewer.canvas.legend import Entry, Key
from aggviewer.document.view import GRID_LEVELS
from engine.frame import Frame
from engine.scales import rounded_up
from engine.words import count, typeset

if TYPE_CHECKING:
    from engine.analysis.fluctuations import DensityMap

BOXES = "boxes"
INK = ("#8fc7ff", "#1f5f99")
"""Colours on dark and on light backgrounds."""

_FILL, _LINE = 0.26, 0.5  # opacities
_WIDTH = 1.0  # pixels
_WIDE = 20.0  # pixels across a box; lines are paler between smaller ones
_LEAST = 3.0  # pixels across a box: below it lines would hide the discs


@dataclass(frozen=True, eq=False)
class CountedBoxes:
    """The boxes of the finest grid that contain a centre.

    Attributes
    ----------
    cells : (K, 2), column and row of each.
    side : of the whole grid, L: the longer side of the box. The grid starts in the box's lower left corner.
    box : (2,), the sides of the box.
    radius : the mean one R.
    visible : whether hidden discs are left out.
    """

    cells: NDArray[np.int64]
    side: float
    box: NDArray[np.float64]
    radius: float
    visible: bool

    def at(self, level: int) -> NDArray[np.int64]:
        """Column and row of the boxes of side L / 2^level that contain a centre, (K, 2) with K = N(ε)."""
        return _each_once(self.cells >> (GRID_LEVELS - level))


def counted_boxes(
    positions: NDArray[np.float64], box: NDArray[np.float64], radius: float, *, visible: bool = False
) -> CountedBoxes:
    """Count as `engine.analysis.fractal.box_counting` does. positions : (N, 2)."""
    side, finest = float(box.max()), 1 << GRID_LEVELS
    last = np.minimum(np.ceil(box / side * finest), finest) - 1.0
    cells = np.clip(positions / side * finest, 0.0, last).astype(np.int64)
    return CountedBoxes(_each_once(cells), side, box, radius, visible)


def _each_once(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Column and row (K, 2) of each box that occurs in `cells`, (N, 2)."""
    codes = np.unique((cells[:, 1] << GRID_LEVELS) + cells[:, 0])
    return np.stack([codes & ((1 << GRID_LEVELS) - 1), codes >> GRID_LEVELS], axis=1)


class BoxLayer(Layer):
    """The grid of box counting over the whole box; counted boxes are tinted. Their side ε is one of the plot's
    (`ViewModel.grid_level`)."""

    name = BOXES
    label = "Counting grid"
    tip = "The boxes of side ε that contain a disc's centre; click a point of the plot N(ε) to choose ε"
    too_small = "zoom in"
    apart_from = 100_000

    def available(self, frame: Frame | None) -> bool:
        """Whether the discs of a frame can join clusters, which box counting is about."""
        return frame is not None and "cluster" in frame.fields

    def take(self, given: LayerInput) -> CountedBoxes | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        positions, hidden = given.frame.positions, given.hidden
        if not len(positions):
            return None
        radius = float(given.present_radii.mean())
        if hidden is not None:
            positions = positions[~hidden]
        return counted_boxes(positions, given.box, radius, visible=hidden is not None)

    def drawn(self, data: CountedBoxes, style: Style) -> bool:
        """Whether boxes are large enough for this layer at the present zoom."""
        return bool(data.side / 2**style.view.grid_level * style.camera.scale >= _LEAST)

    def marks(self, data: CountedBoxes, style: Style) -> Iterator[Primitive]:
        """The primitives to draw, from the data of `take`."""
        if not self.drawn(data, style):
            return
        eps = data.side / 2**style.view.grid_level
        cells = data.at(style.view.grid_level).astype(np.float64)
        corners = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
        points = np.minimum((cells[:, None] + corners) * eps, data.box)
        start = np.arange(0, 4 * len(cells) + 1, 4)
        tint, none = style.ink(*INK, alpha=_FILL), style.ink(*INK, alpha=0.0)
        yield Polygons(points.reshape(-1, 2), start, np.zeros(len(cells), np.int64), [tint], [none], 0.0)
        line = Stroke(style.ink(*INK, alpha=_LINE * min(1.0, eps * style.camera.scale / _WIDE)), _WIDTH)
        for axis in (0, 1):
            at = np.arange(1, np.ceil(data.box[axis] / eps)) * eps
            lines = np.zeros((len(at), 2, 2))
            lines[:, :, axis] = at[:, None]
            lines[:, 1, 1 - axis] = data.box[1 - axis]
            yield Lines(lines, (line,))

    def legend(self, data: CountedBoxes | None, style: Style, key: Key) -> list[Entry]:
        """The side of the boxes, and the number of counted ones."""

        def draw(rect: QRectF) -> Iterator[Flat]:
            corner = rect.center().x() - 6.0, rect.top()
            square = corner + 12.0 * np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
            yield shapes([square], style.ink(*INK, alpha=_FILL), Stroke(style.ink(*INK), _WIDTH))

        if data is None:
            return []
        eps = data.side / 2**style.view.grid_level / data.radius
        seen = ", visible discs only" if data.visible else ""
        text = f"ε = {typeset(eps, '.3g')} R, N(ε) = {count(len(data.at(style.view.grid_level)))}{seen}"
        return [key.row(draw, text, longest=f"ε = 0.123 R, N(ε) = 1 000{seen}")]  # as wide as the space beside a box


MAP = "cmocean:dense"
"""The colour map, from light to dark; from dark to light on dark backgrounds."""

_RAMP = 120.0  # width in pixels of the scale in the legend, at the default text size


class DensityLayer(Layer):
    """A map of the local volume fraction (`engine.analysis.fluctuations`). Its scale runs from 0 to a round number.

    Hidden discs do not count, as in measured rectangles, and the legend says so.
    """

    name = "density"
    label = "Local density"
    tip = "Share of the area covered by visible discs, smoothed by a Gaussian two mean diameters wide"
    apart_from = 20_000
    opacity = 0.6

    def take(self, given: LayerInput) -> DensityMap | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        from engine.analysis.fluctuations import (
            WIDTH,
            density_map,  # brings numba
        )

        positions, radii = given.frame.positions, given.present_radii
        if not len(radii):
            return None
        width = WIDTH * 2.0 * float(radii.mean())  # of all discs, so that it does not change when some are hidden
        if given.hidden is not None:
            positions, radii = positions[~given.hidden], radii[~given.hidden]
        if not len(radii):
            return None
        return density_map(positions, radii, given.box, periodic=given.periodic, width=width)

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
            return key.ramp(rect, title, _table(style), ("0", typeset(top / 2, "g"), typeset(top, "g")))

        return [Entry(width, key.ramp_height, draw, True)]


def _top(data: DensityMap) -> float:
    return rounded_up(max(float(data.values.max()), 1e-6))


def _table(style: Style) -> np.ndarray:
    """The 256 colours of the density map, (256, 4), red, green, blue and alpha."""
    shares = np.linspace(1.0, 0.0, 256) if style.dark else np.linspace(0.0, 1.0, 256)
    found: np.ndarray = np.rint(255.0 * np.asarray(cmap.Colormap(MAP)(shares))).astype(np.uint8)
    return found
