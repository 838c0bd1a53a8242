"""Rims that tell near clusters of the same colour apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas import warmup
from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Circles, Look, Primitive
from engine.fields import CLUSTER
from engine.geometry.nearest import nearest_image
from engine.plotting.colors import PALER, PALETTE_SIZE

_LEAST_DISC = 5.0  # pixels across a disc; below it a rim could not be seen
_FACE = 0.6  # of the radius: what is within the rim
_MOST = 20_000  # discs in view for which rims are found: it takes 6 ms


class RimLayer(Layer):
    """Where discs are coloured by cluster, those of a cluster near which is a larger one of the same colour are paler
    but for a rim. They are found among the discs in view while they are drawn: where discs are small, nothing is done.
    """

    name = "rims"
    optional = False
    dimensions = (2, 3)

    def take(self, moment: Moment) -> NDArray[np.int32] | None:
        """The labels of the clusters, (N,); None if no discs have joined."""
        frame = moment.frame
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
        if len(seen) > _MOST:
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
