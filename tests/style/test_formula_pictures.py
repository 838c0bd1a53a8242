"""Formulas in rich text as Qt paints it."""

from __future__ import annotations

import logging
import re
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtGui import QColor, QFont, QImage, QPainter, QTextDocument
from PyQt6.QtWidgets import QApplication, QLabel, QToolTip
from pytestqt.qtbot import QtBot

from aggviewer.style.formula_pictures import Ink, formulas_drawn, rich_html
from aggviewer.style.theme import DARK, LIGHT, palette


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


@pytest.mark.parametrize("pixels", [12, 14, 24, 33])
@pytest.mark.parametrize("beside", ["", r"$\frac{1}{2}$", r"$\sum_i R_i^2$", r"$V_f$", r"$x^{2^2}$"])
def test_a_formula_stands_on_the_baseline(qtbot: QtBot, pixels: int, beside: str) -> None:
    """The red rule, which lies on the baseline of the formula, is where that of the text is."""
    style = ink(pixels, "#ff0000")
    html = formulas_drawn(f'<span style="color:white">A</span>$L$<span style="color:white">{beside}</span>', style)
    # the formula beside is painted white, so that only that of the letter L is measured
    whole = formulas_drawn(f"$L${beside}", style)
    if beside:
        others = re.findall(r"<img[^>]*>", whole)[1:]
        white = re.findall(r"<img[^>]*>", formulas_drawn(f"$L${beside}", ink(pixels, "#ffffff")))[1:]
        for red, blank in zip(others, white, strict=True):
            html = html.replace(red, blank)
    dark, document = painted(html, style)
    layout = document.begin().layout()
    assert layout is not None
    rows = np.flatnonzero((dark > 128).any(axis=1))
    baseline = layout.lineAt(0).ascent()
    assert rows[-1] + 1 == pytest.approx(baseline, abs=1.01)
    assert rows[-1] + 1 - rows[0] == pytest.approx(0.69 * pixels * 0.55 / 0.473, rel=0.2)


def test_small_letters_are_as_high_as_those_of_the_text(qtbot: QtBot) -> None:
    style = ink(40)
    text, formula = painted("x", style)[0], painted(formulas_drawn("$x$", style), style)[0]
    heights = [np.ptp(np.flatnonzero((one > 128).any(axis=1))) for one in (text, formula)]
    assert heights[0] == pytest.approx(heights[1], abs=2)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_picture_has_the_pixels_of_the_screen(qtbot: QtBot, ratio: float) -> None:
    html = formulas_drawn("$V_f = 1$", ink(ratio=ratio))
    (image,) = pictures(html)
    width, height = (int(re.search(rf'{name}="(\d+)"', html)[1]) for name in ("width", "height"))  # type: ignore[index]
    assert (image.width(), image.height()) == (width * ratio, height * ratio)


def test_a_picture_has_the_colour_of_the_text_and_no_ground(qtbot: QtBot) -> None:
    (image,) = pictures(formulas_drawn("$\\frac{a}{b}$", ink(40, "#00ff00")))
    found = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
             if image.pixelColor(x, y).alpha() == 255}  # fmt: skip
    assert found == {"#00ff00"}
    assert image.pixelColor(0, 0).alpha() == 0


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_ink_of_a_label_and_of_tool_tips(qtbot: QtBot, theme: object) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    label.setPalette(palette(theme))  # type: ignore[arg-type]
    assert Ink.of(label).color == theme.text  # type: ignore[attr-defined]
    assert Ink.of(label).ratio == label.devicePixelRatioF()
    assert Ink.of_tool_tips(label).family == QToolTip.font().family()


def test_words_for_those_who_do_not_see_it(qtbot: QtBot) -> None:
    assert 'alt="V_f &lt; 1"' in formulas_drawn("$V_f &lt; 1$", ink())


def test_a_bad_formula_is_shown_as_its_source_and_logged(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        html = formulas_drawn(r"$\bogus &lt; 1$ and $x$", ink())
    assert r"<code>\bogus &lt; 1</code>" in html
    assert len(pictures(html)) == 1
    assert "unknown command" in caplog.text


def test_each_paragraph_has_its_own_height_of_lines(qtbot: QtBot) -> None:
    html = formulas_drawn(r"<p>$x$ and $y$</p><p>$\frac{1}{2}$ and $x$</p>", ink())
    low, low_too, high, high_too = (one.height() for one in pictures(html))
    assert low == low_too < high == high_too


def test_a_label_shows_formulas_and_pictures_of_a_lesson(qtbot: QtBot, tmp_path: Path) -> None:
    image = QImage(400, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("#00ff00"))
    assert image.save(str(tmp_path / "a picture.png"))
    label = QLabel()
    qtbot.addWidget(label)
    style = Ink(label.font().family(), 14, "#ff0000")
    label.setText(rich_html("Two $V_f$ \\$5\n\n![words](<a picture.png>)", style, tmp_path, width=100))
    label.resize(label.sizeHint())
    label.show()
    shown = label.grab().toImage()
    colours = [shown.pixelColor(x, y).name() for x in range(shown.width()) for y in range(shown.height())]
    assert colours.count("#00ff00") == pytest.approx(100 * 30 * 100 / 400, rel=0.15)
    assert colours.count("#ff0000") > 3
    assert "$5" in label.text()
    assert shown.width() < 300


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


@pytest.mark.parametrize("sign", ["?", ".", ",", "),"])
@pytest.mark.parametrize("bold", ["", "**"])
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


def test_a_sign_after_a_formula_looks_like_those_of_the_text(qtbot: QtBot) -> None:
    """As heavy, as high, and on the same line."""
    for bold in ("", "**"):
        shown = painted(rich_html(f"{bold}$t$?{bold}", ink(40)), ink(40))[0]
        alone = painted(rich_html(f"{bold}$t$ ?{bold}", ink(40)), ink(40))[0]
        signs = [one[:, np.flatnonzero(one.any(axis=0))[-1] - 16 :] for one in (shown, alone)]
        rows = [np.flatnonzero((one > 128).any(axis=1)) for one in signs]
        assert [rows[0][0], rows[0][-1]] == pytest.approx([rows[1][0], rows[1][-1]], abs=1)
        assert signs[0].sum() == pytest.approx(signs[1].sum(), rel=0.1)
