"""Convex hulls of clusters, in the colours of the clusters if discs are coloured by cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF

from aggviewer.canvas import colors
from aggviewer.canvas.in_pixels import shapes
from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Color, Flat, Polygons, Primitive, Stroke
from aggviewer.canvas.legend import Entry, Key
from engine.frame import Frame

if TYPE_CHECKING:
    from engine.analysis.hulls import Hulls

INK = ("#e4e7ec", "#22272e")
"""Colours on dark and on light backgrounds, where discs are not coloured by cluster."""

_WIDTH = 1.25  # pixels
_FILL = 0.16  # opacity inside
_LEAST = 5.0  # pixels across a hull: smaller ones are left out


@dataclass(frozen=True, eq=False)
class ClusterHulls:
    """The hulls, with one disc of each, (C,), for its colour; sizes : (C, 2), extents along the axes."""

    hulls: Hulls
    discs: NDArray[np.int64]
    sizes: NDArray[np.float64]


class HullLayer(Layer):
    """The convex hull of the visible discs of each cluster (`engine.analysis.hulls`)."""

    name = "hulls"
    label = "Cluster hulls"
    tip = "The convex hull of each cluster of at least two discs"
    apart_from = 5_000
    missing = "no discs have joined"
    too_small = "zoom in"

    def available(self, frame: Frame | None) -> bool:
        """Whether the discs of a frame can join clusters."""
        return frame is not None and "cluster" in frame.fields

    def take(self, moment: Moment) -> ClusterHulls | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        from engine.analysis.hulls import cluster_hulls  # brings numba

        frame = moment.frame
        cluster = frame.fields.get("cluster")
        if cluster is None or frame.clusters == len(cluster):
            return None
        among = None if moment.hidden is None else ~moment.hidden
        found = cluster_hulls(
            frame.positions, moment.present_radii, cluster, moment.box, periodic=moment.periodic, among=among
        )
        names, first = np.unique(cluster, return_index=True)
        discs = first[np.searchsorted(names, found.label)]
        if not len(discs):
            return ClusterHulls(found, discs, np.zeros((0, 2)))
        low = np.minimum.reduceat(found.points, found.start[:-1], axis=0)
        high = np.maximum.reduceat(found.points, found.start[:-1], axis=0)
        return ClusterHulls(found, discs, high - low)

    def says(self, data: ClusterHulls | None, style: Style) -> str:
        """Why no hull is drawn, in a few words; empty if hulls are drawn."""
        if data is not None and not len(data.discs):
            return "the cluster wraps around the box" if data.hulls.without else "no cluster has two visible discs"
        return super().says(data, style)

    def drawn(self, data: ClusterHulls, style: Style) -> bool:
        """Whether discs are large enough for this layer at the present zoom."""
        return bool(data.sizes.max(initial=0.0) * style.camera.scale >= _LEAST)

    def marks(self, data: ClusterHulls, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        scene, hulls = style.scene, data.hulls
        seen = np.flatnonzero(np.maximum(*data.sizes.T) * style.camera.scale >= _LEAST)
        if not len(seen):
            return
        length = np.diff(hulls.start)[seen]
        start = np.concatenate([[0], np.cumsum(length)])
        within = np.arange(start[-1]) - np.repeat(start[:-1], length)
        points = hulls.points[np.repeat(hulls.start[seen], length) + within]
        if colors.shown(scene, style.view).categorical:
            entries = colors.entries_of(scene.scalar[data.discs[seen]], scene.coloring)
            inks = [Color(red, green, blue) for red, green, blue, _ in style.table().tolist()]
        else:
            entries, inks = np.zeros(len(seen), int), [style.ink(*INK)]
        paler = [replace(ink, alpha=_FILL) for ink in inks]
        yield Polygons(points, start, entries, paler, inks, _WIDTH)

    def legend(self, data: ClusterHulls | None, style: Style, key: Key) -> list[Entry]:
        """The entries of this layer in the legend."""
        ink = style.ink(*INK)
        shape = np.array([(0.05, 0.6), (0.3, 0.1), (0.75, 0.0), (1.0, 0.5), (0.8, 0.95), (0.3, 1.0)])

        def draw(rect: QRectF) -> Iterator[Flat]:
            corners = np.array([rect.left(), rect.top()]) + (rect.width(), rect.height()) * shape
            yield shapes([corners], style.ink(*INK, alpha=_FILL), Stroke(ink, _WIDTH))

        return [key.row(draw, "hull of a cluster")]
