"""What lies over the discs: box, scale bar, legend, time. One drawing for the window and for snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.forces_painter import SAMPLES, ForcesPainter
from aggviewer.canvas.marks import ROLE_TEXTS
from aggviewer.canvas.marks_painter import MarksPainter
from aggviewer.canvas.scene import Scene
from aggviewer.session.cluster_colors import PALETTE_SIZE
from aggviewer.session.view import ViewModel

_EDGE = 16.0  # widget pixels between an overlay and the edge of the picture
_PAD = 8.0  # inside the plate behind an overlay
_BAR_SHARE = 0.2  # of the picture's width that the scale bar may take
_LEGEND_BAR = (168.0, 8.0)  # at the usual size of the text
_USUAL_LINE = 16.0  # pixels from line to line at the usual size of the text
_PLATE_ALPHA = 215  # of 255: text keeps a contrast of 4.5 to whatever disc lies below
_PLATE_EDGE_ALPHA = 70
_REMARK_WIDTH = 320.0  # at most, at the usual size of the text
_FORCES = "Force over the mean"
_EXTRA = "with a self-stress of their own"


@dataclass(frozen=True)
class Ink:
    """Colours of lines and text that read well on the background."""

    text: QColor
    quiet: QColor
    line: QColor
    plate: QColor

    @staticmethod
    def on(view: ViewModel) -> Ink:
        """For the background of `view`."""
        plate = QColor(*view.background_rgb)
        plate.setAlpha(_PLATE_ALPHA)
        if view.dark:
            return Ink(QColor("#e4e7ec"), QColor("#a9b1bc"), QColor("#66707e"), plate)
        return Ink(QColor("#22272e"), QColor("#4a525c"), QColor("#8b94a1"), plate)


def scale_length(longest: float) -> float:
    """The largest 1, 2 or 5 times a power of ten that is not above `longest` > 0."""
    power = 10.0 ** floor(log10(longest))
    return max(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power <= longest * (1.0 + 1e-9))


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


def _grouped(value: float) -> str:
    """A whole number in groups of three digits."""
    return f"{value:,.0f}".replace(",", "\u2009")


def time_text(time: float, programs: bool = False) -> str:
    """``t = 12.40``, or ``program 12`` where time counts linear programs; the width does not change from frame to frame
    while the order of magnitude stays."""
    if programs:
        return "start" if time < 1.0 else f"program {int(time)}"
    return f"t = {time:.2f}" if abs(time) < 1e5 else f"t = {time:.4e}"


class Overlays:
    """Paints onto any QPainter whose unit is the widget pixel of `camera`."""

    def __init__(self, view: ViewModel, font: QFont) -> None:
        self._view = view
        self._marks = MarksPainter(view)
        self._forces = ForcesPainter(view)
        self._font = QFont(font)
        if font.pixelSize() <= 0:  # of a size in points
            self._font.setPointSizeF(max(font.pointSizeF(), 9.0))
        self._font.setFeature(QFont.Tag("tnum"), 1)

    def time_rect(self, scene: Scene) -> QRectF:
        """The plate of the time: what has to be painted again when only the time has changed."""
        metrics = QFontMetricsF(self._font)
        width = metrics.horizontalAdvance(time_text(scene.time, scene.programs).replace("1", "0")) + 2 * _PAD
        return QRectF(_EDGE, _EDGE, max(width, 72.0), metrics.height() + _PAD)

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Everything that the view model asks for."""
        ink = Ink.on(self._view)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        if scene.shown and scene.forces is not None and self._view.show_forces:
            self._forces.paint(painter, scene.forces, scene, camera)
        if scene.shown and scene.flashes is not None:
            self._marks.paint_flashes(painter, scene.flashes, scene, camera)
        if scene.shown and scene.remark is not None:
            self._marks.paint_named(painter, scene.remark.discs, scene, camera)
        if scene.shown and scene.marks is not None:
            self._marks.paint(painter, scene.marks, scene, camera)
        if self._view.show_box and scene.count:
            self._box(painter, ink, scene, camera)
        if not scene.shown:
            return
        if self._view.show_time:
            self._time(painter, ink, scene)
        if scene.remark is not None:
            self._remark(painter, ink, scene, scene.remark.text, camera)
        scale = self._scale_bar(painter, ink, scene, camera) if self._view.show_scale_bar else QRectF()
        if self._view.show_legend:
            corner = self._corner(0.0, 0.0, camera, scale)
            legend = self._legend(painter, ink, scene, camera, scale) if scene.legend else corner
            self._marks_key(painter, ink, scene, camera, legend)
            if scene.shows_forces(self._view.show_forces) and self._forces.drawn(scene, camera):
                self._forces_key(painter, ink, scene, camera, legend)

    def _box(self, painter: QPainter, ink: Ink, scene: Scene, camera: Camera) -> None:
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

    @staticmethod
    def _enlarged(metrics: QFontMetricsF) -> float:
        """How much larger than usual the text is; marks beside it grow with it."""
        return max(1.0, metrics.height() / _USUAL_LINE)

    def _plate(self, painter: QPainter, ink: Ink, rect: QRectF) -> None:
        edge = QColor(ink.line)
        edge.setAlpha(_PLATE_EDGE_ALPHA)
        painter.setPen(QPen(edge, 1.0))
        painter.setBrush(ink.plate)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 6.0, 6.0)

    def _time(self, painter: QPainter, ink: Ink, scene: Scene) -> None:
        rect = self.time_rect(scene)
        self._plate(painter, ink, rect)
        painter.setPen(ink.text)
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect.adjusted(_PAD, 0, _PAD, 0), left, time_text(scene.time, scene.programs))

    def _remark(self, painter: QPainter, ink: Ink, scene: Scene, text: str, camera: Camera) -> None:
        """What is said of the state, below the time."""
        top = self.time_rect(scene).bottom() + _PAD if self._view.show_time else _EDGE
        metrics = QFontMetricsF(self._font)
        room = QRectF(0.0, 0.0, min(_REMARK_WIDTH * self._enlarged(metrics), camera.width - 2 * (_EDGE + _PAD)), 1e4)
        wrapped = Qt.TextFlag.TextWordWrap.value | Qt.AlignmentFlag.AlignLeft.value
        needed = metrics.boundingRect(room, wrapped, text)
        rect = QRectF(_EDGE, top, needed.width() + 2 * _PAD, needed.height() + _PAD)
        self._plate(painter, ink, rect)
        painter.setPen(ink.text)
        painter.drawText(rect.adjusted(_PAD, _PAD / 2, -_PAD + 1.0, 0.0), wrapped, text)

    def _scale_bar(self, painter: QPainter, ink: Ink, scene: Scene, camera: Camera) -> QRectF:
        """The plate that was drawn."""
        length = scale_length(_BAR_SHARE * camera.width / camera.scale)
        pixels = length * camera.scale
        text = scale_text(length, 2.0 * scene.mean_radius)
        metrics = QFontMetricsF(self._font)
        width = max(pixels, metrics.horizontalAdvance(text)) + 2 * _PAD
        height = metrics.height() + 2 * _PAD + 4
        rect = QRectF(_EDGE, camera.height - _EDGE - height, width, height)
        self._plate(painter, ink, rect)
        painter.setPen(ink.text)
        painter.drawText(QPointF(rect.left() + _PAD, rect.top() + _PAD / 2 + metrics.ascent()), text)
        y = rect.bottom() - _PAD
        painter.setPen(QPen(ink.text, 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QPointF(rect.left() + _PAD, y), QPointF(rect.left() + _PAD + pixels, y))
        painter.setPen(QPen(ink.text, 1.0))
        for x in (rect.left() + _PAD + 0.5, rect.left() + _PAD + pixels - 0.5):
            painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 1))
        return rect

    @staticmethod
    def _corner(width: float, height: float, camera: Camera, scale: QRectF) -> QRectF:
        """A plate at the bottom on the right; in a narrow picture above that of the scale bar."""
        rect = QRectF(camera.width - _EDGE - width, camera.height - _EDGE - height, width, height)
        if rect.left() < scale.right() + _PAD:
            rect.moveBottom(scale.top() - _PAD)
        return rect

    def _legend(self, painter: QPainter, ink: Ink, scene: Scene, camera: Camera, scale: QRectF) -> QRectF:
        """The plate that was drawn."""
        table = colors.scene_table(scene, self._view)
        if scene.coloring.categorical:
            rows = [("one colour per cluster", table[:3]), ("lone discs", table[PALETTE_SIZE : PALETTE_SIZE + 3])]
            return self._swatch_legend(painter, ink, camera, scale, rows)
        if scene.coloring.classes:
            return self._swatch_legend(
                painter, ink, camera, scale, [*zip(scene.coloring.classes, (table[:1], table[-1:]), strict=True)]
            )
        return self._ramp_legend(painter, ink, scene, camera, scale)

    def _marks_key(self, painter: QPainter, ink: Ink, scene: Scene, camera: Camera, legend: QRectF) -> None:
        """The marks that are drawn, with their words, above the legend; nothing where there is no room."""
        roles = self._marks.roles(scene.marks, scene, camera) if scene.marks is not None else []
        metrics = QFontMetricsF(self._font)
        step, sample = metrics.height() + 2, 20.0 * self._enlarged(metrics)
        width = (
            max((metrics.horizontalAdvance(ROLE_TEXTS[role]) for role in roles), default=0.0) + sample + 8 + 2 * _PAD
        )
        width = max(width, legend.width())
        height = len(roles) * step + _PAD
        rect = QRectF(legend.right() - width, legend.top() - _PAD - height, width, height)
        if not roles or rect.top() < _EDGE:
            return
        self._plate(painter, ink, rect)
        for row, role in enumerate(roles):
            middle = rect.top() + _PAD / 2 + (row + 0.5) * step
            x = rect.left() + _PAD
            self._marks.paint_sample(painter, role, QRectF(x, middle - 6, sample, 12))
            painter.setPen(ink.quiet)
            baseline = middle + (metrics.ascent() - metrics.descent()) / 2
            painter.drawText(QPointF(x + sample + 8, baseline), ROLE_TEXTS[role])

    def _forces_key(self, painter: QPainter, ink: Ink, scene: Scene, camera: Camera, legend: QRectF) -> None:
        """How wide a force is, and what a rattler looks like, above the legend; nothing where there is no room."""
        metrics = QFontMetricsF(self._font)
        step = metrics.height() + 2
        swatch = 10.0 * self._enlarged(metrics)
        extra = scene.forces is not None and len(scene.forces.extra) > 0
        width = max(legend.width(), metrics.horizontalAdvance(_FORCES) + 2 * _PAD)
        if extra:
            width = max(width, metrics.horizontalAdvance(_EXTRA) + swatch + 8 + 2 * _PAD)
        rect = QRectF(legend.right() - width, 0, width, (5 if extra else 4) * step + _PAD)
        rect.moveBottom(legend.top() - _PAD)
        if rect.top() < _EDGE:
            return
        self._plate(painter, ink, rect)
        left, inner = rect.left() + _PAD, rect.width() - 2 * _PAD
        painter.setPen(ink.text)
        painter.drawText(QPointF(left, rect.top() + _PAD / 2 + metrics.ascent()), _FORCES)
        column = inner / len(SAMPLES)
        top = rect.top() + _PAD / 2 + step
        for place, strength in enumerate(SAMPLES):
            sample = QRectF(left + place * column, top, column - _PAD, step)
            self._forces.paint_line_sample(painter, strength, scene, camera, sample)
            painter.setPen(ink.quiet)
            text = "½" if strength == 0.5 else f"{strength:g}" if strength < SAMPLES[-1] else f"≥ {strength:g}"
            painter.drawText(sample.translated(0, step), Qt.AlignmentFlag.AlignCenter, text)
        middle = top + 2.5 * step
        sample = QRectF(left, middle - swatch / 2, swatch, swatch)
        base = QPointF(left + swatch + 8, middle + (metrics.ascent() - metrics.descent()) / 2)
        self._forces.paint_rattler_sample(painter, scene, sample)
        painter.setPen(ink.quiet)
        painter.drawText(base, "rattler")
        if extra:
            self._forces.paint_extra_sample(painter, sample.translated(0, step))
            painter.setPen(ink.quiet)
            painter.drawText(base + QPointF(0, step), _EXTRA)

    def _swatch_legend(
        self, painter: QPainter, ink: Ink, camera: Camera, scale: QRectF, rows: list[tuple[str, NDArray[np.uint8]]]
    ) -> QRectF:
        """A line of text for some colours (K, 4) each; the plate that was drawn."""
        metrics = QFontMetricsF(self._font)
        step, swatch = metrics.height() + 2, 8.0 * self._enlarged(metrics)
        room = max(len(entries) for _, entries in rows) * (swatch + 2) + 6
        width = max(metrics.horizontalAdvance(text) for text, _ in rows) + room + 2 * _PAD
        height = len(rows) * step + _PAD
        rect = self._corner(width, height, camera, scale)
        self._plate(painter, ink, rect)
        for row, (text, entries) in enumerate(rows):
            middle = rect.top() + _PAD / 2 + (row + 0.5) * step
            painter.setPen(Qt.PenStyle.NoPen)
            for column, entry in enumerate(entries):
                painter.setBrush(QColor(*(int(c) for c in entry)))
                x = rect.left() + _PAD + column * (swatch + 2)
                painter.drawEllipse(QRectF(x, middle - swatch / 2, swatch, swatch))
            painter.setPen(ink.quiet)
            painter.drawText(
                QPointF(rect.left() + _PAD + room, middle + (metrics.ascent() - metrics.descent()) / 2), text
            )
        return rect

    def _ramp_legend(self, painter: QPainter, ink: Ink, scene: Scene, camera: Camera, scale: QRectF) -> QRectF:
        coloring = scene.coloring
        metrics = QFontMetricsF(self._font)
        bar_width, bar_height = (length * self._enlarged(metrics) for length in _LEGEND_BAR)
        title = f"{coloring.label} ({coloring.unit})" if coloring.unit else coloring.label
        title += ", log scale" if coloring.log else ""
        width = max(bar_width, metrics.horizontalAdvance(title)) + 2 * _PAD
        height = 2 * metrics.height() + bar_height + 2 * _PAD
        rect = self._corner(width, height, camera, scale)
        self._plate(painter, ink, rect)
        left, y = rect.left() + _PAD, rect.top() + _PAD / 2 + metrics.height() + 4
        painter.setPen(ink.text)
        painter.drawText(QPointF(left, rect.top() + _PAD / 2 + metrics.ascent()), title)
        table = np.ascontiguousarray(colors.scene_table(scene, self._view))
        ramp = QImage(table.tobytes(), colors.ENTRIES, 1, 4 * colors.ENTRIES, QImage.Format.Format_RGBA8888)
        bar = QRectF(left, y, rect.width() - 2 * _PAD, bar_height)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(bar, ramp)
        painter.setPen(ink.quiet)
        line = QRectF(left, bar.bottom() + 2, bar.width(), metrics.height())
        low, high = coloring.limits
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, limit_text(low))
        top = ("≥ " if coloring.open_top else "") + limit_text(high)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, top)
        middle = float(f"{(low * high) ** 0.5:.2g}") if coloring.log else (low + high) / 2
        painter.drawText(line, Qt.AlignmentFlag.AlignHCenter, limit_text(middle))
        return rect
