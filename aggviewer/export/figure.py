"""A figure for print: lettered panels in columns, in the width of a journal, with text of one size.

The layout is made in pixels in which text is `TEXT_PIXELS` high; the page is then scaled so that text has the requested
size in points. matplotlib draws all formats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase
from typing import Protocol

import numpy as np
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QFont, QImage

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import MARGIN, Camera, seen_sides
from aggviewer.canvas.picture import LARGEST, Painter
from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.export.files import SaveSteps, finished, new_file, png_bytes
from aggviewer.export.pictures import SceneView, draw_picture
from aggviewer.export.sheet import DOTS_PER_INCH, MATPLOTLIB, POINTS_PER_PIXEL, Sheet, same_text, write_page
from engine.errors import InputError

TEXT_PIXELS = 13
"""The height of all text in the pixels of the layout."""

FORMATS = (".pdf", ".svg", ".png")
LETTERS = {"(a)": "({})", "a": "{}", "A": "{}", "none": ""}
"""The styles of panel letters, with what is written around the letter."""

WIDTHS, FONTS, COLUMNS, RESOLUTIONS = (20.0, 1000.0), (4.0, 48.0), (1, 6), (72, 1200)
"""The least and the greatest width in mm, size of text in points, number of columns, and pixels per inch of a PNG."""

_MM = 25.4  # mm per inch
_STRIP = 22  # pixels of the layout above a panel for its letter


def letter_of(number: int) -> str:
    """The letter of the panel of this number, from 0."""
    return ascii_lowercase[number % len(ascii_lowercase)]


@dataclass(frozen=True)
class Page:
    """The layout of a figure.

    Parameters
    ----------
    width : in mm, within `WIDTHS`; the height follows from the panels.
    font : the size of all text in points, within `FONTS`.
    columns : panels side by side, within `COLUMNS`.
    letters : a key of `LETTERS`.
    ratio : the height of a plot over its width.
    gap : between the panels, in mm.
    resolution : of a PNG in pixels per inch, within `RESOLUTIONS`.

    Raises
    ------
    InputError
        A number is out of range, or there is no such style of letters.
    """

    width: float = 85.0
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
            "resolution": (RESOLUTIONS, " pixels per inch"),
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
        """Pixels of the page (96 per inch) for each pixel of the layout."""
        return self.font * DOTS_PER_INCH / 72.0 / TEXT_PIXELS

    def pixels(self, mm: float) -> float:
        """The pixels of the layout that are `mm` millimetres long on paper."""
        return mm / _MM * DOTS_PER_INCH / self.scale

    def letter(self, number: int) -> str:
        """The label above the panel of this number, from 0."""
        letter = letter_of(number)
        return LETTERS[self.letters].format(letter.upper() if self.letters.isupper() else letter)


class Panel(Protocol):
    """A panel of a figure: a picture or a plot."""

    def height(self, width: float, page: Page) -> float:
        """Its preferred height for this width, in pixels of the layout."""
        ...

    def draw(self, sheet: Sheet, names: str) -> None:
        """Draw it on its part of the page. names : template for the names of the groups in an SVG."""
        ...


@dataclass(frozen=True)
class PicturePanel(SceneView):
    """A picture of the discs as a panel of a figure."""

    def height(self, width: float, page: Page) -> float:
        """The height of the view, plus a strip below it if the legend would cover part of the box."""
        return self._seen(width, self._painter()).height

    def _seen(self, width: float, painter: Painter) -> Camera:
        """The view as wide as the panel, with the strip."""
        camera = self.camera
        if camera is None:
            across, up = seen_sides(self.scene.sides, self.view)
            camera = Camera.fitting(self.scene.sides, (width, width * up / across), view=self.view)
        high = width * camera.height / camera.width
        foot = painter.foot(self.scene, camera.rendered(round(width), round(high)))
        return camera.rendered(round(width), round(high + foot), foot)

    def cropped(self, window: tuple[float, float]) -> Camera:
        """The view in a window of this size in pixels, cropped to the part of the box that it shows, and with a strip
        below it if the legend would cover some of it."""
        painter = Painter(self.view, ratio=1.0)
        if self.camera is None:
            scale = Camera.fitting(self.scene.sides, window, view=self.view).scale
            return self._seen(scale * seen_sides(self.scene.sides, self.view)[0] + 2.0 * MARGIN, painter)
        camera = self.camera.cropped(self.scene.sides)
        return replace(self, camera=camera)._seen(camera.width, painter)

    def draw(self, sheet: Sheet, names: str) -> None:
        """Draw it at the top of the sheet."""
        warmup.warm_up()
        painter = self._painter()
        seen = self._seen(sheet.width, painter)
        sheet = sheet.part(0.0, 0.0, sheet.width, min(sheet.height, seen.height))
        draw_picture(sheet, self.scene, seen, self.view, painter, ground=True, names=names)

    def _painter(self) -> Painter:
        font = QFont()
        font.setPixelSize(TEXT_PIXELS)
        return Painter(self.view, font, strip=True)


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
    title : in the metadata of the file.

    Raises
    ------
    InputError
        There is no panel.
    """

    def __init__(self, panels: Sequence[Panel], page: Page, title: str = "") -> None:
        if not panels:
            raise InputError("a figure must have at least one panel", "panels")
        self.page, self.title = page, title
        self._placed: list[_Placed] = []
        columns = min(page.columns, len(panels))
        gap, whole = page.pixels(page.gap), page.pixels(page.width)
        width = (whole - gap * (columns - 1)) / columns
        if width < _STRIP:
            raise InputError(f"{columns} columns do not fit in {page.width:g} mm; choose fewer", "columns")
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
        """The figure at this resolution in pixels per inch. InputError if it is too large."""
        return finished(self.image_steps(resolution))

    def image_steps(self, resolution: float) -> SaveSteps[QImage]:
        """`image` in steps, one for each panel, on any thread."""
        ratio = self.page.scale * resolution / DOTS_PER_INCH
        width, height = (max(1, round(side * ratio)) for side in self._size)
        if max(width, height) > LARGEST:
            raise InputError(
                f"a figure has at most {LARGEST} pixels on a side, not {width} × {height}; choose a lower resolution",
                "resolution",
            )
        with MATPLOTLIB:
            found = yield from self._pixel_steps(ratio, width, height)
        found.setDotsPerMeterX(round(resolution / _MM * 1000))
        found.setDotsPerMeterY(round(resolution / _MM * 1000))
        return found

    def _pixel_steps(self, ratio: float, width: int, height: int) -> SaveSteps[QImage]:
        """ratio : pixels of the image for each of the layout."""
        from matplotlib.artist import Artist
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        whole = self._whole(ratio)
        figure = whole.figure
        figure.set_size_inches((width + 1e-3) / figure.dpi, (height + 1e-3) / figure.dpi)
        try:
            canvas = FigureCanvasAgg(figure)
            renderer = canvas.get_renderer()
        except MemoryError:
            raise InputError(f"not enough memory for a figure of {width} × {height} pixels", "resolution") from None
        figure.patch.draw(renderer)
        drawn: set[Artist] = {figure.patch}
        for number in range(len(self._placed)):
            with same_text():
                self._draw(whole, number)
                for artist in sorted(set(figure.get_children()) - drawn, key=lambda one: one.get_zorder()):
                    artist.draw(renderer)
                    drawn.add(artist)
            yield
        image = QImage(width, height, QImage.Format.Format_RGBX8888)
        if image.isNull():
            raise InputError(f"not enough memory for a figure of {width} × {height} pixels", "resolution")
        np.copyto(pixels_of(image), np.asarray(canvas.buffer_rgba()))  # numpy lets other threads run
        return image

    def write(self, path: Path) -> None:
        """Write it as PDF, SVG or PNG, depending on the ending of `path`. The file is written completely or not at all.

        InputError if it cannot be made or written.
        """
        finished(self.write_steps(path))

    def write_steps(self, path: Path) -> SaveSteps[None]:
        """`write` in steps, one for each panel, on any thread; the file appears in the last one."""
        suffix = path.suffix.lower()
        if suffix not in FORMATS:
            raise InputError(f"{path}: a figure must end in .pdf, .svg or .png", str(path))
        with MATPLOTLIB, new_file(path) as partial:
            if suffix == ".png":
                image = yield from self.image_steps(self.page.resolution)
                partial.write_bytes(png_bytes(image))
            else:
                whole = self._whole()
                for number in range(len(self._placed)):
                    self._draw(whole, number)
                    yield
                write_page(whole.figure, partial, suffix[1:], self.title or path.stem)
            yield

    def _whole(self, ratio: float | None = None) -> Sheet:
        """A new page, white and empty."""
        whole = Sheet.whole(*self._size, self.page.scale * POINTS_PER_PIXEL, ratio)
        whole.figure.set_facecolor("white")
        return whole

    def _draw(self, whole: Sheet, number: int) -> None:
        """Draw a panel, with its letter above the upper left corner."""
        one = self._placed[number]
        place = one.place
        names = f"panel-{letter_of(number)}-{{}}"
        if one.letter:
            strip = whole.part(place.left(), place.top() - _STRIP, place.width(), _STRIP)
            axes = strip.drawing_area(names.format("letter"))
            size = TEXT_PIXELS * whole.unit
            axes.text(0.0, _STRIP - 5.0, one.letter, fontsize=size, fontweight="bold", parse_math=False)
        one.panel.draw(whole.part(place.left(), place.top(), place.width(), place.height()), names)
