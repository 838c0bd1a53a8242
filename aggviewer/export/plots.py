"""Plots of the window as files, and what they draw as a table. GUI thread, as the plots themselves."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike
from PyQt6.QtCore import QPoint, QRectF
from PyQt6.QtGui import QColor, QImage, QPainter, QRegion
from PyQt6.QtWidgets import QAbstractScrollArea, QWidget

from aggviewer.export.files import Memory, new_file, png_bytes
from aggviewer.export.vectors import open_pdf, open_svg
from engine.errors import InputError

PLOT_FORMATS = (".png", ".svg", ".pdf")
_ENLARGED = 3.0  # pixels of a PNG for each of the window


def write_plot(path: Path, plot: QWidget, ground: str = "#ffffff") -> None:
    """Write a plot (pyqtgraph's PlotWidget or any other widget) as it stands, with the texts that lie over it.

    SVG and PDF are vectors; a PNG has three pixels for each of the window. ground : ``#rrggbb`` under it, empty for
    none. InputError where it cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in PLOT_FORMATS:
        raise InputError(f"{path}: a plot must end in .png, .svg or .pdf", str(path))
    size = plot.size()
    memory = Memory()
    if suffix == ".png":
        image = QImage(size * _ENLARGED, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(QColor(0, 0, 0, 0))
        image.setDevicePixelRatio(_ENLARGED)
        _paint(image, plot, ground)
        memory.device.write(png_bytes(image))
    elif suffix == ".svg":
        _paint(open_svg(memory.device, size), plot, ground)
    else:
        _paint(open_pdf(memory.device, size.width(), size.height()), plot, ground)
    with new_file(path) as partial:
        partial.write_bytes(memory.close())


def _paint(device: Any, plot: QWidget, ground: str) -> None:
    area = plot.viewport() if isinstance(plot, QAbstractScrollArea) else None
    filled = area is not None and area.autoFillBackground()
    try:
        if area is not None:
            area.setAutoFillBackground(False)  # with the colour of the window
        with QPainter(device) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if ground:
                painter.fillRect(QRectF(plot.rect()), QColor(ground))
            if isinstance(plot, pg.PlotWidget):
                plot.scene().prepareForPaint()  # what pyqtgraph does before it paints
            # of the widget with all that lies over it: the plot's own `render` is of its scene alone
            QWidget.render(plot, painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    finally:
        if area is not None:
            area.setAutoFillBackground(filled)


def table_text(columns: Mapping[str, ArrayLike]) -> str:
    """CSV: a line with the names, then the values in full precision; shorter columns end earlier, NaN is left empty."""
    lists = [[_text(value) for value in np.asarray(values).tolist()] for values in columns.values()]
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip_longest(*lists, fillvalue=""))
    return text.getvalue()


def write_table(path: Path, columns: Mapping[str, ArrayLike]) -> None:
    """Write `table_text` into a file. InputError where it cannot be written."""
    with new_file(path) as partial:
        partial.write_bytes(table_text(columns).encode())


def _text(value: float) -> str:
    return "" if value != value else repr(value)
