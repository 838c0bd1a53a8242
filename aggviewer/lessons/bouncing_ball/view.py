"""The picture of a ball over its plate. Its height axis zooms in with the bounces until single floats are visible."""

from __future__ import annotations

from math import ceil, floor

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QLinearGradient, QMouseEvent, QPainter, QPaintEvent, QPen, QRadialGradient
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.lessons.bouncing_ball.model import BallPicture
from aggviewer.lessons.bouncing_ball.numbers import in_ulps, short
from aggviewer.lessons.bouncing_ball.parts import ON_DARK, BallColors
from aggviewer.style.theme import tabular
from aggviewer.style.ticks import round_above

_LINE = 32.0  # pixels, the height of the line with the name
_HEAD = 56.0  # with the rule below it
_AXIS = 72.0  # pixels, the width of the labels
_BELOW = 0.24  # share of the height below the surface of the plate
_LINES_FROM = 7.0  # pixels; floats at least this far apart are drawn as lines
_TICKS = 5
_ARROW = 28.0  # pixels; a gap at least this high is shown with its name beside the ball
GAP = "gap f between\nball and plate"
RULES = {True: "hits when the gap f is next 0", False: "hits when f ≤ 0 and it falls"}
"""What each detection takes for an impact, by whether it is the naive one."""
STATES = {"release": "released", "impact": "bounces", "peak": "stopped", "rest": "at rest", "halt": "no next event"}


class BallView(QWidget):
    """Draws a `BallPicture`. The gap below the ball is to scale, the ball is not. Signal: ``chosen()`` on a click."""

    chosen = pyqtSignal()

    def __init__(self, name: str, naive: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self._naive = naive
        self._shown: BallPicture | None = None
        self._ulp = 0.0
        self._offset = 0.0
        self._colors: BallColors = ON_DARK
        self._selected = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setToolTip(
            "The gap under the ball, f = r − r_plate − σ/2 (11). The axis shrinks with the bounces;\n"
            "thin lines are the heights that a float can have. The ball is not to scale.\n"
            "A click shows this ball in the table."
        )

    def set_shown(self, shown: BallPicture, ulp: float, offset: float) -> None:
        """Set what to draw.

        Parameters
        ----------
        shown : the position of the ball and the height of the view.
        ulp : the distance between neighbouring floats near contact; 0 where they are too close to matter.
        offset : the gap at the float that is nearest to contact.
        """
        self._shown, self._ulp, self._offset = shown, ulp, offset
        self.setAccessibleName(f"{self.name}: {self.state()}")
        self.update()

    def set_selected(self, selected: bool) -> None:
        """Set whether the table shows this ball."""
        self._selected = selected
        self.update()

    def set_colors(self, colors: BallColors) -> None:
        """Use the colours of a theme."""
        self._colors = colors
        self.update()

    def state(self) -> str:
        """What the ball does, in one or two words."""
        if self._shown is None:
            return ""
        return "fell through" if self._shown.fallen else STATES[self._shown.event.kind]

    # drawing

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint card, name and state, axis, floats, plate, peak and ball."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors = self._colors.window
        card = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        own = QColor(self._colors.naive if self._naive else self._colors.stable)
        painter.setPen(QPen(own if self._selected else QColor(colors.border), 1.0))
        painter.setBrush(QColor(colors.base))
        painter.drawRoundedRect(card, 8.0, 8.0)
        self._draw_head(painter, card, own)
        if self._shown is None:
            return
        painter.setClipRect(card.adjusted(1.0, _HEAD, -1.0, -1.0))
        self._draw_plate(painter, card)
        self._draw_floats(painter, card)
        self._draw_axis(painter, card)
        self._draw_peak(painter, card, own)
        self._draw_ball(painter, card, own)

    def _surface(self, card: QRectF) -> float:
        return card.bottom() - _BELOW * (card.height() - _HEAD)

    def _radius(self, card: QRectF) -> float:
        return min(40.0, 0.12 * card.height(), 0.16 * card.width())

    def _scale(self, card: QRectF) -> float:
        """The pixels per unit of height: a ball at the top of the view is just visible as a whole."""
        assert self._shown is not None
        room = self._surface(card) - card.top() - _HEAD - 2.0 * self._radius(card) - 8.0
        return max(room, 1.0) / self._shown.top

    def _y(self, card: QRectF, gap: float) -> float:
        return self._surface(card) - gap * self._scale(card)

    def _draw_head(self, painter: QPainter, card: QRectF, own: QColor) -> None:
        line = QRectF(card.left() + 12.0, card.top(), card.width() - 24.0, _LINE)
        font = self.font()
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(own)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.name)
        painter.setFont(tabular(self.font(), 0.85))
        painter.setPen(QColor(self._colors.window.text))
        below = QRectF(line.left(), line.bottom() - 6.0, line.width(), _HEAD - _LINE + 4.0)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, RULES[self._naive])
        painter.setFont(self.font())
        lost = self._shown is not None and (self._shown.fallen or self._shown.event.kind == "halt")
        painter.setPen(QColor(self._colors.window.error if lost else self._colors.window.muted))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.state())

    def _draw_plate(self, painter: QPainter, card: QRectF) -> None:
        top = self._surface(card)
        body = QRectF(card.left() + _AXIS, top, card.width() - _AXIS - 12.0, card.bottom() - top - 12.0)
        fade = QLinearGradient(body.topLeft(), body.bottomLeft())
        color = QColor(self._colors.window.border)
        fade.setColorAt(0.0, color)
        color.setAlpha(40)
        fade.setColorAt(1.0, color)
        painter.fillRect(body, fade)
        painter.setPen(QPen(QColor(self._colors.window.text), 1.5))
        painter.drawLine(body.topLeft(), body.topRight())

    def _draw_floats(self, painter: QPainter, card: QRectF) -> None:
        if not self._ulp or self._ulp * self._scale(card) < _LINES_FROM:
            return
        assert self._shown is not None
        faint = QColor(self._colors.window.muted)
        faint.setAlpha(110)
        left, right = card.left() + _AXIS, card.right() - 12.0
        high = ceil((self._shown.top * 1.6 - self._offset) / self._ulp)
        low = floor((-self._shown.top - self._offset) / self._ulp)
        painter.setPen(QPen(faint, 1.0, Qt.PenStyle.DotLine))
        for k in range(low, high + 1):
            y = self._y(card, self._offset + k * self._ulp)
            if card.top() + _HEAD < y < card.bottom() - 12.0:
                painter.drawLine(QPointF(left, y), QPointF(right, y))
        painter.setPen(QColor(self._colors.window.muted))
        painter.setFont(tabular(self.font(), 0.85))
        if self._shown.fallen:
            return
        note = QRectF(left + 8.0, card.bottom() - 12.0 - 24.0, right - left - 16.0, 24.0)
        painter.drawText(note, Qt.AlignmentFlag.AlignCenter, "dotted: floats")

    def _draw_axis(self, painter: QPainter, card: QRectF) -> None:
        assert self._shown is not None
        painter.setFont(tabular(self.font(), 0.85))
        painter.setPen(QColor(self._colors.window.muted))
        step = round_above(self._shown.top / _TICKS)
        x, height = card.left() + _AXIS, painter.fontMetrics().height()
        count = floor(self._shown.top / step)
        for k in range(count + 1):
            y = self._y(card, k * step)
            painter.drawLine(QPointF(x - 4.0, y), QPointF(x, y))
            text = short(float(f"{k * step:.2g}"))
            place = QRectF(card.left() + 4.0, y - height / 2, _AXIS - 12.0, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.drawLine(QPointF(x, self._y(card, count * step)), QPointF(x, self._surface(card)))

    def _draw_peak(self, painter: QPainter, card: QRectF, own: QColor) -> None:
        assert self._shown is not None
        peak = self._shown.peak
        if peak is None or self._shown.fallen:
            return
        y = self._y(card, peak)
        if abs(y - self._surface(card)) < 2.0:
            return  # the plate would cover it
        painter.setPen(QPen(own, 1.0, Qt.PenStyle.DashLine))
        right = card.right() - 12.0
        painter.drawLine(QPointF(card.left() + _AXIS, y), QPointF(right, y))
        painter.setFont(tabular(self.font(), 0.85))
        height = painter.fontMetrics().height()
        place = QRectF(card.left() + _AXIS + 4.0, y - height - 1.0, right - card.left() - _AXIS - 4.0, height)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight, "peak")

    def _draw_ball(self, painter: QPainter, card: QRectF, own: QColor) -> None:
        assert self._shown is not None
        radius = self._radius(card)
        middle = card.left() + _AXIS + (card.width() - _AXIS - 12.0) / 2.0
        if self._shown.fallen:
            painter.setPen(QPen(own, 1.5, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(middle, card.bottom()), radius, radius)
            return
        y = self._y(card, self._shown.gap) - radius
        shade = QRadialGradient(QPointF(middle - 0.35 * radius, y - 0.4 * radius), 1.5 * radius)
        shade.setColorAt(0.0, own.lighter(130))
        shade.setColorAt(1.0, own)
        painter.setPen(QPen(own.darker(150), 1.0))
        painter.setBrush(shade)
        painter.drawEllipse(QPointF(middle, y), radius, radius)
        self._draw_gap(painter, card, middle + radius + 12.0)
        if self._ulp and self._ulp * self._scale(card) >= _LINES_FROM and self._shown.event.kind != "release":
            painter.setFont(tabular(self.font(), 0.85))
            painter.setPen(QColor(self._colors.window.text))
            text = f"gap f = {in_ulps(self._shown.gap / self._ulp)} ulp"
            place = QRectF(card.left() + _AXIS, card.bottom() - 54.0, card.width() - _AXIS - 12.0, 20.0)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_gap(self, painter: QPainter, card: QRectF, x: float) -> None:
        """The gap under the ball with its name, where it is high enough."""
        assert self._shown is not None
        low, high = self._surface(card), self._y(card, self._shown.gap)
        if low - high < _ARROW:
            return
        painter.setPen(QPen(QColor(self._colors.window.text), 1.5))
        painter.drawLine(QPointF(x, low - 2.0), QPointF(x, high))
        for y in (low - 2.0, high):
            painter.drawLine(QPointF(x - 4.0, y), QPointF(x + 4.0, y))
        painter.setFont(tabular(self.font(), 0.85))
        room = QRectF(x + 8.0, high, card.right() - x - 12.0, low - high)
        words = GAP if painter.fontMetrics().horizontalAdvance(GAP.split("\n")[0]) <= room.width() else "f"
        if painter.fontMetrics().lineSpacing() * 2 <= room.height() or words == "f":
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    # Qt

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Choose this ball for the table."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit()

    def sizeHint(self) -> QSize:
        """The preferred size, higher than wide."""
        return QSize(240, 320)

    def minimumSizeHint(self) -> QSize:
        """The least size: room for axis and ball."""
        return QSize(190, 200)
