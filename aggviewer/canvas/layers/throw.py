"""The velocity of a disc that the user can throw: an arrow from its edge, with a handle at the tip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.layers.layer import Layer, Moment, Style
from aggviewer.canvas.layers.primitives import Arrows, Circles, Labels, Look, Primitive, Stroke
from aggviewer.canvas.layers.velocities import arrow_length
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.style.numbers import round_below

NAME = "throw"
INK = ("#ffd166", "#8a5a00")
"""Colours on dark and on light backgrounds."""

HANDLE = 5.0
"""Radius of the handle, in pixels."""

_WIDTH = 2.25  # pixels


@dataclass(frozen=True, eq=False)
class ThrowArrow:
    """What the layer draws.

    Attributes
    ----------
    disc : its number; the arrow is at its position in the scene.
    velocity : (2,), its present or future velocity.
    usual : the root mean square speed of all discs, 0 if nothing moves.
    handle : whether the tip can be dragged: not while the disc itself is dragged.
    """

    disc: int
    velocity: NDArray[np.float64]
    usual: float
    handle: bool = True

    def length(self, scene: Scene, view: ViewModel) -> float:
        """Length of the arrow per speed: the same as in the velocity layer."""
        arrows = scene.data("velocities")
        typical = arrows.round_speed if arrows is not None else round_below(self.usual) if self.usual > 0.0 else 0.0
        return arrow_length(scene, view, typical or 2.0 * scene.mean_radius)

    def foot(self, scene: Scene) -> NDArray[np.float64]:
        """The foot, (2,): at the edge of the disc, so that the tip can be dragged even if the disc is at rest."""
        speed = float(np.hypot(*self.velocity))
        ahead = self.velocity / speed if speed > 0.0 else np.array([1.0, 0.0])
        at: NDArray[np.float64] = scene.positions[self.disc] + scene.radii[self.disc] * ahead
        return at

    def tip(self, scene: Scene, view: ViewModel) -> NDArray[np.float64]:
        """The tip, (2,)."""
        return self.foot(scene) + self.velocity * self.length(scene, view)

    def velocity_at(self, place: NDArray[np.float64], scene: Scene, view: ViewModel) -> NDArray[np.float64]:
        """The velocity (2,) whose arrow ends at a point (2,)."""
        way = place - scene.positions[self.disc]
        distance = float(np.hypot(*way))
        beyond = distance - float(scene.radii[self.disc])
        return way / distance * (beyond / self.length(scene, view)) if beyond > 0.0 else np.zeros(2)


class ThrowLayer(Layer):
    """Draws a `ThrowArrow`, which is pinned to the scene."""

    name = NAME
    optional = False
    momentary = True
    cut = False

    def shown(self, view: ViewModel) -> bool:
        """Whether the view shows it: as for the ring of the disc."""
        return view.show_selection

    def take(self, moment: Moment) -> None:
        """Nothing: the arrow does not belong to a frame."""

    def marks(self, data: ThrowArrow, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        foot, tip = data.foot(style.scene), data.tip(style.scene, style.view)
        speed, length = float(np.hypot(*data.velocity)), float(np.hypot(*(tip - foot)))
        if not np.isfinite(foot).all() or not (data.handle or speed > 0.0):  # a hidden disc, or one that is dragged
            return
        ink, halo = style.ink(*INK), style.halo()
        strokes = (Stroke(halo, _WIDTH + 2.5), Stroke(ink, _WIDTH))
        handle = (HANDLE + _WIDTH) / style.camera.scale if data.handle else 0.0
        if length > handle:
            end = foot + (tip - foot) * (1.0 - handle / length)
            yield Arrows(np.array([[foot, end]]), strokes, head=9.0, shortest=4.0)
        points, radii = tip[None], np.array([HANDLE])
        if data.handle:
            yield Circles(points, radii, HANDLE + _WIDTH, (Look(strokes, style.background, 0.8),))
        yield Labels(points, radii + 3.0, HANDLE + 3.0, [f"v = {speed:.2g}"], ink, halo, plate=True)
