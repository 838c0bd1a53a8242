"""Contacts between discs as short lines from centre to centre."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.in_view import cut_in_space
from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Bars, Primitive, Stroke
from aggviewer.canvas.legend import Entry, Key, line_sample

Floats = NDArray[np.float64]

INK = ("#f4f6f9", "#15181d")
"""Colours on dark and on light backgrounds."""

_SHARE = 0.16  # of a mean diameter, width of the lines
_WIDEST = 2.5  # pixels
_LEAST_DISC = 4.0  # pixels across a disc; below it lines and discs cannot be told apart


class ContactLayer(Layer):
    """Lines between the centres of discs in contact, as counted by the field *Contacts*: in a packing the contacts that
    carry forces, else all pairs within the distance of (4.13)."""

    name = "contacts"
    label = "Contacts"
    tip = "A line between the centres of discs that touch"
    apart_from = 10_000
    missing = "no discs touch"
    too_small = "zoom in"
    dimensions = (2, 3)

    def take(self, moment: Moment) -> Floats | None:
        """Segments (K, 2, d) from centre to centre, of the image that is touched."""
        from engine.analysis import contact_vectors  # brings numba

        frame, radii, box = moment.frame, moment.present_radii, moment.box
        if frame.network is not None:
            pairs, steps = frame.network.pairs, frame.network.steps(frame.positions, radii, box)
        else:
            pairs, steps = contact_vectors(frame.positions, radii, box, periodic=moment.periodic)
        shown = pairs[:, 1] >= 0
        if moment.hidden is not None:
            shown &= moment.seen(pairs)
        if not shown.any():
            return None
        start = frame.positions[pairs[shown, 0]]
        return cut_in_space(np.stack([start, start + steps[shown]], axis=1), box, moment.periodic)[0]

    def drawn(self, data: Floats, style: Style) -> bool:
        """Whether discs are large enough for this layer at the present zoom."""
        return style.diameter >= _LEAST_DISC

    def marks(self, data: Floats, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        if self.drawn(data, style):
            ink = style.ink(*INK)
            half = np.full(len(data), 0.5 * _width(style))
            yield Bars(data, half, ink, np.zeros(len(data), np.bool_), ink, style.haze)

    def legend(self, data: Floats | None, style: Style, key: Key) -> list[Entry]:
        """The entries of this layer in the legend."""
        return [key.row(line_sample(Stroke(style.ink(*INK), max(_width(style), 1.0))), "contact")]


def _width(style: Style) -> float:
    return min(_SHARE * style.diameter, _WIDEST)
