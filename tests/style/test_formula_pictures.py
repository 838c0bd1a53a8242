"""Formulas in rich text as Qt paints it."""

from __future__ import annotations

import logging
import re
from base64 import b64decode

import numpy as np
import pytest
from PyQt6.QtGui import QColor, QFont, QImage, QPainter, QTextDocument
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.style.formula_pictures import Ink, formulas_drawn, rich_html


def ink(pixels: int = 14, color: str = "#000000", ratio: float = 1.0) -> Ink:
    return Ink(QApplication.font().family(), pixels, color, ratio)


def pictures(html: str) -> list[QImage]:
    return [QImage.fromData(b64decode(one)) for one in re.findall(r"data:image/png;base64,([^\"]+)", html)]


def painted(html: str, style: Ink) -> tuple[np.ndarray, QTextDocument]:
    """Darkness of the pixels of a text, and its document."""
    document = QTextDocument()
    document.setDocumentMargin(0)
    font = QFont(style.family)
    font.setPixelSize(style.pixels)
    document.setDefaultFont(font)
    document.setHtml(html)
    image = QImage(600, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    document.drawContents(painter)
    painter.end()
    bits = image.constBits()
    assert bits is not None
    pixels = np.frombuffer(bits.asarray(image.sizeInBytes()), np.uint8).reshape(200, 600, 4)
    return 255 - pixels[:, :, 1].astype(int), document


def test_a_picture_has_the_colour_of_the_text_and_no_ground(qtbot: QtBot) -> None:
    (image,) = pictures(formulas_drawn("$\\frac{a}{b}$", ink(40, "#00ff00")))
    found = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
             if image.pixelColor(x, y).alpha() == 255}  # fmt: skip
    assert found == {"#00ff00"}
    assert image.pixelColor(0, 0).alpha() == 0


def test_words_for_those_who_do_not_see_it(qtbot: QtBot) -> None:
    assert 'alt="V_f &lt; 1"' in formulas_drawn("$V_f &lt; 1$", ink())


def test_a_bad_formula_is_shown_as_its_source_and_logged(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        html = formulas_drawn(r"$\bogus &lt; 1$ and $x$", ink())
    assert r"<code>\bogus &lt; 1</code>" in html
    assert len(pictures(html)) == 1
    assert "unknown command" in caplog.text


@pytest.mark.parametrize("dollars", ["$", "$$"])
def test_a_formula_that_is_too_wide_is_drawn_smaller(qtbot: QtBot, dollars: str) -> None:
    source = dollars + "a + b = c + d + e + f + g" + dollars
    (usual,) = pictures(rich_html(source, ink()))
    (fitting,) = pictures(rich_html(source, ink(), width=usual.width() // 2))
    assert fitting.width() <= usual.width() // 2
    assert fitting.width() > 0.8 * (usual.width() // 2), "not smaller than needed"
    (same,) = pictures(rich_html(source, ink(), width=2 * usual.width()))
    assert same.size() == usual.size()


def test_a_formula_after_one_that_has_its_own_line_begins_a_line(qtbot: QtBot) -> None:
    """Qt would put the second picture beside the first one."""
    _, document = painted(rich_html(r"$$\frac{a}{b}$$ $v$: a velocity, $u$ another", ink()), ink())
    lines = [block.text() for block in (document.findBlockByNumber(k) for k in range(document.blockCount()))]
    held = [line.count("\ufffc") for line in lines if line.strip()]
    assert held == [1, 2], lines


@pytest.mark.parametrize(("sign", "bold"), [("?", ""), ("),", "**")])
def test_a_sign_after_a_formula_never_begins_a_line(qtbot: QtBot, sign: str, bold: str) -> None:
    html = rich_html(f"{bold}How many are left at $t = 16${sign}{bold} And then?", ink())
    _, document = painted(html, ink())
    layout, text = document.begin().layout(), document.begin().text()
    assert layout is not None
    for width in range(round(document.idealWidth()), 40, -1):
        document.setTextWidth(width)
        begun = [text[layout.lineAt(k).textStart()] for k in range(layout.lineCount())]
        assert not set(begun) & set("?.,)"), f"at {width} pixels lines begin with {begun}"
    assert f'alt="t = 16{sign}"' in html, "it is read aloud"
