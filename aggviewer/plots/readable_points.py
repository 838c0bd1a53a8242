"""The points of a plot that the mouse can read or click."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF

from aggviewer.plots.axes import Scales
from aggviewer.plots.series_items import ShownSeries, shown_points
from engine.arrays import Floats

_SNAP, _HIT = 40.0, 12.0  # pixels within which the mouse reads a point, or clicks it


class ReadablePoints:
    """Displayed points of series with words or that take clicks. A point is the id of its series and its number
    there."""

    def __init__(self) -> None:
        self._at: Floats = np.empty((2, 0))
        self._hits: NDArray[np.bool_] = np.empty(0, np.bool_)  # which of them can be clicked
        self._firsts: list[tuple[Hashable, int]] = []  # the index of the first point of each series

    def set_series(self, shown: Iterable[ShownSeries], scales: Scales, bottom: float | None) -> None:
        """Set the series. bottom : where steps at 0 begin on a logarithmic y axis, in its coordinates; None if
        unknown."""
        at, hits, self._firsts = [np.empty((2, 0))], [np.empty(0, np.bool_)], []
        count = 0
        for one in shown:
            answers = one.series.places is not None or one.series.layer is not None or one.series.clicked
            if one.series.words is None and not answers:
                continue
            x, y = shown_points(one.series, one.style, scales)
            if one.series.kind == "steps" and scales[1].logarithmic and bottom is not None:
                y = np.where(np.isnan(y), bottom, y)
            at.append(np.array([x, y]))
            hits.append(np.full(len(x), answers))
            self._firsts.append((one.id, count))
            count += len(x)
        self._at, self._hits = np.concatenate(at, axis=1), np.concatenate(hits)

    def __len__(self) -> int:
        return int(self._at.shape[1])

    def all(self) -> list[tuple[Hashable, int]]:
        """All points."""
        starts = [*self._firsts, (None, len(self))]
        return [(series, k) for (series, first), (_, end) in pairwise(starts) for k in range(end - first)]

    def place_of(self, series: Hashable, index: int) -> QPointF:
        """The position of a point in the coordinates of the axes."""
        first = dict(self._firsts)[series]
        return QPointF(*self._at[:, first + index].tolist())

    def read(self, box: Any, scene: QPointF) -> tuple[Hashable, int] | None:
        """The point that the mouse reads at a place in the scene. box : pyqtgraph's view box."""
        return self._nearest(box, scene, _SNAP, np.ones(len(self), np.bool_))

    def clicked(self, box: Any, scene: QPointF) -> tuple[Hashable, int] | None:
        """The point that is clicked at a place."""
        return self._nearest(box, scene, _HIT, self._hits)

    def _nearest(
        self, box: Any, scene: QPointF, within: float, among: NDArray[np.bool_]
    ) -> tuple[Hashable, int] | None:
        at, (wide, high) = box.mapSceneToView(scene), box.viewPixelSize()
        if not (wide > 0 and high > 0):
            return None
        distance = ((self._at[0] - at.x()) / wide) ** 2 + ((self._at[1] - at.y()) / high) ** 2
        distance = np.where(among, distance, np.nan)
        if not np.isfinite(distance).any():
            return None
        index = int(np.nanargmin(distance))
        if distance[index] > within**2:
            return None
        return next((series, index - first) for series, first in reversed(self._firsts) if first <= index)
