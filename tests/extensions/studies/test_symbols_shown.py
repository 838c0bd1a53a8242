"""Lists, heads and combo boxes of studies show symbols with their index below, not as they are typed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QTableWidget, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.widgets.labels import SymbolComboBox, SymbolHeader
from aggviewer.widgets.lists import TickList


def combo(text: str) -> QWidget:
    found = SymbolComboBox()
    found.addItem(text)
    return found


def ticks(text: str) -> QWidget:
    found = TickList("Points")
    found.add(text, 0, ticked=True)
    return found


def table(text: str) -> QWidget:
    found = QTableWidget(0, 1)
    found.setHorizontalHeader(SymbolHeader())
    found.setHorizontalHeaderLabels([text])
    return found


def ink(widget: QWidget) -> np.ndarray:
    """The picture of a widget, (rows, columns) of grey."""
    widget.resize(240, 60)
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    bits = image.constBits()
    assert bits is not None
    bits.setsize(image.sizeInBytes())
    return np.frombuffer(bits, np.uint8).reshape(image.height(), image.bytesPerLine())[:, : image.width()].copy()


@pytest.mark.parametrize("made", [combo, ticks, table])
def test_an_index_is_small_and_takes_no_underscore(made: Callable[[str], QWidget], qtbot: QtBot) -> None:
    widgets = [made(text) for text in ("V_f", "V_ffff", "", "plain", "other")]
    for widget in widgets:
        qtbot.addWidget(widget)
    short, long, empty, plain, other = map(ink, widgets)
    widths = [int(np.ptp(np.flatnonzero((one != empty).any(axis=0)))) for one in (short, long)]
    assert 4 < widths[0] < widths[1]
    assert widths[0] < widgets[0].fontMetrics().horizontalAdvance("V_f")
    assert (plain != other).any()  # what has no symbol is painted too
