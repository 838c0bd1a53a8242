"""The tree in files: its merges as a table, in the Newick format, and as a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QColor, QImage, QPainter

from aggviewer.export.files import new_file, png_bytes
from aggviewer.export.parts import Part, paint_parts
from aggviewer.export.tables import write_table
from aggviewer.export.vectors import write_pdf, write_svg
from aggviewer.merging.branches import Branches
from aggviewer.style.theme import LIGHT, Colors
from engine.errors import InputError

Paint = Callable[[QPainter, float, float, Colors], None]
"""Paints what is seen of the tree into so many pixels, in these colours."""

FILTER = (
    "Table of merges (*.csv);;Newick tree (*.nwk);;Picture as vectors (*.svg);;Picture as PDF (*.pdf);;"
    "Picture as pixels (*.png)"
)
TEXTS: dict[str, Callable[[Path, Branches], None]] = {
    ".csv": lambda path, branches: write_table(path, branches.table()),
    ".nwk": lambda path, branches: _write_text(path, branches.tree.newick(branches.node) + "\n"),
}
"""What writes numbers and names, by the ending of the file; on any thread."""

PICTURES = (".svg", ".pdf", ".png")

_LEAST = (640, 360)  # pixels of a picture, where the tree is smaller on the screen
_FINER = 3  # pixels of a PNG for one of the screen


def check_ending(path: Path) -> str:
    """The ending of a file that can be written; InputError for others."""
    suffix = path.suffix.lower()
    if suffix not in (*TEXTS, *PICTURES):
        allowed = ", ".join((*TEXTS, *PICTURES))
        raise InputError(f"{path}: a history of merges must end in one of {allowed}", str(path))
    return suffix


def write_picture(path: Path, paint: Paint, width: int, height: int) -> None:
    """Write what is seen, in the colours of paper. InputError where it cannot be written."""
    width, height = max(width, _LEAST[0]), max(height, _LEAST[1])
    parts = [
        Part("ground", lambda page: page.fillRect(QRectF(0, 0, width, height), QColor("white"))),
        Part("tree", lambda page: paint(page, width, height, LIGHT)),
    ]
    with new_file(path) as partial:
        if path.suffix.lower() == ".png":
            image = QImage(_FINER * width, _FINER * height, QImage.Format.Format_RGB32)
            with QPainter(image) as page:
                page.scale(_FINER, _FINER)
                paint_parts(page, parts)
            partial.write_bytes(png_bytes(image))
        else:
            write = write_svg if path.suffix.lower() == ".svg" else write_pdf
            write(partial, parts, width, height)


def _write_text(path: Path, text: str) -> None:
    with new_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
