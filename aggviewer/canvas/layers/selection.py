"""The selected discs: a ring around each, visible at any zoom; dots if very many are in view."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Outlines, Primitive
from aggviewer.document.view import ViewModel

NAME = "selection"
INK = ("#ffffff", "#101317")
"""Colours on dark and on light backgrounds."""


class SelectionLayer(Layer):
    """Rings around the selected discs. Its data are pinned to the scene: the numbers of the discs, (k,) int64."""

    name = NAME
    dimensions = (2, 3)
    optional = False

    def shown(self, view: ViewModel) -> bool:
        """Whether the view asks for it."""
        return view.show_selection

    def take(self, moment: Moment) -> None:
        """Nothing: the selection does not belong to a frame."""

    def marks(self, data: NDArray[np.int64], style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        yield Outlines(data, style.ink(*INK), style.ink(INK[1], INK[0], 0.8))
