"""Velocities as arrows: one for each disc, or for each cluster if discs join, with their scale in the legend, and an
arc with a head for the angular velocity of a cluster that turns; and the arrow with a handle of a disc that the user
can throw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import pi

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import to_pixels
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Arrows, Circles, Color, Flat, Labels, Look, Polygons, Primitive, Stroke
from aggviewer.canvas.legend import PAD, Entry, Key, line_sample
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.style.numbers import round_below
from engine.arrays import Floats
from engine.boundary import Periodic
from engine.frame import Frame
from engine.plotting.projection import axes_of
from engine.words import typeset

_INK = ("#ffffff", "#101317")
"""Colours on dark and on light backgrounds."""

_DIAMETERS = 1.0  # mean diameters that the arrow of the round speed below the usual one is long
_MOST = 2500  # most arrows in view; more could not be distinguished
_MOST_EVER = 200_000  # most arrows of a state; if there are more, no data are taken
_WIDTH = 1.75  # pixels on discs of 16 pixels and more, less on smaller ones
_LEAST_WIDTH = 1.0
_SAMPLE = 48.0  # greatest length in pixels of the arrow in the legend, at the default text size

_QUARTER = 0.5 * pi  # the angle of the arc for the round angular velocity below the usual one
_WHOLE_ARC, _LEAST_ARC = 1.6 * pi, 0.1  # greatest and smallest angle of an arc
_ARC = 1.6  # mean radii, the radius of an arc
_LEAST_RADIUS, _MOST_RADIUS = 7.0, 24.0  # of an arc, in pixels
_HEAD, _HALO = 5.0, 2.0  # pixels: the head of an arc, and what a halo adds to the width
_BENDS = 25  # points along an arc


@dataclass(frozen=True, eq=False)
class VelocityArrows:
    """The data of the arrows.

    Attributes
    ----------
    feet : (K, d), their feet.
    velocities : (K, d), of discs or clusters.
    usual : root mean square of their speeds.
    spins : (K,), the angular velocity of each; None where nothing turns.
    usual_spin : root mean square of those.
    """

    feet: Floats
    velocities: Floats
    usual: float
    spins: Floats | None = None
    usual_spin: float = 0.0

    @property
    def round_speed(self) -> float:
        """The speed whose arrow is a mean diameter long, unless the view sets one. It changes in steps."""
        return round_below(self.usual)


def velocities_of(
    frame: Frame, radii: Floats, box: Floats, periodic: Periodic | bool, hidden: NDArray[np.bool_] | None = None
) -> VelocityArrows | None:
    """Centre and velocity of each cluster, its discs weighted by mass if they turn, else by area; a lone disc is a
    cluster. Arcs for ω are for clusters in the plane.

    radii : (N,). None if nothing moves, or if there are too many arrows for any picture. Along each periodic axis the
        centre is the circular mean, so that it is right for a cluster across an edge. Hidden discs, (N,), do
        not contribute to arrows, and do not change the scale of the others.
    """
    spin, discs = frame.fields.get("spin"), frame.discs
    weights = np.square(radii) if spin is None or discs is None else discs.masses

    def arrows(seen: NDArray[np.bool_] | slice) -> VelocityArrows | None:
        own = None if spin is None or spin.ndim > 1 else spin[seen]
        of_discs = frame.positions[seen], frame.velocities[seen], frame.cluster[seen], radii[seen], weights[seen]
        return _arrows(*of_discs, own, box, Periodic.of(periodic, len(box)))

    found = arrows(slice(None))
    if hidden is None:
        return found
    part = arrows(~hidden)
    if part is None or found is None:
        return part
    return replace(part, usual=found.usual, usual_spin=found.usual_spin)


def _arrows(
    positions: Floats,
    velocities: Floats,
    cluster: NDArray[np.integer],
    radii: Floats,
    weights: Floats,
    spin: Floats | None,
    box: Floats,
    periodic: Periodic,
) -> VelocityArrows | None:
    """The arrows of the clusters of these discs."""
    names, which = np.unique(cluster, return_inverse=True)
    if len(names) > _MOST_EVER or not (velocities.any() or (spin is not None and spin.any())):
        return None
    spins, usual_spin = None, 0.0
    if spin is not None:
        spins = np.empty(len(names))
        spins[which] = spin
        usual_spin = float(np.sqrt(np.square(spins).mean()))
    if len(names) == len(which):
        feet = positions.copy()
        if len(box) > 2:  # a sphere hides what is inside it
            speeds = np.sqrt(np.square(velocities).sum(axis=1, keepdims=True))
            feet += velocities * (radii[:, np.newaxis] / np.maximum(speeds, 1e-300))
        return VelocityArrows(
            feet, velocities.copy(), _usual(velocities), None if spin is None else spin.copy(), usual_spin
        )
    total = np.bincount(which, weights)

    def mean(values: Floats) -> Floats:
        found: Floats = np.bincount(which, weights * values) / total
        return found

    feet = np.empty((len(names), len(box)))
    for axis in range(len(box)):
        at = positions[:, axis]
        if periodic[axis]:
            turn = 2.0 * np.pi * at / box[axis]
            feet[:, axis] = (
                np.arctan2(mean(np.sin(turn)), mean(np.cos(turn))) % (2.0 * np.pi) * box[axis] / (2.0 * np.pi)
            )
        else:
            feet[:, axis] = mean(at)
    moved = np.stack([mean(velocities[:, axis]) for axis in range(len(box))], axis=1)
    if not (moved.any() or usual_spin > 0.0):
        return None
    return VelocityArrows(feet, moved, _usual(moved), spins, usual_spin)


def _usual(velocities: Floats) -> float:
    return float(np.sqrt(np.square(velocities).sum(axis=1).mean()))


class VelocityLayer(Layer):
    """An arrow for the velocity of each disc. Nothing is drawn if so many arrows are in view that they would cover each
    other."""

    name = "velocities"
    dimensions = (2, 3)
    label = "Velocity arrows"
    tip = (
        "An arrow for each {disc} or cluster, proportional to its velocity in the laboratory, and an arc for its "
        "angular velocity; zoom in if there are too many"
    )
    keys = ("V",)
    apart_from = 10_000
    missing = "nothing moves"
    too_small = "zoom in"

    def available(self, frame: Frame | None) -> bool:
        """Whether a frame has what this layer draws."""
        if frame is None:
            return False
        return bool(frame.velocities[:1].any() or frame.velocities.any()) or bool(np.any(frame.fields.get("spin", 0.0)))

    def take(self, given: LayerInput) -> VelocityArrows | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        return velocities_of(given.frame, given.radii, given.box, given.periodic, given.hidden)

    def drawn(self, data: VelocityArrows, style: Style) -> bool:
        """Whether discs are large enough for this layer at the present zoom."""
        if len(data.feet) <= _MOST:
            return True
        x, y = to_pixels(data.feet, style.camera).T  # separately: reducing an axis of length two is slow in numpy
        seen = (x >= 0.0) & (x <= style.camera.width) & (y >= 0.0) & (y <= style.camera.height)
        return bool(np.count_nonzero(seen) <= _MOST)

    def marks(self, data: VelocityArrows, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        if not self.drawn(data, style):
            return
        if data.usual > 0.0:
            segments = np.stack([data.feet, data.feet + data.velocities * _per_speed(data, style)], axis=1)
            ink = _stroke(style)
            yield Arrows(segments, (Stroke(style.halo(), ink.width + 2.0), ink), head=7.0, shortest=3.0)
        if data.spins is not None and data.usual_spin > 0.0:
            yield from _arcs(data, data.spins, style)

    def legend(self, data: VelocityArrows | None, style: Style, key: Key) -> list[Entry]:
        """An arrow for a round speed, with its length in the picture."""
        if data is None:
            return []
        longest = _SAMPLE * key.enlarged
        found = [] if not data.usual > 0.0 else [self._of_speed(data, style, key, longest)]
        if data.usual_spin > 0.0:
            found.append(_of_spin(data, style, key, longest))
        return found

    def _of_speed(self, data: VelocityArrows, style: Style, key: Key, longest: float) -> Entry:
        per_speed = _per_speed(data, style) * style.camera.scale  # pixels
        speed = round_below(longest / per_speed)
        text = f"velocity {typeset(speed, 'g')}"
        arrow = line_sample(_stroke(style), arrow=True)

        def draw(rect: QRectF) -> Iterator[Flat]:
            yield from arrow(QRectF(rect.left(), rect.center().y() - 6, speed * per_speed, 12))
            yield key.text(key.ink.quiet, rect.adjusted(longest + PAD, 0, 0, 0), text)

        # space for the longest number, so that nothing moves when it changes
        return Entry(longest + PAD + key.advance("velocity 0.0005"), key.step, draw, True)


def _arcs(data: VelocityArrows, spins: Floats, style: Style) -> Iterator[Primitive]:
    """An arc with a head around the foot of each arrow, in the sense of rotation; its angle is proportional to ω."""
    angles = np.clip(spins / round_below(data.usual_spin) * _QUARTER, -_WHOLE_ARC, _WHOLE_ARC)
    turning = np.abs(angles) >= _LEAST_ARC
    feet, angles = data.feet[turning, None, :], angles[turning]
    radius = min(max(_ARC * 0.5 * style.diameter, _LEAST_RADIUS), _MOST_RADIUS)
    ink = _stroke(style)
    for width, color in ((ink.width + _HALO, style.halo()), (ink.width, ink.color)):
        yield _shapes(feet + _arc(angles, radius, width) / style.camera.scale, color)


def _shapes(outlines: Floats, fill: Color) -> Polygons:
    """Filled shapes with these outlines, (K, P, 2)."""
    count, corners = outlines.shape[:2]
    start, which = np.arange(count + 1, dtype=np.int64) * corners, np.zeros(count, np.int64)
    return Polygons(outlines.reshape(-1, 2), start, which, [fill], [fill], 0.0)


def _arc(angles: Floats, radius: float, width: float) -> Floats:
    """Outlines (K, P, 2) of arcs of these angles (K,), and a head after that, around the origin; they begin at the top,
    and y is up.

    radius, width : pixels, of the middle of the line and across it.
    """
    sign = np.sign(angles)[:, None]
    neck, head = np.abs(angles)[:, None], np.full((len(angles), 1), (_HEAD + 0.5 * width) / radius)
    along = np.linspace(0.0, 1.0, _BENDS)[None, :] * neck
    wide, thin = 0.55 * (_HEAD + width) * np.ones_like(neck), np.full_like(along, 0.5 * width)
    at = np.concatenate([along, neck, neck + head, neck, along[:, ::-1]], axis=1)
    from_middle = np.concatenate([thin, wide, np.zeros_like(neck), -wide, -thin], axis=1)
    turned = _QUARTER + sign * at
    distance = radius + from_middle
    return np.stack([distance * np.cos(turned), distance * np.sin(turned)], axis=2)


def _of_spin(data: VelocityArrows, style: Style, key: Key, longest: float) -> Entry:
    """A quarter of a turn, for a round angular velocity."""
    text, high = f"spin {round_below(data.usual_spin):g}", 0.5 * key.step
    (outline,) = _arc(np.array([-_QUARTER]), high, _stroke(style).width)

    def draw(rect: QRectF) -> Iterator[Flat]:
        corner = rect.left() + 0.5 * (longest - high), rect.center().y() + 0.5 * high
        points = np.array(corner) + outline * (1.0, -1.0)
        yield _shapes(points[None], _stroke(style).color)
        yield key.text(key.ink.quiet, rect.adjusted(longest + PAD, 0, 0, 0), text)

    return Entry(longest + PAD + key.advance("spin 0.0005"), key.step, draw, True)


def arrow_length(scene: Scene, view: ViewModel, typical: float) -> float:
    """The length of an arrow divided by the speed: a mean diameter for the speed set by the view or shared by pictures
    side by side, else for a `typical` speed."""
    return _DIAMETERS * 2.0 * scene.mean_radius / (view.arrow_speed or scene.arrow_speed or typical)


def share_arrows(scenes: Sequence[Scene]) -> None:
    """Give the velocity arrows of pictures side by side a common scale; a single picture has that of its frame."""
    arrows = [scene.data(VelocityLayer.name) for scene in scenes] if len(scenes) > 1 else []
    usual = [one.usual for one in arrows if one is not None]
    for scene in scenes:
        scene.arrow_speed = round_below(max(usual)) if usual else 0.0


def _per_speed(data: VelocityArrows, style: Style) -> float:
    return arrow_length(style.scene, style.view, data.round_speed)


def _stroke(style: Style) -> Stroke:
    return Stroke(style.ink(*_INK), max(_LEAST_WIDTH, min(_WIDTH, style.diameter / 9.0)))


THROW = "throw"
_THROW_INK = ("#ffd166", "#8a5a00")
"""Colours on dark and on light backgrounds."""

HANDLE = 5.0
"""Radius of the handle, in pixels."""

_THROW_WIDTH = 2.25  # pixels


@dataclass(frozen=True, eq=False)
class ThrowArrow:
    """What the layer draws.

    Attributes
    ----------
    disc : its number; the arrow is at its position in the scene.
    velocity : (d,), its present or future velocity.
    usual : the speed for which the arrow is about a mean diameter long; a throw may be ten times as fast.
    handle : whether the tip can be dragged: not while the disc itself is dragged.
    hits : whether the disc would at once hit another one head-on.
    """

    disc: int
    velocity: NDArray[np.float64]
    usual: float
    handle: bool = True
    hits: bool = False

    def length(self, scene: Scene, view: ViewModel) -> float:
        """Length of the arrow per speed: the same as in the velocity layer, unless all discs are nearly at rest."""
        arrows = scene.data("velocities")
        typical = max(round_below(self.usual), 0.0 if arrows is None else arrows.round_speed)
        return arrow_length(scene, view, typical)

    def foot(self, scene: Scene, camera: Camera) -> NDArray[np.float64]:
        """The foot, (d,): beside the disc, so that the handle covers nothing of it even if it is at rest. Then it is to
        the right in the picture."""
        speed = float(np.hypot.reduce(self.velocity))
        right = np.array([1.0, 0.0]) if camera.pose is None else axes_of(camera.pose.turn)[0]
        ahead = self.velocity / speed if speed > 0.0 else right
        at: NDArray[np.float64] = scene.positions[self.disc] + self._beside(scene, camera) * ahead
        return at

    def _beside(self, scene: Scene, camera: Camera) -> float:
        """The distance of the foot from the centre of the disc."""
        magnified = float(camera.seen(scene.positions[self.disc])[1])
        return float(scene.radii[self.disc]) + (HANDLE + _THROW_WIDTH) / (camera.scale * magnified)

    def tip(self, scene: Scene, view: ViewModel, camera: Camera) -> NDArray[np.float64]:
        """The position of the arrow's tip, (d,)."""
        return self.foot(scene, camera) + self.velocity * self.length(scene, view)

    def velocity_at(
        self, place: NDArray[np.float64], scene: Scene, view: ViewModel, camera: Camera
    ) -> NDArray[np.float64]:
        """The velocity (d,) whose arrow ends at a point (d,)."""
        way = place - scene.positions[self.disc]
        distance = float(np.hypot.reduce(way))
        beyond = distance - self._beside(scene, camera)
        return way / distance * (beyond / self.length(scene, view)) if beyond > 0.0 else np.zeros(len(way))

    def seen(self, scene: Scene, camera: Camera) -> bool:
        """Whether its disc is in the picture: not hidden, and in space not cut away by the slab."""
        place, pose = scene.positions[self.disc], camera.pose
        if pose is None or not np.isfinite(place).all():
            return bool(np.isfinite(place).all())
        middle = camera.x, camera.y
        return bool(pose.beyond_slab(pose.seen(place, middle)[1], scene.box, middle) < scene.radii[self.disc])


class ThrowLayer(Layer):
    """Draws a `ThrowArrow`, which is pinned to the scene."""

    name = THROW
    dimensions = (2, 3)
    optional = False
    momentary = True
    cut = False

    def switched_on(self, view: ViewModel) -> bool:
        """Whether the view shows it: as for the ring of the disc."""
        return view.show_selection

    def take(self, given: LayerInput) -> None:
        """Nothing: the arrow does not belong to a frame."""

    def marks(self, data: ThrowArrow, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        scene, camera = style.scene, style.camera
        speed = float(np.hypot.reduce(data.velocity))
        if not data.seen(scene, camera):
            return
        if not data.handle and camera.pose is not None:  # it is dragged, maybe behind other spheres
            place = scene.positions[[data.disc]]
            radii = scene.radii[[data.disc]] * camera.scale * camera.seen(place)[1]
            rings = Look((Stroke(style.halo(), _THROW_WIDTH + 2.5), Stroke(style.ink(*_INK), _THROW_WIDTH)))
            yield Circles(place, radii, float(radii[0]) + _THROW_WIDTH, (rings,), in_front=True)
        if not (data.handle or speed > 0.0):
            return
        foot, tip = data.foot(scene, camera), data.tip(scene, style.view, camera)
        length = float(np.hypot.reduce(np.subtract(*to_pixels(np.array([tip, foot]), camera))))
        ink, halo = style.ink(*_THROW_INK), style.halo()
        strokes = (Stroke(halo, _THROW_WIDTH + 2.5), Stroke(ink, _THROW_WIDTH))
        handle = HANDLE + _THROW_WIDTH if data.handle else 0.0
        if length > handle:
            end = foot + (tip - foot) * (1.0 - handle / length)
            yield Arrows(np.array([[foot, end]]), strokes, head=9.0, shortest=4.0, in_front=True)
        points, radii = tip[None], np.array([HANDLE])
        words = f"v = {typeset(speed, '.2g')}" + (", hits a neighbour" if data.hits else "")
        if data.handle:
            look = Look(strokes, style.background, 0.8)
            yield Circles(points, radii, HANDLE + _THROW_WIDTH, (look,), in_front=True)
        yield Labels(points, radii + 3.0, HANDLE + 3.0, [words], ink, halo, plate=True)
