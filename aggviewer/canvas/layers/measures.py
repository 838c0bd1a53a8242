"""Measurements and notes: lines, angles, rectangles, bands, words and arrows, with their numbers beside them.

What it draws is pinned to the scene. Places are those of the discs of the scene, so that marks on discs follow them in
window, pictures and films alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Arrows, Circles, Color, Labels, Lines, Look, Outlines, Primitive, Stroke
from aggviewer.canvas.scene import Scene
from aggviewer.session.marks.kinds import Kind, Outline, Shape, State, band_width, kind_of, readings_of
from aggviewer.session.marks.model import Mark

Floats = NDArray[np.float64]

NAME = "measures"
INK = ("#ff8fd8", "#a0006e")
"""Colours on dark and on light backgrounds."""

_WIDTH = 2.0  # pixels
_CHOSEN = 3.5  # of the mark that is chosen
_END = 3.5  # radius of the dot at an end on a disc, and of the ring at a place
_ARC = 24.0  # pixels from the corner of an angle to its arc
_GAP = 4.0  # pixels between a line and its words


@dataclass(frozen=True)
class Shown:
    """What the layer draws.

    Attributes
    ----------
    marks : all of them; chosen : the number of the one that the person has chosen, -1 for none.
    """

    marks: tuple[Mark, ...]
    chosen: int = -1


@dataclass
class _Sheet:
    """What is drawn of the marks, by kind of primitive."""

    lines: list[Floats] = field(default_factory=list)
    arrows: list[Floats] = field(default_factory=list)
    dots: list[Floats] = field(default_factory=list)
    rings: list[Floats] = field(default_factory=list)

    def polyline(self, points: Iterable[Floats]) -> None:
        """Lines from each point to the next."""
        path = list(points)
        self.lines += [np.array(pair) for pair in pairwise(path)]


def state_of(scene: Scene) -> State:
    """The discs of a scene, as they are measured."""
    hides = scene.hidden is not None
    return State(scene.positions, scene.radii, scene.box, scene.periodic, 2.0 * scene.mean_radius, hides)


def ends_of(mark: Mark, state: State) -> list[Floats]:
    """Where its ends can be taken hold of; none where one of them is nowhere, or the kind is not known."""
    return [] if kind_of(mark) is None else state.places(mark) or []


def words_of(mark: Mark, state: State) -> str:
    """What stands beside a mark: its name, and its numbers."""
    kind = kind_of(mark)
    if kind is None:
        return ""
    numbers = kind.in_picture(readings_of(mark, state))
    return ": ".join(part for part in (mark.text, numbers) if part)


class MeasureLayer(Layer):
    """See the module. Data: `Shown`."""

    name = NAME
    label = "Measurements and notes"
    momentary = True
    tip = "Distances, angles, densities, words and arrows of the Measure menu"
    reads = ()

    def take(self, moment: Moment) -> None:
        """Nothing: marks do not come with a frame."""

    def marks(self, data: Shown, style: Style) -> Iterator[Primitive]:
        """See `Layer.marks`."""
        state, ink = state_of(style.scene), style.ink(*INK)
        points: list[Floats] = []
        texts: list[str] = []
        for number, mark in enumerate(data.marks):
            kind, places = kind_of(mark), state.places(mark)
            if kind is None or places is None:
                continue
            sheet = _Sheet()
            if callable(kind.shape):
                at = _outlined(sheet, kind.shape, mark, places, state)
            else:
                at = _DRAW[kind.shape](sheet, mark, places, state, style)
            _ends(sheet, kind, mark, places)
            yield from _painted(sheet, style, ink, _CHOSEN if number == data.chosen else _WIDTH)
            if kind.of_selection:
                discs = mark.numbers[mark.numbers < len(state.positions)]
                yield Outlines(discs, ink, style.halo())
            words = words_of(mark, state)
            if words and at is not None:
                points.append(at % state.box if state.periodic else at)
                texts.append(words)
        if texts:
            radii = np.full(len(texts), _GAP)
            yield Labels(np.array(points), radii, 2.0 * _GAP, texts, ink, style.halo(), plate=True)


def _painted(sheet: _Sheet, style: Style, ink: Color, width: float) -> Iterator[Primitive]:
    strokes = (Stroke(style.halo(), width + 2.5), Stroke(ink, width))
    if sheet.lines:
        yield Lines(np.array(sheet.lines), strokes)
    if sheet.arrows:
        yield Arrows(np.array(sheet.arrows), strokes, head=12.0, shortest=3.0)
    for ends, look in ((sheet.dots, Look(strokes[:1], ink)), (sheet.rings, Look(strokes, style.halo()))):
        if ends:
            radii = np.full(len(ends), _END + width - _WIDTH)
            yield Circles(np.array(ends), radii, 3.0 * _END, (look,))


def _ends(sheet: _Sheet, kind: Kind, mark: Mark, places: list[Floats]) -> None:
    """Dots at ends on discs, rings at places. The end of an arrow that points is its tip alone."""
    last = len(places) - 1
    for number, (anchor, place) in enumerate(zip(mark.anchors, places, strict=True)):
        if not (kind.shape == "arrow" and number == last):
            (sheet.rings if anchor.disc is None else sheet.dots).append(place)


def _outlined(sheet: _Sheet, outline: Outline, mark: Mark, places: list[Floats], state: State) -> Floats | None:
    """Lines that the kind gives itself; returns where the words stand."""
    lines = [np.asarray(line, np.float64) for line in outline(mark, places, state)]
    for line in lines:
        sheet.polyline(line)
    return lines[0][0] if lines and len(lines[0]) else None


# How each shape is drawn; it returns where the words stand, None for nowhere.


def _line(sheet: _Sheet, mark: Mark, places: list[Floats], state: State, style: Style) -> Floats | None:
    step = state.step(places[0], places[1])
    sheet.lines.append(np.array([places[0], places[0] + step]))
    return places[0] + 0.5 * step


def _angle(sheet: _Sheet, mark: Mark, places: list[Floats], state: State, style: Style) -> Floats | None:
    vertex = places[1]
    steps = [state.step(vertex, place) for place in (places[0], places[2])]
    for step in steps:
        sheet.lines.append(np.array([vertex, vertex + step]))
    lengths = [hypot(*step) for step in steps]
    if min(lengths) <= 0.0:
        return None
    radius = min(_ARC / style.camera.scale, 0.5 * min(lengths))
    first = np.arctan2(steps[0][1], steps[0][0])
    turn = (np.arctan2(steps[1][1], steps[1][0]) - first + np.pi) % (2.0 * np.pi) - np.pi
    turns = first + turn * np.linspace(0.0, 1.0, 25)
    sheet.polyline(vertex + radius * np.array([np.cos(a), np.sin(a)]) for a in turns)
    middle = first + 0.5 * turn
    return np.asarray(vertex + radius * np.array([np.cos(middle), np.sin(middle)]))


def _rectangle(sheet: _Sheet, mark: Mark, places: list[Floats], state: State, style: Style) -> Floats | None:
    (x, y), (u, v) = places
    sheet.polyline(np.array(corner) for corner in ((x, y), (u, y), (u, v), (x, v), (x, y)))
    return np.array([min(x, u), max(y, v)])


def _band(sheet: _Sheet, mark: Mark, places: list[Floats], state: State, style: Style) -> Floats | None:
    step = places[1] - places[0]
    length = hypot(*step)
    sheet.arrows.append(np.array(places))
    if length > 0.0:
        half = 0.5 * band_width(mark, state) * np.array([-step[1], step[0]]) / length
        corners = (places[0] + half, places[1] + half, places[1] - half, places[0] - half, places[0] + half)
        sheet.polyline(corners)
    return places[0] + 0.5 * step


def _discs(sheet: _Sheet, mark: Mark, places: list[Floats], state: State, style: Style) -> Floats | None:
    discs = mark.numbers[mark.numbers < len(state.positions)]
    found = state.positions[discs]
    found = found[np.isfinite(found[:, 0])]
    return found[found[:, 1].argmax()] if len(found) else None


def _text(sheet: _Sheet, mark: Mark, places: list[Floats], state: State, style: Style) -> Floats | None:
    return places[0]


def _arrow(sheet: _Sheet, mark: Mark, places: list[Floats], state: State, style: Style) -> Floats | None:
    sheet.arrows.append(np.array([places[0], places[0] + state.step(places[0], places[1])]))
    return places[0]


_DRAW: dict[Shape, Callable[[_Sheet, Mark, list[Floats], State, Style], Floats | None]] = {
    "line": _line,
    "angle": _angle,
    "rectangle": _rectangle,
    "band": _band,
    "discs": _discs,
    "text": _text,
    "arrow": _arrow,
}
