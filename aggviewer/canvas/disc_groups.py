"""The discs in view as circles, in groups that look alike: for vector files, and for Qt while kernels are not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel

_RIM_FROM, _RIM_FULL = 5.0, 8.0  # pixels: radii from which a disc has a rim, and the whole of it
_RIM_STEPS = 8


@dataclass(frozen=True)
class DiscGroup:
    """Discs that look alike.

    Attributes
    ----------
    face, rim : red, green and blue; rim None where there is none.
    x, y, r : (K,), pixels.
    rim_width : pixels, of the rim, which is the outermost part of a disc; 0 where there is none.
    """

    face: tuple[int, int, int]
    rim: tuple[int, int, int] | None
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    r: NDArray[np.float64]
    rim_width: float

    @property
    def circles(self) -> list[tuple[float, float, float]]:
        """x, y and radius of circles that are filled with the face and have a line of the width of the rim."""
        return list(zip(self.x.tolist(), self.y.tolist(), (self.r - self.rim_width / 2).tolist(), strict=True))


def disc_groups(
    scene: Scene, camera: Camera, view: ViewModel, in_view: DiscsInView, *, pixel: float = 1.0, compiled: bool = True
) -> Iterator[DiscGroup]:
    """The discs that a camera sees.

    Parameters
    ----------
    in_view : memory for them.
    pixel : width of a rim.
    compiled : with a kernel, see `DiscsInView.find`.
    """
    count = in_view.find(scene, camera, compiled=compiled)
    if not scene.shown or count == 0:
        return
    offset, radius, scalar = in_view.offset[:count], in_view.radius[:count], in_view.scalar[:count]
    x = camera.width / 2 + offset[:, 0].astype(np.float64) * camera.scale
    y = camera.height / 2 - offset[:, 1].astype(np.float64) * camera.scale
    r = radius.astype(np.float64) * camera.scale
    entry = colors.entries_of(scalar, colors.shown(scene, view))
    strength = np.clip((r / pixel - _RIM_FROM) / (_RIM_FULL - _RIM_FROM), 0.0, 1.0)
    step = np.rint(strength * _RIM_STEPS).astype(int)
    table = colors.scene_table(scene, view)
    look = entry * (_RIM_STEPS + 1) + step
    order = np.argsort(look, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(look[order])) + 1):
        red, green, blue = (int(c) for c in table[entry[part[0]]][:3])
        shade = 1.0 - colors.RIM * step[part[0]] / _RIM_STEPS
        rim = (round(red * shade), round(green * shade), round(blue * shade)) if step[part[0]] else None
        yield DiscGroup((red, green, blue), rim, x[part], y[part], r[part], pixel if rim else 0.0)


def paint_discs(painter: QPainter, groups: Iterable[DiscGroup]) -> None:
    """Paint discs, without kernels: some 10 microseconds for each."""
    for group in groups:
        painter.setBrush(QColor(*group.face))
        painter.setPen(QPen(QColor(*group.rim), group.rim_width) if group.rim else QPen(Qt.PenStyle.NoPen))
        for x, y, radius in group.circles:
            painter.drawEllipse(QPointF(x, y), radius, radius)
