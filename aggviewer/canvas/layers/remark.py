"""The discs named in a remark about the state: a ring around each, with its number if they are few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Labels, Outlines, Primitive
from engine.frame import Remark

INK = ("#ffb000", "#a34700")
"""Colours on dark and on light backgrounds."""

_WIDTH = 2.5  # pixels, of the rings
_LEAST = 6.0  # radius of a ring in pixels from which its number is farther away
_MOST_NUMBERED = 12  # most discs with numbers beside them


@dataclass(frozen=True, eq=False)
class Remarked:
    """A remark with its visible discs: numbers (k,), positions (k, 2) and radii (k,)."""

    remark: Remark
    discs: NDArray[np.int64]
    points: NDArray[np.float64]
    radii: NDArray[np.float64]


class RemarkLayer(Layer):
    """Rings around the discs named in a remark, whose text is in a corner of the picture."""

    name = "remark"
    dimensions = (2, 3)
    optional = False
    cut = False

    def take(self, moment: Moment) -> Remarked | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        frame = moment.frame
        if frame.remark is None:
            return None
        discs = np.asarray(frame.remark.discs, np.int64)
        discs = discs[moment.seen(discs)]
        return Remarked(frame.remark, discs, frame.positions[discs], moment.radii[discs] * frame.radius_factor)

    def marks(self, data: Remarked, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        radii = np.maximum(data.radii * style.camera.scale, _LEAST)
        reach = float(radii.max(initial=0.0)) + 2 * _WIDTH
        ink = style.ink(*INK)
        yield Outlines(data.discs, ink, style.halo())
        if len(data.discs) <= _MOST_NUMBERED:
            yield Labels(data.points, radii, reach, [str(disc) for disc in data.discs.tolist()], ink, style.halo())
