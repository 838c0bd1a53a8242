"""The legend of the runs that the plots compare."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.plots.runs import RunLook, RunStyle

_SWATCH, _GAP, _BETWEEN = 28, 8, 24  # pixels: of a swatch, to its name, to the next swatch
_MARK = 3.5  # radius of the mark on a swatch
_SIDE = 16  # pixels free beside the line


class RunLegend(QWidget):
    """One line with a sample of each run's curve, its mark, and its name. Hidden for a single run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names: list[str] = []
        self._looks: list[RunLook] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_runs(self, runs: Sequence[RunStyle], looks: Sequence[RunLook]) -> None:
        """The runs and how they are drawn."""
        self.names = [run.name for run in runs]
        self._looks = list(looks)
        text = "Runs: " + ", ".join(self.names)
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.setVisible(len(runs) > 1)
        self.update()

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(200, self.fontMetrics().height() + 16)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint swatches with names, shortened to fit."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        count = max(1, len(self.names))
        room = (self.width() - 2 * _SIDE - (count - 1) * _BETWEEN) // count - _SWATCH - _GAP
        x, middle = _SIDE, self.height() / 2
        for name, look in zip(self.names, self._looks, strict=True):
            self._paint_swatch(painter, x, middle, look)
            x += _SWATCH + _GAP
            painter.setPen(self.palette().windowText().color())
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(0, room))
            painter.drawText(QRectF(x, 0, room + 1, self.height()), Qt.AlignmentFlag.AlignVCenter, shown)
            x += metrics.horizontalAdvance(shown) + _BETWEEN
        painter.end()

    @staticmethod
    def _paint_swatch(painter: QPainter, x: int, middle: float, look: RunLook) -> None:
        colour = QColor(look.colour)
        pen = QPen(colour, 4.0 if look.first else 2.0)
        if look.broken:
            pen.setDashPattern([3.0, 1.5])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        centre = QPointF(x + _SWATCH / 2, middle)
        reach = 0.0 if look.first else _MARK  # a ring is empty
        painter.setPen(pen)
        painter.drawLine(QPointF(x, middle), centre - QPointF(reach, 0))
        painter.drawLine(centre + QPointF(reach, 0), QPointF(x + _SWATCH, middle))
        painter.setPen(QPen(colour, 1.5))
        painter.setBrush(colour if look.first else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(centre, _MARK, _MARK)
        painter.setBrush(Qt.BrushStyle.NoBrush)
