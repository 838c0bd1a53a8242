"""The overlays: layers, box, and in the corners time, scale bar, legend and remarks. The same for snapshots, for films,
and for the window, where a transparent widget above the surface shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf, pi
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, QPointF, QRectF, Qt
from PyQt6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas import colors, slab
from aggviewer.canvas.camera import NO_ROOM, Camera, LegendRoom, free_on_the_left, kept_free
from aggviewer.canvas.directions import directions
from aggviewer.canvas.floor import lines_before, lines_behind
from aggviewer.canvas.in_pixels import shapes
from aggviewer.canvas.in_view import dashes, to_pixels
from aggviewer.canvas.layers.layer import Layer, Style
from aggviewer.canvas.layers.primitives import Bars, Color, DrawnDiscs, Flat, Lines, Primitive, Rings, Stroke
from aggviewer.canvas.layers.registry import Guard, layers_in
from aggviewer.canvas.legend import EDGE, PAD, Entry, Key, LegendCard, LegendInk, card_height, cards, ground, lines
from aggviewer.canvas.mouse import Gesture
from aggviewer.canvas.pixels import PixelPainter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.session.coloring import Coloring
from aggviewer.style.numbers import moment, round_below
from engine.arrays import Floats
from engine.plotting.colors import PALETTE_SIZE
from engine.words import body_names, count, typeset

_BAR_SHARE = 0.16  # greatest share of the picture's width for the scale bar
_APART = 16.0  # pixels between classes in one line
_RAMP = 150.0  # width in pixels of the colour scale, at the default text size
LEGEND_COLUMN = 172.0  # width in pixels of a legend beside the box, at the default text size
_AROUND = 6.0  # pixels between it and the box
_LONGEST_TIME = "t = 99\u2009999.99"  # text for which space is reserved, so that nothing moves when digits are added
_BAR = 8.0  # height in pixels of the bar below the text
_REMARK_WIDTH = 320.0  # greatest width in pixels, at the default text size
_DASHES = (5.0, 4.0)  # pixels, around a periodic box
_TICK, _TICK_WIDTH = 7.0, 2.0  # pixels to either side of an edge, and widths of that
_NO_FILL = Color(0, 0, 0, 0.0)


def scale_text(length: float, mean_diameter: float) -> str:
    """``5 units (10 diameters)``: the length in the scenario's unit and, from a tenth on, in mean disc diameters.

    If both are the same number, only ``2 diameters``; if they differ in the third digit, ``2 units (1.99 diameters)``.
    """
    written = typeset(length, "g")
    units = _counted(written, "unit")
    diameters = length / mean_diameter if mean_diameter > 0.0 else 0.0
    if diameters < 0.1:
        return units
    about = f"{diameters:.2g}" if diameters < 100 else count(diameters)
    if about == written:
        about = typeset(diameters, ".3g")
    words = _counted(about, "diameter")
    return words if about == written else f"{units} ({words})"


def _counted(number: str, noun: str) -> str:
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"


def limit_text(value: float) -> str:
    """A limit in the legend: whole numbers in full, others with three digits."""
    return typeset(value, ".3g")


def ramp_numbers(coloring: Coloring) -> tuple[str, ...]:
    """The numbers below a scale: its ends and its middle, or every whole number if each has a colour."""
    low, high = coloring.limits
    if coloring.cyclic and (low, high) == (-pi, pi):
        return "−π", "0", "π"
    if coloring.whole:
        numbers = [limit_text(float(value)) for value in range(round(low), round(high) + 1)]
    else:
        middle = float(f"{(low * high) ** 0.5:.2g}") if coloring.log else (low + high) / 2
        numbers = [limit_text(value) for value in (low, middle, high)]
    if coloring.open_bottom:
        numbers[0] = "≤ " + numbers[0]
    if coloring.open_top:
        numbers[-1] = "≥ " + numbers[-1]
    return tuple(numbers)


def _corners(scene: Scene, camera: Camera) -> Floats:
    """The corners of the box in pixels of the camera, (2^d, 2)."""
    return to_pixels(np.array(list(product(*((0.0, side) for side in scene.sides)))), camera)


def corners_of_images(scene: Scene, camera: Camera) -> Floats:
    """Ticks (2, 2, 2) in pixels across the upper and the lower edge of the box, where the corners of its images above
    and below are: they show how far images that flow are ahead."""
    (width, height), ticks = scene.sides[:2], []
    ahead = scene.periodic.offset % width
    for x, y in ((ahead, height), (width - ahead, 0.0)):
        at, edge = camera.to_pixel(x, y)
        ticks.append([(at, edge - _TICK), (at, edge + _TICK)])
    return np.array(ticks)


def _box_in(scene: Scene, camera: Camera) -> QRectF:
    """The box in pixels of the camera; in space a rectangle that holds it."""
    corners = _corners(scene, camera)
    return QRectF(QPointF(*corners.min(axis=0).tolist()), QPointF(*corners.max(axis=0).tolist()))


class Target(Protocol):
    """The surface on which overlays are drawn, with its painter."""

    def layer(self, primitives: Iterable[Primitive], *, cut: bool, opacity: float) -> None:
        """Draw the primitives of a layer, in the units of the box. cut : whether they end at the edges of a periodic
        box."""
        ...

    def screen(self, primitives: Iterable[Flat]) -> None:
        """Draw primitives whose positions are in pixels of the camera."""
        ...


class _Kept:
    """A target that keeps bars and rings, with their opacity, and draws nothing."""

    def __init__(self) -> None:
        self.found: list[tuple[Bars | Rings, float]] = []

    def layer(self, primitives: Iterable[Primitive], *, cut: bool, opacity: float) -> None:
        self.found += [(one, opacity) for one in primitives if isinstance(one, Bars | Rings)]

    def screen(self, primitives: Iterable[Flat]) -> None:
        pass


class Overlays:
    """What is drawn over the discs of a picture.

    Parameters
    ----------
    view : which overlays are shown, and the background.
    font : of all text.
    guard : handles layers that fail.
    strip : whether all of them are below the box, in a strip that is as low as what they say allows (`foot`).

    Attributes
    ----------
    tells_time : whether the time is in the picture if the view shows it. In a window it is in the transport.
    in_window : whether the slab has handles, and a card that ends it, and whether they say why a layer draws nothing
        and what is remarkable about the state.
    font : of all text.
    """

    def __init__(self, view: ViewModel, font: QFont, guard: Guard | None = None, *, strip: bool = False) -> None:
        self._view, self._strip = view, strip
        self.tells_time, self.in_window = True, False
        self._guard = guard or Guard()
        self.font = QFont(font)
        if font.pixelSize() <= 0:  # for a font size in points
            self.font.setPointSizeF(max(font.pointSizeF(), 9.0))
        self.font.setFeature(QFont.Tag("tnum"), 1)
        self._key = Key(view, QFontMetricsF(self.font))

    def cards(self, scene: Scene, camera: Camera) -> list[LegendCard]:
        """The cards of time, scale bar and legend. They do not depend on the camera's position."""
        pixels = camera.width, camera.height
        room = self.room_in(scene, pixels)
        kept = NO_ROOM if self._strip else kept_free(room, scene.sides, pixels)
        entries = self._entries(scene, camera, narrow=kept.right > 0.0)
        if not entries:
            return []
        free = free_on_the_left(room, scene.sides, pixels) if kept.right else inf
        return cards(entries, *pixels, free, kept.foot or (0.0 if self._strip else inf))

    def room(self) -> LegendRoom:
        """The space that a fitted view keeps free for them. It does not depend on their text, so the discs do not
        move."""
        view = self._view
        if not (view.show_legend or view.show_scale_bar or (self.tells_time and view.show_time)):
            return NO_ROOM
        return LegendRoom(
            EDGE + 2 * PAD + self._column + _AROUND,
            EDGE + card_height(self._key.line, self._key.line + _BAR) + _AROUND,
        )

    def room_in(self, scene: Scene, pixels: tuple[float, float]) -> LegendRoom:
        """The same for a picture in a window, in which a legend below the box gets the height that it needs: in a
        narrow picture and in large type it would lie over the discs."""
        room = self.room()
        foot = kept_free(room, scene.sides, pixels).foot
        if not (self.in_window and scene.shown and foot):
            return room
        fitted = Camera.fitting(scene.sides, pixels, room, self._view)
        found = cards(self._entries(scene, fitted, narrow=False), *pixels, low=foot)
        top = min((card.rect.top() for card in found), default=pixels[1])
        return replace(room, tall=pixels[1] - top + _AROUND)

    def foot(self, scene: Scene, camera: Camera) -> float:
        """Their height at the bottom of a picture if they cover a part of the box; else 0."""
        box = _box_in(scene, camera)
        over = [card.rect.top() for card in self.cards(scene, camera) if card.rect.intersects(box)]
        return camera.height - min(over) if over else 0.0

    def time_rect(self, scene: Scene, camera: Camera) -> QRectF:
        """The rectangle of the time, to repaint when only the time has changed."""
        if not (scene.shown and scene.scale and self.tells_time and self._view.show_time):
            return QRectF()
        left = next((card for card in self.cards(scene, camera) if not card.entries[0][0].right), None)
        return QRectF() if left is None else left.entries[0][1]  # it is the first entry

    def scale_rect(self, scene: Scene, camera: Camera) -> QRectF:
        """The rectangle of the colour scale; empty if there is none."""
        if not (scene.shown and scene.legend and self._view.show_legend and scene.coloring.measures):
            return QRectF()
        right = next((card for card in self.cards(scene, camera) if card.entries[0][0].right), None)
        return QRectF() if right is None else right.entries[-1][1]  # the colours are the last entry

    def paint(
        self,
        painter: QPainter,
        scene: Scene,
        camera: Camera,
        picture: NDArray[np.uint8] | None = None,
        *,
        grounds: bool = True,
        bare: bool = False,
    ) -> None:
        """Draw everything that the view shows in pixels. picture : (H, W, 4), see `PixelPainter`; grounds : see
        `draw`; bare : only what layers show, and without text."""
        painter.setFont(self.font)
        target = PixelPainter(painter, scene, camera, self.share(scene), picture, words=not bare)
        self.draw_layers(target, scene, camera)
        if not bare:
            self.draw_frame(target, scene, camera, grounds=grounds)

    def share(self, scene: Scene) -> float:
        """The share of their radii with which spheres are drawn."""
        return scene.drawn_share(self._view.layers)

    def draw(self, target: Target, scene: Scene, camera: Camera, *, grounds: bool = True) -> None:
        """Draw everything that the view shows. grounds : whether cards have a background."""
        self.draw_layers(target, scene, camera)
        self.draw_frame(target, scene, camera, grounds=grounds)

    def draw_layers(self, target: Target, scene: Scene, camera: Camera) -> None:
        """Draw what layers show of the discs."""
        style = Style(scene, camera, self._view)
        for layer in layers_in(scene.dimensions):
            self._guard.ask(layer, self._view, partial(self._layer, layer, style, target))

    def solid_marks(self, scene: Scene, camera: Camera) -> list[tuple[Bars | Rings, float]]:
        """What layers show between spheres, which hide it, with the opacity of each."""
        kept = _Kept()
        self.draw_layers(kept, scene, camera)
        return kept.found

    def draw_frame(self, target: Target, scene: Scene, camera: Camera, *, grounds: bool = True) -> None:
        """Draw the box, and what is in the corners."""
        if scene.count:
            target.screen(self._box(scene, camera))
        remarked = scene.data("remark") if self.in_window else None
        if remarked is not None:
            target.screen(self._remark(remarked.remark.text, camera))
        if self.in_window:
            target.screen(slab.drawn(Style(scene, camera, self._view), self._key, self._top(scene, camera)))
        found = self.cards(scene, camera)
        for card in found:
            if grounds:
                target.screen([ground(self._view, card.rect)])
            for entry, rect in card.entries:
                target.screen(entry.draw(rect))
        taken = [*(card.rect for card in found), QRectF(0.0, 0.0, camera.width / 2, self._top(scene, camera) - EDGE)]
        if scene.shown:
            box = _box_in(scene, camera)
            corners = _corners(scene, camera) if self._strip and scene.dimensions > 2 else None
            target.screen(
                directions(scene, camera, self._view, self._key, taken, box, grounds=grounds, corners=corners)
            )

    def draw_edges_behind(self, scene: Scene, camera: Camera) -> Iterator[Flat]:
        """Draw the edges of a box in space and the floor behind what it holds, if the spheres are not drawn by kernels,
        which draw these lines themselves."""
        for far, ink in lines_behind(scene, camera, self._view):
            yield Lines(far.reshape(-1, 2, 2), (Stroke(ink, 1.0),), flat=True)

    def _layer(self, layer: Layer, style: Style, target: Target) -> None:
        data = style.scene.data(layer.name)
        if data is not None and layer.visible(self._view):
            target.layer(layer.marks(data, style), cut=layer.cut, opacity=layer.opacity_in(self._view))

    def _legend_of(self, layer: Layer, style: Style) -> Sequence[Entry]:
        if not layer.switched_on(self._view):
            return ()
        data = style.scene.data(layer.name)
        says = layer.says(data, style)
        if says and not self.in_window:
            return ()
        if says:
            return [self._words(f"{layer.label}: {says}")]
        return [self._guarded(layer, entry) for entry in layer.legend(data, style, self._key)]

    def _words(self, text: str) -> Entry:
        """An entry of the legend that only says something."""
        draw = lambda rect: [self._key.text(self._key.ink.quiet, rect, text)]  # noqa: E731
        return Entry(self._key.advance(text), self._key.step, draw, True)

    def _guarded(self, layer: Layer, entry: Entry) -> Entry:
        def draw(rect: QRectF) -> Iterable[Flat]:
            return self._guard.ask(layer, self._view, lambda: list(entry.draw(rect))) or ()

        return replace(entry, draw=draw)

    def _entries(self, scene: Scene, camera: Camera, *, narrow: bool) -> list[Entry]:
        """The entries in the lower corners, from top to bottom. narrow : whether the legend is beside the box."""
        if not scene.shown:
            return []
        ink, line = LegendInk.on(self._view), self._key.line
        entries = []
        if scene.scale and self.tells_time and self._view.show_time:
            now = moment(scene.time, scene.clock)
            width = max(self._key.advance(now.replace("1", "0")), self._key.advance(_LONGEST_TIME))
            entries.append(Entry(width, line, lambda rect: [self._key.text(ink.text, rect, now)]))
        if scene.scale and self._view.show_scale_bar:
            longest = min(_BAR_SHARE * camera.width, self._column if narrow else inf)
            length = round_below(longest / camera.scale)
            text = scale_text(length, 2.0 * scene.mean_radius)
            width = max(longest, self._key.advance(text))
            bar = partial(self._scale_bar, ink=ink, pixels=length * camera.scale, text=text)
            entries.append(Entry(width, line + _BAR, bar))
        if self._view.show_legend:
            style = Style(scene, camera, self._view)
            for layer in reversed(list(layers_in(scene.dimensions))):
                entries.extend(self._guard.ask(layer, self._view, partial(self._legend_of, layer, style)) or ())
            share = self.share(scene)
            if share < 1.0:
                entries.append(self._words(f"spheres at {100.0 * share:.0f} % size"))
            if scene.legend:
                entries.append(self._legend(ink, style, narrow=narrow))
        return entries

    def _box(self, scene: Scene, camera: Camera) -> Iterator[Flat]:
        if camera.pose is not None:
            for near, color in lines_before(scene, camera, self._view):
                yield Lines(near.reshape(-1, 2, 2), (Stroke(color, 1.0),), flat=True)
            return
        if not self._view.show_box:
            return
        ink = Stroke(LegendInk.on(self._view).line, colors.stroke(self._view))
        # far outside the picture Qt's rasteriser would count dashes endlessly
        far = 4.0 * max(camera.width, camera.height)
        seen = QRectF(-far, -far, camera.width + 2 * far, camera.height + 2 * far)
        box = _box_in(scene, camera).intersected(seen)
        left, top, right, bottom = box.getCoords()
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
        if scene.periodic.offset:
            yield Lines(corners_of_images(scene, camera), (replace(ink, width=_TICK_WIDTH * ink.width),), flat=True)
        if not scene.periodic.mixed:
            yield replace(shapes([corners], _NO_FILL, ink), dashes=_DASHES if scene.periodic else ())
            return
        sides = np.concatenate([corners, np.roll(corners, -1, axis=0)], axis=1)  # above, right, below, left
        dashed = np.array([scene.periodic[axis] for axis in (1, 0, 1, 0)])
        yield Lines(sides[~dashed].reshape(-1, 2, 2), (ink,))
        yield Lines(dashes(sides[dashed], ink.width).reshape(-1, 2, 2), (ink,), flat=True)

    def cut_card(self, scene: Scene, camera: Camera) -> QRectF:
        """The rectangle of the card that says how much of the box is cut off; empty if nothing is."""
        return slab.card(scene, self._view, self._key, self._top(scene, camera)) if self.in_window else QRectF()

    def _top(self, scene: Scene, camera: Camera) -> float:
        """The top of the free space in the upper left corner, below a remark."""
        remarked = scene.data("remark")
        rows = [] if remarked is None else self._rows_of(remarked.remark.text, camera)
        return EDGE + (len(rows) * self._key.line + PAD + EDGE if rows else 0.0)

    def _rows_of(self, text: str, camera: Camera) -> list[str]:
        """A remark in lines."""
        room = min(_REMARK_WIDTH * self._key.enlarged, camera.width - 2 * (EDGE + PAD))
        return self._wrapped(text, room)

    def _wrapped(self, text: str, room: float) -> list[str]:
        """A text in lines of at most `room` pixels, broken between words."""
        found: list[str] = []
        for word in text.split():
            if found and self._key.advance(f"{found[-1]} {word}") <= room:
                found[-1] += f" {word}"
            else:
                found.append(word)
        return found

    @property
    def _column(self) -> float:
        """The width in pixels of a legend beside the box."""
        return LEGEND_COLUMN * self._key.enlarged

    def _remark(self, text: str, camera: Camera) -> Iterator[Flat]:
        """The remark about the state in the upper left corner."""
        found = self._rows_of(text, camera)
        width = max(map(self._key.advance, found), default=0.0)
        yield ground(self._view, QRectF(EDGE, EDGE, width + 2 * PAD, len(found) * self._key.line + PAD))
        for row, words in enumerate(found):
            top = EDGE + PAD / 2 + row * self._key.line
            yield self._key.text_below(self._key.ink.text, EDGE + PAD, top, words)

    def _scale_bar(self, rect: QRectF, *, ink: LegendInk, pixels: float, text: str) -> Iterator[Flat]:
        yield self._key.text_below(ink.text, rect.left(), rect.top(), text)
        y, left, right = rect.bottom() - 2.0, rect.left(), rect.left() + pixels
        yield lines([(left, y, right, y)], Stroke(ink.text, 1.0 + colors.stroke(self._view)), flat=True)
        ends = [(x, y - 4, x, y + 1) for x in (left + 0.5, right - 0.5)]
        yield lines(ends, Stroke(ink.text, 1.0), flat=True)

    # legend

    def _first_seen(self, style: Style, coloring: Coloring) -> int:
        """How many whole numbers at the lower end of a scale no disc shows, as layers cover the discs that have
        them."""
        scene = style.scene
        there = layers_in(scene.dimensions)
        visible = [layer for layer in there if scene.data(layer.name) is not None and layer.visible(self._view)]
        covered = [one for layer in visible if len(one := layer.covers(scene.data(layer.name), style))]
        if not covered or coloring.open_bottom:
            return 0
        least = float(np.delete(scene.scalar, np.concatenate(covered)).min(initial=coloring.limits[1]))
        return max(0, round(least - coloring.limits[0]))

    def _legend(self, ink: LegendInk, style: Style, *, narrow: bool) -> Entry:
        scene = style.scene
        table = colors.scene_table(scene, self._view)
        coloring, names = colors.coloring_in_view(scene, self._view), body_names(scene.dimensions)
        if coloring.categorical:
            label, lone = f"{coloring.label.lower()}s", table[PALETTE_SIZE : PALETTE_SIZE + 3]
            each = f"{label} ({PALETTE_SIZE} colours)"
            return self._swatch_legend(ink, [(each, table[:3]), (f"single {names.discs}", lone)], {each: label})
        if coloring.classes:
            entries = np.linspace(0, len(table) - 1, len(coloring.classes)).round().astype(int)
            told = zip(coloring.classes, entries, strict=True)
            return self._swatch_legend(ink, [(names.fill(name), table[entry : entry + 1]) for name, entry in told])
        title = names.fill(coloring.title) + (", log scale" if coloring.log else "")
        titles = [title]
        if narrow and self._key.advance(title) > self._column:
            titles = [
                line for part in title.replace(" (", "\n(", 1).split("\n") for line in self._wrapped(part, self._column)
            ]
        least = max(map(self._key.advance, titles))
        width = max(_RAMP * self._key.enlarged, least)
        steps = colors.steps_of(coloring)
        if steps:  # a few colours, with numbers below their middles or between them
            table = table[((np.arange(steps) + 0.5) * len(table) / steps).astype(int)]
        numbers = ramp_numbers(coloring)
        if coloring.whole:
            first = self._first_seen(style, coloring)
            table, numbers = table[first:], numbers[first:]
            widest = max(map(self._key.advance, numbers))
            least, width = max(least, len(numbers) * (widest + 4.0)), max(width, len(numbers) * (widest + 6.0))
        else:
            least = max(least, 0.6 * width)
        if narrow:
            width = min(width, self._column)

        above = (len(titles) - 1) * self._key.line

        def draw(rect: QRectF) -> Iterator[Flat]:
            for row, words in enumerate(titles[:-1]):
                yield self._key.text_below(ink.text, rect.left(), rect.top() + row * self._key.line, words)
            below = rect.adjusted(0.0, above, 0.0, 0.0)
            yield from self._key.ramp(below, titles[-1], table, numbers, centred=coloring.whole)

        return Entry(width, above + self._key.ramp_height, draw, True, min(least, width))

    def _swatch_legend(
        self, ink: LegendInk, rows: list[tuple[str, NDArray[np.uint8]]], short: Mapping[str, str] = MappingProxyType({})
    ) -> Entry:
        """Lines of text, each with some colours (K, 4). short : shorter texts for one line of them all."""
        step, swatch = self._key.line + 2, 8.0 * self._key.enlarged
        room = max(len(entries) for _, entries in rows) * (swatch + 2) + 6

        def draw(rect: QRectF) -> Iterator[Flat]:
            for row, (text, entries) in enumerate(rows):
                middle, count = rect.top() + (row + 0.5) * step, len(entries)
                across = rect.left() + swatch / 2 + np.arange(count) * (swatch + 2)
                places, colors = np.stack([across, np.full(count, middle)], axis=1), entries[:, :3]
                yield DrawnDiscs(places, np.full(count, swatch / 2), colors, colors, np.zeros(count))
                line = QRectF(rect.left() + room, middle - step / 2, rect.width(), step)
                yield self._key.text(ink.quiet, line, text)

        width = max(self._key.advance(text) for text, _ in rows) + room
        if len(rows) == 1:
            return Entry(width, step, draw, True)
        each = [self._swatch_legend(ink, [(short.get(text, text), entries)]) for text, entries in rows]

        def draw_line(rect: QRectF) -> Iterator[Flat]:
            left = rect.left()
            for entry in each:
                yield from entry.draw(QRectF(left, rect.top(), entry.width, step))
                left += entry.width + _APART

        line = Entry(sum(entry.width for entry in each) + _APART * (len(each) - 1), step, draw_line, True)
        return Entry(width, len(rows) * step, draw, True, low=line)


class Below(Protocol):
    """The canvas below the overlay. gesture : the current gesture of the mouse, else None."""

    scene: Scene
    view: ViewModel
    gesture: Gesture | None

    @property
    def camera(self) -> Camera: ...

    def refit(self) -> None: ...


class OverlayWidget(QWidget):
    """A transparent widget above the surface for the overlays; its text follows the font of the canvas."""

    def __init__(self, parent: QWidget, below: Below, guard: Guard) -> None:
        super().__init__(parent)
        self._canvas = below
        self._guard = guard
        self._overlays = Overlays(below.view, self.font(), guard)
        self._overlays.tells_time, self._overlays.in_window = False, True
        self._time_rect = QRectF()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)

    def set_time_shown(self, on: bool) -> None:
        """Switch the line with the time on or off."""
        if on != self._overlays.tells_time:
            self._overlays.tells_time = on
            self._canvas.refit()
            self.update()

    def room(self) -> LegendRoom:
        """What a fitted view keeps free for time, scale bar and legend."""
        return self._overlays.room_in(self._canvas.scene, (max(self.width(), 1.0), max(self.height(), 1.0)))

    def covered(self) -> list[QRectF]:
        """The rectangles that time, scale bar and legend cover, in pixels."""
        return [card.rect for card in self._overlays.cards(self._canvas.scene, self._canvas.camera)]

    def scale_rect(self) -> QRectF:
        """The rectangle of the colour scale in the legend, in pixels."""
        return self._overlays.scale_rect(self._canvas.scene, self._canvas.camera)

    def cut_card(self) -> QRectF:
        """The rectangle of the card that says how much of the box is cut off, in pixels."""
        return self._overlays.cut_card(self._canvas.scene, self._canvas.camera)

    def update_time(self) -> None:
        """Repaint only the line with the time."""
        rect = self._overlays.time_rect(self._canvas.scene, self._canvas.camera)
        self.update(rect.united(self._time_rect).toAlignedRect())
        self._time_rect = rect

    def changeEvent(self, event: QEvent | None) -> None:
        """Apply a new font."""
        if event is not None and event.type() == QEvent.Type.FontChange:
            before, self._overlays = self._overlays, Overlays(self._canvas.view, self.font(), self._guard)
            self._overlays.tells_time, self._overlays.in_window = before.tells_time, True
            self._canvas.refit()
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint layers, box, and the cards in the corners."""
        with QPainter(self) as painter:  # ended here, since the error of a layer may keep it alive
            self._overlays.paint(painter, self._canvas.scene, self._canvas.camera)
            if self._canvas.gesture is not None:
                self._canvas.gesture.paint(painter, self._canvas.view.dark)
