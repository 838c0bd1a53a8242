"""Pictures of the discs: PNG of any size, images for the clipboard and previews, and SVG and PDF, in which the discs
are rendered, as an image of the painter, or drawn, as vectors; scale bar, legend and text are vectors in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtGui import QImage, QPainter

from aggviewer.canvas import picture, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView, box_clip, circles_in_view
from aggviewer.canvas.picture import Painter, magnification
from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.files import SaveSteps, finished, new_file, png_bytes
from aggviewer.export.sheet import MATPLOTLIB, Sheet, write_page
from engine import plotting
from engine.errors import InputError
from engine.plotting import MOST_DRAWN, PictureStyle
from engine.words import count

if TYPE_CHECKING:
    from aggviewer.export.page import PagePainter

LARGEST = {".png": picture.LARGEST, ".svg": picture.LARGEST, ".pdf": 19_200}
"""The largest side in pixels of Qt's images and of a PDF page."""


@dataclass(frozen=True)
class SceneView:
    """The discs that a camera sees, with the overlays of `view`. camera : of any size in pixels; its whole world
    rectangle is in the picture. None: the whole box, with space for the legend."""

    scene: Scene
    camera: Camera | None
    view: ViewModel

    def seen(self, size: tuple[int, int], painter: Painter) -> Camera:
        """The camera with which a picture of `size` pixels shows the view."""
        if self.camera is None:
            return painter.fitting(self.scene.sides, size)
        return self.camera.rendered(*size)


def write_picture(
    path: Path,
    scene: Scene,
    camera: Camera | None,
    view: ViewModel,
    size: tuple[int, int],
    *,
    transparent: bool = False,
) -> None:
    """Write one picture: see `write_pictures`."""
    write_pictures(path, (SceneView(scene, camera, view),), size, transparent=transparent)


def write_pictures(path: Path, views: Sequence[SceneView], size: tuple[int, int], *, transparent: bool = False) -> None:
    """Write the discs and overlays as PNG, SVG or PDF, depending on the ending of `path`.

    The file is written completely or not at all.

    Parameters
    ----------
    views : one, or several side by side.
    size : width and height in pixels, 96 per inch in a PDF. Text and lines have the same size in all formats.
    transparent : whether the background is left out.

    Raises
    ------
    InputError
        The picture cannot be made or written.
    """
    finished(picture_steps(path, views, size, transparent=transparent))


def picture_steps(
    path: Path,
    views: Sequence[SceneView],
    size: tuple[int, int],
    *,
    transparent: bool = False,
    scale: float = 1.0,
    title: str = "",
) -> SaveSteps[None]:
    """`write_pictures` in steps, on any thread; the file appears in the last one.

    scale : factor applied to `size` and all contents of a PNG; title : in the metadata of SVG and PDF.
    """
    suffix = path.suffix.lower()
    check_size(suffix, size, path)
    with new_file(path) as partial:
        if suffix == ".png":
            partial.write_bytes(png_bytes(pictures_image(views, size, transparent=transparent, scale=scale)))
        else:
            with MATPLOTLIB:
                page = _page(views, size, ground=not transparent)
                write_page(page.figure, partial, suffix[1:], title or path.stem)
        yield


def pictures_image(
    views: Sequence[SceneView], size: tuple[int, int], *, transparent: bool = False, scale: float = 1.0
) -> QImage:
    """Pictures of several runs side by side as one image.

    Parameters
    ----------
    scale : factor applied to `size` and all contents: below 1 for a preview, above 1 for a fine screen.
    """
    width, height = (max(1, round(side * scale)) for side in size)
    check_size(".png", (max(width, size[0]), max(height, size[1])), Path("the picture"))
    warmup.warm_up()
    if len(views) == 1:
        return _image(views[0], (width, height), size, transparent)
    image = QImage(width, height, QImage.Format.Format_RGBA8888_Premultiplied)
    if image.isNull():
        raise InputError(f"not enough memory for a picture of {width} × {height} pixels", "size")
    painted = [
        (left, _image(one, (across, height), (whole, size[1]), transparent))
        for one, (left, across), (_, whole) in zip(
            views, _shares(width, len(views)), _shares(size[0], len(views)), strict=True
        )
    ]
    with QPainter(image) as painter:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        for left, one in painted:
            painter.drawImage(left, 0, one)
    return image


def _image(one: SceneView, size: tuple[int, int], whole: tuple[int, int], transparent: bool) -> QImage:
    """A picture of `size` pixels that looks like one of `whole` pixels scaled."""
    painter = Painter(one.view, ratio=magnification(*whole) * size[1] / whole[1])
    return painter.image(one.scene, one.seen(size, painter), transparent=transparent)


def _page(views: Sequence[SceneView], size: tuple[int, int], *, ground: bool) -> Sheet:
    """A page on which all views are drawn as vectors, side by side."""
    warmup.warm_up()
    page = Sheet.whole(*size)
    for number, (one, (left, width)) in enumerate(zip(views, _shares(size[0], len(views)), strict=True)):
        painter = Painter(one.view)
        camera = one.seen((width, size[1]), painter)
        names = "{}" if len(views) == 1 else f"{{}}-{number + 1}"
        sheet = page.part(left, 0.0, width, size[1])
        draw_picture(sheet, one.scene, camera, one.view, painter, ground=ground, names=names)
    return page


def _shares(width: int, count: int) -> list[tuple[int, int]]:
    """Left edge and width of each of `count` pictures."""
    edges = [width * number // count for number in range(count + 1)]
    return [(left, right - left) for left, right in pairwise(edges)]


def check_size(suffix: str, size: tuple[int, int], path: Path) -> None:
    """Raise InputError if a picture of this format cannot be this large, or if the format is unknown."""
    if suffix not in LARGEST:
        raise InputError(f"{path}: a picture must end in .png, .svg or .pdf", str(path))
    width, height = size
    if not all(1 <= side <= LARGEST[suffix] for side in size):
        raise InputError(
            f"a picture has 1 to {LARGEST[suffix]} pixels on a side for {suffix[1:].upper()}, not {width} × {height}",
            "size",
        )


MOST_DISCS = 1_000_000
"""Circles in a vector file."""

_BYTES = 60.0, 0.4  # of a file, for each circle and for each pixel of an image, within a factor of two or so


def is_rendered(scene: Scene, camera: Camera, view: ViewModel) -> bool:
    """Whether the discs are an image in a vector file: as chosen, else in space, and where they are too many."""
    in_space = camera.pose is not None
    return plotting.is_rendered(view.picture, scene.dimensions, 0 if in_space else circles_of(scene, camera))


def how_drawn(
    views: Sequence[SceneView], *, picture: PictureStyle | None = None, inches: float = 0.0, resolution: int = 0
) -> tuple[str, float]:
    """What the discs of pictures side by side are in a vector file, in words, and the approximate size in bytes.

    Parameters
    ----------
    picture : as the view has it; None for that of the first view.
    inches, resolution : their width together, and the pixels per inch of a rendered one.
    """
    first, size = views[0], (800, 800)
    seen = [one.camera or Camera.fitting(one.scene.sides, size, view=one.view) for one in views]
    view = first.view if picture is None else first.view.model_copy(update={"picture": picture})
    circles = sum(circles_of(one.scene, camera) for one, camera in zip(views, seen, strict=True))
    bodies = "spheres" if first.scene.dimensions > 2 else "discs"
    if not is_rendered(first.scene, seen[0], view):
        return f"Drawn, {count(circles)} {bodies} as vectors", _BYTES[0] * circles
    across = inches * resolution
    why = f", more than {count(MOST_DRAWN)} discs" if view.picture == "auto" and first.scene.dimensions == 2 else ""
    high = sum(camera.height / camera.width for camera in seen) / len(seen) ** 2
    return f"Rendered as an image{why}", _BYTES[1] * across * across * high


def circles_of(scene: Scene, camera: Camera) -> int:
    """The number of circles that a camera sees, with the periodic copies."""
    return DiscsInView().find(scene, camera, compiled=warmup.ready()) if scene.shown else 0


def _check_number(circles: int) -> None:
    if circles > MOST_DISCS:
        raise InputError(
            f"{count(circles)} discs are too many for a vector file (at most {count(MOST_DISCS)}); choose a rendered "
            "picture or PNG, or zoom in",
            "picture",
        )


def draw_picture(
    sheet: Sheet, scene: Scene, camera: Camera, view: ViewModel, painter: Painter, *, ground: bool, names: str = "{}"
) -> None:
    """Draw the background, the discs, and the overlays of `view`.

    Parameters
    ----------
    camera : the view, in pixels of the sheet.
    painter : paints the overlays.
    ground : whether the background is drawn.
    names : template for the names of the groups in an SVG.
    """
    rendered = sheet.dots is not None or is_rendered(scene, camera, view)
    if rendered:
        _draw_image(sheet, scene, camera, view, painter, ground=ground, name=names.format("discs"))
    else:
        _check_number(circles_of(scene, camera))
        if ground:
            draw_ground(sheet, view, names.format("ground"))
    if not rendered and camera.pose is not None:
        page, seen = _vector_page(sheet, scene, camera, painter, names.format("box"))
        page.screen(painter.overlays.draw_edges_behind(scene, seen))
        marks, share = painter.overlays.solid_marks(scene, seen), painter.overlays.share(scene)
        page.solids(marks, share, view, names.format("discs"))
    elif not rendered:
        draw_discs(sheet, scene, camera, view, names.format("discs"))
    page, seen = _vector_page(sheet, scene, camera, painter, names.format("overlays"), words_only=rendered)
    painter.overlays.draw(page, scene, seen)


def draw_discs(sheet: Sheet, scene: Scene, camera: Camera, view: ViewModel, name: str) -> None:
    """Draw the discs in the plane that `camera` sees, in pixels of the sheet. name : of the group in an SVG."""
    from engine.plotting.circles import DiscCollection  # brings matplotlib

    discs = circles_in_view(scene, camera, view, DiscsInView(), pixel=magnification(camera.width, camera.height))
    left, top, right, bottom = box_clip(scene, camera)
    axes = sheet.part(left, top, right - left, bottom - top).drawing_area(name)
    places, widths = discs.points - (left, top), discs.widths * sheet.unit
    faces, rims = discs.faces / 255.0, discs.rims / 255.0
    DiscCollection(axes, places, discs.radii, faces, rims, widths)


def _draw_image(
    sheet: Sheet, scene: Scene, camera: Camera, view: ViewModel, painter: Painter, *, ground: bool, name: str
) -> None:
    """Draw what the painter makes of the discs and layers, without text, in whole pixels of the page; the outermost
    ones may be cut."""
    dots = sheet.dots or view.resolution / 72.0 * sheet.unit  # pixels of the image for each of the layout
    left, top = floor(sheet.left * dots), floor(sheet.top * dots)
    right, bottom = ceil((sheet.left + camera.width) * dots), ceil((sheet.top + camera.height) * dots)
    columns, rows = right - left, bottom - top
    if max(columns, rows) > picture.LARGEST:
        raise InputError(f"a picture has at most {picture.LARGEST} pixels on a side; choose a lower resolution", "dpi")
    middle = (left + right) / 2 / dots - sheet.left, (top + bottom) / 2 / dots - sheet.top
    moved = camera.panned(camera.width / 2 - middle[0], camera.height / 2 - middle[1])
    fine = moved.magnified(dots).resized(float(columns), float(rows))
    fine_painter = Painter(view, painter.overlays.font, dots * painter.magnification(camera.width, camera.height))
    try:
        image = fine_painter.image(scene, fine, transparent=not ground, bare=True)
        straight = image.convertToFormat(QImage.Format.Format_RGBA8888)
        pixels = pixels_of(straight)[..., : 3 if ground else 4].copy()
    except MemoryError:
        raise InputError("not enough memory for such a large picture; choose a lower resolution", "dpi") from None
    if sheet.dots is not None:
        height = round(sheet.size[1] * dots)
        sheet.figure.figimage(pixels, left, height - bottom, origin="upper", zorder=-1.0)
        return
    size = columns / dots, rows / dots
    axes = sheet.part(left / dots - sheet.left, top / dots - sheet.top, *size).drawing_area(name)
    axes.imshow(pixels, extent=(0.0, size[0], size[1], 0.0), aspect="auto", interpolation="none")


def draw_ground(sheet: Sheet, view: ViewModel, name: str) -> None:
    """Fill the sheet with the background of `view`."""
    axes = sheet.drawing_area(name)
    axes.axhspan(0.0, sheet.height, color=[part / 255.0 for part in view.background_rgb], linewidth=0.0)


def _vector_page(
    sheet: Sheet, scene: Scene, camera: Camera, painter: Painter, name: str, *, words_only: bool = False
) -> tuple[PagePainter, Camera]:
    """A painter of the sheet, and the camera in pixels of a window. words_only : see `PagePainter`."""
    from aggviewer.export.page import PagePainter  # brings matplotlib

    ratio = painter.magnification(camera.width, camera.height)
    seen = camera.magnified(1.0 / ratio)
    return PagePainter(sheet, scene, seen, painter.overlays, ratio, name, words_only=words_only), seen
