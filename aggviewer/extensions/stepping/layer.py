"""A time step in the picture: links, overlaps in red, velocities before and after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF

from aggviewer.canvas.in_pixels import lens, shapes
from aggviewer.canvas.in_view import pair_segments
from aggviewer.canvas.layers import primitives
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Circles, Color, Flat, Lenses, Look, Primitive, Stroke
from aggviewer.canvas.legend import Draw, Entry, Key, line_sample

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
"""The roles in the order of the legend, with their labels."""

_INKS: dict[MarkRole, tuple[str, str]] = {  # on dark and on light backgrounds
    "overlap": ("#ff3b30", "#d60f0f"),
    "link": ("#e4e7ec", "#22272e"),
    "new_link": ("#ff9a5c", "#d55e00"),
    "velocity": ("#ffffff", "#101317"),
    "velocity_before": ("#a9b1bc", "#5b6470"),
}
_WIDTHS: dict[MarkRole, float] = {  # pixels on discs of 24 pixels and more, less on smaller ones
    "overlap": 2.0,
    "link": 1.25,
    "new_link": 3.0,
    "velocity": 2.25,
    "velocity_before": 1.75,
}
_LINK_ALPHA = 0.55
_LEAST_DISC: dict[MarkRole, float] = {  # pixels across a disc; below it the many old links would cover the discs
    "overlap": 0.0,
    "link": 6.0,
    "new_link": 2.0,
    "velocity": 6.0,
    "velocity_before": 6.0,
}
_LEAST_DISC_HALO = 20.0  # below it the halos of old links would cover the discs
_LEAST_RING = 5.0  # least radius of the red rings in pixels, so that they are visible when zoomed out


@dataclass(frozen=True)
class StepLines:
    """Segments (K, 2, 2): start and end of each, the end outside the box if the line crosses a periodic edge.

    alpha : 0…1.
    """

    role: LineRole
    segments: NDArray[np.float64]
    alpha: float = 1.0


@dataclass(frozen=True)
class StepArrows:
    """Segments (K, 2, 2): foot and tip of each arrow; the tip may lie outside the box, across a periodic edge."""

    role: ArrowRole
    segments: NDArray[np.float64]
    alpha: float = 1.0


@dataclass(frozen=True)
class Overlaps:
    """Pairs of overlapping discs (K, 2): their rims and intersections are drawn in red, at the positions in the frame
    on the screen."""

    pairs: NDArray[np.int32]
    alpha: float = 1.0


@dataclass(frozen=True)
class StepMarks:
    """The marks of a time step, in drawing order: lines, overlaps, arrows."""

    lines: tuple[StepLines, ...] = ()
    overlaps: Overlaps | None = None
    arrows: tuple[StepArrows, ...] = ()

    @property
    def roles(self) -> list[MarkRole]:
        """The roles present, in the order of the legend."""
        present: set[MarkRole] = {lines.role for lines in self.lines if len(lines.segments)}
        present |= {arrows.role for arrows in self.arrows if len(arrows.segments)}
        if self.overlaps is not None and len(self.overlaps.pairs):
            present.add("overlap")
        return [role for role in ROLE_TEXTS if role in present]


class StepLayer(Layer):
    """Links, overlaps and velocities inside one time step. Its marks do not belong to a frame: `DiscCanvas.pin` sets
    them, of discs of the frame on the screen."""

    name = "steps"
    optional = False
    below = "path"

    def take(self, given: LayerInput) -> None:
        """None: marks of a step do not belong to a frame."""
        return

    def marks(self, data: StepMarks, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        diameter = style.diameter
        for lines in data.lines:
            if diameter >= _LEAST_DISC[lines.role]:
                alpha = lines.alpha * (_LINK_ALPHA if lines.role == "link" else 1.0)
                yield primitives.Lines(lines.segments, _strokes(lines.role, alpha, style))
        if data.overlaps is not None and len(data.overlaps.pairs):
            yield from self._overlaps(data.overlaps, style)
        for arrows in data.arrows:
            if diameter >= _LEAST_DISC[arrows.role]:
                yield primitives.Arrows(arrows.segments, _strokes(arrows.role, arrows.alpha, style))

    @staticmethod
    def _overlaps(overlaps: Overlaps, style: Style) -> Iterator[Primitive]:
        scene, scale, width = style.scene, style.camera.scale, _WIDTHS["overlap"]
        discs = np.unique(overlaps.pairs)
        radii = scene.radii[discs] * scale
        reach = max(float(radii.max()), _LEAST_RING) + width
        red = color(style, "overlap", overlaps.alpha)
        strokes: tuple[Stroke, ...] = (Stroke(style.halo(overlaps.alpha), width + 2.0), Stroke(red, width))
        if radii.max() <= _LEAST_RING:  # zoomed out there are many rings, and halos would hide what is below
            strokes = strokes[1:]
        rings = np.maximum(radii, _LEAST_RING) - 0.5 * width
        yield Circles(scene.positions[discs], rings, reach, (Look(strokes),))
        segments = pair_segments(overlaps.pairs, scene.positions, scene.box, scene.periodic)
        # a little smaller: the red rims make its edges soft
        yield Lenses(segments, np.maximum(scene.radii[overlaps.pairs] * scale - 0.5 * width, 0.0), reach, red)

    def legend(self, data: StepMarks | None, style: Style, key: Key) -> list[Entry]:
        """The legend of the marks, in columns of two; a mark that is too small at the present zoom keeps its place."""
        if data is None:
            return []
        drawn = drawn_roles(data, style)
        rows = [(_sample(style, role) if role in drawn else None, ROLE_TEXTS[role]) for role in data.roles]
        return [key.rows(rows[k : k + 2]) for k in range(0, len(rows), 2)]


def drawn_roles(marks: StepMarks, style: Style) -> list[MarkRole]:
    """The roles drawn at the present zoom, in the order of the legend."""
    return [role for role in marks.roles if style.diameter >= _LEAST_DISC[role]]


def color(style: Style, role: MarkRole, alpha: float = 1.0) -> Color:
    """The colour of a role on the background."""
    return style.ink(*_INKS[role], alpha=alpha)


def _strokes(role: MarkRole, alpha: float, style: Style) -> tuple[Stroke, ...]:
    """The strokes of lines in the colour of a role, with a halo in the background colour so that they stand out from
    any disc."""
    width = max(0.75, min(_WIDTHS[role], style.diameter / 8.0))
    ink = Stroke(color(style, role, alpha), width)
    if role == "link" and style.diameter < _LEAST_DISC_HALO:
        return (ink,)
    return Stroke(style.halo(alpha), width + 2.0), ink


def _sample(style: Style, role: MarkRole) -> Draw:
    """The sample of a line for the legend."""
    if role != "overlap":
        ink = color(style, role, _LINK_ALPHA if role == "link" else 1.0)
        return line_sample(Stroke(ink, _WIDTHS[role]), arrow=role in ("velocity", "velocity_before"))
    red = color(style, role)

    def draw(rect: QRectF) -> Iterator[Flat]:
        middle, radius = rect.center(), rect.height() / 2
        points = np.array([(middle.x() + side * 0.6 * radius, middle.y()) for side in (-1.0, 1.0)])
        yield Circles(points, np.full(2, radius - 0.75), radius, (Look((Stroke(red, 1.5),)),))
        yield shapes([lens(points[0], radius, points[1], radius)], red)

    return draw
