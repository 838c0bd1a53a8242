"""The paths of some discs since the user asked for them: lines that fade towards their beginning."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Lines, Primitive, Stroke
from aggviewer.canvas.layers.selection import INK
from aggviewer.canvas.scene import all_seen
from engine.geometry.nearest import nearest_image
from engine.state import Discs

NAME = "path"

_BANDS = 8  # time intervals of equal length, each paler than the next
_WIDTH = 2.0


class Paths:
    """Positions of some discs at the times of the frames shown.

    Parameters
    ----------
    discs : (k,), their numbers.
    box : (d,); periodic : whether the box is periodic. Used for frames without a box of their own.
    """

    MOST = 2000
    """Most positions kept for each disc; beyond it every second one is dropped."""

    def __init__(self, discs: NDArray[np.int64], box: NDArray[np.float64], periodic: bool) -> None:
        self.discs = discs
        self._box = box
        self._periodic = periodic
        self._times: list[float] = []
        self._places: list[NDArray[np.float64]] = []
        self._boxes: list[tuple[NDArray[np.float64], bool]] = []

    def add(self, time: float, positions: NDArray[np.float64], discs: Discs | None = None) -> None:
        """Add a frame, positions (N, d). If time has gone back, later positions are dropped.

        discs : for the box of this frame, and whether it is periodic.
        """
        while self._times and self._times[-1] >= time:
            self._times.pop()
            self._places.pop()
            self._boxes.pop()
        self._boxes.append((self._box, self._periodic) if discs is None else (discs.box, discs.periodic))
        self._times.append(time)
        self._places.append(positions[self.discs].copy())
        if len(self._times) > self.MOST:
            del self._times[1:-1:2]
            del self._places[1:-1:2]
            del self._boxes[1:-1:2]

    def segments(self, hidden: NDArray[np.bool_] | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Segments between positions, (K, 2, d), and their relative times, (K,) from 0 to 1. hidden : (N,), discs whose
        paths are not shown.

        At a periodic edge, a segment ends outside the box, and the next one begins inside.
        """
        if len(self._times) < 2:
            return np.zeros((0, 2, len(self._box))), np.zeros(0)
        seen = all_seen(hidden, self.discs)
        places = np.stack(self._places)[:, seen]
        boxes, periodic = zip(*self._boxes[1:], strict=True)
        step = np.diff(places, axis=0)
        nearest = nearest_image(step, np.stack(boxes)[:, np.newaxis], True)
        step = np.where(np.array(periodic)[:, np.newaxis, np.newaxis], nearest, step)
        start = places[:-1]
        late = np.linspace(0.0, 1.0, len(start))
        found = np.stack([start, start + step], axis=2).reshape(-1, 2, len(self._box))
        return found, np.repeat(late, np.count_nonzero(seen))


class PathLayer(Layer):
    """The paths of some discs since the user asked for them. Its data, `Paths`, are pinned to the scene."""

    name = NAME
    dimensions = (2, 3)
    optional = False

    def take(self, moment: Moment) -> None:
        """Nothing: paths do not belong to a frame."""

    def marks(self, data: Paths, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        segments, late = data.segments(style.scene.hidden)
        band = np.minimum((late * _BANDS).astype(int), _BANDS - 1)
        for number in range(_BANDS):
            alpha = (number + 1) / _BANDS
            own = segments[band == number]
            yield Lines(own, (Stroke(style.halo(0.5 * alpha), _WIDTH + 2.0), Stroke(style.ink(*INK, alpha), _WIDTH)))
