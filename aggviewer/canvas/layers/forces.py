"""Layers of contacts: the force network of jammed discs, with lines as wide as the forces are strong and rattlers as
rings; and contacts of all discs, as short lines from centre to centre."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF

from aggviewer.canvas import colors
from aggviewer.canvas.in_view import cut_in_space
from aggviewer.canvas.layers.layer import Layer, LayerInput, Style
from aggviewer.canvas.layers.primitives import Bars, Color, DrawnDiscs, Flat, Lines, Primitive, Rings, Stroke
from aggviewer.canvas.legend import PAD, Entry, Key, line_sample, lines
from aggviewer.canvas.scene import all_seen
from engine.arrays import Floats
from engine.boundary import Periodic
from engine.frame import Frame, Network

WIDEST = 0.25
"""Half the width, in mean radii, of the strongest line that is drawn to scale."""

STRONGEST = 4.0
"""The force of the widest line, over the mean force; stronger forces are drawn with the same width."""

SAMPLES = (0.5, 1.0, 2.0, 4.0)
"""Forces over the mean force in the legend."""

LINE = ("#ffb765", "#9a3412")
"""Colours of the contacts on dark and on light backgrounds."""

EXTRA = ("#6cc7ff", "#1257c4")
"""Colours of the contacts of a localised self-stress (`engine.frame.StressPatch`)."""

RATTLER = ("#8b95a3", "#7b8592")
"""Colours of the rings around rattlers."""

_LEAST_DISC = 4.0  # pixels across a mean disc: below it lines and rings cannot be told apart
_RING = 0.14  # of a disc's radius, width of the ring of a rattler
_RING_PIXELS = (1.0, 2.5)
_TITLE = "Force / mean"
_EXTRA_TEXT = "extra self-stress"


@dataclass(frozen=True, eq=False)
class Forces:
    """The force network of one frame.

    Attributes
    ----------
    segments : (K, 2, d), for each contact from the centre of one disc to that of the other, or to the wall; the end
        lies outside the box if the line crosses a periodic edge; in space there are two halves instead.
    strength : (K,), force over the mean force.
    rattlers : (R,), numbers of the rattlers.
    points, radii : (R, d) and (R,), of the rattlers.
    extra : (E,), contacts of localised self-stresses, indices in `segments`.
    """

    segments: Floats
    strength: Floats
    rattlers: NDArray[np.int64]
    points: Floats
    radii: Floats
    extra: NDArray[np.int64]


def forces_of(
    network: Network,
    positions: Floats,
    radii: Floats,
    box: Floats,
    periodic: Periodic | bool,
    hidden: NDArray[np.bool_] | None = None,
) -> Forces:
    """The network for discs at these positions. radii : (N,), at present.

    Contacts and rattlers of hidden discs, (N,), are left out; the mean force is that of all contacts, so that the
    widths do not change.
    """
    start = positions[network.pairs[:, 0]]
    mean = float(network.forces.mean()) if len(network.forces) else 0.0
    strength = network.forces / mean if mean > 0.0 else np.zeros(len(network.forces))
    extra = np.concatenate([np.zeros(0, np.int64), *(patch.contacts for patch in network.patches)])
    rattlers = np.flatnonzero(network.rattlers)
    segments = np.stack([start, start + network.steps(positions, radii, box)], axis=1)
    if hidden is not None:
        seen = all_seen(hidden, network.pairs)
        marked = np.zeros(len(seen), np.bool_)
        marked[extra] = True
        segments, strength, extra = segments[seen], strength[seen], np.flatnonzero(marked[seen])
        rattlers = rattlers[all_seen(hidden, rattlers)]
    segments, which = cut_in_space(segments, box, Periodic.of(periodic, len(box)))
    if len(which) > len(strength):
        strength, extra = strength[which], np.flatnonzero(np.isin(which, extra))
    return Forces(segments, strength, rattlers, positions[rattlers], radii[rattlers], extra)


def half_widths(strength: Floats, radius: float) -> Floats:
    """Half the width of each line, in the unit of `radius`. strength : (K,), force over the mean force."""
    widths: Floats = np.minimum(strength / STRONGEST, 1.0) * (WIDEST * radius)
    return widths


class ForceNetwork(Layer):
    """Lines between discs that press on each other, with widths in proportion to the forces, over dimmed discs
    (`Scene.shows_forces`)."""

    name = "forces"
    label = "Force network"
    tip = (
        "Contacts drawn as wide as their forces, over dimmed {discs}, which are small in space; rattlers are hollow. "
        "Forces of an extra self-stress balance among a few contacts alone"
    )
    keys = ("W",)
    even_hidden = True
    dimensions = (2, 3)

    def available(self, frame: Frame | None) -> bool:
        """Whether a frame has what this layer draws."""
        return frame is not None and frame.network is not None

    def take(self, given: LayerInput) -> Forces | None:
        """A copy of what this layer draws of a frame; None if nothing carries a force."""
        frame = given.frame
        if frame.network is None or not len(frame.network.pairs):
            return None
        radii = given.radii if frame.radius_factor == 1.0 else given.radii * frame.radius_factor
        return forces_of(frame.network, frame.positions, radii, given.box, given.periodic, given.hidden)

    def marks(self, data: Forces, style: Style) -> Iterator[Primitive]:
        """The primitives to be drawn, made of what `take` gave."""
        if not big_enough(style):
            return
        scale = style.camera.scale
        ring = min(max(_RING * style.scene.mean_radius * scale, _RING_PIXELS[0]), _RING_PIXELS[1])
        drawn = style.scene.drawn_share(style.view.layers) * scale
        yield Rings(data.points, data.radii * drawn, ring, style.ink(*RATTLER), _inside_rattlers(style))
        half = half_widths(data.strength, style.scene.mean_radius) * scale
        marked = np.zeros(len(half), np.bool_)
        marked[data.extra] = True
        yield Bars(data.segments, half, style.ink(*LINE), marked, style.ink(*EXTRA), style.haze)

    def covers(self, data: Forces, style: Style) -> NDArray[np.int64]:
        """The numbers of the rattlers if they are drawn as rings, which show the background inside."""
        hollow = big_enough(style) and _inside_rattlers(style) == style.background
        return data.rattlers if hollow else super().covers(data, style)

    def legend(self, data: Forces | None, style: Style, key: Key) -> list[Entry]:
        """The width of lines for round values of the force, and the look of a rattler."""
        if not (style.scene.shows_forces(True) and big_enough(style)):
            return []
        ink, step, swatch, length, between = key.ink, key.step, 10.0 * key.enlarged, 18.0 * key.enlarged, 12.0
        texts = ["½" if s == 0.5 else f"{s:g}" if s < SAMPLES[-1] else f"≥ {s:g}" for s in SAMPLES]
        widths = [length + 4 + key.advance(text) + between for text in texts]
        title = key.advance(_TITLE) + 16
        hollow = _inside_rattlers(style) == style.background  # else the legend of the colours names them

        def draw(rect: QRectF) -> Iterator[Flat]:
            first = QRectF(rect.left(), rect.top(), rect.width(), step)
            yield key.text(ink.text, first, _TITLE)
            if hollow:
                x = rect.left() + title
                yield _rattler_sample(style, QRectF(x, first.center().y() - swatch / 2, swatch, swatch))
                yield key.text(ink.quiet, first.adjusted(title + swatch + PAD, 0, 0, 0), "rattler")
            x = rect.left()
            for strength, text, width in zip(SAMPLES, texts, widths, strict=True):
                line = QRectF(x, first.bottom(), length, step)
                yield _force_sample(strength, style, line)
                yield key.text(ink.quiet, QRectF(line.right() + 4, line.top(), width, step), text)
                x += width

        def draw_extra(rect: QRectF) -> Iterator[Flat]:
            middle = rect.center().y()
            yield lines(
                [(rect.left(), middle, rect.left() + swatch, middle)], Stroke(style.ink(*EXTRA), 2.5), flat=True
            )
            yield key.text(ink.quiet, rect.adjusted(swatch + PAD, 0, 0, 0), _EXTRA_TEXT)

        width = max(sum(widths) - between, title + swatch + PAD + key.advance("rattler"))
        entries = [Entry(width, 2 * step, draw, True)]
        if data is not None and len(data.extra) > 0:
            entries.insert(0, Entry(swatch + PAD + key.advance(_EXTRA_TEXT), step, draw_extra, True))
        return entries


def big_enough(style: Style) -> bool:
    """Whether discs are large enough for the network at the present zoom."""
    return style.diameter >= _LEAST_DISC


def _force_sample(strength: float, style: Style, rect: QRectF) -> Lines:
    """A line with the width of this force over the mean; all widths are reduced if the widest does not fit in
    `rect`."""
    widths = 2.0 * style.camera.scale * half_widths(np.array([strength, SAMPLES[-1]]), style.scene.mean_radius)
    width = float(widths[0] * min(1.0, rect.height() / max(widths[1], 1e-300)))
    stroke, y = Stroke(style.ink(*LINE, alpha=min(width, 1.0)), max(width, 1.0)), rect.center().y()
    return lines([(rect.left(), y, rect.right(), y)], stroke, flat=True)


def _rattler_sample(style: Style, rect: QRectF) -> DrawnDiscs:
    """The sample of a hollow rattler for the legend, a ring in the middle of `rect`."""
    face, rim = (np.array([color.rgb], np.uint8) for color in (style.background, style.ink(*RATTLER)))
    middle = np.array([[rect.center().x(), rect.center().y()]])
    return DrawnDiscs(middle, np.array([rect.height() / 2 - 0.75]), face, rim, np.array([1.5]))


def _inside_rattlers(style: Style) -> Color:
    """Rattlers are hollow, unless the colours show classes of discs and all rattlers are in the same class."""
    scene = style.scene
    data = scene.data(ForceNetwork.name)
    if not scene.coloring.classes or not isinstance(data, Forces):
        return style.background
    values = np.unique(scene.scalar[data.rattlers])
    if len(values) != 1:
        return style.background
    red, green, blue, _alpha = style.table()[
        colors.entries_of(values, colors.coloring_in_view(scene, style.view))[0]
    ].tolist()
    return Color(red, green, blue)


_CONTACT_INK = ("#f4f6f9", "#15181d")
"""Colours on dark and on light backgrounds."""

_CONTACT_SHARE = 0.16  # of a mean diameter, width of the lines
_WIDEST_CONTACT = 2.5  # pixels


class ContactLayer(Layer):
    """Lines between the centres of discs in contact, as counted by the field *Contacts*: in a packing the contacts that
    carry forces, else all pairs within the distance of (4.13)."""

    name = "contacts"
    label = "Contacts"
    tip = "A line between the centres of {discs} that touch"
    apart_from = 10_000
    missing = "no {discs} touch"
    too_small = "zoom in"
    dimensions = (2, 3)

    def take(self, given: LayerInput) -> Floats | None:
        """Segments (K, 2, d) from centre to centre, of the image that is touched."""
        from engine.analysis import contact_vectors  # brings numba

        frame, radii, box = given.frame, given.present_radii, given.box
        if frame.network is not None:
            pairs, steps = frame.network.pairs, frame.network.steps(frame.positions, radii, box)
        else:
            pairs, steps = contact_vectors(frame.positions, radii, box, periodic=given.periodic)
        shown = pairs[:, 1] >= 0
        if given.hidden is not None:
            shown &= given.seen(pairs)
        if not shown.any():
            return None
        start = frame.positions[pairs[shown, 0]]
        return cut_in_space(np.stack([start, start + steps[shown]], axis=1), box, given.periodic)[0]

    def drawn(self, data: Floats, style: Style) -> bool:
        """Whether discs are large enough for this layer at the present zoom. data : (K, 2, d), as `take` returns it."""
        return style.diameter >= _LEAST_DISC

    def marks(self, data: Floats, style: Style) -> Iterator[Primitive]:
        """The lines to be drawn. data : (K, 2, d), from centre to centre in world units, as `take` returns it."""
        if self.drawn(data, style):
            ink = style.ink(*_CONTACT_INK)
            half = np.full(len(data), 0.5 * _contact_width(style))
            yield Bars(data, half, ink, np.zeros(len(data), np.bool_), ink, style.haze)

    def legend(self, data: Floats | None, style: Style, key: Key) -> list[Entry]:
        """The entry of this layer in the legend. data : (K, 2, d), or None if no discs touch; the entry is the same."""
        return [key.row(line_sample(Stroke(style.ink(*_CONTACT_INK), max(_contact_width(style), 1.0))), "contact")]


def _contact_width(style: Style) -> float:
    return min(_CONTACT_SHARE * style.diameter, _WIDEST_CONTACT)
