"""The slab in the picture: handles at the box that move its two planes, where these cut the box, and a card that says
how much is cut off and ends it by a click."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, product
from math import hypot

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.layer import Style
from aggviewer.canvas.layers.primitives import Circles, Flat, Lines, Look, Stroke
from aggviewer.canvas.legend import EDGE, PAD, Key, LegendInk, ground, lines
from aggviewer.canvas.mouse import Gesture
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.arrays import Floats
from engine.plotting.projection import WHOLE, axes_of

THINNEST = 0.02
"""The least thickness of a slab, as a share of the depth of the box."""

_INK = ("#ffd166", "#8a5a00")
"""Colours on dark and on light backgrounds: those of what can be dragged."""

_HANDLE, _QUIET = 6.0, 4.5  # radius in pixels of a handle that cuts, and of one at its end
_NEAR = 9.0  # pixels from the middle of a handle at which it is taken
_STEPS = 400  # places of a handle on its way
_LEAST_WAY = 90.0  # its length in pixels
_CROSS = 7.0  # width in pixels of the cross that ends the cut


def ends_with_handle(scene: Scene, camera: Camera, view: ViewModel) -> tuple[int, ...]:
    """The ends of the depth that have a handle, 0 for the back and 1 for the front: in space, while the box is shown,
    the front, and once something is cut off also the back, which would lie over the spheres before it."""
    if camera.pose is None or not (view.show_box and scene.shown):
        return ()
    return (1,) if view.slab == WHOLE else (0, 1)


def _way(scene: Scene, camera: Camera) -> Floats:
    """The way of the handles through the box: the pixels (n, 2) of shares of the depth, evenly spaced from 0 to 1.

    It is the diagonal from the corner farthest from the viewer to the nearest one, unless they are too near to each
    other in the picture: then the longest one.
    """
    assert camera.pose is not None
    box, towards = scene.box, axes_of(camera.pose.turn)[2]
    ends = [np.array(corner) * box for corner in product((0.0, 1.0), repeat=3)]
    near = np.where(towards >= 0.0, box, 0.0)
    size = [hypot(*np.subtract(*camera.seen(np.stack([box - end, end]))[0]).tolist()) for end in (near, *ends)]
    if size[0] < _LEAST_WAY:
        near = ends[int(np.argmax(size[1:]))]
        near = near if towards @ (2.0 * near - box) >= 0.0 else box - near
    shares = np.linspace(0.0, 1.0, _STEPS + 1)[:, np.newaxis]
    return camera.seen((1.0 - shares) * (box - near) + shares * near)[0]


def _places(way: Floats, view: ViewModel) -> Floats:
    return way[[round(_STEPS * share) for share in view.slab]]


def handles(scene: Scene, camera: Camera, view: ViewModel) -> Floats:
    """The middles of the handles of the back and of the front, (2, 2), in pixels."""
    return _places(_way(scene, camera), view)


def _outline(scene: Scene, camera: Camera, end: int, share: float) -> Floats:
    """Where a plane of the slab cuts the box: the corners (n, 2) of a polygon in pixels."""
    assert camera.pose is not None
    corners = np.array(list(product(*((0.0, side) for side in scene.sides))))
    depth = camera.pose.seen(corners, (camera.x, camera.y))[1]
    at = depth.min() + share * np.ptp(depth)
    found = []
    for one, other in combinations(range(8), 2):
        if np.count_nonzero(corners[one] != corners[other]) == 1 and (depth[one] < at) != (depth[other] < at):
            part = (at - depth[one]) / (depth[other] - depth[one])
            found.append(corners[one] + part * (corners[other] - corners[one]))
    if len(found) < 3:
        return np.zeros((0, 2))
    pixels = camera.seen(np.array(found))[0]
    x, y = (pixels - pixels.mean(axis=0)).T
    return pixels[np.argsort(np.arctan2(y, x))]


def card(scene: Scene, view: ViewModel, key: Key, top: float) -> QRectF:
    """The rectangle of the card that says how much is cut off; empty if nothing is. top : of the free space in the
    upper left corner, in pixels."""
    if view.slab == WHOLE or scene.dimensions < 3 or not scene.shown:
        return QRectF()
    width = key.advance(_words(view)) + (PAD + _CROSS) * key.enlarged + 2 * PAD
    return QRectF(EDGE, top, round(width), round(key.line + PAD))


def _words(view: ViewModel) -> str:
    return f"{100.0 * (1.0 - (view.slab[1] - view.slab[0])):.0f} % of the depth cut off"


def drawn(style: Style, key: Key, top: float) -> Iterator[Flat]:
    """The handles, the outlines of the planes, and the card. top : see `card`."""
    scene, camera, view = style.scene, style.camera, style.view
    ink = style.ink(*_INK)
    ends = ends_with_handle(scene, camera, view)
    if ends:
        way = _way(scene, camera)
        places = _places(way, view)
        for end in ends:
            cuts = view.slab[end] != WHOLE[end]
            if cuts:
                corners = _outline(scene, camera, end, view.slab[end])
                sides = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
                faint = style.ink(*_INK, alpha=0.8 if end else 0.4)
                yield Lines(np.concatenate([sides, [[way[-end], places[end]]]]), (Stroke(faint, 1.25),))
            radius, color = (_HANDLE, ink) if cuts else (_QUIET, LegendInk.on(view).quiet)
            strokes = (Stroke(style.halo(), 4.0), Stroke(color, 1.75))
            fill = replace(style.background, alpha=0.8 if cuts else 0.3)
            yield Circles(places[end : end + 1], np.array([radius]), radius + 2.0, (Look(strokes, fill),))
    rect = card(scene, view, key, top)
    if not rect.isEmpty():
        yield ground(view, rect)
        yield key.text(ink, rect.adjusted(PAD, 0.0, 0.0, 0.0), _words(view))
        half, x, y = _CROSS * key.enlarged / 2, rect.right() - PAD - _CROSS * key.enlarged / 2, rect.center().y()
        cross = [(x - half, y - half, x + half, y + half), (x - half, y + half, x + half, y - half)]
        yield lines(cross, Stroke(LegendInk.on(view).text, 1.5))


class MoveSlab(Gesture):
    """Drags a handle of the slab.

    Parameters
    ----------
    end : 0 at the back, 1 at the front.
    at : where the button was pressed, in pixels.
    """

    cursor = Qt.CursorShape.OpenHandCursor
    held = Qt.CursorShape.ClosedHandCursor

    def __init__(self, scene: Scene, camera: Camera, view: ViewModel, end: int, at: QPointF) -> None:
        self._view, self._end = view, end
        self.tip = "Drag to cut from the front" if end else "Drag to cut from the back"
        way = _way(scene, camera)
        along = way[-1] - way[0]
        self._along = along / max(hypot(*along.tolist()), 1e-9)
        self._way = way @ self._along
        self._off = float(_places(way, view)[end] @ self._along) - self._of(at)

    def _of(self, at: QPointF) -> float:
        """How far along the way a pixel is."""
        return float(np.array([at.x(), at.y()]) @ self._along)

    def move(self, at: QPointF) -> None:
        """Move the plane to the place of the pointer on the way of the handle."""
        share = float(np.abs(self._way - self._of(at) - self._off).argmin()) / _STEPS
        back, front = self._view.slab
        if self._end:
            front = max(share, back + THINNEST)
        else:
            back = min(share, front - THINNEST)
        self._view.slab = round(back, 2), round(front, 2)

    def release(self, how: Qt.KeyboardModifier) -> None:
        """The plane stays where it is."""

    def click(self, how: Qt.KeyboardModifier) -> bool:
        """Do nothing on a click."""
        return True


class EndCut(Gesture):
    """A click on the card that says what is cut off."""

    cursor = Qt.CursorShape.PointingHandCursor
    tip = "Click to show the whole box"

    def __init__(self, end_cut: Callable[[], object]) -> None:
        self._end_cut = end_cut

    def move(self, at: QPointF) -> None:
        """Do nothing: it is no handle."""

    def release(self, how: Qt.KeyboardModifier) -> None:
        """Do nothing."""

    def click(self, how: Qt.KeyboardModifier) -> bool:
        """Show the whole box again."""
        self._end_cut()
        return True


def handle_at(scene: Scene, camera: Camera, view: ViewModel, at: QPointF) -> MoveSlab | None:
    """The gesture for a press at a pixel; None beside the handles."""
    ends = ends_with_handle(scene, camera, view)
    if not ends:
        return None
    away = np.hypot(*(handles(scene, camera, view) - (at.x(), at.y())).T)
    end = min(ends[::-1], key=lambda one: away[one])
    return MoveSlab(scene, camera, view, end, at) if away[end] <= _NEAR else None
