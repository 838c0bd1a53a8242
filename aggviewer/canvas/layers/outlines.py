"""How rings around discs look. No Qt, no OpenGL."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
