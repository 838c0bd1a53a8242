"""The runs that the plots compare, what tells them apart, and the legend that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.style.theme import Colors

_SHORT = 3  # characters of a name that still fits into a plot, beside each number
_SWATCH, _GAP, _BETWEEN = 28, 8, 24  # pixels: of a swatch, to its name, to the next swatch
_MARK = 3.5  # radius of the mark on a swatch
_SIDE = 16  # pixels free beside the line


@dataclass(frozen=True)
class RunStyle:
    """A run in the plots.

    Parameters
    ----------
    name : short ones read best: "ED", "f = 0.25".
    method : ``"event-driven"`` or ``"time-stepping"``, which decides the colour.
    variant : 0, or 1 for a second run of the same method.
    """

    name: str
    method: str
    variant: int = 0


def told_apart(runs: Sequence[RunStyle]) -> list[RunStyle]:
    """The same runs, numbered where they have one name: columns of tables are called after them."""
    names = [run.name for run in runs]
    return [
        replace(run, name=f"{run.name} {names[: place + 1].count(run.name)}") if names.count(run.name) > 1 else run
        for place, run in enumerate(runs)
    ]


@dataclass(frozen=True)
class Look:
    """How a run is drawn. With two runs the first is wide or filled and the second, on top of it, thin or a ring: where
    they coincide, both are seen. `broken` lines mark the second variant of a method without its hue."""

    colour: str
    alone: bool
    first: bool
    broken: bool

    @property
    def swatch(self) -> str:
        """The mark of the run in a rich text."""
        return f'<span style="color:{self.colour}">{"●" if self.first else "○"}</span>'


def looks(runs: Sequence[RunStyle], theme: Colors) -> list[Look]:
    """How each of the runs is drawn."""
    return [
        Look(_colour(run, theme), alone=len(runs) == 1, first=place == 0, broken=run.variant > 0 and len(runs) > 1)
        for place, run in enumerate(runs)
    ]


def short_names(runs: Sequence[RunStyle]) -> list[str]:
    """The names to be written beside numbers: empty for one run, and where they are too long for a plot."""
    if len(runs) == 1 or any(len(run.name) > _SHORT for run in runs):
        return [""] * len(runs)
    return [escape(run.name) for run in runs]


def carried_over(before: Sequence[RunStyle], now: Sequence[RunStyle]) -> list[int | None]:
    """For each of the runs `now`, the place it had `before`, None where it was not there.

    A run that is not found by its style is the one at its place if as many runs stay: it goes on with another method.
    """
    sources: list[int | None] = []
    for place, run in enumerate(now):
        if run in before:
            sources.append(list(before).index(run))
        elif len(before) == len(now) and before[place] not in now:
            sources.append(place)
        else:
            sources.append(None)
    return sources


def method_colour(method: str, variant: int, theme: Colors) -> str:
    """The colour of a method, in a shade of its own for a second run of the same one."""
    if method == "time-stepping":
        return theme.time_stepping_shade if variant else theme.time_stepping
    return theme.event_driven_shade if variant else theme.event_driven


def _colour(run: RunStyle, theme: Colors) -> str:
    return method_colour(run.method, run.variant, theme)


class RunLegend(QWidget):
    """One line: a piece of each run's curve with its mark, and its name. Hidden for a single run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names: list[str] = []
        self._looks: list[Look] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_runs(self, runs: Sequence[RunStyle], looks: Sequence[Look]) -> None:
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
        """Swatches with names, as much of each as there is room for."""
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
    def _paint_swatch(painter: QPainter, x: int, middle: float, look: Look) -> None:
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
