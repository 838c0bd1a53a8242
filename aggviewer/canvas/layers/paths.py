"""Layers of paths: recent paths of the selected discs or of a sample of discs, as tails that fade; and the whole paths
of some discs from the moment when the user asked for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF

from aggviewer.canvas.in_view import beyond_box
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Flat, Lines, Primitive, Stroke
from aggviewer.canvas.layers.regions import SELECTION_INK
from aggviewer.canvas.legend import Entry, Key, lines
from aggviewer.canvas.scene import all_seen
from engine.arrays import Floats
from engine.boundary import Periodic
from engine.geometry.nearest import nearest_image, unwrapped
from engine.state import Discs
from engine.system import Clock
from engine.words import count, typeset

_TRACK_INK = ("#ffd166", "#8a4b00")
"""Colours on dark and on light backgrounds."""

SAMPLE = 250
"""The number of discs in the sample that is used if no discs are selected."""

KEPT = 48
"""Most positions in a track."""

_TO_CHOOSE_FROM = 100_000
_STEP = 0.5  # mean radii that the fastest disc moves between two kept positions
_FADES = 8  # steps of the opacity
_TRACK_WIDTH = 1.75  # pixels
_LEAST_DISC = 1.5  # pixels across a disc


class TrackMemory:
    """The latest positions of some discs. A disc that is added starts with its present position; after going back in
    time, later positions are dropped."""

    def __init__(self) -> None:
        self._before: LayerInput | None = None  # the last input, to detect a change of the discs
        self._least = 0.0  # a disc that has moved less than this, in units of the growth, counts as unmoved
        self._order: NDArray[np.int64] = np.zeros(0, np.int64)  # the order in which discs are taken for the sample
        self.discs: NDArray[np.int64] = np.zeros(0, np.int64)
        self.times: list[float] = []
        # (K, d) each, unwrapped at periodic edges unless images flow; NaN before a disc was added
        self.places: list[Floats] = []
        self.strains: list[float] = []  # of the frames

    def follow(self, given: LayerInput) -> None:
        """Remember where the discs are in the next frame."""
        before, self._before = self._before, replace(given, memory=None)
        if before is None or not (before.same_discs(given) or np.array_equal(before.radii, given.radii)):
            # always the same order; for very many discs a part of it is enough
            self._order = np.random.default_rng(0).choice(
                len(given.radii), min(len(given.radii), _TO_CHOOSE_FROM), replace=False
            )
            self.discs, self.times, self.places, self.strains = np.zeros(0, np.int64), [], [], []
            self._least = _STEP * float(given.radii.mean())
        self._change_to(self._wanted(given))
        time, strain = given.frame.time, given.frame.strain
        if strain and not any(self.strains):  # a flow begins
            self.times, self.places, self.strains = [], [], []
        while self.times and self.times[-1] >= time:
            self._drop_last()
        now = self._now(given)
        if len(self.times) >= 2 and self._near(now, given):
            self._drop_last()  # it is the head of the track, which is replaced
        self.times.append(time)
        self.places.append(now)
        self.strains.append(strain)
        del self.times[:-KEPT], self.places[:-KEPT], self.strains[:-KEPT]

    def _drop_last(self) -> None:
        for one in (self.times, self.places, self.strains):
            one.pop()

    def _wanted(self, given: LayerInput) -> NDArray[np.int64]:
        """The discs with tracks: the selected visible ones, else a sample of the visible ones."""
        chosen = np.zeros(0, np.int64) if given.chosen is None else given.chosen
        if given.hidden is None:
            return chosen[:SAMPLE] if len(chosen) else np.sort(self._order[:SAMPLE])
        chosen = chosen[given.seen(chosen)]
        return chosen[:SAMPLE] if len(chosen) else np.sort(self._order[given.seen(self._order)][:SAMPLE])

    def _change_to(self, discs: NDArray[np.int64]) -> None:
        """Follow these discs from now on; those followed before keep their positions."""
        if np.array_equal(discs, self.discs):
            return
        where = {disc: place for place, disc in enumerate(self.discs.tolist())}
        before = np.array([where.get(disc, -1) for disc in discs.tolist()], np.int64)
        self.discs = discs
        if (before < 0).all():
            self.times, self.places, self.strains = [], [], []
        self.places = [np.where((before >= 0)[:, None], kept[before], np.nan) for kept in self.places]

    def _now(self, given: LayerInput) -> Floats:
        """The present positions of the discs, continued across periodic edges unless images flow."""
        at = given.frame.positions[self.discs]
        if not given.periodic.any or given.frame.strain:
            return at.copy()
        images = given.frame.fields.get("images")
        if images is not None:
            return unwrapped(at, images[self.discs], given.box)
        if not self.places:
            return at.copy()
        before = np.where(np.isnan(self.places[-1]), at, self.places[-1])
        return before + nearest_image(at - before, given.box, given.periodic)

    def _near(self, now: Floats, given: LayerInput) -> bool:
        """Whether the newest position is so near the one before it that it need not be kept."""
        least = self._least * given.frame.radius_factor
        step = self.places[-1] - self.places[-2]
        lengths = np.sqrt(np.square(step).sum(axis=1))
        return bool(np.max(lengths, initial=0.0, where=~np.isnan(lengths)) < least)


def _across_flow(places: Floats, box: Floats, strains: Floats, label: Floats) -> tuple[Floats, Floats]:
    """Segments (M, 2, d) of the paths through places in the box (F, K, d) where images flow, and their labels (M,).

    Where a disc crosses the upper or the lower edge, one segment ends there and another goes on at the opposite edge,
    displaced as the images were at that time. strains : (F,), of the frames; label : ((F - 1) K,), of each step.
    """
    start, end = (part.reshape(-1, len(box)) for part in (places[:-1], places[1:]))
    before, after = (np.repeat(part, places.shape[1]) * box[1] for part in (strains[:-1], strains[1:]))
    up = -np.rint((end[:, 1] - start[:, 1]) / box[1])
    first, last = end - start, end - start
    first[:, 0] += up * after
    last[:, 0] += up * before
    for step in (first, last):
        step[:, 1] += up * box[1]
        step[:] = nearest_image(step, box, True)
    crosses = up != 0.0  # not: NaN, before a disc was added
    crosses &= ~np.isnan(up)
    edge = np.where(up > 0.0, box[1], 0.0)
    share = np.ones_like(up)
    share[crosses] = ((edge - start[:, 1])[crosses] / first[crosses, 1]).clip(0.0, 1.0)
    whole = np.stack([start, start + share[:, np.newaxis] * first], axis=1)
    rest = np.stack([end - (1.0 - share[:, np.newaxis]) * last, end], axis=1)[crosses]
    return np.concatenate([whole, rest]), np.concatenate([label, label[crosses]])


@dataclass(frozen=True, eq=False)
class Tracks:
    """Segments (K, 2, d) with their ages (K,), 0 for the newest and 1 for the oldest; span : the time they cover."""

    segments: Floats
    ages: Floats
    span: float


class TrackLayer(Layer):
    """Tails along the last part of the paths of discs."""

    name = "tracks"
    dimensions = (2, 3)
    label = "Tracks"
    tip = f"Recent paths as fading tails: of the selected {{discs}}, or of a sample of {SAMPLE}"
    even_hidden = True
    missing = "nothing has moved yet"
    too_small = "zoom in"

    def new_memory(self) -> TrackMemory:
        """A memory of earlier frames, from which tails are made: one for each picture."""
        return TrackMemory()

    def take(self, given: LayerInput) -> Tracks | None:
        """A copy of what this layer draws of a frame; None if the frame has nothing for it."""
        memory = given.memory or TrackMemory()
        memory.follow(given)
        if len(memory.times) < 2:
            return None
        places = np.stack(memory.places)
        start, end = places[:-1], places[1:]
        ages = np.repeat(1.0 - np.arange(1, len(places)) / (len(places) - 1), len(memory.discs))
        if any(memory.strains):
            segments, ages = _across_flow(places, given.box, np.array(memory.strains), ages)
        else:
            if given.periodic.any:
                start = start - beyond_box(start, given.box, given.periodic)
                end = start + np.diff(places, axis=0)
            segments = np.stack([start, end], axis=2).reshape(-1, 2, len(given.box))
        moved = (segments[:, 0] != segments[:, 1]).any(axis=1) & ~np.isnan(segments[:, 0, 0])
        if not moved.any():
            return None
        return Tracks(segments[moved], ages[moved], memory.times[-1] - memory.times[0])

    def drawn(self, data: Tracks, style: Style) -> bool:
        """Whether discs are large enough for this layer at the present zoom."""
        return style.diameter >= _LEAST_DISC

    def marks(self, data: Tracks, style: Style) -> Iterator[Primitive]:
        """The lines of the tails, oldest first."""
        if not self.drawn(data, style):
            return
        step = np.minimum((data.ages * _FADES).astype(int), _FADES - 1)
        for fade in range(_FADES - 1, -1, -1):
            strength = 1.0 - fade / _FADES
            width = _TRACK_WIDTH * (0.5 + 0.5 * strength)
            strokes = (
                Stroke(style.halo(0.8 * strength), width + 1.5),
                Stroke(style.ink(*_TRACK_INK, alpha=strength), width),
            )
            yield Lines(data.segments[step == fade], strokes)

    def legend(self, data: Tracks | None, style: Style, key: Key) -> list[Entry]:
        """The entry of this layer in the legend: the time that the tails cover."""
        text = f"track, {time_in_words(style.scene.clock, 0.0 if data is None else data.span)}"

        def draw(rect: QRectF) -> Iterator[Flat]:
            y = rect.center().y()
            for fade in range(_FADES):
                left = rect.left() + rect.width() * fade / _FADES
                stroke = Stroke(style.ink(*_TRACK_INK, alpha=(fade + 1) / _FADES), _TRACK_WIDTH)
                yield lines([(left, y, left + rect.width() / _FADES, y)], stroke)

        return [key.row(draw, text, longest="track, Δt = 0.00055")]


def time_in_words(clock: Clock, span: float) -> str:
    """A time interval for the legend, with two digits: ``Δt = 1500``, ``3 iterations``."""
    return f"{count(span)} {clock.name}s" if clock.counts else f"Δ{clock.symbol} = {typeset(span, '.2g')}"


PATH = "path"

_BANDS = 8  # time intervals of equal length, each paler than the next
_PATH_WIDTH = 2.0


class Paths:
    """Positions of some discs at the times of the frames shown.

    Parameters
    ----------
    discs : (k,), their numbers.
    box : (d,); periodic : along which axes the box is periodic. Used for frames without a box of their own.
    """

    MOST = 2000
    """Most positions kept for each disc; beyond it every second one is dropped."""

    def __init__(self, discs: NDArray[np.int64], box: NDArray[np.float64], periodic: Periodic | bool) -> None:
        self.discs = discs
        self._box = box
        self._periodic = Periodic.of(periodic, len(box))
        self._times: list[float] = []
        self._places: list[NDArray[np.float64]] = []
        self._boxes: list[tuple[NDArray[np.float64], Periodic]] = []
        self._strains: list[float] = []

    def add(self, time: float, positions: NDArray[np.float64], discs: Discs | None = None, strain: float = 0.0) -> None:
        """Add a frame, positions (N, d). If time has gone back, later positions are dropped.

        discs : for the box of this frame, and along which axes it is periodic; strain : of images that flow.
        """
        kept = self._times, self._places, self._boxes, self._strains
        while self._times and self._times[-1] >= time:
            for one in kept:
                one.pop()
        self._boxes.append((self._box, self._periodic) if discs is None else (discs.box, discs.periodic))
        self._times.append(time)
        self._places.append(positions[self.discs].copy())
        self._strains.append(strain)
        if len(self._times) > self.MOST:
            for one in kept:
                del one[1:-1:2]

    def segments(self, hidden: NDArray[np.bool_] | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Segments between positions, (K, 2, d), and their relative times, (K,) from 0 to 1. hidden : (N,), discs whose
        paths are not shown.

        At a periodic edge, a segment ends outside the box, and the next one begins inside.
        """
        if len(self._times) < 2:
            return np.zeros((0, 2, len(self._box))), np.zeros(0)
        seen = all_seen(hidden, self.discs)
        places = np.stack(self._places)[:, seen]
        late = np.repeat(np.linspace(0.0, 1.0, len(places) - 1), np.count_nonzero(seen))
        if any(self._strains):
            return _across_flow(places, self._boxes[-1][0], np.array(self._strains), late)
        boxes, periodic = zip(*self._boxes[1:], strict=True)
        step = np.diff(places, axis=0)
        nearest = nearest_image(step, np.stack(boxes)[:, np.newaxis], True)
        step = np.where(np.array(periodic)[:, np.newaxis], nearest, step)
        start = places[:-1]
        return np.stack([start, start + step], axis=2).reshape(-1, 2, len(self._box)), late


class PathLayer(Layer):
    """The paths of some discs since the user asked for them. Its data, `Paths`, are pinned to the scene."""

    name = PATH
    dimensions = (2, 3)
    optional = False

    def take(self, given: LayerInput) -> None:
        """Nothing: paths do not belong to a frame."""

    def marks(self, data: Paths, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        segments, late = data.segments(style.scene.hidden)
        band = np.minimum((late * _BANDS).astype(int), _BANDS - 1)
        for number in range(_BANDS):
            alpha = (number + 1) / _BANDS
            own = segments[band == number]
            yield Lines(
                own,
                (
                    Stroke(style.halo(0.5 * alpha), _PATH_WIDTH + 2.0),
                    Stroke(style.ink(*SELECTION_INK, alpha), _PATH_WIDTH),
                ),
            )
