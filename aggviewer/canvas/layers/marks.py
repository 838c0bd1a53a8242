"""The layer of marks (measurements and notes): lines, dots at their ends, and text with their numbers.

Its data are pinned to the scene. Ends on discs are at the positions of these discs in the scene, so that marks follow
them in the window, in pictures and in films.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from aggviewer.canvas.in_view import cut_in_space
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Circles, Labels, Lines, Look, Primitive, Stroke
from aggviewer.canvas.scene import Scene
from aggviewer.document.mark_kinds import VisibleDiscs
from aggviewer.document.run import Mark
from engine.geometry.nearest import wrapped

NAME = "measures"
INK = ("#ff8fd8", "#a0006e")
"""Colours on dark and on light backgrounds."""

_WIDTH = 2.0  # pixels
_CHOSEN = 3.5  # width of the selected mark
_END = 3.5  # radius of the dot at an end on a disc, and of the ring at a place
_GAP = 4.0  # pixels between a line and its text


@dataclass(frozen=True)
class MarkList:
    """The data of the layer.

    Attributes
    ----------
    marks : all marks; chosen : the index of the selected one, -1 for none.
    """

    marks: tuple[Mark, ...]
    chosen: int = -1


def choose_none(scene: Scene) -> None:
    """Draw no mark of a scene as the selected one."""
    known = scene.pinned.get(NAME)
    if isinstance(known, MarkList):
        scene.pinned[NAME] = replace(known, chosen=-1)


def discs_of_scene(scene: Scene) -> VisibleDiscs:
    """The visible discs of a scene, for measurements."""
    some_hidden = scene.hidden is not None
    return VisibleDiscs(
        scene.positions, scene.radii, scene.box, scene.periodic, 2.0 * scene.mean_radius, some_hidden=some_hidden
    )


class MarkLayer(Layer):
    """Draws the marks of a `MarkList`."""

    name = NAME
    label = "Measurements and notes"
    momentary = True
    dimensions = (2, 3)
    tip = "Distances, angles, densities and notes from the Measure menu"

    def take(self, given: LayerInput) -> None:
        """Nothing: marks do not belong to a frame."""

    def marks(self, data: MarkList, style: Style) -> Iterator[Primitive]:
        """Lines and ends of all marks, and their text above these."""
        discs, ink = discs_of_scene(style.scene), style.ink(*INK)
        words: list[str] = []
        words_at: list[np.ndarray] = []
        for number, mark in enumerate(data.marks):
            points = mark.points(discs)
            if not points:
                continue
            outline = mark.of_kind.outline(points, discs, 1.0 / style.camera.scale)
            width = _CHOSEN if number == data.chosen else _WIDTH
            strokes = (Stroke(style.halo(), width + 2.5), Stroke(ink, width))
            segments = [pair for line in outline.lines for pair in pairwise(line)]
            if segments:
                yield Lines(cut_in_space(np.array(segments), discs.box, discs.periodic)[0], strokes, in_front=True)
            looks = (Look(strokes, style.halo()), Look(strokes[:1], ink))
            on_disc = np.array([anchor.disc is not None for anchor in mark.anchors], np.int64)
            radii = np.full(len(points), _END + width - _WIDTH)
            yield Circles(np.array(points), radii, 3.0 * _END, looks, on_disc, in_front=True)
            text = mark.words(discs)
            if text and outline.words_at is not None:
                words.append(text)
                words_at.append(wrapped(outline.words_at, discs.box, discs.periodic))
        if words:
            radii = np.full(len(words), _GAP)
            yield Labels(np.array(words_at), radii, 2.0 * _GAP, words, ink, style.halo(), plate=True)
