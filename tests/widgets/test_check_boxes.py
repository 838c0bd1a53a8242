"""Check boxes and ticks in lists can be seen in both themes, ticked or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QImage
from PyQt6.QtWidgets import QApplication, QCheckBox, QListWidget, QListWidgetItem, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.export.kinds import ExportItem
from aggviewer.extensions.export_dialogs.fields import ItemList
from aggviewer.extensions.studies.keeping import PointsDialog
from aggviewer.style.theme import DARK, LIGHT, Colors, palette, style_sheet

_LEAST = 3.0  # WCAG 2.1, 1.4.11: what is needed to see a control


def contrast(one: QColor, other: QColor) -> float:
    """Of two colours, 1 to 21 (WCAG)."""

    def luminance(color: QColor) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.getRgbF()[:3]]  # type: ignore[operator]
        return sum(part * weight for part, weight in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(params=[DARK, LIGHT], ids=["dark", "light"])
def colors(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Colors]:
    """The program in this theme."""
    before, sheet = qapp.palette(), qapp.styleSheet()
    qapp.setPalette(palette(request.param))
    qapp.setStyleSheet(style_sheet(request.param))
    yield request.param
    qapp.setStyleSheet(sheet)
    qapp.setPalette(before)


def colours_of(picture: QImage, right: int) -> list[QColor]:
    """Every colour in the left part of a picture."""
    found = {picture.pixel(x, y) for x in range(right) for y in range(picture.height())}
    return [QColor.fromRgb(one) for one in found]


@pytest.mark.parametrize("ticked", [False, True])
def test_a_box_stands_out_from_its_ground(colors: Colors, ticked: bool, qtbot: QtBot) -> None:
    window, state = QWidget(), Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
    qtbot.addWidget(window)
    box, entries, item = QCheckBox(""), QListWidget(), QListWidgetItem("")
    box.setCheckState(state)
    item.setCheckState(state)
    entries.addItem(item)
    column = QVBoxLayout(window)
    column.addWidget(box)
    column.addWidget(entries)
    window.show()
    for widget, ground in ((box, colors.window), (entries.viewport(), colors.base)):
        picture = widget.grab().toImage()
        best = max(contrast(one, QColor(ground)) for one in colours_of(picture, 20))
        assert best >= _LEAST, type(widget)
        if ticked:
            inks = colours_of(picture, 20)
            assert max(contrast(one, QColor(colors.accent)) for one in inks) >= _LEAST, "the tick in its box"


@pytest.mark.parametrize("size", [9, 13, 20, 26])
def test_a_box_in_a_list_has_four_sides(colors: Colors, size: int, qapp: QApplication, qtbot: QtBot) -> None:
    """A line is high enough for its check box, whatever the size of the text."""
    before = qapp.font()
    font = qapp.font()
    font.setPixelSize(size)
    qapp.setFont(font)
    qapp.setStyleSheet(style_sheet(colors))
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    dialog = PointsDialog({0: "first", 1: "second", 2: "third", 3: "fourth", 4: "fifth", 5: "sixth"}, 99)
    lists = [ItemList("Panels", "it", [ExportItem(f"{k}", f"{k}") for k in range(4)], ()), dialog.list]
    for entries in lists:
        column.addWidget(entries)
    window.show()
    for entries in lists:
        view = entries.viewport()
        assert view is not None
        picture = view.grab().toImage()
        for row in (1, 2):  # none is selected
            item = entries.item(row)
            assert item is not None
            place = entries.visualItemRect(item)
            drawn = [
                sum(_is_outline(picture.pixelColor(x, y), colors) for x in range(2 * size))
                for y in range(place.top(), place.bottom() + 1)
            ]
            sides = [y for y, count in enumerate(drawn) if count >= 0.6 * size]
            assert sides, "no upper or lower side"
            assert sides[-1] - sides[0] >= size, (type(entries), row, drawn)
    dialog.deleteLater()
    qapp.setFont(before)


def _is_outline(color: QColor, colors: Colors) -> bool:
    wanted = QColor(colors.outline)
    pairs = zip(color.getRgb()[:3], wanted.getRgb()[:3], strict=True)  # type: ignore[index]
    return all(abs(one - other) < 40 for one, other in pairs)  # type: ignore[operator]


def test_the_outline_is_seen_on_every_ground() -> None:
    for theme in (DARK, LIGHT):
        for ground in (theme.window, theme.base, theme.raised):
            assert contrast(QColor(theme.outline), QColor(ground)) >= _LEAST
