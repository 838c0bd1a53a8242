"""Rings around discs: around those that are selected, around those named in a remark about the state, and inside of
discs where clusters of the same colour are near each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas import warmup
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Circles, Labels, Look, Outlines, Primitive
from aggviewer.document.view import ViewModel
from engine.fields import CLUSTER
from engine.frame import Remark
from engine.geometry.nearest import nearest_image
from engine.plotting.colors import PALER, PALETTE_SIZE

SELECTION = "selection"
SELECTION_INK = ("#ffffff", "#101317")
"""Colours on dark and on light backgrounds."""


class SelectionLayer(Layer):
    """Rings around the selected discs. Its data are pinned to the scene: the numbers of the discs, (k,) int64."""

    name = SELECTION
    dimensions = (2, 3)
    optional = False

    def switched_on(self, view: ViewModel) -> bool:
        """Whether the view asks for it."""
        return view.show_selection

    def take(self, given: LayerInput) -> None:
        """Nothing: the selection does not belong to a frame."""

    def marks(self, data: NDArray[np.int64], style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
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
        """Whether discs are coloured by cluster, and large enough for rims at the present zoom."""
        return style.scene.coloring.by == CLUSTER.name and style.diameter >= _LEAST_DISC and warmup.ready()

    def marks(self, data: NDArray[np.int32], style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        if not self.drawn(data, style):
            return
        from engine.analysis.rims import rims  # brings numba, which the first picture does not wait for

        scene, seen = style.scene, _in_view(style)
        if len(seen) > _MOST_RIMS:
            return
        colors = scene.scalar.astype(np.int64) % PALETTE_SIZE
        look = rims(data, colors, scene.positions, scene.radii, scene.box, scene.periodic, seen)[seen]
        found = seen[look > 0]
        magnified = style.camera.scale * style.camera.seen(scene.positions[found])[1]
        radii = scene.drawn_share(style.view.layers) * magnified * scene.radii[found]
        faces = tuple(Look(fill=replace(style.background, alpha=alpha), filled=_FACE) for alpha in PALER)
        yield Circles(scene.positions[found], radii, float(radii.max(initial=0.0)), faces, look[look > 0] - np.int64(1))


def _in_view(style: Style) -> NDArray[np.int64]:
    """The numbers of the discs in the picture, and of those that may be near them."""
    scene, camera = style.scene, style.camera
    if camera.pose is not None:
        return np.flatnonzero(np.isfinite(scene.positions[:, 0]))
    from engine.analysis.rims import NEAR

    left, bottom, width, height = camera.rect
    more = NEAR * 2.0 * scene.mean_radius
    away = nearest_image(scene.positions - (left + width / 2, bottom + height / 2), scene.box, scene.periodic)
    seen: NDArray[np.int64] = np.flatnonzero((np.abs(away) <= (width / 2 + more, height / 2 + more)).all(axis=1))
    return seen
