"""Vector pictures for papers: discs as circles, overlays as lines and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.circles import circles_in_view
from aggviewer.canvas.in_view import DiscsInView, box_clip
from aggviewer.canvas.layers.primitives import DrawnDiscs
from aggviewer.canvas.picture import Painter, magnification
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.sheet import Sheet
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.export.page import PagePainter

MOST_DISCS = 1_000_000


def vector_discs(scene: Scene, camera: Camera, view: ViewModel) -> DrawnDiscs:
    """The discs that `camera` sees. InputError if there are too many."""
    found = circles_in_view(scene, camera, view, DiscsInView(), pixel=magnification(camera.width, camera.height))
    if len(found.radii) > MOST_DISCS:
        raise InputError(
            f"{len(found.radii)} discs are too many for a vector file (at most {MOST_DISCS}); choose PNG, or zoom in",
            "format",
        )
    return found


def draw_discs(sheet: Sheet, scene: Scene, camera: Camera, view: ViewModel, name: str) -> None:
    """Draw the discs that `camera` sees, in pixels of the sheet. name : of the group in an SVG."""
    from engine.plotting.circles import DiscCollection  # brings matplotlib

    discs = vector_discs(scene, camera, view)
    left, top, right, bottom = box_clip(scene, camera)
    axes = sheet.part(left, top, right - left, bottom - top).drawing_area(name)
    places, widths = discs.points - (left, top), discs.widths * sheet.unit
    faces, rims = discs.faces / 255.0, discs.rims / 255.0
    DiscCollection(axes, places, discs.radii, faces, rims, widths, in_order=discs.in_order)


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
    if ground:
        draw_ground(sheet, view, names.format("ground"))
    if camera.pose is not None:
        page, seen = _page(sheet, scene, camera, painter, names.format("box"))
        page.screen(painter.overlays.behind(scene, seen))
    draw_discs(sheet, scene, camera, view, names.format("discs"))
    draw_overlays(sheet, scene, camera, painter, names.format("overlays"))


def draw_ground(sheet: Sheet, view: ViewModel, name: str) -> None:
    """Fill the sheet with the background of `view`."""
    axes = sheet.drawing_area(name)
    axes.axhspan(0.0, sheet.height, color=[part / 255.0 for part in view.background_rgb], linewidth=0.0)


def draw_overlays(sheet: Sheet, scene: Scene, camera: Camera, painter: Painter, name: str) -> None:
    """Draw only the overlays."""
    page, seen = _page(sheet, scene, camera, painter, name)
    painter.overlays.draw(page, scene, seen)


def _page(sheet: Sheet, scene: Scene, camera: Camera, painter: Painter, name: str) -> tuple[PagePainter, Camera]:
    """A painter of the sheet, and the camera in pixels of a window."""
    from aggviewer.export.page import PagePainter  # brings matplotlib

    ratio = painter.magnification(camera.width, camera.height)
    seen = camera.magnified(1.0 / ratio)
    return PagePainter(sheet, scene, seen, painter.overlays, ratio, name), seen
