"""The strip of a thousand plates: a dot for each, coloured by how the fall ends there with naive detection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.lessons.bouncing_ball.parts import ON_DARK, BallColors
from aggviewer.style.theme import tabular
from engine.hard_discs.ball import DETECTIONS, BallSample, Drop, sample

COUNT, ROWS = 1000, 4
_SEED = 7
_DOTS, _WORDS = 32.0, 22.0  # heights in pixels of all rows of dots and of the line of text


def plates() -> NDArray[np.float64]:
    """The heights of the plates, ascending in [0, 1], random to the last digit."""
    rng = np.random.default_rng(_SEED)
    return np.sort(rng.random(COUNT) + rng.random(COUNT) * 2.0**-53)


def sampled(drop: Drop) -> list[BallSample]:
    """How the falls of a ball on all plates end with naive and with stable detection. Takes seconds the first time,
    for compiling."""
    return [sample(plates(), detection, drop) for detection in DETECTIONS[:2]]


class OriginStrip(QWidget):
    """The strip of plates. Signal: ``chosen(float)`` with a plate that is clicked, or chosen by the arrow keys."""

    chosen = pyqtSignal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._naive: BallSample | None = None
        self._stable: BallSample | None = None
        self._plate: float | None = None
        self._at: int | None = None
        self._colors: BallColors = ON_DARK
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{COUNT} plates")
        self.setToolTip(
            f"{COUNT} plates between 0 and 1: the same fall, shifted. Full: naive detection halts there.\n"
            "A click, or an arrow key, takes that plate."
        )

    def set_samples(self, naive: BallSample, stable: BallSample) -> None:
        """Show how the falls end."""
        self._naive, self._stable = naive, stable
        self.update()

    @property
    def counted(self) -> bool:
        """Whether the results are known."""
        return self._naive is not None

    @property
    def halts(self) -> tuple[float, float] | None:
        """At how many plates naive and stable detection find no next event; None while that is not known."""
        if self._naive is None or self._stable is None:
            return None
        return float(self._naive.halted.sum()), float(self._stable.halted.sum())

    def set_counting(self) -> None:
        """Show that the results are being computed."""
        self._naive = self._stable = None
        self.update()

    def set_plate(self, plate: float) -> None:
        """Mark the plate that the lesson shows, if it is one of the strip."""
        where = np.flatnonzero(plates() == plate)
        self._plate, self._at = plate, int(where[0]) if len(where) else None
        self.update()

    def set_colors(self, colors: BallColors) -> None:
        """Use the colours of a theme."""
        self._colors = colors
        self.update()

    def words(self) -> list[tuple[str, str]]:
        """The parts of the line below the dots: the kind of a dot, "" for none, and the text after it."""
        naive, stable = self._naive, self._stable
        if naive is None or stable is None:
            return [("", f"Counting {COUNT} plates …")]
        halted, rests = int(naive.halted.sum()), int(naive.at_rest.sum())
        mean = naive.mean_events_at_halt
        after = f", on average after {mean:.0f} events" if mean is not None else ""
        found = [
            ("", f"{COUNT} plates from 0 to 1, naive:"),
            ("halted", f"{halted} halt{after}"),
            ("rest", f"{rests} come to rest"),
        ]
        if halted + rests < COUNT:
            found.append(("endless", f"{COUNT - halted - rests} never rest"))
        all_rest = bool(stable.at_rest.all())
        return [*found, ("", "·  stable: none halts, all come to rest" if all_rest else "·  stable: none halts")]

    def kind(self, index: int) -> str:
        """How a fall with naive detection ends at a plate: ``halted``, ``rest`` or ``endless``; "" if not known."""
        if self._naive is None:
            return ""
        if self._naive.halted[index]:
            return "halted"
        return "rest" if self._naive.at_rest[index] else "endless"

    def place(self, index: int) -> QPointF:
        """The centre of a dot."""
        column, row = divmod(index, ROWS)
        columns = COUNT // ROWS
        return QPointF((column + 0.5) * self.width() / columns, (row + 0.5) * _DOTS / ROWS + 2.0)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the dots, the mark and the line of text."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = min(0.4 * self.width() * ROWS / COUNT, 0.4 * _DOTS / ROWS)
        for k in range(COUNT):
            self._dot(painter, self.place(k), radius, self.kind(k))
        if self._at is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._colors.window.text), 1.5))
            painter.drawEllipse(self.place(self._at), radius + 3.0, radius + 3.0)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._colors.window.accent), 1.0))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4.0, 4.0)
        self._write(painter)

    def _dot(self, painter: QPainter, middle: QPointF, radius: float, kind: str) -> None:
        if kind == "endless":
            painter.setPen(QPen(QColor(self._colors.naive), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(middle, radius - 0.5, radius - 0.5)
            return
        color = QColor(self._colors.naive if kind == "halted" else self._colors.window.muted)
        if kind != "halted":
            color.setAlpha(90)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(middle, radius, radius)

    def _write(self, painter: QPainter) -> None:
        painter.setFont(tabular(self.font(), 0.92))
        metrics = painter.fontMetrics()
        line = QRectF(0.0, _DOTS + 6.0, self.width(), _WORDS)
        x, y = 2.0, line.center().y()
        for kind, text in self.words():
            if x + 14.0 + metrics.horizontalAdvance(text) > self.width():
                break  # the window is narrow: the most important parts come first
            if kind:
                self._dot(painter, QPointF(x + 4.0, y), 4.0, kind)
                x += 14.0
            painter.setPen(QColor(self._colors.window.muted))
            painter.drawText(QPointF(x, y + (metrics.ascent() - metrics.descent()) / 2.0), text)
            x += metrics.horizontalAdvance(text) + 14.0

    # Qt

    def nearest(self, at: QPointF) -> int | None:
        """The index of the dot at a position, None where there is none."""
        if not 0.0 <= at.y() - 2.0 <= _DOTS:
            return None
        column = int(at.x() * (COUNT // ROWS) / max(1, self.width()))
        row = min(int((at.y() - 2.0) * ROWS / _DOTS), ROWS - 1)
        return min(max(column * ROWS + row, 0), COUNT - 1)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Choose the plate at the mouse."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            index = self.nearest(event.position())
            if index is not None:
                self.chosen.emit(float(plates()[index]))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Show a pointing hand over the dots."""
        if event is not None:
            over = self.nearest(event.position()) is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Choose the plate below or above with the arrow keys."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key())) if event is not None else None
        if step is None:
            super().keyPressEvent(event)
            return
        values = plates()
        near = int(np.searchsorted(values, self._plate)) if self._plate is not None else 0
        index = (near if self._at is None else self._at + step) % COUNT
        self.chosen.emit(float(values[index]))

    def sizeHint(self) -> QSize:
        """The room that the dots and the line of text need."""
        return QSize(600, round(_DOTS + _WORDS) + 10)
