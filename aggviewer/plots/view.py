"""One pane of a plot, drawn by pyqtgraph: axes, series, a range that follows the data or is held, and the value
under the mouse; also alone, outside the panel, as for a study."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import floor, isfinite, log10
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QContextMenuEvent, QFont, QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent, QWheelEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.plots.axes import DataRange, PlotArea, Scales, log_or_gap
from aggviewer.plots.drawing import Axes, Bounds, PlotDrawing, PlotSeries, Ticks, together
from aggviewer.plots.head import CornerText
from aggviewer.plots.readable_points import ReadablePoints
from aggviewer.plots.series_items import DrawnSeries, SeriesStyle, ShownSeries, style_of
from aggviewer.style.theme import Colors, tabular
from engine.arrays import Floats

AXIS_NAMES = ("Horizontal axis", "Vertical axis")

_AXIS_SCALE = 0.86  # of the panel's font
_INSET = 8  # pixels between the frame of the plot and the text in it
# share of the range of all data: how far the view may go beyond it, and the smallest part that may fill the view
_AROUND, _LEAST = 2.0, 1e-4
_VEIL = 180  # alpha of the background of the live numbers, which may lie over a curve
_TOP = 8  # pixels of the upper margin


class PlotView(pg.GraphicsView):  # type: ignore[misc]
    """A plot that follows its data until the user zooms or drags, and again after a double-click, A, or `follow()`.

    All numbers are quantities, even if an axis is logarithmic. The range is set by `set_bounds`, never by pyqtgraph;
    the caller rounds it outwards so that it does not jitter.
    """

    following_changed = pyqtSignal(bool)
    picked = pyqtSignal(object, int)
    """A clickable point was clicked: the id of its series, and its number."""
    pointed = pyqtSignal(object, int)
    """The mouse has moved over such a point."""
    clicked = pyqtSignal(float, float)
    """A click between the axes: x and y."""
    menu_asked = pyqtSignal(QPoint)
    """The menu of the plot was requested at this place on the screen."""

    _built = False

    def __init__(self, axes: Axes, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self._area = PlotArea(*axes.logarithmic)
        self.setCentralItem(self._area)
        self.axes = axes
        self.describe: Callable[[Hashable, int], str] = lambda series, index: self._words(series, index)
        """Describes a point of a series, rich text."""
        self.double_click_taken: Callable[[QPointF], bool] = lambda at: False
        """Whether a double-click at this place in the scene was handled elsewhere."""
        self.locked = False
        """Whether the range is locked, also for later runs."""
        self._corner = _alignment(axes.corner)
        self._names_x = bool(axes.x)
        self._series = DrawnSeries(self._area)
        self.readable = ReadablePoints()
        """The points that the mouse can read."""
        self._range = DataRange(axes, lambda: [one.series for one in self.drawn.values()])
        self._following = True
        self._theme: Colors | None = None
        self._themed_font: QFont | None = None  # the present font of axes and texts
        self._grid: int | bool = False
        self._faded = 0.5  # opacity of axes without data
        self._value = ""
        self._hover = ""
        self._above = 0  # height in pixels of the live numbers above the axes
        self._least: int | None = axes.least_height

        # pyqtgraph's bars do not report the area they covered before, which would stay painted
        self.setViewportUpdateMode(self.ViewportUpdateMode.FullViewportUpdate)
        self.setCacheMode(self.CacheModeFlag(0))  # a cached background would keep the colours of the former theme
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        item = self.getPlotItem()
        item.layout().setContentsMargins(0, _TOP, 10, 0)
        for name in ("bottom", "left"):
            axis = item.getAxis(name)
            axis.setStyle(
                tickLength=-4,
                tickTextOffset=4,
                autoExpandTextSpace=False,
                autoReduceTextSpace=False,
            )
            axis.setZValue(-10)  # the grid is below the data
        for name, ticks in (("bottom", axes.x_ticks), ("left", axes.y_ticks)):
            if ticks is not None:
                item.getAxis(name).setTicks(_levels(ticks))
        item.getViewBox().sigRangeChangedManually.connect(self.hold)
        self.scene().sigMouseMoved.connect(self._mouse_at)
        self.scene().sigMouseClicked.connect(self._clicked)

        self._marker = pg.ScatterPlotItem(size=9, pen=pg.mkPen(None), brush=pg.mkBrush(None))
        self._marker.setZValue(100)
        self.addItem(self._marker)
        self._text = CornerText(self, Qt.AlignmentFlag.AlignLeft)
        self._empty = CornerText(self, Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._empty.hide()
        self._built = True

    # what is shown

    def set_theme(self, theme: Colors) -> None:
        """Apply colours and fonts to axes, texts and marker."""
        self._theme, self._themed_font = theme, QFont(self.font())
        self._grid, self._faded = theme.grid, theme.faded / 255.0
        small = tabular(self.font(), _AXIS_SCALE)
        item = self.getPlotItem()
        size = f"{small.pointSizeF():.1f}pt" if small.pointSizeF() > 0 else f"{small.pixelSize()}px"
        for name, text in zip(("bottom", "left"), (self.axes.x, self.axes.y), strict=True):
            axis = item.getAxis(name)
            with axis.dressing():
                axis.setPen(pg.mkPen(theme.muted, width=theme.stroke))
                axis.setTextPen(pg.mkPen(theme.muted))
                axis.set_tick_font(small)
                axis.setGrid(False if self._bare else theme.grid)
                axis.setOpacity(self._faded if self._bare else 1.0)
                if name == "left" or self._names_x:
                    axis.setLabel(text, **{"color": theme.text, "font-size": size})
        self._series.write_in(small)
        line = self.fontMetrics().height()
        item.getAxis("left").setWidth(round(3.7 * line))  # the same width for all plots, so that their frames align
        item.getAxis("bottom").setHeight(round(2.1 * line) if self._names_x else _INSET)
        item.layout().activate()  # the positions of the texts depend on the size of the axes
        self._text.setFont(tabular(self.font()))
        ground = QColor(theme.window)
        veil = f"rgba({ground.red()}, {ground.green()}, {ground.blue()}, {_VEIL})"
        self._text.setStyleSheet(f"color: {theme.text}; background: {veil};")
        self._empty.setStyleSheet(f"color: {theme.muted};")
        self._marker.setBrush(pg.mkBrush(theme.text))
        self._place()

    # scales

    def getPlotItem(self) -> PlotArea:
        """The plot area: axes and view box."""
        return self._area

    def viewRect(self) -> QRectF:
        """The visible range, in the coordinates of the axes."""
        rect: QRectF = self._area.getViewBox().viewRect()
        return rect

    def addItem(self, item: Any) -> None:
        """Add a pyqtgraph item that is not a series."""
        self._area.addItem(item)

    def removeItem(self, item: Any) -> None:
        """Remove such an item."""
        self._area.removeItem(item)

    # series

    def show_series(self, shown: Sequence[ShownSeries]) -> None:
        """Draw exactly these series."""
        self._series.show(shown, self.scales, self.devicePixelRatioF())
        self._collect_points()

    def _collect_points(self) -> None:
        bounds = self._range.bounds
        bottom = None if bounds is None else self._range.to_coordinates(bounds)[2]
        self.readable.set_series(self.drawn.values(), self.scales, bottom)
        if not len(self.readable):
            self._hover = ""
            self._marker.clear()

    @property
    def drawn(self) -> dict[Hashable, ShownSeries]:
        """The series that are drawn, by id."""
        return self._series.drawn

    def _words(self, series: Hashable, index: int) -> str:
        """The text that describes a point of a series."""
        words = self.drawn[series].series.words
        return "" if words is None else words(index)

    # scales and range

    @property
    def scales(self) -> Scales:
        """The scales of x and y."""
        return self._range.scales

    @property
    def scalable(self) -> bool:
        """Whether the scales can be changed: not for axes with their own ticks."""
        return self.axes.x_ticks is None and self.axes.y_ticks is None

    @property
    def logarithmic(self) -> tuple[bool, bool]:
        """Whether the scales of x and y are logarithmic."""
        return self.scales[0].logarithmic, self.scales[1].logarithmic

    @property
    def unusual(self) -> bool:
        """Whether a scale differs from the default."""
        return self.logarithmic != self.axes.logarithmic

    def can_be_logarithmic(self, axis: int) -> bool:
        """Whether an axis, 0 for x and 1 for y, has values above 0."""
        return self._range.least_positive(axis) is not None

    def set_logarithmic(self, axis: int, logarithmic: bool) -> None:
        """Show an axis, 0 for x and 1 for y, on a logarithmic scale or on a linear one."""
        if self.logarithmic[axis] == logarithmic:
            return
        self._range.set_logarithmic(axis, logarithmic)
        self.getPlotItem().getAxis(("bottom", "left")[axis]).set_log(logarithmic)
        self.locked = False
        self._marker.clear()
        self._series.place_anew(self.scales)
        self._collect_points()
        self._set_following(True)
        self._bounds_changed()

    @property
    def ends(self) -> Bounds:
        """The limits of both axes as quantities: x from and to, y from and to."""
        (x0, x1), (y0, y1) = self.getPlotItem().getViewBox().viewRange()
        across, up = self.scales
        return across.quantity(x0), across.quantity(x1), up.quantity(y0), up.quantity(y1)

    def set_range(self, bounds: Bounds, *, lock: bool) -> None:
        """Set the range. lock : keep it until the user changes it.

        Limits on a logarithmic axis are above 0.
        """
        across, up = self.scales
        x0, x1 = (across.coordinate(value) for value in bounds[:2])
        y0, y1 = (up.coordinate(value) for value in bounds[2:])
        self.locked = lock
        self._set_following(False)
        box = self.getPlotItem().getViewBox()
        whole = self._range.whole()
        if whole is not None:
            self._limit(together((self._range.to_coordinates(whole), (x0, x1, y0, y1))))
        box.setRange(xRange=(x0, x1), yRange=(y0, y1), padding=0)

    def set_bounds(self, bounds: Bounds) -> None:
        """Set the range that shows all data."""
        if bounds != self._range.bounds:
            self._range.bounds = bounds
            self._bounds_changed()

    def set_room(self, room: Bounds | None) -> None:
        """Set an additional range to show, for something outside the data."""
        if room != self._range.room:
            self._range.room = room
            self._bounds_changed()
            self._show_axes()

    def let_only_grow(self) -> None:
        """Let the range of the axes only grow from now on."""
        if self._range.bounds is not None:
            self.set_room(self._range.whole())

    def _bounds_changed(self) -> None:
        whole = self._range.whole()
        if whole is not None:
            if not self.locked:
                self._limit(self._range.to_coordinates(whole))
            if self._following:
                self._show_bounds()

    def _limit(self, bounds: Bounds) -> None:
        """Limit zooming and dragging to where there are data, and to where ticks have enough digits."""
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
        """Set the live numbers in the corner of the plot (rich text); a narrow plot omits what is in `<small>`."""
        self._value = text
        self._write()

    def set_empty(self, text: str) -> None:
        """Set the text shown while there are no data; empty if there are."""
        self._empty.setText(text)
        self.getPlotItem().getViewBox().setMouseEnabled(not text, not text)
        self._show_axes()

    @property
    def _bare(self) -> bool:
        """Whether there is nothing to read on the axes: no data, and nothing beside them."""
        return bool(self.empty_text) and self._range.room is None

    def _show_axes(self) -> None:
        """Show the numbers and lines of the axes, or instead the text of the empty state."""
        bare = self._bare
        self._empty.setVisible(bare)
        for name in ("bottom", "left"):
            axis = self.getPlotItem().getAxis(name)
            axis.setOpacity(self._faded if bare else 1.0)
            axis.setStyle(showValues=not bare and (name == "left" or self._names_x))
            axis.setGrid(False if bare else self._grid)
        self._place()

    @property
    def value(self) -> str:
        """The live numbers in the corner, without the value under the mouse."""
        return self._value

    @property
    def empty_text(self) -> str:
        """The text of the empty state, empty if there are data."""
        return self._empty.text()

    def texts(self) -> list[QWidget]:
        """The widgets with texts that lie over the plot now."""
        return [text for text in (self._text, self._empty) if not text.isHidden() and text.text()]

    # following or held

    @property
    def following(self) -> bool:
        """Whether the range follows the data."""
        return self._following

    def follow(self) -> None:
        """Show all data again and keep following them."""
        self.locked = False
        self._set_following(True)
        self._bounds_changed()
        self._show_bounds()

    def hold(self) -> None:
        """Keep the present range: it no longer follows the data."""
        self._set_following(False)

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)

    def _show_bounds(self) -> None:
        whole = self._range.whole()
        if whole is not None:
            x0, x1, y0, y1 = self._range.to_coordinates(whole)
            self.getPlotItem().getViewBox().setRange(xRange=(x0, x1), yRange=(y0, y1), padding=0)

    # mouse and keys

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom if Ctrl is pressed and there are data; otherwise the wheel scrolls the panel."""
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
        """A shows all data again; the menu key, or Shift and F10, opens the menu."""
        shift_f10 = event.key() == Qt.Key.Key_F10 and event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        if event.key() == Qt.Key.Key_Menu or shift_f10:
            self.menu_asked.emit(self.mapToGlobal(self.rect().center()))
            event.accept()
        elif event.key() == Qt.Key.Key_A and not event.modifiers():
            self.follow()
            event.accept()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ignored: the menu opens when the button is released without a drag (which zooms), or by a key."""
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the value under the mouse."""
        self._hover = ""
        self._marker.clear()
        self._write()
        super().leaveEvent(event)

    def _mouse_at(self, scene: QPointF) -> None:
        box = self._area.getViewBox()
        target = self.readable.clicked(box, scene)
        found = target if target is not None else self.readable.read(box, scene)
        if found is None:
            self._hover = ""
            self._marker.clear()
        else:
            self._hover = self.describe(*found)
            at = self.readable.place_of(*found)
            self._marker.setData([at.x()], [at.y()])
            if target is not None:
                self.pointed.emit(*target)
        shape = Qt.CursorShape.ArrowCursor if target is None else Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape)
        self._write()

    def _clicked(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_asked.emit(event.screenPos().toPoint())
        if event.button() != Qt.MouseButton.LeftButton:
            return
        box = self._area.getViewBox()
        target = self.readable.clicked(box, event.scenePos())
        if target is not None:
            self.picked.emit(*target)
        if box.sceneBoundingRect().contains(event.scenePos()):
            at = box.mapSceneToView(event.scenePos())
            self.clicked.emit(self.scales[0].quantity(at.x()), self.scales[1].quantity(at.y()))

    # layout

    def _write(self) -> None:
        if self._text.write(self._value, self._hover):
            self._place()

    def sizeHint(self) -> QSize:
        """A readable size."""
        return QSize(320, 168)

    def changeEvent(self, event: QEvent) -> None:
        """Apply the font to axes and texts, such as the presenter's large type. A hidden view does so when it is shown,
        unless it has its own font."""
        super().changeEvent(event)
        own = self.testAttribute(Qt.WidgetAttribute.WA_SetFont)
        if event.type() == QEvent.Type.FontChange and (own or self.isVisible()):
            self._follow_font()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Apply a font that was set while the view was hidden."""
        super().showEvent(event)
        self._follow_font()

    def _follow_font(self) -> None:
        if self._theme is not None and self.font() != self._themed_font:
            self.set_theme(self._theme)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Move the texts to their corners."""
        super().resizeEvent(event)
        if self._built:  # the base class resizes itself while it is being built
            self._place()

    def _place(self) -> None:
        item = self.getPlotItem()
        left = int(item.getAxis("left").width()) + _INSET
        right = self.width() - 10 - _INSET
        below = int(item.getAxis("bottom").height()) + _INSET
        bottom = self.height() - below
        self._text.fit(max(1, right - left))
        self._text.setVisible(bool(self._text.text()))  # its background would be a small block
        if not self._hover:  # the layout must not move under the mouse
            self._take_room_above()
        x = left if self._above or self._corner & Qt.AlignmentFlag.AlignLeft else right - self._text.width()
        if self._above:
            y = 0
        else:
            y = _TOP + _INSET // 2 if self._corner & Qt.AlignmentFlag.AlignTop else bottom - self._text.height()
        self._text.move(x, y)
        room = max(0, right - left)
        if self._least is not None:
            least = self._least + self._above
            self.setMinimumHeight(max(least, self._empty.heightForWidth(room) + _TOP + below) if self._bare else least)
        self._empty.setGeometry(left, _TOP, room, max(0, self.height() - below - _TOP))  # perhaps higher now

    def set_least_height(self, height: int | None) -> None:
        """Set the least height in pixels of the axes; with the texts it is more. None for any height."""
        self._least = height
        self.setMinimumHeight(1)
        self._place()

    def _take_room_above(self) -> None:
        """Put the live numbers above the axes, where they hide no curve, and make the plot higher by the same
        amount."""
        above = self._text.height() if self._text.text() else 0
        if above != self._above:
            self._above = above
            layout = self.getPlotItem().layout()
            layout.setContentsMargins(0, _TOP + above, 10, 0)
            layout.activate()


def _alignment(corner: str) -> Qt.AlignmentFlag:
    """Qt's alignment for a corner of the drawing area."""
    flag = Qt.AlignmentFlag
    across = flag.AlignLeft if "left" in corner else flag.AlignRight
    return across | (flag.AlignTop if "top" in corner else flag.AlignBottom)


def _levels(ticks: Ticks) -> list[list[tuple[float, str]]]:
    """Ticks in the format of pyqtgraph."""
    labels = [(float(at), text) for at, text in ticks.labels]
    return [labels, [(at, "") for at in ticks.lines]] if ticks.lines else [labels]


_MARGIN = 0.06  # of a range, free at its ends


class DrawingView(PlotView):
    """Shows one drawing, later series above earlier ones. It is empty until `show_drawing`, and without colours until
    `set_theme`."""

    def __init__(self, axes: Axes, parent: QWidget | None = None) -> None:
        super().__init__(axes, parent)
        self.drawing = PlotDrawing()
        self._colors: Colors | None = None

    def set_theme(self, theme: Colors) -> None:
        """Follow the theme."""
        super().set_theme(theme)
        self._colors = theme
        self._show()

    def show_drawing(self, drawing: PlotDrawing) -> None:
        """Show another drawing."""
        self.drawing = drawing
        if drawing.panes[0].bounds is not None:
            self.set_bounds(drawing.panes[0].bounds)
        self._show()

    def _show(self) -> None:
        if self._colors is not None:
            series = enumerate(self.drawing.series)
            self.show_series([ShownSeries(one.key, one, self.style(one, self._colors), z) for z, one in series])

    def style(self, series: PlotSeries, colors: Colors) -> SeriesStyle:
        """The style of a series: that of its role, unless a subclass has its own colours."""
        return style_of(series, colors)


def places_of(values: Sequence[Any]) -> tuple[Floats, Ticks | None]:
    """The places of parameter values on an axis, (n,): numbers at their value; words at 0, 1, 2…, with a tick each."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, np.float64), None
    words = [("no", "yes")[value] if isinstance(value, bool) else str(value) for value in values]
    return np.arange(len(values), dtype=np.float64), Ticks([(float(k), word) for k, word in enumerate(words)])


def round_range(values: Floats, log: bool) -> tuple[float, float]:
    """A range around all numbers, with a margin and round limits, so that it is stable while numbers arrive.

    values : of any shape; log : for a logarithmic axis, on which only numbers above 0 count.
    """
    shown = log_or_gap(values) if log else values
    found = shown[np.isfinite(shown)]
    low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 1.0)
    if len(found):
        span = high - low
        if not (span > 0.0 and isfinite(span)):
            span = abs(low) or 1.0
        step = 10.0 ** floor(log10(span)) / 4.0
        low = floor((low - _MARGIN * span) / step) * step
        high = -floor(-(high + _MARGIN * span) / step) * step
    return (10.0**low, 10.0**high) if log else (low, high)
