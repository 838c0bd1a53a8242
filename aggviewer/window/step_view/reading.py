"""What is read of a step: an explanation, the iteration with its residual, and the curve of the residual."""

from __future__ import annotations

from math import log10

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from aggviewer.plots.axes import power_text
from aggviewer.session.step.story import StepStory, StoryFrame, counted
from aggviewer.style.theme import DARK, Colors, tabular

_PAD = 4.0
_SCALE = 0.82  # of the usual text
_LEAST = 1e-16


class ResidualCurve(QWidget):
    """log10 of the residual; a click or a drag tells of an iteration: ``chosen(index)``, 0…Q - 1."""

    chosen = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__()
        self._residual: NDArray[np.float64] = np.zeros(0)
        self._rounds: list[int] = []
        self._tolerance = 1e-3
        self._cursor: int | None = None
        self._caption = ""
        self._theme: Colors = DARK
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            "Residual: the largest |φ| / s (3.4) of any link, on a logarithmic scale.\n"
            "Dashed: the tolerance at which a contact holds. A click goes to that iteration."
        )
        self.setAccessibleName("Residual over the iterations")

    def set_story(self, residual: NDArray[np.float64], rounds: list[int], tolerance: float) -> None:
        """The residual (Q,), where a round begins, and the tolerance."""
        self._residual = np.maximum(np.nan_to_num(residual, nan=1e3, posinf=1e3), _LEAST)
        self._rounds, self._tolerance, self._cursor = rounds, tolerance, None
        self.update()

    def set_cursor(self, index: int | None) -> None:
        """The iteration that is seen."""
        if index != self._cursor:
            self._cursor = index
            self.update()

    def set_caption(self, text: str) -> None:
        """A short text in the upper right corner, where the curve has mostly fallen."""
        if text != self._caption:
            self._caption = text
            self.update()

    def set_theme(self, theme: Colors) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def _frame(self) -> QRectF:
        return QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)

    def _x(self, index: float) -> float:
        frame = self._frame()
        room = frame.width() - 2 * _PAD
        return frame.left() + _PAD + room * index / max(1, len(self._residual) - 1)

    def _limits(self) -> tuple[float, float]:
        low = min(float(self._residual.min()), self._tolerance)
        high = max(float(self._residual.max()), self._tolerance)
        return log10(low) - 0.3, log10(high) + 0.2

    def _y(self, value: float) -> float:
        frame, (low, high) = self._frame(), self._limits()
        return frame.bottom() - _PAD - (frame.height() - 2 * _PAD) * (log10(value) - low) / (high - low)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Frame, tolerance, rounds, curve, cursor, caption; nothing without a story."""
        if not self.isEnabled():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(tabular(self.font(), _SCALE))
        muted = QColor(self._theme.muted)
        faint = QColor(self._theme.muted)
        faint.setAlpha(90)
        painter.setPen(QPen(faint, 1.0))
        painter.drawRoundedRect(self._frame(), 4.0, 4.0)
        if not len(self._residual):
            painter.setPen(muted)
            painter.drawText(self._frame(), Qt.AlignmentFlag.AlignCenter, "no iterations")
            return
        frame = self._frame()
        for start in self._rounds[1:]:
            x = self._x(start - 0.5)
            painter.drawLine(QPointF(x, frame.top() + 1), QPointF(x, frame.bottom() - 1))
        level = self._y(self._tolerance)
        painter.setPen(QPen(muted, 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(frame.left() + _PAD, level), QPointF(frame.right() - _PAD, level))
        painter.setPen(muted)
        height = painter.fontMetrics().height()
        below = level + 1 if level + 1 + height < frame.bottom() else level - 1 - height
        painter.drawText(QPointF(frame.left() + _PAD + 2, below + painter.fontMetrics().ascent()), self._level_text())
        color = QColor(self._theme.time_stepping)
        painter.setPen(QPen(color, 1.5))
        points = [QPointF(self._x(k), self._y(v)) for k, v in enumerate(self._residual.tolist())]
        painter.drawPolyline(QPolygonF(points))
        if self._cursor is not None:
            at = points[self._cursor]
            painter.setPen(QPen(QColor(self._theme.text), 1.0))
            painter.drawLine(QPointF(at.x(), frame.top() + 1), QPointF(at.x(), frame.bottom() - 1))
            painter.setBrush(color)
            painter.drawEllipse(at, 3.5, 3.5)
        if self._caption:
            corner = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            inside = frame.adjusted(_PAD, 1.0, -_PAD, 0.0)
            painter.fillRect(painter.boundingRect(inside, corner, self._caption), self.palette().window())
            painter.setPen(QColor(self._theme.text))
            painter.drawText(inside, corner, self._caption)

    def _level_text(self) -> str:
        return power_text(self._tolerance)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Go to an iteration."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """The same for a drag."""
        if event is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(event.position().x())

    def _choose(self, x: float) -> None:
        count = len(self._residual)
        if count:
            frame = self._frame()
            share = (x - frame.left() - _PAD) / max(1.0, frame.width() - 2 * _PAD)
            self.chosen.emit(min(max(round(share * (count - 1)), 0), count - 1))

    def sizeHint(self) -> QSize:
        """Small: three lines of text high."""
        return QSize(184, 56)


_CURVE_NARROW, _CURVE_WIDE = 136, 216  # pixels
_WIDE = 720  # width of the bar from which there is room for numbers beside the curve
_FOUR_LINES = 480  # width below which an explanation takes four lines


class StepReading(QWidget):
    """One row. Where it is narrow, the numbers stand in the curve."""

    def __init__(self) -> None:
        super().__init__()
        self._frame: StoryFrame | None = None
        self._total = 0
        self._wide = True
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.numbers = QLabel()
        self.numbers.setFont(tabular())
        self.numbers.setProperty("quiet", True)
        self.numbers.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.curve = ResidualCurve()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self.text, 1)
        row.addWidget(self.numbers)
        row.addWidget(self.curve)

    def set_story(self, story: StepStory) -> None:
        """Another step."""
        self._total = len(story.trace.residual)
        rounds = [chapter.before for chapter in story.chapters if chapter.kind == "minimisation"]
        self.curve.set_story(story.trace.residual, rounds, story.trace.tolerance)

    def show_frame(self, frame: StoryFrame) -> None:
        """Where the story is."""
        self._frame = frame
        self.text.setText(frame.text)
        self.text.setToolTip(frame.text)
        self.curve.set_cursor(frame.chapter.before + frame.iteration - 1 if frame.iteration else None)
        self._write_numbers(frame)

    def show_message(self, text: str) -> None:
        """Words alone."""
        self._frame = None
        self.text.setText(text)
        self.text.setToolTip("")
        self.numbers.setText("")

    def _write_numbers(self, frame: StoryFrame) -> None:
        if frame.iteration is None:
            self.numbers.setText(counted(self._total, "iteration") if self._total else "")
            self.curve.set_caption("")
            return
        of = f"{frame.iteration} of {frame.chapter.last - frame.chapter.first}"
        value = "" if frame.residual is None else power_text(max(frame.residual, 1e-16), 2)
        self.numbers.setText(f"iteration {of}\nresidual {value}" if value else f"iteration {of}")
        self.curve.set_caption("" if self._wide else f"{of}: {value}" if value else of)

    def fit(self, width: int) -> None:
        """Sizes for a bar of this width."""
        wide = self._wide = width >= _WIDE
        metrics = QFontMetrics(self.numbers.font())
        height = (3 if width >= _FOUR_LINES else 4) * metrics.lineSpacing() + 2
        for widget in (self.text, self.numbers, self.curve):
            widget.setFixedHeight(height)
        self.numbers.setVisible(wide)
        self.numbers.setMinimumWidth(metrics.horizontalAdvance("iteration 000 of 000"))
        self.curve.setFixedWidth(_CURVE_WIDE if wide else _CURVE_NARROW)
        if self._frame is not None:
            self._write_numbers(self._frame)
