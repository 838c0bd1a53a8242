"""The drawing area of one plot: axes, following or held view, value under the mouse."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy, QWidget

from aggviewer.plots.axes import LogAxis, PlotAxis
from aggviewer.style.theme import Colors, tabular

_SNAP, _HIT = 40.0, 12.0  # pixels within which the mouse reads a data point, and a click meets it
_NONE: NDArray[np.float64] = np.empty(0)
_SMALL = re.compile(r"\s*<small>.*?</small>")
Bounds = tuple[float, float, float, float]  # x low, x high, y low, y high in plot coordinates
_AXIS_SCALE = 0.86  # of the panel's font
_INSET = 8  # pixels between the frame of the plot and the text in it
# of the range that shows all data: how far beyond it the view may go, and the smallest part that may fill the view
_AROUND, _LEAST = 2.0, 1e-4
_VEIL = 180  # alpha of the ground behind the live number, where a curve may run


class PlotPoints:
    """x, y : (N,) in plot coordinates, may hold nan; clickable : (N,) which of them a click can meet, None: none.

    A place is asked for with the size of a pixel, both in plot coordinates.
    """

    def __init__(
        self,
        x: NDArray[np.float64] = _NONE,
        y: NDArray[np.float64] = _NONE,
        clickable: NDArray[np.bool_] | None = None,
    ) -> None:
        self.x = x
        self.y = y
        self._clickable = clickable

    def read(self, at: QPointF, pixel: tuple[float, float]) -> int | None:
        """The point that the mouse reads there."""
        return self._nearest(at, pixel, _SNAP)

    def hit(self, at: QPointF, pixel: tuple[float, float]) -> int | None:
        """The point that a click meets there."""
        return None if self._clickable is None else self._nearest(at, pixel, _HIT, self._clickable)

    def _nearest(
        self, at: QPointF, pixel: tuple[float, float], within: float, only: NDArray[np.bool_] | None = None
    ) -> int | None:
        """The nearest point, at most so many pixels away; of those in `only`."""
        wide, high = pixel
        if not (len(self.x) and wide > 0 and high > 0):
            return None
        dx, dy = (self.x - at.x()) / wide, (self.y - at.y()) / high
        distance = dx * dx + dy * dy
        if only is not None:
            distance = np.where(only, distance, np.nan)
        if not np.isfinite(distance).any():
            return None
        index = int(np.nanargmin(distance))
        return index if distance[index] <= within**2 else None


class PlotText(QLabel):
    """Rich text that takes no mouse. In a narrow plot it leaves out what is in `<small>`, then breaks its lines."""

    def __init__(self, parent: QWidget, alignment: Qt.AlignmentFlag) -> None:
        super().__init__(parent)
        self._whole = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(alignment | Qt.AlignmentFlag.AlignVCenter)

    def write(self, text: str) -> bool:
        """Another text; False where it is the one that is there. `fit` shows it."""
        changed = text != self._whole
        self._whole = text
        return changed

    def fit(self, room: int) -> None:
        """Take the size that the text needs, at most `room` pixels wide."""
        self.setWordWrap(False)
        for text in (self._whole, _SMALL.sub("", self._whole)):
            if text != self.text():
                self.setText(text)
            self.adjustSize()
            if self.width() <= room:
                return
        self.setWordWrap(True)
        self.resize(room, self.heightForWidth(room))


@dataclass(frozen=True)
class Axes:
    """The axes of a plot.

    Parameters
    ----------
    x, y : labels with symbol and unit, rich text; an empty x for a plot that stands on one with the same axis.
    x_log, y_log : whether an axis is logarithmic. Data are given as log10 then.
    corner : where the live numbers stand, ``"top left"`` for instance.
    """

    x: str
    y: str
    x_log: bool = False
    y_log: bool = False
    corner: str = "top left"

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        """The corner as Qt says it."""
        flag = Qt.AlignmentFlag
        across = flag.AlignLeft if "left" in self.corner else flag.AlignRight
        return across | (flag.AlignTop if "top" in self.corner else flag.AlignBottom)


class PlotView(pg.PlotWidget):  # type: ignore[misc]
    """A plot that follows its data until the person zooms or drags, and again after a double click, A, or `follow()`.

    Data are given in plot coordinates: log10 where an axis is logarithmic. pyqtgraph's context menu and its own
    auto-range are off: the range is set from `set_bounds`, rounded outward by the caller so that it does not jitter.
    """

    following_changed = pyqtSignal(bool)
    point_clicked = pyqtSignal(int)

    _built = False

    def __init__(self, axes: Axes, parent: QWidget | None = None) -> None:
        x_log, y_log = axes.x_log, axes.y_log
        items = {
            "bottom": LogAxis("bottom") if x_log else PlotAxis("bottom"),
            "left": LogAxis("left") if y_log else PlotAxis("left"),
        }
        super().__init__(parent=parent, background=None, axisItems=items, enableMenu=False)
        menu = self.getPlotItem().ctrlMenu  # made in any case, and without a parent it would outlive the plot
        menu.setParent(self, menu.windowFlags())
        self.describe: Callable[[int], str] = lambda index: ""
        self.double_click_taken: Callable[[QPointF], bool] = lambda at: False
        """Whether a double click there, in the scene, has been for something else."""
        self.logarithmic = (x_log, y_log)
        self.labels = (axes.x, axes.y)
        self._corner = axes.alignment
        self._names_x = bool(axes.x)
        self._bounds: Bounds | None = None  # of the data
        self._room: Bounds | None = None  # what is shown beside them
        self._points = PlotPoints()
        self._following = True
        self._theme: Colors | None = None
        self._grid: int | bool = False
        self._faded = 0.5  # opacity of axes without data
        self._value = ""
        self._hover = ""

        self.hideButtons()
        # pyqtgraph's bars do not announce what they used to cover, and part of it would stay painted
        self.setViewportUpdateMode(self.ViewportUpdateMode.FullViewportUpdate)
        self.setCacheMode(self.CacheModeFlag(0))  # a background that is kept would keep the colour of another theme
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(112)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        item = self.getPlotItem()
        item.layout.setContentsMargins(0, 8, 10, 0)
        item.disableAutoRange()
        for name in ("bottom", "left"):
            axis = item.getAxis(name)
            axis.setStyle(
                tickLength=-4,
                tickTextOffset=4,
                autoExpandTextSpace=False,
                autoReduceTextSpace=False,
            )
            axis.setZValue(-10)  # the grid belongs under the data
            axis.enableAutoSIPrefix(False)  # the data may be logarithms, and the label says the unit
        item.getViewBox().sigRangeChangedManually.connect(self.hold)
        self.scene().sigMouseMoved.connect(self._mouse_at)
        self.scene().sigMouseClicked.connect(self._clicked)

        self._marker = pg.ScatterPlotItem(size=9, pen=pg.mkPen(None), brush=pg.mkBrush(None))
        self._marker.setZValue(100)
        self.addItem(self._marker)
        self._text = PlotText(self, Qt.AlignmentFlag.AlignLeft)
        self._empty = PlotText(self, Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._built = True

    # what is shown

    def set_theme(self, theme: Colors) -> None:
        """Colours and fonts of axes, texts and marker."""
        self._theme = theme
        self._grid, self._faded = theme.grid, theme.faded / 255.0
        small = tabular(self.font(), _AXIS_SCALE)
        item = self.getPlotItem()
        size = f"{small.pointSizeF():.1f}pt" if small.pointSizeF() > 0 else f"{small.pixelSize()}px"
        for name, text in zip(("bottom", "left"), self.labels, strict=True):
            axis = item.getAxis(name)
            axis.setPen(pg.mkPen(theme.muted))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.set_tick_font(small)
            axis.setGrid(False if self.empty_text else theme.grid)
            axis.setOpacity(self._faded if self.empty_text else 1.0)
            if name == "left" or self._names_x:
                axis.setLabel(text, **{"color": theme.text, "font-size": size})
        line = self.fontMetrics().height()
        item.getAxis("left").setWidth(round(3.7 * line))  # one width for all plots: their frames align
        item.getAxis("bottom").setHeight(round(2.1 * line) if self._names_x else _INSET)
        item.layout.activate()  # the texts are placed by what the axes take
        self._text.setFont(tabular(self.font()))
        ground = QColor(theme.window)
        veil = f"rgba({ground.red()}, {ground.green()}, {ground.blue()}, {_VEIL})"
        self._text.setStyleSheet(f"color: {theme.text}; background: {veil};")
        self._empty.setStyleSheet(f"color: {theme.muted};")
        self._marker.setBrush(pg.mkBrush(theme.text))
        self._place()

    def set_points(
        self, x: NDArray[np.float64], y: NDArray[np.float64], clickable: NDArray[np.bool_] | None = None
    ) -> None:
        """The points that the mouse can read, in plot coordinates, and of which a click is sent (None: of none)."""
        self._points = PlotPoints(x, y, clickable)
        if not len(x):
            self._hover = ""
            self._marker.clear()

    def set_bounds(self, bounds: Bounds) -> None:
        """The range that shows all data."""
        if bounds != self._bounds:
            self._bounds = bounds
            self._bounds_changed()

    def set_room(self, room: Bounds | None) -> None:
        """A range that is shown beside the data, for something that stands where there are none yet."""
        if room != self._room:
            self._room = room
            self._bounds_changed()

    def _bounds_changed(self) -> None:
        whole = self._whole()
        if whole is not None:
            self._limit(whole)
            if self._following:
                self._show_bounds()

    def _whole(self) -> Bounds | None:
        """The range of the data and of what stands beside them."""
        data, room = self._bounds, self._room
        if data is None or room is None:
            return data
        return min(data[0], room[0]), max(data[1], room[1]), min(data[2], room[2]), max(data[3], room[3])

    def _limit(self, bounds: Bounds) -> None:
        """No zoom and no drag leads to where there are no data, or to where ticks have no digits left."""
        x0, x1, y0, y1 = bounds
        wide, high = max(x1 - x0, 1e-9), max(y1 - y0, 1e-9)
        self.getPlotItem().getViewBox().setLimits(
            xMin=x0 - _AROUND * wide,
            xMax=x1 + _AROUND * wide,
            yMin=y0 - _AROUND * high,
            yMax=y1 + _AROUND * high,
            minXRange=_LEAST * wide,
            minYRange=_LEAST * high,
        )

    def set_value(self, text: str) -> None:
        """The live number in the corner of the plot (rich text); what is in `<small>` is left out of a narrow one."""
        self._value = text
        self._write()

    def set_empty(self, text: str) -> None:
        """What the plot will show, while it has no data; an empty text where it has."""
        self._empty.setText(text)
        self._empty.setVisible(bool(text))
        self.getPlotItem().getViewBox().setMouseEnabled(not text, not text)
        for name in ("bottom", "left"):
            axis = self.getPlotItem().getAxis(name)
            axis.setOpacity(self._faded if text else 1.0)
            axis.setStyle(showValues=not text and (name == "left" or self._names_x))
            axis.setGrid(False if text else self._grid)
        self._place()

    @property
    def value(self) -> str:
        """The rich text in the corner, without the value under the mouse."""
        return self._value

    @property
    def empty_text(self) -> str:
        """The text of the empty state, empty where there are data."""
        return self._empty.text()

    def texts(self) -> list[QWidget]:
        """The texts that lie over the plot now."""
        return [text for text in (self._text, self._empty) if not text.isHidden() and text.text()]

    # following or held

    @property
    def following(self) -> bool:
        """Whether the range follows the data."""
        return self._following

    def follow(self) -> None:
        """Show all data again, and keep doing so."""
        self._set_following(True)
        self._show_bounds()

    def hold(self) -> None:
        """Keep the present range."""
        self._set_following(False)

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)

    def _show_bounds(self) -> None:
        whole = self._whole()
        if whole is not None:
            x0, x1, y0, y1 = whole
            self.getPlotItem().getViewBox().setRange(xRange=(x0, x1), yRange=(y0, y1), padding=0)

    # mouse and keys

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl and with data; else the wheel is for the panel around it."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and not self.empty_text:
            super().wheelEvent(event)
            event.accept()
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all data again."""
        if not self.double_click_taken(self.mapToScene(event.position().toPoint())):
            self.follow()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A shows all data again."""
        if event.key() == Qt.Key.Key_A and not event.modifiers():
            self.follow()
            event.accept()
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the mouse."""
        self._hover = ""
        self._marker.clear()
        self._write()
        super().leaveEvent(event)

    def _mouse_at(self, scene: QPointF) -> None:
        box = self.getPlotItem().getViewBox()
        at, pixel = box.mapSceneToView(scene), box.viewPixelSize()
        target = self._points.hit(at, pixel)
        index = target if target is not None else self._points.read(at, pixel)
        if index is None:
            self._hover = ""
            self._marker.clear()
        else:
            self._hover = self.describe(index)
            self._marker.setData([self._points.x[index]], [self._points.y[index]])
        shape = Qt.CursorShape.ArrowCursor if target is None else Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape)
        self._write()

    def _clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        box = self.getPlotItem().getViewBox()
        target = self._points.hit(box.mapSceneToView(event.scenePos()), box.viewPixelSize())
        if target is not None:
            self.point_clicked.emit(target)

    # layout

    def _write(self) -> None:
        text = "<br>".join(part for part in (self._value, self._hover) if part)
        if self._text.write(text):
            self._place()

    def sizeHint(self) -> QSize:
        """Room enough to read it."""
        return QSize(320, 168)

    def changeEvent(self, event: QEvent) -> None:
        """Axes and texts follow the font: the large type of the presenter, and back."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._theme is not None:
            self.set_theme(self._theme)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """The texts keep their corners."""
        super().resizeEvent(event)
        if self._built:  # the base class resizes itself while it is being built
            self._place()

    def _place(self) -> None:
        item = self.getPlotItem()
        left = int(item.getAxis("left").width()) + _INSET
        right = self.width() - 10 - _INSET
        bottom = self.height() - int(item.getAxis("bottom").height()) - _INSET
        self._text.fit(max(1, right - left))
        self._text.setVisible(bool(self._text.text()))  # its ground would be a small block
        x = left if self._corner & Qt.AlignmentFlag.AlignLeft else right - self._text.width()
        y = 8 + _INSET // 2 if self._corner & Qt.AlignmentFlag.AlignTop else bottom - self._text.height()
        self._text.move(x, y)
        self._empty.setGeometry(left, 8, max(0, right - left), max(0, bottom - 8))
