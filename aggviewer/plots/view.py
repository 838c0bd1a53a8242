"""One pane of a plot, drawn by pyqtgraph: axes, series, a range that follows or is held, the value under the mouse."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QContextMenuEvent, QFont, QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent, QWheelEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from aggviewer.plots.area import PlotArea
from aggviewer.plots.corner_text import CornerText
from aggviewer.plots.data_range import DataRange
from aggviewer.plots.drawing import Axes, Bounds, Ticks, together
from aggviewer.plots.readable_points import ReadablePoints
from aggviewer.plots.scale import Scales
from aggviewer.plots.series_items import DrawnSeries
from aggviewer.plots.series_style import ShownSeries
from aggviewer.style.theme import Colors, tabular

AXIS_NAMES = ("Horizontal axis", "Vertical axis")

_AXIS_SCALE = 0.86  # of the panel's font
_INSET = 8  # pixels between the frame of the plot and the text in it
# of the range that shows all data: how far beyond it the view may go, and the smallest part that may fill the view
_AROUND, _LEAST = 2.0, 1e-4
_VEIL = 180  # alpha of the ground behind the live number, where a curve may run
_LEAST_HEIGHT, _TOP = 112, 8  # pixels of a plot, and of its upper margin


class PlotView(pg.GraphicsView):  # type: ignore[misc]
    """A plot that follows its data until the person zooms or drags, and again after a double click, A, or `follow()`.

    All numbers are quantities, also where an axis is logarithmic. The range is set from `set_bounds`, rounded outward
    by the caller so that it does not jitter, and never by pyqtgraph.
    """

    following_changed = pyqtSignal(bool)
    picked = pyqtSignal(object, int)
    """A click has met a point of a series that answers clicks: the id of the series, and which of its points."""
    pointed = pyqtSignal(object, int)
    """The mouse has come to such a point."""
    clicked = pyqtSignal(float, float)
    """A click between the axes: x and y."""
    menu_asked = pyqtSignal(QPoint)
    """The person asks for the menu of the plot, at this place of the screen."""

    _built = False

    def __init__(self, axes: Axes, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self._area = PlotArea(*axes.logarithmic)
        self.setCentralItem(self._area)
        self.axes = axes
        self.describe: Callable[[Hashable, int], str] = lambda series, index: self._words(series, index)
        """A point of a series in words, rich text."""
        self.double_click_taken: Callable[[QPointF], bool] = lambda at: False
        """Whether a double click there, in the scene, has been for something else."""
        self.locked = False
        """Whether the range stays until the person asks for another one, also in the following runs."""
        self._corner = _alignment(axes.corner)
        self._names_x = bool(axes.x)
        self._series = DrawnSeries(self._area)
        self.readable = ReadablePoints()
        """What the mouse reads."""
        self._range = DataRange(axes, lambda: [one.series for one in self.shown.values()])
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
        """Colours and fonts of axes, texts and marker."""
        self._theme, self._themed_font = theme, QFont(self.font())
        self._grid, self._faded = theme.grid, theme.faded / 255.0
        small = tabular(self.font(), _AXIS_SCALE)
        item = self.getPlotItem()
        size = f"{small.pointSizeF():.1f}pt" if small.pointSizeF() > 0 else f"{small.pixelSize()}px"
        for name, text in zip(("bottom", "left"), (self.axes.x, self.axes.y), strict=True):
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
        """Draw an item of pyqtgraph between the axes, which is no series."""
        self._area.addItem(item)

    def removeItem(self, item: Any) -> None:
        """Draw it no more."""
        self._area.removeItem(item)

    # series

    def show_series(self, shown: Sequence[ShownSeries]) -> None:
        """Draw these, and no others."""
        self._series.show(shown, self.scales, self.devicePixelRatioF())
        self._collect_points()

    def _collect_points(self) -> None:
        bounds = self._range.bounds
        bottom = None if bounds is None else self._range.shown(bounds)[2]
        self.readable.take(self.shown.values(), self.scales, bottom)
        if not len(self.readable):
            self._hover = ""
            self._marker.clear()

    @property
    def shown(self) -> dict[Hashable, ShownSeries]:
        """The series that are drawn, by id."""
        return self._series.shown

    def _words(self, series: Hashable, index: int) -> str:
        """What a point says of itself."""
        words = self.shown[series].series.words
        return "" if words is None else words(index)

    # scales and range

    @property
    def scales(self) -> Scales:
        """Of x and y."""
        return self._range.scales

    @property
    def scalable(self) -> bool:
        """Whether it can follow other scales: axes with ticks of their own cannot."""
        return self.axes.x_ticks is None and self.axes.y_ticks is None

    @property
    def logarithmic(self) -> tuple[bool, bool]:
        """Whether x and y are shown on logarithmic scales."""
        return self.scales[0].logarithmic, self.scales[1].logarithmic

    @property
    def unusual(self) -> bool:
        """Whether a scale is not the one that the axes have by themselves."""
        return self.logarithmic != self.axes.logarithmic

    def can_be_logarithmic(self, axis: int) -> bool:
        """Whether an axis, 0 for x and 1 for y, shows values above 0."""
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
        whole = self._range.whole()
        if whole is not None:
            self._limit(together((self._range.shown(whole), (x0, x1, y0, y1))))
        box.setRange(xRange=(x0, x1), yRange=(y0, y1), padding=0)

    def set_bounds(self, bounds: Bounds) -> None:
        """The range that shows all data."""
        if bounds != self._range.bounds:
            self._range.bounds = bounds
            self._bounds_changed()

    def set_room(self, room: Bounds | None) -> None:
        """A range that is shown beside the data, for something that stands where there are none yet."""
        if room != self._range.room:
            self._range.room = room
            self._bounds_changed()
            self._show_axes()

    def keep_room(self) -> None:
        """From now on show at least what all data up to now need: the range only grows."""
        if self._range.bounds is not None:
            self.set_room(self._range.whole())

    def _bounds_changed(self) -> None:
        whole = self._range.whole()
        if whole is not None:
            if not self.locked:
                self._limit(self._range.shown(whole))
            if self._following:
                self._show_bounds()

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
        return bool(self.empty_text) and self._range.room is None

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
        """The text of the empty state, empty if there are data."""
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
        whole = self._range.whole()
        if whole is not None:
            x0, x1, y0, y1 = self._range.shown(whole)
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
        """Live numbers stand above the axes, where they hide no curve, and the plot is higher by as much."""
        above = self._text.height() if self._text.text() else 0
        if above != self._above:
            self._above = above
            self.setMinimumHeight(_LEAST_HEIGHT + above)
            layout = self.getPlotItem().layout()
            layout.setContentsMargins(0, _TOP + above, 10, 0)
            layout.activate()


def _alignment(corner: str) -> Qt.AlignmentFlag:
    """A corner as Qt says it."""
    flag = Qt.AlignmentFlag
    across = flag.AlignLeft if "left" in corner else flag.AlignRight
    return across | (flag.AlignTop if "top" in corner else flag.AlignBottom)


def _levels(ticks: Ticks) -> list[list[tuple[float, str]]]:
    """Ticks as pyqtgraph has them."""
    labels = [(float(at), text) for at, text in ticks.labels]
    return [labels, [(at, "") for at in ticks.lines]] if ticks.lines else [labels]
