"""The sheet of a lesson as a web page that needs no other file."""

from __future__ import annotations

from html import escape

from aggviewer.lessons.source import Found
from aggviewer.lessons.worksheet.axes import Drawing
from aggviewer.lessons.worksheet.sheet import Compose
from aggviewer.style.rich_text import web_html

_STYLE = """
@page { size: A4; margin: 16mm 18mm; }
body { font: 11pt/1.4 "DejaVu Sans", "Liberation Sans", Arial, sans-serif; color: #000; background: #fff;
  max-width: 174mm; margin: 8mm auto; }
h1 { font-size: 19pt; margin: 0 0 4pt; }
p, ul, ol { margin: 4pt 0 6pt; }
.quiet { color: #444; font-size: 9.5pt; }
section { break-inside: avoid; }
section.new-page { break-before: page; break-after: avoid; }
table.task { border-collapse: collapse; margin: 7pt 0 0; border-top: 0.6pt solid #999; }
table.task td { vertical-align: top; padding: 5pt 0 0; }
td.number { font-weight: 700; font-size: 13pt; width: 11mm; color: #444; }
p.title { font-weight: 700; margin: 1pt 0 3pt; }
.line { display: inline-block; border-bottom: 0.8pt solid #000; height: 1.5em; vertical-align: baseline; }
.row { display: inline-block; border-bottom: 0.8pt solid #000; width: 80%; height: 1.5em; }
.box { display: inline-block; width: 0.85em; height: 0.85em; border: 0.8pt solid #000; vertical-align: -0.08em;
  margin-right: 0.35em; }
img, svg { max-width: 100%; }
@media print { body { margin: 0; max-width: none; } }
"""


class PageLook:
    """See `aggviewer.lessons.worksheet.sheet.Look`."""

    def __init__(self, found: Found) -> None:
        self._folder = found.folder

    def rich(self, text: str) -> str:
        """Formulas are SVG."""
        return web_html(text, self._folder)

    def line(self, letters: int) -> str:
        """A rule."""
        return (
            f'<span class="line" style="width:{0.55 * letters:.1f}em"></span>'
            if letters
            else '<span class="row"></span>'
        )

    def box(self) -> str:
        """A square."""
        return '<span class="box"></span>'

    def drawing(self, drawing: Drawing) -> str:
        """SVG."""
        return f"<div>{drawing.svg()}</div>"


def page(found: Found, compose: Compose) -> str:
    """The whole page."""
    sections = "\n".join(
        f'<section class="new-page">{one.html}</section>' if one.new_page else f"<section>{one.html}</section>"
        for one in compose(found, PageLook(found))
    )
    title = escape(found.lesson.title)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{sections}\n</body></html>\n"
    )
