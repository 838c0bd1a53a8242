"""Texts of authors as HTML."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
from PyQt6.QtGui import QColor, QImage

from aggviewer.style.rich_text import problems, web_html


def test_paragraphs_lists_and_emphasis() -> None:
    html = web_html("One **bold**\nline.\n\nTwo *slanted*:\n\n- first\n- second\n\n1. a\n2. b")
    assert html.count("<p>") == 2
    assert "<strong>bold</strong>" in html
    assert "<em>slanted</em>" in html
    assert html.count("<li>") == 4
    assert "<ol>" in html


def test_formulas_are_not_read_as_markup() -> None:
    html = web_html("Both $a_1 * b_2 * c$ and *$x$* and $$T = T_0$$")
    assert html.count("<svg") == 3
    assert html.count("<em>") == 1
    assert "display:block" in html
    assert problems("Both $a_1 * b_2 * c$") == []


def test_html_and_other_markup_stay_as_they_were_written() -> None:
    html = web_html('<script>alert(1)</script> <img src="x"> `code` # no head &amp; \\$5')
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html
    assert "$5" in html
    assert "\\" not in html


def test_links_lead_to_https_only() -> None:
    text = "[good](https://example.org/a_b) [bad](javascript:alert) [file](file:///etc) [plain](http://example.org)"
    html = web_html(text)
    assert html.count("<a ") == 1
    assert '<a href="https://example.org/a_b">good</a>' in html
    assert "javascript" not in html
    assert len(problems(text)) == 3
    assert "https://" in problems(text)[0]


def test_pictures_come_from_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "lesson"
    folder.mkdir()
    image = QImage(4, 3, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    assert image.save(str(folder / "two discs.png"))
    assert image.save(str(tmp_path / "outside.png"))
    (folder / "x.txt").write_text("text")
    html = web_html("![Two discs](<two discs.png>)", folder)
    assert 'src="data:image/png;base64,' in html
    assert 'alt="Two discs"' in html
    assert problems("![Two discs](<two discs.png>)", folder) == []
    for name, words in (
        ("../outside.png", "in the folder"),
        ("none.png", "does not exist"),
        ("x.txt", "PNG, JPEG or SVG"),
        ("https://example.org/a.png", "does not exist"),
    ):
        assert "<img" not in web_html(f"![a]({name})", folder)
        assert words in problems(f"![a]({name})", folder)[0]
    assert "cannot have pictures" in problems("![a](b.png)")[0]


def test_a_bad_formula_stands_as_its_source_and_is_told() -> None:
    text = r"The share $\bogus_x$ and $V_f$."
    assert r"\bogus_x" in web_html(text)
    assert len(problems(text)) == 1
    assert "unknown command" in problems(text)[0]


@settings(max_examples=100)
@given(st.text(alphabet="ab*_[]()!<>&\\\n-1. \"'$#`", max_size=40))
def test_any_text_becomes_html_of_known_tags(text: str) -> None:
    root = ElementTree.fromstring(f"<div>{web_html(text).replace('<br>', '<br/>')}</div>")
    known = {"div", "p", "ul", "ol", "li", "strong", "em", "a", "span", "br", "svg", "path", "rect", "line", "g"}
    assert {one.tag.rpartition("}")[2] for one in root.iter()} <= known
    assert isinstance(problems(text), list)
