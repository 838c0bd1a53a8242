"""Rings around discs: how they look, and how Qt draws them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

Floats = NDArray[np.float64]

FEW_OUTLINES = 60
"""Number of rings in the plane that Qt draws; more are painted by a kernel."""

PARTS = 72
"""Of a ring around a sphere, each of which is seen or hidden."""

MANY_RIMS = 2000
"""Number of spheres of which each is seen or hidden as a whole."""

_FREE = 5.0  # least distance in ring radii between evenly spread rings


@dataclass(frozen=True)
class OutlineLook:
    """The look of rings in pixels, depending on their number: least radius, distance from the disc, width of ring and
    halo, and opacity."""

    most: float
    least: float
    away: float
    width: float
    halo: float
    alpha: float

    def around(self, radii: Floats) -> Floats:
        """The radii of rings around circles with these radii, in pixels."""
        return np.maximum(radii + self.away, self.least) - self.width / 2


_OUTLINE_LOOKS = (
    OutlineLook(5, 7.0, 2.5, 2.0, 1.5, 1.0),
    OutlineLook(600, 4.0, 0.5, 1.5, 1.0, 1.0),
    OutlineLook(6000, 2.5, 0.5, 1.5, 0.5, 0.9),
    OutlineLook(np.inf, 1.0, 0.0, 1.5, 0.0, 0.6),
)


def outline_look(count: int, area: float) -> OutlineLook:
    """The look for this many discs in this many pixels: the largest that leaves most of them free, as discs of clusters
    are close together."""
    room = sqrt(area / max(count, 1)) / _FREE
    return next((look for look in _OUTLINE_LOOKS if count <= look.most and room >= look.least), _OUTLINE_LOOKS[-1])


def draw_rings(
    painter: QPainter,
    halo: QColor,
    ink: QColor,
    look: OutlineLook,
    spots: Floats,
    radii: Floats,
    seen: NDArray[np.bool_],
) -> None:
    """Draw rings with middles (K, 2) and radii (K,) in pixels. seen : (K, A), which of A equal parts of each are drawn,
    counterclockwise from the right."""
    whole = seen.all(axis=1)
    rings = [(QPointF(x, y), r) for (x, y), r in zip(spots[whole].tolist(), radii[whole].tolist(), strict=True)]
    arcs = [
        (QRectF(x - r, y - r, 2.0 * r, 2.0 * r), begin, length)
        for number in np.flatnonzero(seen.any(axis=1) & ~whole)
        for (x, y), r in [(spots[number].tolist(), float(radii[number]))]
        for begin, length in _arcs(seen[number])
    ]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setOpacity(look.alpha)
    for color, wide in ((halo, look.width + 2 * look.halo), (ink, look.width)):
        painter.setPen(QPen(color, wide, cap=Qt.PenCapStyle.FlatCap))
        for middle, radius in rings:
            painter.drawEllipse(middle, radius, radius)
        for arc in arcs:
            painter.drawArc(*arc)


def _arcs(seen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where the runs of parts (A,) that are seen begin on a circle, and their lengths, in sixteenths of a degree."""
    count, turn = len(seen), 5760 // len(seen)
    begins = np.flatnonzero(seen & ~np.roll(seen, 1))
    ends = np.flatnonzero(seen & ~np.roll(seen, -1))
    lengths = [int(((ends - begin) % count).min()) + 1 for begin in begins]
    return [(turn * int(begin), turn * length) for begin, length in zip(begins, lengths, strict=True)]
