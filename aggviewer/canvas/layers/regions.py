"""What is drawn around discs: rings, convex hulls of clusters, and the edges of the Voronoi cells.

Rings are around discs that are selected and those named in a remark about the state, and inside of others. Hulls have
the colours of the clusters if discs are coloured by cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF

from aggviewer.canvas import colors, warmup
from aggviewer.canvas.in_pixels import shapes
from aggviewer.canvas.in_view import beyond_box
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import (
    Bars,
    Circles,
    Color,
    Flat,
    Labels,
    Look,
    Outlines,
    Polygons,
    Primitive,
    Stroke,
)
from aggviewer.canvas.legend import Entry, Key, line_sample
from aggviewer.document.view import ViewModel
from engine.arrays import Floats
from engine.fields import CLUSTER
from engine.frame import Frame, Remark
from engine.plotting.colors import PALER, PALETTE_SIZE

if TYPE_CHECKING:
    from engine.analysis.hulls import Hulls

_HULL_INK = ("#e4e7ec", "#22272e")
"""Colours on dark and on light backgrounds, where discs are not coloured by cluster."""

_HULL_WIDTH = 1.25  # pixels
_FILL = 0.16  # opacity inside
_LEAST_HULL = 5.0  # pixels across a hull: smaller ones are left out


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

    def take(self, given: LayerInput) -> ClusterHulls | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        from engine.analysis.hulls import cluster_hulls  # brings numba

        frame = given.frame
        cluster = frame.fields.get("cluster")
        if cluster is None or frame.clusters == len(cluster):
            return None
        among = None if given.hidden is None else ~given.hidden
        found = cluster_hulls(
            frame.positions, given.present_radii, cluster, given.box, periodic=given.periodic, among=among
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
        return bool(data.sizes.max(initial=0.0) * style.camera.scale >= _LEAST_HULL)

    def marks(self, data: ClusterHulls, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        scene, hulls = style.scene, data.hulls
        seen = np.flatnonzero(np.maximum(*data.sizes.T) * style.camera.scale >= _LEAST_HULL)
        if not len(seen):
            return
        length = np.diff(hulls.start)[seen]
        start = np.concatenate([[0], np.cumsum(length)])
        within = np.arange(start[-1]) - np.repeat(start[:-1], length)
        points = hulls.points[np.repeat(hulls.start[seen], length) + within]
        if colors.coloring_in_view(scene, style.view).categorical:
            entries = colors.entries_of(scene.scalar[data.discs[seen]], scene.coloring)
            inks = [Color(red, green, blue) for red, green, blue, _ in style.table().tolist()]
        else:
            entries, inks = np.zeros(len(seen), int), [style.ink(*_HULL_INK)]
        paler = [replace(ink, alpha=_FILL) for ink in inks]
        yield Polygons(points, start, entries, paler, inks, _HULL_WIDTH)

    def legend(self, data: ClusterHulls | None, style: Style, key: Key) -> list[Entry]:
        """The entries of this layer in the legend."""
        ink = style.ink(*_HULL_INK)
        shape = np.array([(0.05, 0.6), (0.3, 0.1), (0.75, 0.0), (1.0, 0.5), (0.8, 0.95), (0.3, 1.0)])

        def draw(rect: QRectF) -> Iterator[Flat]:
            corners = np.array([rect.left(), rect.top()]) + (rect.width(), rect.height()) * shape
            yield shapes([corners], style.ink(*_HULL_INK, alpha=_FILL), Stroke(ink, _HULL_WIDTH))

        return [key.row(draw, "hull of a cluster")]


_VORONOI_INK = ("#9fd8ff", "#0b4a8f")
"""Colours on dark and on light backgrounds."""

_EDGE_WIDTH = 1.1  # pixels
_LEAST_CELL = 7.0  # pixels across a mean cell; smaller ones would be a grey area


class VoronoiLayer(Layer):
    """The edges of Voronoi cells (`engine.analysis.voronoi`)."""

    name = "voronoi"
    label = "Voronoi cells"
    tip = "The area nearest to each disc: every point belongs to the disc to which its tangent is shortest"
    apart_from = 2_000
    too_small = "zoom in"
    opacity = 0.8

    def take(self, given: LayerInput) -> Floats | None:
        """Segments (K, 2, 2) of the edges between two discs; the walls are drawn with the box."""
        from engine.analysis.voronoi import voronoi  # brings numba

        frame = given.frame
        if not len(frame.positions):
            return None
        found = voronoi(frame.positions, given.present_radii, given.box, periodic=given.periodic)
        wanted = found.pairs[:, 1] >= 0
        if given.hidden is not None:  # cells of all discs are computed, and those of visible discs drawn
            wanted &= ~given.hidden[found.pairs].all(axis=1)
        segments = found.segments[wanted]
        # an edge may lie in another period than its disc: moved back into the box
        middle = 0.5 * (segments[:, 0] + segments[:, 1])
        return segments - beyond_box(middle, given.box, given.periodic)[:, None]

    def drawn(self, data: Floats, style: Style) -> bool:
        """Whether discs are large enough for this layer at the present zoom. data : (K, 2, 2), as `take` returns it."""
        scene = style.scene
        area = float(scene.box.prod()) / max(scene.count, 1)
        return float(np.sqrt(area)) * style.camera.scale >= _LEAST_CELL

    def marks(self, data: Floats, style: Style) -> Iterator[Primitive]:
        """The lines to be drawn. data : (K, 2, 2), the ends of each edge in world units, as `take` returns it."""
        if self.drawn(data, style):
            ink = style.ink(*_VORONOI_INK)
            half = np.full(len(data), 0.5 * _EDGE_WIDTH)
            yield Bars(data, half, ink, np.zeros(len(data), np.bool_), ink)

    def legend(self, data: Floats | None, style: Style, key: Key) -> list[Entry]:
        """The entry of this layer in the legend. data : (K, 2, 2), or None without a frame; the entry is the same."""
        return [key.row(line_sample(Stroke(style.ink(*_VORONOI_INK), _EDGE_WIDTH)), "Voronoi cell")]


SELECTION = "selection"
SELECTION_INK = ("#ffffff", "#101317")
"""Colours on dark and on light backgrounds."""


class SelectionLayer(Layer):
    """Rings around the selected discs. Its data are pinned to the scene: the numbers of the discs, (k,) int64."""

    name = SELECTION
    dimensions = (2, 3)
    optional = False

    def switched_on(self, view: ViewModel) -> bool:
        """Whether the view shows the rings of selected discs."""
        return view.show_selection

    def take(self, given: LayerInput) -> None:
        """Nothing: the selection does not belong to a frame."""

    def marks(self, data: NDArray[np.int64], style: Style) -> Iterator[Primitive]:
        """The rings around selected discs. data : (k,), the numbers of these discs."""
        yield Outlines(data, style.ink(*SELECTION_INK), style.ink(SELECTION_INK[1], SELECTION_INK[0], 0.8))


_REMARK_INK = ("#ffb000", "#a34700")
"""Colours on dark and on light backgrounds."""

_REMARK_WIDTH = 2.5  # pixels, of the rings
_LEAST_RADIUS = 6.0  # radius of a ring in pixels from which its number is farther away
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

    def take(self, given: LayerInput) -> Remarked | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        frame = given.frame
        if frame.remark is None:
            return None
        discs = np.asarray(frame.remark.discs, np.int64)
        discs = discs[given.seen(discs)]
        return Remarked(frame.remark, discs, frame.positions[discs], given.radii[discs] * frame.radius_factor)

    def marks(self, data: Remarked, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        radii = np.maximum(data.radii * style.camera.scale, _LEAST_RADIUS)
        reach = float(radii.max(initial=0.0)) + 2 * _REMARK_WIDTH
        ink = style.ink(*_REMARK_INK)
        yield Outlines(data.discs, ink, style.halo())
        if len(data.discs) <= _MOST_NUMBERED:
            yield Labels(data.points, radii, reach, [str(disc) for disc in data.discs.tolist()], ink, style.halo())


_LEAST_DISC = 5.0  # pixels across a disc; below it a rim could not be seen
_FACE = 0.6  # of the radius: what is within the rim
_MOST_RIMS = 20_000  # discs in view for which rims are found: it takes 6 ms


class RimLayer(Layer):
    """Where discs are coloured by cluster, those of a cluster near which is a larger one of the same colour are paler
    but for a rim. They are found among the discs in view while they are drawn: where discs are small, nothing is done.
    """

    name = "rims"
    optional = False
    dimensions = (2, 3)

    def take(self, given: LayerInput) -> NDArray[np.int32] | None:
        """The labels of the clusters, (N,); None if no discs have joined."""
        frame = given.frame
        return frame.cluster.copy() if frame.clusters < len(frame.positions) else None

    def drawn(self, data: NDArray[np.int32], style: Style) -> bool:
        """Whether discs are coloured by cluster, and large enough for rims at the present zoom. data : (N,), as `take`
        returns it."""
        return style.scene.coloring.by == CLUSTER.name and style.diameter >= _LEAST_DISC and warmup.ready()

    def marks(self, data: NDArray[np.int32], style: Style) -> Iterator[Primitive]:
        """The rims of visible discs. data : (N,), the labels of the clusters, as `take` returns them."""
        if not self.drawn(data, style):
            return
        from engine.analysis.rims import NEAR, rims  # brings numba, which the first picture does not wait for

        scene, seen = style.scene, discs_in_view(style, NEAR * 2.0 * style.scene.mean_radius)
        if len(seen) > _MOST_RIMS:
            return
        colors = scene.scalar.astype(np.int64) % PALETTE_SIZE
        look = rims(data, colors, scene.positions, scene.radii, scene.box, scene.periodic, seen)[seen]
        found = seen[look > 0]
        magnified = style.camera.scale * style.camera.seen(scene.positions[found])[1]
        radii = scene.drawn_share(style.view.layers) * magnified * scene.radii[found]
        faces = tuple(Look(fill=replace(style.background, alpha=alpha), filled=_FACE) for alpha in PALER)
        yield Circles(scene.positions[found], radii, float(radii.max(initial=0.0)), faces, look[look > 0] - np.int64(1))


def discs_in_view(style: Style, more: float) -> NDArray[np.int64]:
    """The numbers (K,) of the discs whose centres are in the picture or at most `more` (length) beside it; in space of
    all. Hidden discs are not among them."""
    positions, camera = style.scene.positions, style.camera
    if camera.pose is not None:
        return np.flatnonzero(np.isfinite(positions[:, 0]))
    left, bottom, width, height = camera.rect
    near = np.ones(len(positions), np.bool_)
    for axis, (first, extent) in enumerate(((left, width), (bottom, height))):
        away = positions[:, axis] - (first + extent / 2)
        if style.scene.periodic[axis]:
            side = style.scene.box[axis]
            away -= side * np.rint(away / side)
        near &= np.abs(away) <= extent / 2 + more
    return np.flatnonzero(near)
