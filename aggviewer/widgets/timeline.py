"""A timeline: the past of a run, a recording from first to last frame, or the ticks of a time step."""

from __future__ import annotations

from math import expm1, log1p

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QToolTip, QWidget

from aggviewer.session.data import Timeline
from aggviewer.style import numbers
from aggviewer.style.numbers import log_ticks
from aggviewer.style.theme import colors_in_use, tabular
from engine.system import Clock
from engine.words import count

_HEIGHT = 18
_GROOVE = 4.0
_HANDLE = 6.0  # radius
_EDGE = 8.0  # pixels between the groove and the ends of the widget
_GAP = 8
_NEAR = 3.0  # pixels from a mark
MARKED = "Orange tick: large clusters merged, or you moved a disc"
_LOG_RANGE = 1e4  # a logarithmic scale shows log(1 + _LOG_RANGE s), where s is the share of the time, 0 to 1


class TimelineBar(QWidget):
    """Emits `asked(time)` on drags and clicks and for Home, End, Page up and Page down; times are integers if they
    count something. tip : its tool tip."""

    asked = pyqtSignal(float)

    def __init__(self, tip: str = "") -> None:
        super().__init__()
        self.timeline: Timeline | None = None
        self._moment: float | None = None
        self._clock = numbers.TIME
        self._dragged: float | None = None
        self._log = False
        self.setFont(tabular())
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time")
        self.setToolTip(tip)

    def show_timeline(self, timeline: Timeline | None, clock: Clock = numbers.TIME) -> None:
        """Set the times that can be shown; None for none. clock : what the time counts."""
        self._clock = clock
        before, self.timeline = self.timeline, timeline
        if timeline is None or before is None or self._appearance(before) != self._appearance(timeline):
            self.update()

    def show_moment(self, time: float) -> None:
        """Set the time of the frame on the screen. For a live run at its present this is also the end, which the status
        reports only later."""
        if time != self._moment:
            self._moment = time
            self.update()

    @property
    def _end(self) -> float:
        """The time at the end; that of the picture while it shows the present."""
        timeline = self.timeline
        assert timeline is not None
        present = not timeline.replay and timeline.shown_time == timeline.end
        return self._moment if present and self._moment is not None else timeline.end

    @property
    def log(self) -> bool:
        """Whether the scale is logarithmic, with more room for the first moments."""
        return self._log

    @log.setter
    def log(self, log: bool) -> None:
        self._log = log
        self.update()

    @staticmethod
    def _appearance(timeline: Timeline) -> tuple[float, float, float, int, bool]:
        return timeline.begin, timeline.end, timeline.shown_time, len(timeline.marks), timeline.replay

    def sizeHint(self) -> QSize:
        """The preferred size: as high as its text, and the full width."""
        return QSize(240, max(_HEIGHT, self.fontMetrics().height() + 2))

    def minimumSizeHint(self) -> QSize:
        """Narrow enough for a small window."""
        return QSize(120, self.sizeHint().height())

    # geometry

    @property
    def _span(self) -> tuple[float, float]:
        """The ends of the groove in pixels."""
        beside = self._label_width() + _GAP
        return _EDGE + beside, max(_EDGE + beside + 1.0, self.width() - _EDGE - beside)

    def _label_width(self) -> int:
        wide = self.width() >= 480
        return QFontMetrics(self.font()).horizontalAdvance("0000.00") if wide else 0

    def position_of(self, time: float) -> float:
        """The horizontal position of a time, in pixels."""
        left, right = self._span
        timeline = self.timeline
        if timeline is None or timeline.end <= timeline.begin:
            return right
        share = min(max((time - timeline.begin) / (timeline.end - timeline.begin), 0.0), 1.0)
        if self._log:
            share = log1p(share * _LOG_RANGE) / log1p(_LOG_RANGE)
        return left + share * (right - left)

    def time_at(self, x: float) -> float:
        """The time at a pixel; at the right end and beyond it the present, or the last frame."""
        timeline = self.timeline
        if timeline is None:
            return 0.0
        left, right = self._span
        if x >= right - 1.0:
            return timeline.end
        share = min(max((x - left) / (right - left), 0.0), 1.0)
        if self._log:
            share = expm1(share * log1p(_LOG_RANGE)) / _LOG_RANGE
        return timeline.begin + share * (timeline.end - timeline.begin)

    # drawing

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint groove, decades, elapsed part, marks, handle and end labels."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors, filled = colors_in_use(), QColor(colors_in_use().accent)
        left, right = self._span
        middle = self.height() / 2.0
        timeline = self.timeline
        groove = QRectF(left, middle - _GROOVE / 2, right - left, _GROOVE)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.border))
        painter.drawRoundedRect(groove, _GROOVE / 2, _GROOVE / 2)
        if timeline is None:
            return
        if self._log:
            self._paint_decades(painter, timeline, middle)
        painter.setPen(Qt.PenStyle.NoPen)
        shown = self.position_of(self._dragged if self._dragged is not None else timeline.shown_time)
        painter.setBrush(filled)
        painter.drawRoundedRect(QRectF(left, groove.top(), shown - left, _GROOVE), _GROOVE / 2, _GROOVE / 2)
        painter.setPen(QPen(QColor(colors.warning), 1.5))
        for time in timeline.marks:
            x = self.position_of(float(time))
            painter.drawLine(QPointF(x, middle - 8.0), QPointF(x, middle - 4.0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(filled)
        painter.drawEllipse(QPointF(shown, middle), _HANDLE, _HANDLE)
        if self.hasFocus():
            painter.setPen(QPen(filled, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(shown, middle), _HANDLE + 3.0, _HANDLE + 3.0)
        if self._label_width():
            painter.setPen(QColor(colors.muted))
            begin = QRectF(_EDGE, 0.0, self._label_width(), self.height())
            end = QRectF(right + _GAP, 0.0, self._label_width(), self.height())
            vertical = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(begin, vertical | Qt.AlignmentFlag.AlignRight, self._text_of(timeline.begin))
            painter.drawText(end, vertical | Qt.AlignmentFlag.AlignLeft, self._text_of(self._end))

    def _paint_decades(self, painter: QPainter, timeline: Timeline, middle: float) -> None:
        """Paint ticks below the groove at multiples of powers of ten, slightly longer at the powers of ten."""
        span = timeline.end - timeline.begin
        if not span > 0.0:
            return
        painter.setPen(QPen(QColor(colors_in_use().muted), 1.0))
        decades = log_ticks(span / _LOG_RANGE, span)
        for since in log_ticks(span / _LOG_RANGE, span, tuple(range(1, 10))):
            x = round(self.position_of(timeline.begin + since)) + 0.5
            painter.drawLine(QPointF(x, middle + 4.0), QPointF(x, middle + (8.0 if since in decades else 5.5)))

    def _text_of(self, time: float) -> str:
        return count(int(time)) if self._clock.counts else numbers.simulation_time(time)

    # mouse and keys

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Go to the time under the pointer."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton and self.timeline is not None:
            self._ask(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Show the time under the pointer, and what the mark there means; with the button held, go to it."""
        if event is None or self.timeline is None:
            return
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._ask(event.position().x())
        x = event.position().x()
        words = numbers.moment(self._whole(self.time_at(x)), self._clock)
        if any(abs(self.position_of(float(time)) - x) <= _NEAR for time in self.timeline.marks):
            words += f"\n{MARKED}"
        QToolTip.showText(event.globalPosition().toPoint(), words, self)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Put the handle at the present position."""
        self._dragged = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Handle Home and End, and Page up and Page down, which move by a twentieth."""
        timeline = self.timeline
        if event is None or timeline is None:
            return
        page = (timeline.end - timeline.begin) / 20.0
        times = {
            Qt.Key.Key_Home: timeline.begin,
            Qt.Key.Key_End: timeline.end,
            Qt.Key.Key_PageUp: timeline.shown_time - page,
            Qt.Key.Key_PageDown: timeline.shown_time + page,
        }
        time = times.get(Qt.Key(event.key()))
        if time is None:
            super().keyPressEvent(event)
        else:
            self.asked.emit(self._whole(min(max(time, timeline.begin), timeline.end)))

    def _whole(self, time: float) -> float:
        return float(round(time)) if self._clock.counts else time

    def _ask(self, x: float) -> None:
        self._dragged = self._whole(self.time_at(x))
        self.asked.emit(self._dragged)
        self.update()
