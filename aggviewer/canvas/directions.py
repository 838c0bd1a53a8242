"""The directions of the axes and of gravity, in a corner of the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import hypot

import numpy as np
from PyQt6.QtCore import QPointF, QRectF

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.primitives import Circles, Color, Flat, Lines, Look, Stroke
from aggviewer.canvas.legend import EDGE, Key, ground, lines
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.arrays import Floats
from engine.plotting.projection import axes_of

_ARM, _LETTER = 24.0, 11.0  # pixels: length of an axis, and from its end to the middle of its letter
_SHORT = 0.3  # of its length: what is shorter in the picture points to the viewer or away
_HEAD = 7.0  # pixels
_HALO = 3.0  # pixels by which the halo of a line is wider
_AWAY = 0.55  # opacity of what points away from the viewer
_ROOM = 8.0  # pixels around an arrow alone
_RING = 5.0  # radius in pixels of the sign of an arrow that points to the viewer or away


@dataclass(frozen=True)
class _Arm:
    """A direction: its name, its parts to the right, up and towards the viewer, and whether it is an arrow."""

    name: str
    right: float
    up: float
    towards: float
    arrow: bool = False

    @property
    def length(self) -> float:
        """Its length in the picture."""
        return hypot(self.right, self.up)


def _arms(scene: Scene, camera: Camera, view: ViewModel) -> list[_Arm]:
    """The directions that the view shows, the farthest first."""
    turn = np.eye(3) if camera.pose is None else axes_of(camera.pose.turn)
    found = []
    if view.show_axes and camera.pose is not None:
        found = [_Arm(name, right, up, near) for name, (right, up, near) in zip("xyz", turn.T.tolist(), strict=True)]
    if view.show_gravity and scene.gravity:
        pull = np.zeros(3)
        pull[: len(scene.gravity)] = scene.gravity
        right, up, near = (turn @ pull / np.sqrt(pull @ pull)).tolist()
        found.append(_Arm("g", right, up, near, arrow=True))
    return sorted(found, key=lambda arm: arm.towards)


def directions(
    scene: Scene,
    camera: Camera,
    view: ViewModel,
    key: Key,
    taken: Sequence[QRectF],
    box: QRectF,
    *,
    grounds: bool = True,
    corners: Floats | None = None,
) -> Iterator[Flat]:
    """The axes of a box in space and the arrow of gravity, where there is room.

    taken : the cards of the picture; box : in pixels; grounds : whether they have a background of their
        own, in the plane; corners : of a box in space in pixels, (8, 2), to be beside it if there is such a place. In a
        window the place does not depend on how the box is turned.
    """
    arms = _arms(scene, camera, view)
    if not arms:
        return
    size, alone = key.enlarged, len(arms) == 1
    side = 2.0 * ((_ARM + _LETTER) * size + 0.6 * key.line) if not alone else (_ARM + 2.0 * _ROOM) * size
    rect = _room(side, camera, taken, box if scene.dimensions == 2 else QRectF(), corners)
    if rect is None:
        return
    halo = None
    if scene.dimensions > 2:  # a ground would cut a piece out of the box
        halo = Color(*view.background_rgb, 0.8)
    elif grounds:
        yield ground(view, rect)
    middle, ink, letters = rect.center(), key.ink, []
    free = _free_side(arms)
    for arm in arms:
        color = ink.text if arm.arrow else ink.quiet
        color = replace(color, alpha=1.0 if arm.towards > -0.1 else _AWAY)
        stroke = Stroke(color, (2.0 if arm.arrow else 1.5) * size)
        way = QPointF(arm.right, -arm.up)
        foot = middle - _ARM * size / 2 * way if alone and arm.length > _SHORT else middle
        if arm.length > _SHORT:
            tip = foot + _ARM * size * way
            parts = [lines([_line(foot, tip)], stroke)]
            if arm.arrow:
                parts.append(_head(foot, tip, _HEAD * size, stroke))
            if halo is not None:
                yield from (replace(part, strokes=(Stroke(halo, stroke.width + _HALO),)) for part in parts)
            yield from parts
            way /= arm.length
            if alone:  # its name is beside it
                tip, way = middle, QPointF(abs(way.y()), -abs(way.x()))
        elif arm.arrow:
            tip = middle + QPointF(-free.y(), free.x()) * (0.0 if alone else 0.75 * _ARM * size)
            yield from _towards_or_away(tip, arm.towards > 0.0, _RING * size, stroke)
            way = QPointF(-1.4 if tip.x() < middle.x() else 1.4, 0.0)
        else:
            tip, way = middle, free
        letters.append((arm, tip, way))
    drawn: list[QRectF] = []
    for arm, tip, way in sorted(letters, key=lambda one: not one[0].arrow):
        box = QRectF(0.0, 0.0, key.advance(arm.name), 0.7 * key.line)
        sideways = QPointF(-way.y(), way.x())
        for off in (way, way + sideways, way - sideways, 2.0 * way):
            box.moveCenter(tip + _LETTER * size * off)
            if not any(box.intersects(other) for other in drawn):
                break
        drawn.append(QRectF(box))
        yield replace(key.text(ink.text, box, arm.name), halo=Color(*view.background_rgb, 0.8))


def _room(side: float, camera: Camera, taken: Sequence[QRectF], box: QRectF, solid: Floats | None) -> QRectF | None:
    """A square beside the box and the cards `taken`, or over the box in an upper corner; None if there is no room.

    solid : corners of a box in space, (8, 2), beside which it is if possible.
    """
    right = camera.width - EDGE - side
    corners = [QRectF(left, EDGE, side, side) for left in (right, EDGE)]
    beside = [
        QRectF(left, card.bottom() - side, side, side)
        for card in taken
        for left in (card.right() + EDGE, card.left() - EDGE - side)
    ]
    lower = [QRectF(left, camera.height - EDGE - side, side, side) for left in (EDGE, right)]
    picture = QRectF(0.0, 0.0, camera.width, camera.height)
    if side + 2 * EDGE > 0.5 * min(camera.width, camera.height):
        return None
    places = [
        *(rect for rect in (*corners, *beside, *lower) if not rect.intersects(box) and picture.contains(rect)),
        *corners,
    ]
    free = [rect for rect in places if not any(rect.intersects(other) for other in taken)]
    if solid is not None:
        free.sort(key=lambda rect: _covered(rect, solid))
    return free[0] if free else None


def _covered(rect: QRectF, corners: Floats) -> float:
    """The share of a rectangle inside the outline of some points, (K, 2)."""
    steps = np.linspace(0.0, 1.0, 7)
    across, down = np.meshgrid(rect.left() + rect.width() * steps, rect.top() + rect.height() * steps)
    away = corners - np.stack([across, down], axis=-1).reshape(-1, 1, 2)
    angles = np.sort(np.arctan2(away[..., 1], away[..., 0]), axis=1)
    gaps = np.diff(angles, axis=1, append=angles[:, :1] + 2.0 * np.pi)
    return float((gaps.max(axis=1) < np.pi).mean())


def _free_side(arms: Sequence[_Arm]) -> QPointF:
    """The direction in pixels to which the fewest arms point, of length 1."""
    right, up = sum(arm.right for arm in arms if not arm.arrow), sum(arm.up for arm in arms if not arm.arrow)
    length = hypot(right, up)
    return QPointF(-right / length, up / length) if length > 1e-6 else QPointF(0.0, 1.0)


def _line(one: QPointF, other: QPointF) -> tuple[float, float, float, float]:
    return one.x(), one.y(), other.x(), other.y()


def _head(foot: QPointF, tip: QPointF, size: float, stroke: Stroke) -> Lines:
    """The head of an arrow."""
    way = tip - foot
    back = way * (-size / hypot(way.x(), way.y()))
    across = QPointF(-back.y(), back.x()) * 0.6
    ends = [tip + back + across, tip, tip + back - across]
    return lines([_line(one, other) for one, other in pairwise(ends)], stroke)


def _towards_or_away(at: QPointF, towards: bool, radius: float, stroke: Stroke) -> Iterator[Flat]:
    """The sign of an arrow that points to the viewer, a dot in a ring, or away, a cross in a ring."""
    points = np.array([[at.x(), at.y()]])
    look = Look((stroke,), stroke.color if towards else None, 0.35)
    yield Circles(points, np.array([radius]), radius + stroke.width, (look,))
    if not towards:
        d = radius * 0.7
        yield lines(
            [(at.x() - d, at.y() - d, at.x() + d, at.y() + d), (at.x() - d, at.y() + d, at.x() + d, at.y() - d)], stroke
        )
