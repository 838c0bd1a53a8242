"""What is drawn beside the discs: box, and below them time, scale bar and legend. One drawing for the window, for
snapshots and for films."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil, pi

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.layer import Layer, Style
from aggviewer.canvas.layers.painter import PrimitivePainter
from aggviewer.canvas.layers.registry import Guard, layers
from aggviewer.canvas.legend import EDGE, PAD, Entry, Key, LegendInk, places, strip_height
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.session.publish.cluster_colors import PALETTE_SIZE
from aggviewer.session.publish.coloring import Coloring
from aggviewer.style.numbers import moment
from aggviewer.style.ticks import round_below

_BAR_SHARE = 0.2  # of the picture's width that the scale bar may take
_RAMP = 168.0  # pixels of the scale of colours, at the usual size of the text
_LONGEST_TIME = "t = 99999.99"  # what there is room for, so that nothing moves when digits are added
_LONGEST_SCALE = "0.05 ≈ 0.88 diameters"
_REMARK_WIDTH = 320.0  # at most, at the usual size of the text
_PLATE_ALPHA = 225  # of 255: what is said of the state lies over the discs


def scale_text(length: float, mean_diameter: float) -> str:
    """``5 ≈ 10 diameters``: the length in the scenario's unit and, from a tenth on, in mean disc diameters."""
    diameters = length / mean_diameter if mean_diameter > 0.0 else 0.0
    if diameters < 0.1:
        return f"{length:g}"
    about = f"{diameters:.2g}" if diameters < 100 else _grouped(diameters)
    return f"{length:g} ≈ {about} diameters"


def limit_text(value: float) -> str:
    """A limit in the legend: whole numbers in full, others with three digits."""
    return _grouped(value) if value == round(value) and abs(value) < 1e7 else f"{value:.3g}"


def ramp_numbers(coloring: Coloring) -> tuple[str, ...]:
    """The numbers below a scale: its ends and its middle, or every whole number where each has a colour."""
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


def _grouped(value: float) -> str:
    """A whole number in groups of three digits."""
    return f"{value:,.0f}".replace(",", "\u2009")


class Overlays:
    """Paints onto any QPainter whose unit is the widget pixel of `camera`. What stands below the discs takes the rows
    that `room` says; a camera that leaves them free has no disc there.

    Parameters
    ----------
    view : what is asked for, and the background.
    font : of all text.
    guard : what is done about a layer that fails.
    """

    def __init__(self, view: ViewModel, font: QFont, guard: Guard | None = None) -> None:
        self._view = view
        self._guard = guard or Guard()
        self._font = QFont(font)
        if font.pixelSize() <= 0:  # of a size in points
            self._font.setPointSizeF(max(font.pointSizeF(), 9.0))
        self._font.setFeature(QFont.Tag("tnum"), 1)
        self._metrics = QFontMetricsF(self._font)
        self._key = Key(view, self._metrics)

    def room(self, scene: Scene, width: float, height: float) -> float:
        """Rows that time, scale bar and legend take at the foot of a picture of that size."""
        return float(ceil(strip_height(self._entries(scene, Camera(width=width, height=height)), width, height)))

    def time_rect(self, scene: Scene, camera: Camera) -> QRectF:
        """The place of the time: what has to be painted again when only the time has changed."""
        if not (scene.shown and self._view.show_time):
            return QRectF()
        found = places(self._entries(scene, camera), camera.width, camera.height)
        return found[0][1] if found else QRectF()  # it is the first

    def scale_rect(self, scene: Scene, camera: Camera) -> QRectF:
        """The place of the scale of the colours; empty where there is none."""
        if not (scene.shown and scene.legend and self._view.show_legend and scene.coloring.measures):
            return QRectF()
        entries = self._entries(scene, camera)  # the colours are the last one
        found = places(entries, camera.width, camera.height)
        return next((rect for entry, rect in found if entry is entries[-1]), QRectF())

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Everything that the view model asks for."""
        ink = LegendInk.on(self._view)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        painter.save()
        if camera.below > 0.0:
            painter.setClipRect(QRectF(0.0, 0.0, camera.width, camera.height - camera.below))
        style, primitives = Style(scene, camera, self._view), PrimitivePainter(painter, scene, camera)
        for layer in layers():
            self._guard.ask(layer, self._view, partial(self._layer, layer, style, primitives))
        if self._view.show_box and scene.count:
            self._box(painter, ink, scene, camera)
        painter.restore()
        remarked = scene.data("remark")
        if remarked is not None:
            self._remark(painter, ink, remarked.remark.text, camera)
        painter.setFont(self._font)
        for entry, rect in places(self._entries(scene, camera), camera.width, camera.height):
            entry.paint(painter, rect)

    def _layer(self, layer: Layer, style: Style, primitives: PrimitivePainter) -> None:
        data = style.scene.data(layer.name)
        if data is not None and layer.visible(self._view):
            with primitives.faded(layer.opacity_in(self._view)):
                primitives.paint(layer.marks(data, style), cut=layer.cut)

    def _legend_of(self, layer: Layer, style: Style) -> Sequence[Entry]:
        if not layer.shown(self._view):
            return ()
        data = style.scene.data(layer.name)
        entries = list(layer.legend(data, style, self._key))
        says = layer.says(data, style)
        # what a layer may say has room in any case, so that nothing moves when it does
        told = [f"{layer.label}: {words}" for words in (layer.missing, layer.too_small, says) if words]
        if entries and told:
            first = entries[0]
            width = max(first.width, *(self._key.advance(text) for text in told))
            entries[0] = replace(first, width=width)
        if says:
            text = f"{layer.label}: {says}"
            line = partial(self._key.text, color=self._key.ink.quiet, text=text)
            first = entries[0] if entries else Entry(self._key.advance(text), self._key.step, line, True)
            blank = [replace(entry, paint=lambda painter, rect: None) for entry in entries[1:]]
            entries = [replace(first, paint=lambda painter, rect: line(painter, rect=rect)), *blank]
        return [self._guarded(layer, entry) for entry in entries]

    def _guarded(self, layer: Layer, entry: Entry) -> Entry:
        def paint(painter: QPainter, rect: QRectF) -> None:
            self._guard.ask(layer, self._view, partial(entry.paint, painter, rect))

        return replace(entry, paint=paint)

    def _entries(self, scene: Scene, camera: Camera) -> list[Entry]:
        """What stands below the discs. Sizes follow from the font and the width of the picture, not from the zoom."""
        if not scene.shown:
            return []
        ink, line = LegendInk.on(self._view), self._metrics.height()
        entries = []
        if self._view.show_time:
            text = moment(scene.time, scene.clock)
            width = max(self._key.advance(text.replace("1", "0")), self._key.advance(_LONGEST_TIME))
            entries.append(Entry(width, line, lambda painter, rect: self._key.text(painter, ink.text, rect, text)))
        if self._view.show_scale_bar:
            width = max(_BAR_SHARE * camera.width, self._key.advance(_LONGEST_SCALE))
            bar = partial(self._scale_bar, ink=ink, scene=scene, camera=camera)
            entries.append(Entry(width, line + 8, bar))
        if self._view.show_legend:
            style = Style(scene, camera, self._view)
            for layer in reversed(layers()):
                entries.extend(self._guard.ask(layer, self._view, partial(self._legend_of, layer, style)) or ())
            legend = self._legend(ink, scene)
            # beside a picture that has it, the same room stays free, so that both are alike
            entries.append(legend if scene.legend else replace(legend, paint=lambda painter, rect: None))
        return entries

    def _box(self, painter: QPainter, ink: LegendInk, scene: Scene, camera: Camera) -> None:
        left, bottom = camera.to_pixel(0.0, 0.0)
        right, top = camera.to_pixel(float(scene.box[0]), float(scene.box[1]))
        pen = QPen(ink.line, 1.0)
        if scene.periodic:
            pen.setDashPattern([5.0, 4.0])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # far outside the picture Qt's rasteriser would count dashes for ever
        far = 4.0 * max(camera.width, camera.height)
        left, right = max(left, -far), min(right, camera.width + far)
        top, bottom = max(top, -far), min(bottom, camera.height + far)
        painter.drawRect(QRectF(QPointF(left, top), QPointF(right, bottom)))

    def _remark(self, painter: QPainter, ink: LegendInk, text: str, camera: Camera) -> None:
        """What is said of the state, in the upper left corner."""
        edge = QColor(ink.line)
        plate = QColor(*self._view.background_rgb)
        plate.setAlpha(_PLATE_ALPHA)
        room = QRectF(0.0, 0.0, min(_REMARK_WIDTH * self._key.enlarged, camera.width - 2 * (EDGE + PAD)), 1e4)
        wrapped = Qt.TextFlag.TextWordWrap.value | Qt.AlignmentFlag.AlignLeft.value
        needed = self._metrics.boundingRect(room, wrapped, text)
        rect = QRectF(EDGE, EDGE, needed.width() + 2 * PAD, needed.height() + PAD)
        painter.setPen(QPen(edge, 1.0))
        painter.setBrush(plate)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 6.0, 6.0)
        painter.setPen(ink.text)
        painter.drawText(rect.adjusted(PAD, PAD / 2, -PAD + 1.0, 0.0), wrapped, text)

    def _scale_bar(self, painter: QPainter, rect: QRectF, *, ink: LegendInk, scene: Scene, camera: Camera) -> None:
        length = round_below(_BAR_SHARE * camera.width / camera.scale)
        pixels = length * camera.scale
        painter.setPen(ink.text)
        text = scale_text(length, 2.0 * scene.mean_radius)
        painter.drawText(QPointF(rect.left(), rect.top() + self._metrics.ascent()), text)
        y = rect.bottom() - 2.0
        painter.setPen(QPen(ink.text, 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.left() + pixels, y))
        painter.setPen(QPen(ink.text, 1.0))
        for x in (rect.left() + 0.5, rect.left() + pixels - 0.5):
            painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 1))

    # legend

    @property
    def _legend_height(self) -> float:
        """The height of every legend, in pixels: another colouring leaves the picture as large as it was."""
        return self._key.ramp_height

    def _legend(self, ink: LegendInk, scene: Scene) -> Entry:
        table = colors.scene_table(scene, self._view)
        coloring = colors.shown(scene, self._view)
        if coloring.categorical:
            each = f"one colour per {coloring.label.lower()}"
            lone = table[PALETTE_SIZE : PALETTE_SIZE + 3]
            return self._swatch_legend(ink, [(each, table[:3]), ("lone discs", lone)])
        if coloring.classes:
            return self._classes_legend(ink, coloring.classes, table)
        title = f"{coloring.label} ({coloring.unit})" if coloring.unit else coloring.label
        title += ", log scale" if coloring.log else ""
        width = max(_RAMP * self._key.enlarged, self._key.advance(title))
        steps = colors.steps_of(coloring)
        if steps:  # a few colours, whose numbers stand below their middles or between them
            table = table[((np.arange(steps) + 0.5) * len(table) / steps).astype(int)]
        numbers = ramp_numbers(coloring)
        if coloring.whole:
            width = max(width, (len(numbers)) * (max(map(self._key.advance, numbers)) + 6.0))

        def paint(painter: QPainter, rect: QRectF) -> None:
            self._key.ramp(painter, rect, title, table, numbers, centred=coloring.whole)

        return Entry(width, self._legend_height, paint, True)

    def _classes_legend(self, ink: LegendInk, names: tuple[str, ...], table: NDArray[np.uint8]) -> Entry:
        """A swatch for each class, in columns of two."""
        entries = np.linspace(0, len(table) - 1, len(names)).round().astype(int)
        rows = [(name, table[entry : entry + 1]) for name, entry in zip(names, entries, strict=True)]
        columns = [self._swatch_legend(ink, rows[k : k + 2]) for k in range(0, len(rows), 2)]
        if len(columns) == 1:
            return columns[0]

        def paint(painter: QPainter, rect: QRectF) -> None:
            left = rect.left()
            for column in columns:
                column.paint(painter, QRectF(left, rect.top(), column.width, rect.height()))
                left += column.width + 2 * PAD

        width = sum(column.width for column in columns) + 2 * PAD * (len(columns) - 1)
        return Entry(width, self._legend_height, paint, True)

    def _swatch_legend(self, ink: LegendInk, rows: list[tuple[str, NDArray[np.uint8]]]) -> Entry:
        """A line of text for some colours (K, 4) each."""
        step, swatch = self._metrics.height() + 2, 8.0 * self._key.enlarged
        room = max(len(entries) for _, entries in rows) * (swatch + 2) + 6

        def paint(painter: QPainter, rect: QRectF) -> None:
            top = rect.center().y() - len(rows) * step / 2
            for row, (text, entries) in enumerate(rows):
                middle = top + (row + 0.5) * step
                painter.setPen(Qt.PenStyle.NoPen)
                for column, entry in enumerate(entries):
                    painter.setBrush(QColor(*(int(c) for c in entry)))
                    x = rect.left() + column * (swatch + 2)
                    painter.drawEllipse(QRectF(x, middle - swatch / 2, swatch, swatch))
                line = QRectF(rect.left() + room, middle - step / 2, rect.width(), step)
                self._key.text(painter, ink.quiet, line, text)

        width = max(self._key.advance(text) for text, _ in rows) + room
        return Entry(width, self._legend_height, paint, True)
