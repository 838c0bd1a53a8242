"""A figure for print: panels with letters, in columns, as wide as a journal wants it and with text of one size.

Everything is laid out in pixels in which text is `TEXT_PIXELS` high, and the page is scaled so that this is the size in
points that was asked for. An image is made of the PDF, so that all formats look alike.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from string import ascii_lowercase
from typing import Protocol

from PyQt6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF, QSize
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.picture import LARGEST, Painter
from aggviewer.canvas.qt_images import pixels_of
from aggviewer.canvas.raster import Raster
from aggviewer.export.files import Memory, new_file, png_bytes
from aggviewer.export.parts import DOTS_PER_INCH, PicturePart, open_pdf, paint_parts, svg_of
from aggviewer.export.pictures import SceneView
from aggviewer.export.steps import finished
from aggviewer.export.vectors import picture_parts
from engine.errors import InputError

TEXT_PIXELS = 13
"""The height of all text in the pixels of the layout."""

FORMATS = (".pdf", ".svg", ".png")
LETTERS = {"(a)": "({})", "a": "{}", "A": "{}", "none": ""}
"""How the panels may be named: the choice to what is written around the letter."""

WIDTHS, FONTS, COLUMNS, RESOLUTIONS = (20.0, 1000.0), (4.0, 48.0), (1, 6), (72, 1200)
"""The least and the greatest width in mm, size of text in points, number of columns, and pixels an inch of a PNG."""

_MM = 25.4  # of an inch
_STRIP = 22  # pixels of the layout above a panel for its letter


def letter_of(number: int) -> str:
    """The letter of the panel of this number, from 0."""
    return ascii_lowercase[number % len(ascii_lowercase)]


@dataclass(frozen=True)
class Page:
    """What a figure looks like.

    Parameters
    ----------
    width : in mm, within `WIDTHS`; the height follows from the panels.
    font : the size of all text in points, within `FONTS`.
    columns : how many panels stand side by side, within `COLUMNS`.
    letters : a key of `LETTERS`.
    ratio : the height of a plot over its width.
    gap : between the panels, in mm.
    resolution : pixels an inch of a PNG, within `RESOLUTIONS`.

    Raises
    ------
    InputError
        A number is out of its range, or there is no such way to write letters.
    """

    width: float = 86.0
    font: float = 8.0
    columns: int = 1
    letters: str = "(a)"
    ratio: float = 0.75
    gap: float = 4.0
    resolution: int = 600

    def __post_init__(self) -> None:
        limits = {
            "width": (WIDTHS, " mm"),
            "font": (FONTS, " pt"),
            "columns": (COLUMNS, ""),
            "resolution": (RESOLUTIONS, " pixels an inch"),
            "ratio": ((0.2, 3.0), ""),
            "gap": ((0.0, 50.0), " mm"),
        }
        for name, ((low, high), unit) in limits.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise InputError(f"{name} of a figure must be {low:g} to {high:g}{unit}, not {value:g}", name)
        if self.letters not in LETTERS:
            raise InputError(f"letters of a figure must be one of {', '.join(LETTERS)}, not {self.letters}", "letters")

    @property
    def scale(self) -> float:
        """Pixels of the page, 96 an inch, for each pixel of the layout."""
        return self.font * DOTS_PER_INCH / 72.0 / TEXT_PIXELS

    def pixels(self, mm: float) -> float:
        """Pixels of the layout for a length on paper."""
        return mm / _MM * DOTS_PER_INCH / self.scale

    def letter(self, number: int) -> str:
        """What stands above the panel of this number, from 0."""
        letter = letter_of(number)
        return LETTERS[self.letters].format(letter.upper() if self.letters.isupper() else letter)


class Panel(Protocol):
    """What stands in a figure: a picture or a plot."""

    def height(self, width: float, page: Page) -> float:
        """How high it wants to be where it has so much width; pixels of the layout."""
        ...

    def parts(
        self, width: int, height: int, scale: float, enlarged: float | None
    ) -> AbstractContextManager[Iterable[PicturePart]]:
        """What it consists of, while the block runs.

        Parameters
        ----------
        width, height : in pixels of the layout.
        scale : pixels of the device for each of the layout.
        enlarged : pixels of an image for each of the layout; None for vectors.
        """
        ...


@dataclass(frozen=True)
class PicturePanel(SceneView):
    """A picture of the discs as a panel of a figure."""

    def height(self, width: float, page: Page) -> float:
        """What is seen, and the legend below it."""
        seen = width * (self.camera.height - self.camera.below) / self.camera.width
        return seen + self._painter().room(self.scene, (width, seen))

    @contextmanager
    def parts(self, width: int, height: int, scale: float, enlarged: float | None) -> Iterator[Iterable[PicturePart]]:
        """Circles, or an image of them, and vectors over it."""
        warmup.warm_up()
        painter = self._painter()
        seen = painter.looking(self.scene, self.camera, (width, height))
        if enlarged is None:
            yield picture_parts(self.scene, seen, self.view, painter, ground=True)
        else:
            image = self._image(seen, enlarged)
            place = QRectF(0, 0, width, width * image.height() / image.width())
            yield [
                PicturePart("discs", lambda page: page.drawImage(place, image)),
                PicturePart("overlays", lambda page: painter.paint_overlays(page, self.scene, seen)),
            ]

    def _image(self, seen: Camera, enlarged: float) -> QImage:
        """The ground and the discs alone, in whole pixels: the last row may end a part of one below what is seen."""
        columns = ceil(seen.width * enlarged)
        ratio = columns / seen.width  # not less than `enlarged`: a high picture may have a row more for that
        fine = seen.magnified(ratio)
        rows = ceil(fine.height)
        image = QImage(columns, rows, QImage.Format.Format_RGBA8888_Premultiplied)
        if image.isNull():
            raise InputError("there is no memory for so large a figure; choose a lower resolution", "resolution")
        more = rows - fine.height  # at the foot: the upper left corner stays where it is
        middle = fine.y - more / (2 * fine.scale)
        whole = replace(fine, y=middle, width=float(columns), height=float(rows), below=fine.below + more)
        Raster().paint(self.scene, whole, self.view, pixel_ratio=ratio, transparent=False, out=pixels_of(image))
        return image

    def _painter(self) -> Painter:
        font = QFont()
        font.setPixelSize(TEXT_PIXELS)
        return Painter(self.view, font)


@dataclass(frozen=True)
class _Placed:
    """A panel with its place and letter, in pixels of the layout."""

    panel: Panel
    letter: str
    place: QRectF


class Figure:
    """Panels on a page.

    Parameters
    ----------
    panels : in the order of their letters, row by row.
    page : what the figure looks like.

    Raises
    ------
    InputError
        There is no panel.
    """

    def __init__(self, panels: Sequence[Panel], page: Page) -> None:
        if not panels:
            raise InputError("a figure must have at least one panel", "panels")
        self.page = page
        self._placed: list[_Placed] = []
        columns = min(page.columns, len(panels))
        gap, whole = page.pixels(page.gap), page.pixels(page.width)
        width = (whole - gap * (columns - 1)) / columns
        if width < _STRIP:
            raise InputError(f"{columns} columns have no room in {page.width:g} mm; choose fewer", "columns")
        letters = len(panels) > 1 and bool(LETTERS[page.letters])
        strip = _STRIP if letters else 0.0
        top = 0.0
        for first in range(0, len(panels), columns):
            row = panels[first : first + columns]
            height = max(panel.height(width, page) for panel in row)
            for column, panel in enumerate(row):
                letter = page.letter(first + column) if letters else ""
                self._placed.append(_Placed(panel, letter, QRectF(column * (width + gap), top + strip, width, height)))
            top += strip + height + gap
        self._size = whole, top - gap

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in mm."""
        width, height = self._size
        return self.page.width, self.page.width * height / width

    def image(self, resolution: float) -> QImage:
        """The figure with so many pixels an inch. InputError where it is too large."""
        return finished(self.image_steps(resolution))

    def image_steps(self, resolution: float) -> Generator[None, None, QImage]:
        """The same, a panel in each step: a page takes longer than a window may stand still."""
        ratio = self.page.scale * resolution / DOTS_PER_INCH
        width, height = (max(1, round(side * ratio)) for side in self._size)
        if max(width, height) > LARGEST:
            raise InputError(
                f"a figure has at most {LARGEST} pixels on a side, not {width} x {height}; choose a lower resolution",
                "resolution",
            )
        found = rendered((yield from self._pdf_steps(enlarged=ratio)), width, height)
        found.setDotsPerMeterX(round(resolution / _MM * 1000))
        found.setDotsPerMeterY(round(resolution / _MM * 1000))
        return found

    def write(self, path: Path) -> None:
        """Write it as PDF, SVG or PNG, as the ending of `path` says; the file is complete or not there at all.

        InputError where it cannot be made or written.
        """
        suffix = path.suffix.lower()
        if suffix not in FORMATS:
            raise InputError(f"{path}: a figure must end in .pdf, .svg or .png", str(path))
        with new_file(path) as partial:
            if suffix == ".png":
                partial.write_bytes(png_bytes(self.image(self.page.resolution)))
            elif suffix == ".svg":
                with partial.open("w", encoding="utf-8") as file:
                    file.writelines(self._svg())
            else:
                partial.write_bytes(finished(self._pdf_steps()))

    def _pdf_steps(self, enlarged: float | None = None) -> Generator[None, None, bytes]:
        """One page, a panel in each step. enlarged : pixels for each of the layout in images of pictures; None for
        vectors."""
        memory = Memory()
        scale = self.page.scale
        sheet = open_pdf(memory.device, *(side * scale for side in self._size))  # a painter keeps nothing alive
        with QPainter(sheet) as painter:
            painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
            painter.scale(scale, scale)
            for one in self._placed:
                size = round(one.place.width()), round(one.place.height())
                paint_parts(painter, (_letter(one),) if one.letter else ())
                with one.panel.parts(*size, scale, enlarged) as parts:
                    painter.save()
                    painter.translate(one.place.topLeft())
                    paint_parts(painter, parts)
                    painter.restore()
                yield
        return memory.close()

    def _svg(self) -> Iterator[str]:
        (mm_wide, mm_high), (width, height) = self.size, self._size
        yield (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
            f'width="{mm_wide:.4f}mm" height="{mm_high:.4f}mm" viewBox="0 0 {width:.4f} {height:.4f}">\n'
            f'<rect width="{width:.4f}" height="{height:.4f}" fill="#ffffff"/>\n'
        )
        for number, one in enumerate(self._placed):
            prefix = f"panel-{letter_of(number)}-"
            size = QSize(round(one.place.width()), round(one.place.height()))
            if one.letter:
                yield from svg_of((_letter(one),), QSize(ceil(width), ceil(height)), prefix)
            yield f'<g transform="translate({one.place.x():.4f},{one.place.y():.4f})">\n'
            with one.panel.parts(size.width(), size.height(), 1.0, None) as parts:
                yield from svg_of(parts, size, prefix)
            yield "</g>\n"
        yield "</svg>\n"


def rendered(pdf: bytes, width: int, height: int) -> QImage:
    """The first page of a PDF as an image of so many pixels, on white. InputError where there is no memory for it."""
    from PyQt6.QtPdf import QPdfDocument  # a large library, for this alone

    data = QByteArray(pdf)
    device = QBuffer(data)
    device.open(QIODevice.OpenModeFlag.ReadOnly)
    document = QPdfDocument(None)
    document.load(device)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    drawn = document.render(0, QSize(width, height))
    if image.isNull() or drawn.isNull():
        raise InputError(f"there is no memory for a figure of {width} x {height} pixels", "resolution")
    image.fill(QColor("#ffffff"))
    with QPainter(image) as painter:
        painter.drawImage(0, 0, drawn)
    document.close()
    return image


def _letter(one: _Placed) -> PicturePart:
    """The letter of a panel, above its upper left corner."""

    def paint(painter: QPainter) -> None:
        font = QFont()
        font.setPixelSize(TEXT_PIXELS)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor("#000000"))
        below = QFontMetricsF(font).descent() + 2.0
        painter.drawText(QPointF(one.place.left(), one.place.top() - below), one.letter)

    return PicturePart("letter", paint)
