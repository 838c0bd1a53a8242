"""A Qt painter that draws on a matplotlib page: lines stay lines and text stays text in vector files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from math import atan2, degrees, hypot
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox, TransformedBbox
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import (
    QColor,
    QFontInfo,
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
    QTextItem,
    QTransform,
)

from aggviewer.canvas.qt_images import from_qimage
from aggviewer.export.sheet import DOTS_PER_INCH, LEAST_LINE, Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CAPS = {Qt.PenCapStyle.FlatCap: "butt", Qt.PenCapStyle.RoundCap: "round", Qt.PenCapStyle.SquareCap: "projecting"}
_JOINS = {
    Qt.PenJoinStyle.MiterJoin: "miter",
    Qt.PenJoinStyle.SvgMiterJoin: "miter",
    Qt.PenJoinStyle.RoundJoin: "round",
    Qt.PenJoinStyle.BevelJoin: "bevel",
}
_BOLD = 600  # font weight from which text is bold
_NONE = (0.0, 0.0, 0.0, 0.0)


@contextmanager
def painting(sheet: Sheet, name: str) -> Iterator[QPainter]:
    """A painter on a sheet; its unit is a pixel of the layout. name : of the group in an SVG."""
    device = _SheetDevice(sheet, sheet.drawing_area(name))
    with QPainter(device) as painter:
        yield painter


class _SheetDevice(QPaintDevice):
    def __init__(self, sheet: Sheet, axes: Axes) -> None:
        super().__init__()
        self._size = round(sheet.width), round(sheet.height)
        self._engine = _SheetEngine(axes, sheet.unit)

    def paintEngine(self) -> QPaintEngine:
        return self._engine

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        of = QPaintDevice.PaintDeviceMetric
        match metric:
            case of.PdmWidth:
                return self._size[0]
            case of.PdmHeight:
                return self._size[1]
            case of.PdmDpiX | of.PdmDpiY | of.PdmPhysicalDpiX | of.PdmPhysicalDpiY:
                return DOTS_PER_INCH
            case of.PdmDepth:
                return 32
            case of.PdmDevicePixelRatio:
                return 1
            case of.PdmDevicePixelRatioScaled:
                return round(self.devicePixelRatioFScale())
        return super().metric(metric)


class _SheetEngine(QPaintEngine):
    """Creates matplotlib artists. Shapes that differ only in colour and line width are combined into one artist."""

    def __init__(self, axes: Axes, unit: float) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self._axes, self._unit = axes, unit
        self._transform, self._pen, self._fill, self._opacity = QTransform(), QPen(Qt.PenStyle.NoPen), _NONE, 1.0
        self._smooth = False
        self._clip: QRectF | None = None
        self._shapes: list[tuple[Path, Any, Any, float]] = []  # with face, edge and width; not on the axes yet
        self._style: tuple[Any, ...] = ()  # their common properties

    def begin(self, device: QPaintDevice | None) -> bool:
        return True

    def end(self) -> bool:
        self._lay_down()
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def updateState(self, state: QPaintEngineState) -> None:
        self._transform, self._pen, self._opacity = state.transform(), state.pen(), state.opacity()
        brush = state.brush()
        self._fill = _NONE if brush.style() == Qt.BrushStyle.NoBrush else self._color(brush.color())
        self._smooth = bool(state.renderHints() & QPainter.RenderHint.SmoothPixmapTransform)
        painter = self.painter()
        self._clip = None
        if painter is not None and painter.hasClipping():
            self._clip = self._transform.mapRect(painter.clipBoundingRect())

    # shapes

    def drawPath(self, path: QPainterPath) -> None:
        self._add(_path_of(self._transform.map(path)))

    def drawPolygon(self, *given: Any) -> None:
        points, mode = given
        path = QPainterPath()
        path.addPolygon(QPolygonF([QPointF(point) for point in points]))
        if mode != QPaintEngine.PolygonDrawMode.PolylineMode:
            path.closeSubpath()
        self.drawPath(path)

    def drawRects(self, rects: Any) -> None:
        for rect in rects:
            path = QPainterPath()
            path.addRect(QRectF(rect))
            self.drawPath(path)

    def drawEllipse(self, rect: Any) -> None:
        path = QPainterPath()
        path.addEllipse(QRectF(rect))
        self.drawPath(path)

    def drawLines(self, lines: Any) -> None:
        ends = np.array([(line.x1(), line.y1(), line.x2(), line.y2()) for line in lines], np.float64).reshape(-1, 2)
        t = self._transform
        ends = ends @ [[t.m11(), t.m12()], [t.m21(), t.m22()]] + (t.dx(), t.dy())
        codes = np.tile(np.array([Path.MOVETO, Path.LINETO], Path.code_type), len(ends) // 2)
        self._add(Path(ends, codes), filled=False)

    def _add(self, path: Path, *, filled: bool = True) -> None:
        pen, lined = self._pen, self._pen.style() != Qt.PenStyle.NoPen
        scale = 1.0 if pen.isCosmetic() else self._scale
        width = max((pen.widthF() or 1.0) * scale * self._unit, LEAST_LINE) if lined else 0.0
        dashes = tuple(pen.dashPattern()) if lined and pen.style() != Qt.PenStyle.SolidLine else ()
        style = _CAPS[pen.capStyle()], _JOINS[pen.joinStyle()], dashes, self._clip
        if style != self._style:
            self._lay_down()
            self._style = style
        self._shapes.append(
            (path, self._fill if filled else _NONE, self._color(pen.color()) if lined else _NONE, width)
        )

    def _lay_down(self) -> None:
        """Add the collected shapes to the axes."""
        shapes, self._shapes = self._shapes, []
        if not shapes:
            return
        paths, faces, edges, widths = zip(*shapes, strict=True)
        cap, join, dashes, clip = self._style
        made = PathCollection(
            paths, facecolors=faces, edgecolors=edges, linewidths=widths, capstyle=cap, joinstyle=join,
            linestyles=[(0.0, dashes)] if dashes else "-", transform=self._axes.transData,
        )  # fmt: skip
        self._axes.add_collection(made, autolim=False)
        self._finish(made, clip)

    # text and images

    def drawTextItem(self, place: QPointF, item: QTextItem) -> None:
        self._lay_down()
        at, t = self._transform.map(place), self._transform
        info = QFontInfo(item.font())
        made = Text(
            at.x(),
            at.y(),
            item.text(),
            color=self._color(self._pen.color()),
            fontsize=info.pixelSize() * self._scale * self._unit,
            fontweight="bold" if info.weight() >= _BOLD else "normal",
            rotation=-degrees(atan2(t.m12(), t.m11())),
            verticalalignment="baseline",
            parse_math=False,
        )
        made.set_clip_on(True)
        self._axes.add_artist(made)
        self._finish(made, self._clip)

    def drawImage(self, rect: QRectF, image: QImage, source: QRectF, flags: Any = None) -> None:
        self._lay_down()
        place = self._transform.mapRect(rect)
        pixels: NDArray[np.uint8] = from_qimage(image.copy(source.toRect()))
        made = self._axes.imshow(
            pixels,
            extent=(place.left(), place.right(), place.bottom(), place.top()),
            aspect="auto",
            interpolation="bilinear" if self._smooth else "nearest",
            alpha=self._opacity,
        )
        self._finish(made, self._clip)

    # properties common to all artists

    @property
    def _scale(self) -> float:
        return hypot(self._transform.m11(), self._transform.m12())

    def _color(self, color: QColor) -> tuple[float, float, float, float]:
        return color.redF(), color.greenF(), color.blueF(), color.alphaF() * self._opacity

    def _finish(self, artist: Any, clip: QRectF | None) -> None:
        """Put an artist above all earlier ones, clipped to a rectangle."""
        artist.set_zorder(len(self._axes.get_children()))
        if clip is not None:
            box = Bbox([[clip.left(), clip.top()], [clip.right(), clip.bottom()]])
            artist.set_clip_box(TransformedBbox(box, self._axes.transData))


def _path_of(path: QPainterPath) -> Path:
    """The path for matplotlib. Qt closes an outline with a line to its start; matplotlib needs an explicit close for a
    proper corner."""
    of = QPainterPath.ElementType
    elements = [path.elementAt(k) for k in range(path.elementCount())]
    points = np.array([(element.x, element.y) for element in elements], np.float64).reshape(-1, 2)
    names = {of.MoveToElement: Path.MOVETO, of.LineToElement: Path.LINETO}
    codes = np.array([names.get(element.type, Path.CURVE4) for element in elements], Path.code_type)
    begins = np.append(np.flatnonzero(codes == Path.MOVETO), len(codes))
    for first, after in pairwise(begins.tolist()):
        last = after - 1
        if codes[last] == Path.LINETO and last > first + 1 and (points[last] == points[first]).all():
            codes[last] = Path.CLOSEPOLY
    return Path(points, codes)
