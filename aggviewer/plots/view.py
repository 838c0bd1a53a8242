"""The drawing area of one plot: axes, following or held view, value under the mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QContextMenuEvent, QFont, QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent, QWheelEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.plots.area import PlotArea
from aggviewer.plots.axes import nice_below
from aggviewer.plots.corner_text import CornerText
from aggviewer.plots.points import PlotPoints
from aggviewer.plots.scaled import Scaled, ScaledCurve, Scales, chosen, own
from aggviewer.style.theme import Colors, tabular

_NONE: NDArray[np.float64] = np.empty(0)
Bounds = tuple[float, float, float, float]  # x low, x high, y low, y high in plot coordinates
_AXIS_SCALE = 0.86  # of the panel's font
_INSET = 8  # pixels between the frame of the plot and the text in it
# of the range that shows all data: how far beyond it the view may go, and the smallest part that may fill the view
_AROUND, _LEAST = 2.0, 1e-4
_ABOVE = 1.08  # upper end of a linear axis over the largest value, where data are given as log10
_NEAR_ZERO = 0.05  # of the upper end: a linear axis that begins below it begins at 0
_VEIL = 180  # alpha of the ground behind the live number, where a curve may run
_LEAST_HEIGHT, _TOP = 112, 8  # pixels of a plot, and of its upper margin
_TALL = 0.45  # share of the height of the axes from which live numbers stand above them: they would hide the curves


def together(bounds: Iterable[Bounds]) -> Bounds:
    """The smallest range that holds all of these; there is one at least."""
    x0, x1, y0, y1 = zip(*bounds, strict=True)
    return min(x0), max(x1), min(y0), max(y1)


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


class PlotView(pg.GraphicsView):  # type: ignore[misc]
    """A plot that follows its data until the person zooms or drags, and again after a double click, A, or `follow()`.

    Data are given in plot coordinates: log10 where an axis is logarithmic. The range is set from `set_bounds`, rounded
    outward by the caller so that it does not jitter, and never by pyqtgraph.
    """

    following_changed = pyqtSignal(bool)
    point_clicked = pyqtSignal(int)
    menu_asked = pyqtSignal(QPoint)
    """The person asks for the menu of the plot, at this place of the screen."""

    _built = False

    def __init__(self, axes: Axes, parent: QWidget | None = None) -> None:
        x_log, y_log = axes.x_log, axes.y_log
        super().__init__(parent, background=None)
        self._area = PlotArea(x_log, y_log)
        self.setCentralItem(self._area)
        self.describe: Callable[[int], str] = lambda index: ""
        self.double_click_taken: Callable[[QPointF], bool] = lambda at: False
        """Whether a double click there, in the scene, has been for something else."""
        self.logarithmic = (x_log, y_log)
        """Whether x and y are given as log10."""
        self.scales: Scales = own(x_log, y_log)
        self.locked = False
        """Whether the range stays until the person asks for another one, also in the following runs."""
        self.labels = (axes.x, axes.y)
        self._corner = axes.alignment
        self._names_x = bool(axes.x)
        self._bounds: Bounds | None = None  # of the data
        self._room: Bounds | None = None  # what is shown beside them
        self._given_points: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_] | None]
        self._given_points = (_NONE, _NONE, None)
        self._points = PlotPoints()
        self.unscaled: tuple[Any, ...] = ()
        """Items that follow the scales by themselves."""
        self._following = True
        self._theme: Colors | None = None
        self._themed_font: QFont | None = None  # that axes and texts have now
        self._grid: int | bool = False
        self._faded = 0.5  # opacity of axes without data
        self._value = ""
        self._hover = ""
        self._above = 0  # pixels above the axes that the live numbers take

        # pyqtgraph's bars do not announce what they used to cover, and part of it would stay painted
        self.setViewportUpdateMode(self.ViewportUpdateMode.FullViewportUpdate)
        self.setCacheMode(self.CacheModeFlag(0))  # a background that is kept would keep the colour of another theme
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(_LEAST_HEIGHT)
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
            axis.setZValue(-10)  # the grid belongs under the data
        item.getViewBox().sigRangeChangedManually.connect(self.hold)
        self.scene().sigMouseMoved.connect(self._mouse_at)
        self.scene().sigMouseClicked.connect(self._clicked)

        self._marker = pg.ScatterPlotItem(size=9, pen=pg.mkPen(None), brush=pg.mkBrush(None))
        self._marker.setZValue(100)
        self.addItem(self._marker)
        self._text = CornerText(self, Qt.AlignmentFlag.AlignLeft)
        self._empty = CornerText(self, Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._built = True

    # what is shown

    def set_theme(self, theme: Colors) -> None:
        """Colours and fonts of axes, texts and marker."""
        self._theme, self._themed_font = theme, QFont(self.font())
        self._grid, self._faded = theme.grid, theme.faded / 255.0
        small = tabular(self.font(), _AXIS_SCALE)
        item = self.getPlotItem()
        size = f"{small.pointSizeF():.1f}pt" if small.pointSizeF() > 0 else f"{small.pixelSize()}px"
        for name, text in zip(("bottom", "left"), self.labels, strict=True):
            axis = item.getAxis(name)
            with axis.dressing():
                axis.setPen(pg.mkPen(theme.muted))
                axis.setTextPen(pg.mkPen(theme.muted))
                axis.set_tick_font(small)
                axis.setGrid(False if self._bare else theme.grid)
                axis.setOpacity(self._faded if self._bare else 1.0)
                if name == "left" or self._names_x:
                    axis.setLabel(text, **{"color": theme.text, "font-size": size})
        line = self.fontMetrics().height()
        item.getAxis("left").setWidth(round(3.7 * line))  # one width for all plots: their frames align
        item.getAxis("bottom").setHeight(round(2.1 * line) if self._names_x else _INSET)
        item.layout().activate()  # the texts are placed by what the axes take
        self._text.setFont(tabular(self.font()))
        ground = QColor(theme.window)
        veil = f"rgba({ground.red()}, {ground.green()}, {ground.blue()}, {_VEIL})"
        self._text.setStyleSheet(f"color: {theme.text}; background: {veil};")
        self._empty.setStyleSheet(f"color: {theme.muted};")
        self._marker.setBrush(pg.mkBrush(theme.text))
        self._place()

    # scales

    def getPlotItem(self) -> PlotArea:
        """The axes, and the view box between them."""
        return self._area

    def viewRect(self) -> QRectF:
        """What is shown, in the coordinates of the axes."""
        rect: QRectF = self._area.getViewBox().viewRect()
        return rect

    def addItem(self, item: Any) -> None:
        """Draw an item between the axes; it follows the scales."""
        if isinstance(item, Scaled):
            item.rescale(self.scales)
        self._area.addItem(item)

    def removeItem(self, item: Any) -> None:
        """Draw it no more."""
        self._area.removeItem(item)

    @property
    def scalable(self) -> bool:
        """Whether all that it shows can follow other scales."""
        helpers = (self._marker, *self.unscaled)
        return all(isinstance(item, Scaled) or item in helpers for item in self.getPlotItem().items)

    def can_be_logarithmic(self, axis: int) -> bool:
        """Whether an axis, 0 for x and 1 for y, shows values above 0."""
        return self._least_positive(axis) is not None

    def set_logarithmic(self, axis: int, logarithmic: bool) -> None:
        """Show an axis, 0 for x and 1 for y, on a logarithmic scale or on a linear one."""
        if self.scales[axis].shown == logarithmic:
            return
        self.scales = chosen(self.scales, axis, logarithmic)
        self.getPlotItem().getAxis(("bottom", "left")[axis]).set_log(logarithmic)
        for item in self.getPlotItem().items:
            if isinstance(item, Scaled):
                item.rescale(self.scales)
        self.locked = False
        self._marker.clear()
        self.set_points(*self._given_points)
        self._set_following(True)
        self._bounds_changed()

    def _greatest(self, axis: int) -> float:
        """The largest quantity that runs and references have on an axis whose data are given as log10."""
        x, y, _ = self._given_points
        given = [(x, y)[axis]]
        for item in self.getPlotItem().items:
            if isinstance(item, ScaledCurve) and item.isVisible() and item.zValue() < 0.0:  # of a reference
                values = item.getOriginalDataset()[axis]
                given.append(_NONE if values is None else values)
        drawn: NDArray[np.float64] = np.concatenate(given)
        return float(10.0 ** drawn[np.isfinite(drawn)].max(initial=-np.inf)) or np.inf

    def _least_positive(self, axis: int) -> float | None:
        """The smallest quantity above 0 that is drawn, None where there is none."""
        if self.logarithmic[axis]:
            return 0.0 if self._bounds is None else float(10.0 ** self._bounds[2 * axis])
        x, y, _ = self._given_points
        given = [(x, y)[axis]]
        for item in self.getPlotItem().items:
            if isinstance(item, ScaledCurve) and item.isVisible():
                values = item.getOriginalDataset()[axis]
                given.append(_NONE if values is None else values)
        drawn: NDArray[np.float64] = np.concatenate(given)
        positive = drawn[np.isfinite(drawn) & (drawn > 0.0)]
        return float(positive.min()) if len(positive) else None

    def _to_shown(self, bounds: Bounds) -> Bounds:
        """A range, given as data are, as it is shown."""
        ends: list[float] = []
        for axis, scale in enumerate(self.scales):
            low, high = bounds[2 * axis], bounds[2 * axis + 1]
            if scale.own and not scale.shown:
                low, high = 10.0**low, min(10.0**high, _ABOVE * self._greatest(axis))
                low = 0.0 if low < _NEAR_ZERO * high else low
            elif scale.shown and not scale.own:
                least = self._least_positive(axis)
                high = float(np.log10(high)) if high > 0.0 else 0.0
                if low > 0.0:
                    low = float(np.log10(low))
                else:
                    low = high - 1.0 if least is None else min(nice_below(least), high - 1.0)
            ends += [low, high]
        return ends[0], ends[1], ends[2], ends[3]

    @property
    def ends(self) -> Bounds:
        """The quantities at the ends of both axes: x from and to, y from and to."""
        (x0, x1), (y0, y1) = self.getPlotItem().getViewBox().viewRange()
        across, up = self.scales
        return across.quantity(x0), across.quantity(x1), up.quantity(y0), up.quantity(y1)

    def set_range(self, bounds: Bounds, *, lock: bool) -> None:
        """Show these quantities. lock : keep them until the person asks for another range.

        Ends on a logarithmic axis are above 0.
        """
        across, up = self.scales
        x0, x1 = (across.coordinate(value) for value in bounds[:2])
        y0, y1 = (up.coordinate(value) for value in bounds[2:])
        self.locked = lock
        self._set_following(False)
        box = self.getPlotItem().getViewBox()
        whole = self._whole()
        if whole is not None:
            self._limit(together((self._to_shown(whole), (x0, x1, y0, y1))))
        box.setRange(xRange=(x0, x1), yRange=(y0, y1), padding=0)

    def set_points(
        self, x: NDArray[np.float64], y: NDArray[np.float64], clickable: NDArray[np.bool_] | None = None
    ) -> None:
        """The points that the mouse can read, in plot coordinates, and of which a click is sent (None: of none)."""
        self._given_points = (x, y, clickable)
        across, up = self.scales
        self._points = PlotPoints(across.show(x), up.show(y), clickable)
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
            self._show_axes()

    def keep_room(self) -> None:
        """From now on show at least what all data up to now need: the range only grows."""
        if self._bounds is not None:
            self.set_room(self._whole())

    def _bounds_changed(self) -> None:
        whole = self._whole()
        if whole is not None:
            if not self.locked:
                self._limit(self._to_shown(whole))
            if self._following:
                self._show_bounds()

    def _whole(self) -> Bounds | None:
        """The range of the data and of what stands beside them."""
        data, room = self._bounds, self._room
        if data is None and room is not None:  # with axes that begin at 0, or a decade before what stands there
            return room[0] - 1.0 if self.logarithmic[0] else min(room[0], 0.0), *room[1:]
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
        self.getPlotItem().getViewBox().setMouseEnabled(not text, not text)
        self._show_axes()

    @property
    def _bare(self) -> bool:
        """Whether there is nothing to be read on the axes: no data, and nothing that stands beside them."""
        return bool(self.empty_text) and self._room is None

    def _show_axes(self) -> None:
        """Numbers and lines of the axes, or the text of the empty state in their place."""
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
        self.locked = False
        self._set_following(True)
        self._bounds_changed()
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
            x0, x1, y0, y1 = self._to_shown(whole)
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
        """The menu comes when the button is let go without a drag, which zooms, or by a key; see there."""
        event.accept()

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
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_asked.emit(event.screenPos().toPoint())
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
        """Axes and texts follow the font: the large type of the presenter, and back. Where nobody sees it they do so
        when it is shown, unless it has been given a font of its own."""
        super().changeEvent(event)
        own = self.testAttribute(Qt.WidgetAttribute.WA_SetFont)
        if event.type() == QEvent.Type.FontChange and (own or self.isVisible()):
            self._follow_font()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Follow the font that has come meanwhile."""
        super().showEvent(event)
        self._follow_font()

    def _follow_font(self) -> None:
        if self._theme is not None and self.font() != self._themed_font:
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
        if not self._hover:  # the mouse must not move what it points at
            self._take_room_above()
        x = left if self._above or self._corner & Qt.AlignmentFlag.AlignLeft else right - self._text.width()
        if self._above:
            y = 0
        else:
            y = _TOP + _INSET // 2 if self._corner & Qt.AlignmentFlag.AlignTop else bottom - self._text.height()
        self._text.move(x, y)
        self._empty.setGeometry(left, _TOP, max(0, right - left), max(0, bottom - _TOP))

    def _take_room_above(self) -> None:
        """Live numbers that would hide much of the curves stand above the axes, and the plot is higher by as much."""
        high = self._text.height() if self._text.text() else 0
        axes = self.height() - self._above - _TOP - self.getPlotItem().getAxis("bottom").height()
        above = high if high > _TALL * axes else 0
        if above != self._above:
            self._above = above
            self.setMinimumHeight(_LEAST_HEIGHT + above)
            layout = self.getPlotItem().layout()
            layout.setContentsMargins(0, _TOP + above, 10, 0)
            layout.activate()
