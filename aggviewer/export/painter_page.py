"""Figures of matplotlib on a painter of Qt: lines are lines and text is text in whatever the painter writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from matplotlib.backend_bases import RendererBase
from matplotlib.path import Path
from matplotlib.textpath import TextToPath
from matplotlib.transforms import Affine2D
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CAPS = {"butt": Qt.PenCapStyle.FlatCap, "round": Qt.PenCapStyle.RoundCap, "projecting": Qt.PenCapStyle.SquareCap}
_JOINS = {"miter": Qt.PenJoinStyle.MiterJoin, "round": Qt.PenJoinStyle.RoundJoin, "bevel": Qt.PenJoinStyle.BevelJoin}
_BOLD = 600  # weight from which text is bold


class PainterRenderer(RendererBase):
    """Draws a figure whose dots are pixels of the painter. Text that is no mathematics is written as text.

    painter : on whatever there is; width, height : of the figure.
    """

    def __init__(self, painter: QPainter, width: float, height: float) -> None:
        super().__init__()
        self._painter, self._size = painter, (width, height)
        self._outlines = TextToPath()
        self._flip = Affine2D().scale(1.0, -1.0).translate(0.0, height)

    def get_canvas_width_height(self) -> tuple[float, float]:
        """The size of the figure, in pixels."""
        return self._size

    def points_to_pixels(self, points: Any) -> Any:
        """Unchanged: a point is a pixel here."""
        return points

    def draw_path(self, gc: Any, path: Path, transform: Any, rgbFace: Any = None) -> None:
        """A line or an area; what is cut off is left to the parts of the page."""
        self._painter.save()
        self._painter.setPen(_pen(gc))
        self._painter.setBrush(Qt.BrushStyle.NoBrush if rgbFace is None else QBrush(_colour(rgbFace, gc.get_alpha())))
        self._painter.drawPath(_painter_path(path, transform + self._flip))
        self._painter.restore()

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        """A text at x and y from the top; mathematics as outlines."""
        if ismath:
            points, codes = self._outlines.get_text_path(prop, s, ismath=True)
            size = prop.get_size_in_points() / self._outlines.FONT_SCALE
            place = Affine2D().scale(size).rotate_deg(angle).translate(x, self._size[1] - y)
            gc.set_linewidth(0.0)
            self.draw_path(gc, Path(points, codes), place, gc.get_rgb())
            return
        self._painter.save()
        self._painter.setFont(_font(prop))
        self._painter.setPen(_colour(gc.get_rgb(), gc.get_alpha()))
        self._painter.translate(QPointF(x, y))
        self._painter.rotate(-angle)
        self._painter.drawText(QPointF(0.0, 0.0), s.replace(r"\$", "$"))
        self._painter.restore()

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
        """Of a text in the font that it is written in."""
        if ismath:
            found: tuple[float, float, float] = super().get_text_width_height_descent(s, prop, ismath)
            return found
        metrics = QFontMetricsF(_font(prop))
        return metrics.horizontalAdvance(s), metrics.ascent() + metrics.descent(), metrics.descent()


def _font(prop: Any) -> QFont:
    font = QFont()
    font.setPixelSize(max(1, round(prop.get_size_in_points())))
    weight = prop.get_weight()
    font.setBold(weight == "bold" or (isinstance(weight, int) and weight >= _BOLD))
    return font


def _colour(rgb: Any, alpha: float | None) -> QColor:
    red, green, blue, *opacity = (float(part) for part in rgb)
    return QColor.fromRgbF(red, green, blue, opacity[0] if opacity else 1.0 if alpha is None else float(alpha))


def _pen(gc: Any) -> QPen:
    if not gc.get_linewidth() or gc.get_rgb()[-1] == 0.0:
        return QPen(Qt.PenStyle.NoPen)
    pen = QPen(_colour(gc.get_rgb(), gc.get_alpha()), gc.get_linewidth())
    pen.setCapStyle(_CAPS[gc.get_capstyle()])
    pen.setJoinStyle(_JOINS[gc.get_joinstyle()])
    _, dashes = gc.get_dashes()
    if dashes is not None:
        pen.setDashPattern([part / gc.get_linewidth() for part in dashes])
    return pen


def _painter_path(path: Path, transform: Any) -> QPainterPath:
    found = QPainterPath()
    for points, code in path.iter_segments(transform, simplify=False):
        p = [QPointF(float(points[k]), float(points[k + 1])) for k in range(0, len(points), 2)]
        if code == Path.MOVETO:
            found.moveTo(p[0])
        elif code == Path.LINETO:
            found.lineTo(p[0])
        elif code == Path.CURVE3:
            found.quadTo(*p)
        elif code == Path.CURVE4:
            found.cubicTo(*p)
        elif code == Path.CLOSEPOLY:
            found.closeSubpath()
    return found


def paint_figure(painter: QPainter, figure: Figure) -> None:
    """Draw a figure of 72 dots an inch; its pixels are those of the painter."""
    width, height = (float(side) for side in figure.bbox.size)
    figure.draw(PainterRenderer(painter, width, height))


@contextmanager
def only(artists: Iterable[Any], among: Iterable[Any]) -> Iterator[None]:
    """Have these artists drawn, and no others of those `among` them."""
    wanted, before = list(artists), [(one, one.get_visible()) for one in among]
    for one, visible in before:
        one.set_visible(visible and any(one is kept for kept in wanted))
    try:
        yield
    finally:
        for one, visible in before:
            one.set_visible(visible)
