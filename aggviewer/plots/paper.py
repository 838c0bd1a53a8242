"""Plots of the window laid out for paper, as parts of a vector picture. GUI thread, as the plots themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import QPoint, QPointF, QRectF, Qt
from PyQt6.QtGui import QFont, QPainter, QRegion, QResizeEvent, QTransform
from PyQt6.QtWidgets import QApplication, QWidget

from aggviewer.export.figure import TEXT_PIXELS, Page
from aggviewer.export.parts import Part
from aggviewer.plots.card import PlotCard
from aggviewer.plots.view import PlotView
from aggviewer.style.theme import LIGHT, Colors

PAPER = replace(LIGHT, window="#ffffff")
"""The colours of plots on paper."""


TEXTS = "texts"
"""What the parts with the numbers in the corner of a plot are called."""


@contextmanager
def on_paper(card: PlotCard, width: int, height: int, scale: float, back: Colors) -> Iterator[PlotCard]:
    """Have a plot of the window laid out for paper while the block runs: in these pixels, dark on white, with text of
    `TEXT_PIXELS` and what the window says around it. Ranges, scales, fits and references stay as they are. What it
    draws has been measured before, else it shows less.

    Parameters
    ----------
    card : the plot; it may be hidden or folded.
    width, height : of the plot without its head.
    scale : pixels of the device for each of these; markers are drawn in pixels of the device.
    back : the colours that it has afterwards.
    """
    card.draw_known()
    views = shown_views(card)
    before = [(view.size(), QFont(view.font()), view.testAttribute(Qt.WidgetAttribute.WA_SetFont)) for view in views]
    font = QFont(card.font())
    font.setPixelSize(TEXT_PIXELS)
    card.setUpdatesEnabled(False)
    try:
        card.set_theme(PAPER)
        card.say_all(True)
        for view in views:
            view.setFont(font)
        lay_out(card, width, height)
        for view in views:
            draw_markers_as_vectors(view, scale)
        yield card
    finally:
        for view, (size, kept, own) in zip(views, before, strict=True):
            draw_markers_as_vectors(view, None)
            view.setFont(kept if own else QFont())
            view.resize(size)
        card.say_all(False)
        card.set_theme(back)
        card.setUpdatesEnabled(True)


@dataclass(frozen=True)
class PlotPanel:
    """A plot of the window as a panel of a figure.

    Parameters
    ----------
    card : the plot.
    back : the colours that it has afterwards.
    numbers : whether the numbers in its corner are in the figure.
    """

    card: PlotCard
    back: Colors
    numbers: bool = True

    def height(self, width: float, page: Page) -> float:
        """Every plot of a page has the same shape; two that stand over each other are together higher."""
        seen = len(shown_views(self.card))
        return width * page.ratio * (1.0 if seen == 1 else 1.6)

    @contextmanager
    def parts(self, width: int, height: int, scale: float, enlarged: float | None) -> Iterator[Iterable[Part]]:
        """Vectors, also in an image."""
        with on_paper(self.card, width, height, scale, self.back):
            yield [part for part in plot_parts(self.card) if self.numbers or not part.name.startswith(TEXTS)]


def shown_views(card: PlotCard) -> list[PlotView]:
    """The drawing areas of a plot that have something to show; the first one always has."""
    return [view for view in card.views if view is card.view or not view.isHidden()]


def lay_out(card: PlotCard, width: int, height: int) -> None:
    """Give the drawing areas of a plot, over each other, this size together; they may be hidden."""
    views = shown_views(card)
    shares = [max(1, card.content.stretch(card.content.indexOf(view))) for view in views]
    for view, share in zip(views, shares, strict=True):
        view.resize(width, height * share // sum(shares))
        if not view.isVisible():  # Qt would tell it of its size when it is shown
            for widget in (view, view.viewport()):
                QApplication.sendEvent(widget, QResizeEvent(widget.size(), widget.size()))
        view.getPlotItem().layout().activate()
        view.scene().prepareForPaint()


def plot_parts(card: PlotCard) -> Iterator[Part]:
    """The axes, the data, cut at the axes, and the texts of a plot that is `on_paper`."""
    top = 0
    for number, view in enumerate(shown_views(card)):
        box = view.getPlotItem().getViewBox()
        frame = view.mapFromScene(box.sceneBoundingRect()).boundingRect()
        place = QTransform.fromTranslate(0, top)

        def axes(page: QPainter, view: PlotView = view, place: QTransform = place) -> None:
            with unseen(view.getPlotItem().getViewBox().childGroup):
                paint_scene(page, view, place)

        def data(page: QPainter, view: PlotView = view, place: QTransform = place) -> None:
            item = view.getPlotItem()
            with unseen(*(item.getAxis(name) for name in ("bottom", "left"))):
                paint_scene(page, view, place)

        def texts(page: QPainter, view: PlotView = view, place: QTransform = place) -> None:
            paint_texts(page, view, place)

        yield Part(f"axes-{number}", axes)
        yield Part(f"data-{number}", data, QRectF(frame).translated(0, top))
        yield Part(f"{TEXTS}-{number}", texts)
        top += view.height()


@contextmanager
def unseen(*items: Any) -> Iterator[None]:
    """Have items of a scene not painted, while they keep their place in its layout."""
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
    """pyqtgraph draws markers as small images of themselves, but for an export. None : as on the screen."""
    for item in view.scene().items():
        if isinstance(item, pg.ScatterPlotItem):
            item.setExportMode(scale is not None, {"antialias": True, "resolutionScale": scale or 1.0})
