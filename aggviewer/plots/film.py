"""Plots outside of the window: in a film, redrawn for every frame, and as panels of a figure for print.

The plots of a film are copies of the window's plots. They belong to the GUI thread; a film made on another thread lets
that thread draw them. Figures are drawn by matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import pyqtgraph as pg
from PyQt6.QtCore import QObject, QPoint, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QRegion, QResizeEvent, QTransform
from PyQt6.QtWidgets import QApplication, QWidget

from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.export.figure import Page
from aggviewer.export.sheet import Sheet
from aggviewer.export.spec import FilmArea
from aggviewer.plots.card import PlotCard
from aggviewer.plots.drawing import together
from aggviewer.plots.fits import Range
from aggviewer.plots.page import PagePane, draw_panes
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Curves, Reference, RunStyle
from aggviewer.plots.view import PlotView
from aggviewer.session.data import Analysis
from aggviewer.style.theme import LIGHT, Colors, colors_on
from engine.arrays import Bytes
from engine.errors import InputError

TEXT_PIXELS = 13
"""The text height in a film of the default size."""

_HEAD = 22  # height of the line with the title
_INSET = 8  # pixels free around a plot


@dataclass(frozen=True, eq=False)
class FilmPlot:
    """A plot in a film.

    Parameters
    ----------
    plot : the declaration.
    look : scales and ranges, see `PlotCard.take_look`; empty for the defaults.
    fit : its fit range, None for the default.
    references : drawn beside the runs.
    choices : see `PlotCard.choices`.
    averaging : whether it shows averages over the film up to each frame.
    """

    plot: Plot
    look: list[dict[str, Any]] = field(default_factory=list)
    fit: Range | None = None
    references: Sequence[tuple[Reference, Curves]] = ()
    choices: dict[str, Any] = field(default_factory=dict)
    averaging: bool = False

    @staticmethod
    def of(card: PlotCard, references: Sequence[tuple[Reference, Curves]]) -> FilmPlot:
        """A plot of the window with all of the user's choices. A zoomed range stays."""
        card.make()
        looks: list[dict[str, Any]] = []
        for view, given in zip(card.views, card.body.look() or [{}] * len(card.views), strict=True):
            looks.append(given if view.following else {**given, "range": list(view.ends)})
        return FilmPlot(card.plot, looks, card.fits.chosen, references, card.choices(), card.averaging)


def film_plots(names: Sequence[str], known: Sequence[Plot]) -> list[FilmPlot]:
    """Plots by key (`Plot.key`), with default settings; ``name:average`` shows the averages over the film up to each
    frame. InputError if there is no such plot, or if it has no averages."""
    by_name = {plot.key(): plot for plot in known}
    found = []
    for name in dict.fromkeys(names):
        key, colon, what = name.partition(":")
        if key not in by_name:
            raise InputError(f"there is no plot {key!r}; there are {', '.join(by_name)}", "plots")
        if colon and not (what == "average" and by_name[key].averaged):
            others = ", ".join(other for other, plot in by_name.items() if plot.averaged)
            raise InputError(f"{name} must be a plot, or one of {others} followed by :average", "plots")
        found.append(FilmPlot(by_name[key], averaging=bool(colon)))
    return found


def wanted_by(plots: Sequence[Plot]) -> frozenset[str] | None:
    """The names of the indicators that these plots need, None for all."""
    known = [plot.indicators for plot in plots if plot.indicators is not None]
    return frozenset[str]().union(*known) if len(known) == len(plots) else None


def colors_over(ground: tuple[int, int, int]) -> Colors:
    """The colours of plots on the background of a picture."""
    name = QColor(*ground)
    return replace(colors_on(name.lightnessF() < 0.5), window=name.name(), base=name.name())


class FilmPlots(QObject):
    """Draws the plots of a film, see `aggviewer.export.film.FilmPlotDrawer`. Made and closed on the GUI thread.

    The axes include all states that were drawn or allowed for, so that their ranges only grow.

    Parameters
    ----------
    plots : in order.
    runs : drawn in each of them.
    ground : the background of the picture, red, green and blue.
    ratio : text size relative to that in a window.
    """

    _asked = pyqtSignal(object)

    def __init__(
        self, plots: Sequence[FilmPlot], runs: Sequence[RunStyle], ground: tuple[int, int, int], ratio: float = 1.0
    ) -> None:
        super().__init__()
        self.wanted_indicators = wanted_by([one.plot for one in plots])
        self.averaged_indicators = frozenset[str]().union(*(one.plot.averaged for one in plots if one.averaging))
        self.colors = colors_over(ground)
        self._ratio = ratio
        self._problem: Exception | None = None
        self.cards = [self._card(one, number, runs) for number, one in enumerate(plots, 1)]
        self._laid_out: dict[PlotCard, tuple[object, ...]] = {}
        self._axes: dict[PlotCard, tuple[tuple[object, ...], QImage]] = {}
        self._asked.connect(self._call)

    def _card(self, one: FilmPlot, number: int, runs: Sequence[RunStyle]) -> PlotCard:
        card = PlotCard(one.plot, number)
        card.make()
        font = QFont(card.font())
        font.setPixelSize(TEXT_PIXELS)
        for layout in (card.layout(), card.body.column):
            assert layout is not None
            layout.setEnabled(False)  # sizes are those in the film
        for view in card.views:
            view.set_least_height(None)
            view.setFont(font)
        card.set_runs(runs, [None] * len(runs))
        card.set_theme(self.colors)
        card.take_look(one.look)
        card.fits.choose(one.fit)
        card.show_references(one.references)
        for name, value in one.choices.items():
            card.take_choice(name, value)
        card.show_averages(one.averaging)
        return card

    # on any thread

    def allow_for(self, analysis: Analysis, run: int) -> None:
        """Make room for a state of a run in the axes, on any thread."""
        self._asked.emit(partial(self._allow_for, analysis, run))

    def draw(self, analyses: Sequence[Analysis], places: Sequence[FilmArea]) -> Future[list[Bytes]]:
        """Draw the states of the runs; the pictures, (H, W, 4) each, come from the GUI thread."""
        drawing: Future[list[Bytes]] = Future()
        self._asked.emit(partial(self._draw_for, drawing, analyses, places))
        return drawing

    # on the GUI thread

    def panels(self, analysis: Analysis) -> list[PlotPanel]:
        """The plots of a state as panels of a figure."""
        self._take(analysis, 0)
        return [PlotPanel.of(card) for card in self.cards]

    def _call(self, asked: Callable[[], None]) -> None:
        asked()

    def _allow_for(self, analysis: Analysis, run: int) -> None:
        try:
            self._take(analysis, run)
        except Exception as error:  # raised in the thread that makes the film
            self._problem = error

    def _draw_for(self, drawing: Future[list[Bytes]], analyses: Sequence[Analysis], places: Sequence[FilmArea]) -> None:
        if not drawing.set_running_or_notify_cancel():
            return
        try:
            if self._problem is not None:
                raise self._problem
            for run, analysis in enumerate(analyses):
                self._take(analysis, run)
            drawing.set_result([self._painted(card, place) for card, place in zip(self.cards, places, strict=True)])
        except Exception as error:
            drawing.set_exception(error)

    def _take(self, analysis: Analysis, run: int) -> None:
        for card in self.cards:
            card.set_data(card.prepared(analysis, run), run)
            card.draw_all()
            for view in card.views:
                view.let_only_grow()

    def _painted(self, card: PlotCard, place: FilmArea) -> Bytes:
        views = shown_views(card)
        for view in views:
            view.scene().prepareForPaint()
        image = QImage(self._with_axes(card, place))
        with QPainter(image) as painter:
            for view, area in self._areas(painter, views):
                with unseen(*_axes_of(view)):
                    paint_scene(painter, view, area)
                painter.restore()
                painter.save()
                paint_texts(painter, view, area)
        return pixels_of(image).copy()

    def _with_axes(self, card: PlotCard, place: FilmArea) -> QImage:
        """The image of background, title and axes, which is the same in most frames; laid out again if the area
        changes."""
        width, height = round(place.width / self._ratio), round(place.height / self._ratio)
        views = shown_views(card)
        laid_out = (place, *views)
        if self._laid_out.get(card) != laid_out:
            self._laid_out[card] = laid_out
            lay_out(card, width - 2 * _INSET, height - _HEAD - 2 * _INSET)
            for view in views:
                draw_markers_as_vectors(view, None if self._ratio == 1.0 else self._ratio)
        now = (laid_out, *((view.ends, view.scales, *(axis.opacity() for axis in _axes_of(view))) for view in views))
        kept = self._axes.get(card)
        if kept is not None and kept[0] == now:
            return kept[1]
        image = QImage(place.width, place.height, QImage.Format.Format_RGBA8888_Premultiplied)
        image.fill(QColor(self.colors.window))
        with QPainter(image) as painter:
            painter.scale(self._ratio, self._ratio)
            painter.translate(_INSET, _INSET)
            self._paint_title(painter, card, width - 2 * _INSET, _HEAD)
        with QPainter(image) as painter:
            for view, area in self._areas(painter, views):
                with unseen(view.getPlotItem().getViewBox().childGroup):
                    paint_scene(painter, view, area)
        self._axes[card] = now, image
        return image

    def _areas(self, painter: QPainter, views: Sequence[PlotView]) -> Iterator[tuple[PlotView, QTransform]]:
        """Each drawing area with its place; the painter is set up for it."""
        top = float(_HEAD)
        for view in views:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = QTransform.fromScale(self._ratio, self._ratio)
            area.translate(_INSET, _INSET + top)
            yield view, area
            painter.restore()
            top += view.height()

    def _paint_title(self, painter: QPainter, card: PlotCard, width: int, height: int) -> None:
        """Paint the title above the axes; in the window it is in the plot's head."""
        font = QFont(card.view.font())
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(self.colors.text))
        left = card.view.getPlotItem().getAxis("left").width()
        words = QFontMetrics(font).elidedText(card.title, Qt.TextElideMode.ElideRight, round(width - left))
        area = QRectF(QPointF(left, 0.0), QPointF(width, height))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def close(self) -> None:
        """Delete the widgets. Pending requests are not drawn."""
        self._asked.disconnect()
        for card in self.cards:
            card.close()
            card.deleteLater()
        self.cards = []
        self.deleteLater()


def _axes_of(view: PlotView) -> list[Any]:
    return [view.getPlotItem().getAxis(name) for name in ("bottom", "left")]


def shown_views(card: PlotCard) -> list[PlotView]:
    """The drawing areas of a plot that have something to show; always the first one."""
    return [view for view in card.views if view is card.view or not view.isHidden()]


def lay_out(card: PlotCard, width: int, height: int) -> None:
    """Lay out the stacked drawing areas of a plot, which may be hidden, in this total size."""
    views = shown_views(card)
    shares = [max(1, card.body.column.stretch(card.body.column.indexOf(view))) for view in views]
    for view, share in zip(views, shares, strict=True):
        view.resize(width, height * share // sum(shares))
        if not view.isVisible():  # Qt would send the size only when it is shown
            for widget in (view, view.viewport()):
                QApplication.sendEvent(widget, QResizeEvent(widget.size(), widget.size()))
        view.getPlotItem().layout().activate()
        view.scene().prepareForPaint()


@contextmanager
def unseen(*items: Any) -> Iterator[None]:
    """Within the context, items of a scene are not painted but keep their place in the layout."""
    before = [item.opacity() for item in items]
    for item in items:
        item.setOpacity(0.0)
    try:
        yield
    finally:
        for item, opacity in zip(items, before, strict=True):
            item.setOpacity(opacity)


def paint_scene(page: QPainter, view: PlotView, place: QTransform) -> None:
    """Axes and data of a drawing area."""
    page.setTransform(place, True)
    area = QRectF(view.viewport().rect())
    view.render(page, area, area.toRect(), Qt.AspectRatioMode.IgnoreAspectRatio)


def paint_texts(page: QPainter, view: PlotView, place: QTransform) -> None:
    """The texts that lie over a drawing area."""
    page.setTransform(place, True)
    for text in view.texts():
        page.save()
        page.translate(QPointF(text.pos()))
        text.render(page, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
        page.restore()


def draw_markers_as_vectors(view: PlotView, scale: float | None) -> None:
    """Let pyqtgraph draw markers as vectors, as in an export, instead of as small images. None : as on the screen."""
    for item in view.scene().items():
        if isinstance(item, pg.ScatterPlotItem):
            item.setExportMode(scale is not None, {"antialias": True, "resolutionScale": scale or 1.0})


PAPER = replace(LIGHT, window="#ffffff")
"""The colours of plots on paper."""

_TWO_PANES = 1.6  # height of two stacked panes relative to one


@dataclass(frozen=True)
class PlotPanel:
    """A plot of the window as a panel of a figure: plain data that any thread can draw.

    Parameters
    ----------
    panes : the upper one first.
    """

    panes: Sequence[PagePane]

    @classmethod
    def of(cls, card: PlotCard, *, numbers: bool = True) -> Self:
        """The panel of a plot, with ranges, scales, fits and references as in the window. On the GUI thread, after its
        indicators have been measured.

        Parameters
        ----------
        card : the plot; it may be hidden or folded.
        numbers : whether the numbers in its corner are included.
        """
        card.draw_known()
        return cls(card.page(PAPER, numbers=numbers))

    @property
    def has_data(self) -> bool:
        """Whether it shows something of a run."""
        return any(not one.series.shared for pane in self.panes for one in pane.series)

    def height(self, width: float, page: Page) -> float:
        """All plots of a page have the same shape, except that two stacked panes are higher."""
        return width * page.ratio * (1.0 if len(self.panes) == 1 else _TWO_PANES)

    def draw(self, sheet: Sheet, names: str) -> None:
        """Draw its panes."""
        draw_panes(self.panes, sheet, PAPER, names)


def with_same_axes(panels: Sequence[PlotPanel]) -> list[PlotPanel]:
    """Panels of one plot for several states, on axes that show all of them; those without data stay as they are."""
    shown = [panel.panes if panel.has_data else [] for panel in panels]
    ends = [together(pane.ends for pane in panes) for panes in zip(*filter(None, shown), strict=True)]
    return [
        PlotPanel([replace(pane, ends=end) for pane, end in zip(panes, ends, strict=True)]) if panes else panel
        for panel, panes in zip(panels, shown, strict=True)
    ]
