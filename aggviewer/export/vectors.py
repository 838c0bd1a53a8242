"""Vector pictures for papers: discs as circles, overlays as lines and text."""

from __future__ import annotations

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.circles import DiscCircles, circles_in_view
from aggviewer.canvas.in_view import DiscsInView, box_clip
from aggviewer.canvas.picture import Painter, magnification
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.sheet import Sheet
from engine.errors import InputError

MOST_DISCS = 1_000_000


def vector_discs(scene: Scene, camera: Camera, view: ViewModel) -> DiscCircles:
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
    places, widths = discs.places - (left, top), discs.widths * sheet.unit
    in_space = camera.pose is not None
    DiscCollection(axes, places, discs.radii, discs.faces / 255.0, discs.rims / 255.0, widths, in_order=in_space)


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
        from aggviewer.export.painted import painting  # brings matplotlib

        with painting(sheet, names.format("box")) as page:
            painter.paint_behind(page, scene, camera)
    draw_discs(sheet, scene, camera, view, names.format("discs"))
    draw_overlays(sheet, scene, camera, painter, names.format("overlays"))


def draw_ground(sheet: Sheet, view: ViewModel, name: str) -> None:
    """Fill the sheet with the background of `view`."""
    axes = sheet.drawing_area(name)
    axes.axhspan(0.0, sheet.height, color=[part / 255.0 for part in view.background_rgb], linewidth=0.0)


def draw_overlays(sheet: Sheet, scene: Scene, camera: Camera, painter: Painter, name: str) -> None:
    """Draw only the overlays."""
    from aggviewer.export.painted import painting  # brings matplotlib

    with painting(sheet, name) as page:
        painter.paint_overlays(page, scene, camera)
