"""Flashes of collisions, merges and wall reflections: a spot and a growing ring, both fading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Circles, Look, Primitive, Stroke
from aggviewer.canvas.scene import all_seen
from aggviewer.document.view import ViewModel
from engine.boundary import Periodic
from engine.frame import Frame
from engine.geometry.nearest import nearest_image, wrapped

INK = ("#ffffff", "#101317")
"""Colours on dark and on light backgrounds."""

_SPAN = (0.3, 0.8)  # radius of the ring at the start and at the end of a flash, in radii of the smaller disc
_PIXELS = 3.0  # at least
_STEPS = 8  # of its strength
_MOMENT = 1e-12  # relative difference up to which two times count as the same

LASTS = 0.35
"""Duration of a flash in seconds of wall time."""


@dataclass(frozen=True, eq=False)
class Flashes:
    """The events to flash.

    Attributes
    ----------
    points : (K, d), where they happened.
    radii : (K,), of the smaller disc of each, in world units.
    strength : (K,), 1 at the time of the event, decreasing to 0.
    """

    points: NDArray[np.float64]
    radii: NDArray[np.float64]
    strength: NDArray[np.float64]


def flashes_of(
    frame: Frame,
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    periodic: Periodic | bool,
    lasts: float,
    hidden: NDArray[np.bool_] | None = None,
) -> Flashes | None:
    """The newest collisions, merges and wall reflections of a frame; None if there are none.

    Parameters
    ----------
    radii : (N,), of the system.
    lasts : duration of a flash in simulation time; 0 for events at the time of the frame only.
    hidden : (N,), discs whose events do not flash; None for none.

    Notes
    -----
    A flash is where the discs touched, even after they have moved on. If the frame does not give that place, it is
    found by following each disc back in time, X - V * age, unless it has collided again since.
    """
    if frame.impacts is None:
        return None
    around = Periodic.of(periodic, len(box)).strained(frame.strain, box)
    age = frame.time - frame.impacts.time
    now = _MOMENT * abs(frame.time)  # times are sums, whose rounding depends on the order
    recent = np.flatnonzero((age >= -now) & ((age < lasts) | (age <= now)))
    if hidden is not None:
        recent = recent[all_seen(hidden, frame.impacts.pairs[recent])]
    if not len(recent):
        return None
    age, pairs = np.maximum(age[recent], 0.0), frame.impacts.pairs[recent]
    one, two = pairs[:, 0], pairs[:, 1]
    size = radii * frame.radius_factor
    met = two >= 0
    smaller = np.where(met, np.minimum(size[one], size[two]), size[one])
    strength = 1.0 - age / lasts if lasts > 0.0 else np.ones(len(age))
    if frame.impacts.points is not None:
        return Flashes(frame.impacts.points[recent], smaller, np.maximum(strength, 0.0))
    first = _followed_back(frame, one, age)
    towards = np.empty_like(first)
    apart = _followed_back(frame, two[met], age[met]) - first[met]
    passed = age * frame.shear_rate * box[1]  # images were less far ahead
    apart[:, 0] += np.rint(apart[:, 1] / box[1]) * passed[met]
    towards[met] = nearest_image(apart, box, around)
    towards[~met] = _to_wall(first[~met], box, around)
    reach = np.maximum(np.sqrt(np.square(towards).sum(axis=1)), 1e-300)
    points = first + towards * (size[one] / reach)[:, None]
    points[:, 0] += np.floor(points[:, 1] / box[1]) * passed
    return Flashes(wrapped(points, box, around), smaller, np.maximum(strength, 0.0))


def _followed_back(frame: Frame, discs: NDArray[np.int32], age: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centres (K, d) at the time `age` (K,) ago; for discs that have collided since, those at the time of the frame."""
    free = age.copy()
    last_contact = frame.fields.get("last_contact")
    if last_contact is not None:
        free[last_contact[discs] > frame.time - age + 1e-12 * abs(frame.time)] = 0.0
    centres: NDArray[np.float64] = frame.positions[discs] - frame.velocities[discs] * free[:, None]
    return centres


def _to_wall(centres: NDArray[np.float64], box: NDArray[np.float64], periodic: Periodic) -> NDArray[np.float64]:
    """Unit vectors (K, d) to the nearest wall."""
    gaps = np.stack([centres, box - centres], axis=2)  # below and above
    gaps[:, list(periodic.axes)] = np.inf
    gaps = gaps.reshape(len(centres), 2 * len(box))
    steps = np.repeat(np.eye(len(box)), 2, axis=0) * np.tile([-1.0, 1.0], len(box))[:, np.newaxis]
    towards: NDArray[np.float64] = steps[gaps.argmin(axis=1)]
    return towards


class FlashLayer(Layer):
    """Flashes where discs have just collided, merged or hit a wall. After stepping to a single event, that event
    flashes even if flashes are off."""

    name = "flashes"
    dimensions = (2, 3)
    label = "Flash contacts"
    tip = "Collisions, merges and wall reflections flash and fade; use a low speed or → to see single ones"
    keys = ("X",)
    command = "view.flash_contacts"
    icon = "mdi6.flash-outline"
    momentary = True
    even_hidden = True
    cut = False

    def switched_on(self, view: ViewModel) -> bool:
        """Whether flashes are switched on in the view."""
        return view.flash_contacts

    def show(self, view: ViewModel, on: bool) -> None:
        """Switch it on or off in the view."""
        view.flash_contacts = on

    def visible(self, view: ViewModel) -> bool:
        """Always true: `take` returns only visible flashes."""
        return True

    def available(self, frame: Frame | None) -> bool:
        """Whether a frame has what this layer draws."""
        return frame is None or frame.impacts is not None

    def take(self, given: LayerInput) -> Flashes | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        if given.lasts is None:
            return None
        return flashes_of(given.frame, given.radii, given.box, given.periodic, given.lasts, given.hidden)

    def marks(self, data: Flashes, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        scale, ground = style.camera.scale, style.background
        step = np.ceil(data.strength * _STEPS).astype(int)
        gone = 1.0 - step / _STEPS
        grown = _SPAN[0] + (_SPAN[1] - _SPAN[0]) * gone
        radii = np.maximum(data.radii * scale * grown, _PIXELS * (1.0 + gone))
        reach = max(float(data.radii.max(initial=0.0)) * scale * _SPAN[1], 2.0 * _PIXELS)
        looks = []
        for number in range(_STEPS + 1):
            ink = style.ink(*INK, alpha=number / _STEPS)
            halo = replace(ground, alpha=0.6 * (number / _STEPS))
            looks.append(Look((Stroke(halo, 3.5), Stroke(ink, 1.75)), ink, 0.45))
        yield Circles(data.points, radii, reach, tuple(looks), step)
