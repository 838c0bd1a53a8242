"""Marks over the discs: links, overlaps, arrows. Plain data in world units; no Qt, no OpenGL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

LineRole = Literal["link", "new_link"]
ArrowRole = Literal["velocity", "velocity_before"]
MarkRole = Literal["overlap", "link", "new_link", "velocity", "velocity_before"]

ROLE_TEXTS: dict[MarkRole, str] = {
    "overlap": "overlap",
    "new_link": "new link",
    "link": "link",
    "velocity": "velocity",
    "velocity_before": "velocity before",
}
"""The roles in the order of the legend, with their words."""


@dataclass(frozen=True)
class Lines:
    """Segments (K, 2, 2): start and end of each, the end out of a periodic box where the line crosses its edge.

    alpha : 0…1.
    """

    role: LineRole
    segments: NDArray[np.float64]
    alpha: float = 1.0


@dataclass(frozen=True)
class Arrows:
    """Segments (K, 2, 2): foot and tip of each arrow; the tip may lie out of a periodic box."""

    role: ArrowRole
    segments: NDArray[np.float64]
    alpha: float = 1.0


@dataclass(frozen=True)
class Overlaps:
    """Pairs of discs (K, 2) that overlap: their rims and the area that they share are red. They are drawn where the
    discs of the frame on the screen are."""

    pairs: NDArray[np.int32]
    alpha: float = 1.0


@dataclass(frozen=True, eq=False)
class Flashes:
    """Collisions that light up. points (K, 2): where they happened; radii (K,): how large, in world units; strength
    (K,): 1 at the moment itself, falling to 0.
    """

    points: NDArray[np.float64]
    radii: NDArray[np.float64]
    strength: NDArray[np.float64]


@dataclass(frozen=True)
class Marks:
    """What to draw over the discs, in the order of drawing: lines, overlaps, arrows."""

    lines: tuple[Lines, ...] = ()
    overlaps: Overlaps | None = None
    arrows: tuple[Arrows, ...] = ()

    @property
    def roles(self) -> list[MarkRole]:
        """The roles of what there is, in the order of the legend."""
        present: set[MarkRole] = {lines.role for lines in self.lines if len(lines.segments)}
        present |= {arrows.role for arrows in self.arrows if len(arrows.segments)}
        if self.overlaps is not None and len(self.overlaps.pairs):
            present.add("overlap")
        return [role for role in ROLE_TEXTS if role in present]
