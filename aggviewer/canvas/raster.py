"""Draws the discs into an image with the compiled kernels, for software rendering, the density image, and snapshots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.floor import lines_behind
from aggviewer.canvas.in_view import DiscsInView, box_clip
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.plotting.light import AMBIENT, CUT, DIFFUSE, GLOSS, HALFWAY, LIGHT, RIM
from engine.plotting.projection import HAZE

_LOOK = np.array([AMBIENT, DIFFUSE, GLOSS, RIM, *LIGHT, *HALFWAY, CUT])
_MANY = 20_000  # number of discs smaller than a pixel from which they are drawn as a density
_LIFT = 0.7
_BAND_PIXELS = 4_000_000  # pixels painted at once: 64 MB of sums for pictures of any size


class Raster:
    """Draws discs. Keeps the buffers of the last picture size, so that a frame only allocates its image.

    Discs with radii below a pixel become a density image: every pixel shows its covered area and the mean colour of its
    discs, so that the picture neither flickers nor forms patterns, even with many discs per pixel.
    """

    def __init__(self) -> None:
        self._total = np.zeros((0, 0, 4), np.float32)
        self._in_view = DiscsInView()

    def paint(
        self,
        scene: Scene,
        camera: Camera,
        view: ViewModel,
        *,
        pixel_ratio: float = 1.0,
        transparent: bool = False,
        out: NDArray[np.uint8] | None = None,
        discs: bool = True,
    ) -> NDArray[np.uint8]:
        """The discs as (H, W, 4) uint8, RGBA with premultiplied alpha, over the background of `view` or over nothing.

        camera : in pixels of the image; pixel_ratio : pixels of the image per widget pixel, for the width of rims; out
            : (H, W, 4) uint8, the image to paint into and return. Raises ValueError if its shape is wrong: kernels do
            not check array bounds. discs : False to paint only the background, with the lines that are behind what a
            box in space holds.
        """
        from aggviewer.canvas import disc_kernels  # brings numba

        width, height = int(camera.width), int(camera.height)
        image = np.empty((height, width, 4), np.uint8) if out is None else out
        if image.shape != (height, width, 4):
            raise ValueError(f"a picture of {width} x {height} pixels does not go into an array of shape {image.shape}")
        background = np.zeros(4, np.float32) if transparent else np.array([*view.background_rgb, 255], np.float32)
        lift = _LIFT * min((1.0 - scene.mean_radius * camera.scale) / 0.75, 1.0) if is_density(scene, camera) else 0.0
        shown = discs and scene.shown
        spheres = 0
        if camera.pose is not None and shown:
            spheres = self._in_view.find_lit(scene, camera, view, 1.0)
        rows = max(1, min(height, _BAND_PIXELS // width))
        if self._total.shape[:2] != (rows, width):
            self._total = np.zeros((rows, width, 4), np.float32)
        for first in range(0, height, rows):
            total = self._total[: min(rows, height - first)]
            if camera.pose is not None:
                self._paint_spheres(scene, camera, view, spheres, first, total, pixel_ratio)
            elif shown:
                self._paint_band(scene, camera, view, first, total, pixel_ratio)
            disc_kernels.resolve(total, background, lift, image[first : first + len(total)])
        return image

    def _paint_band(
        self,
        scene: Scene,
        camera: Camera,
        view: ViewModel,
        first: int,
        total: NDArray[np.float32],
        pixel_ratio: float,
    ) -> None:
        from aggviewer.canvas import disc_kernels

        where = np.array([camera.x, camera.y, camera.scale, camera.width / 2, camera.height / 2 - first])
        scale = colors.ramp(colors.coloring_in_view(scene, view))
        ramp = np.array([scale.lower, scale.entries, float(scale.log), colors.RIM, pixel_ratio])
        left, top, right, bottom = box_clip(scene, camera)
        rows, width = total.shape[:2]
        clip = np.array(
            [max(left, 0), min(max(top - first, 0), rows), min(right, width), min(max(bottom - first, 0), rows)]
        )
        disc_kernels.paint(
            scene.positions,
            scene.radii,
            scene.scalar,
            scene.box,
            scene.periodic.code,
            scene.periodic.offset,
            where,
            ramp,
            colors.scene_table(scene, view),
            clip,
            total,
        )

    def _paint_spheres(
        self,
        scene: Scene,
        camera: Camera,
        view: ViewModel,
        count: int,
        first: int,
        total: NDArray[np.float32],
        pixel_ratio: float,
    ) -> None:
        """Paint the spheres that were found, and behind them the edges of the box and the floor that they may hide."""
        from aggviewer.canvas import sphere_kernels

        found, scale = self._in_view, colors.ramp(colors.coloring_in_view(scene, view))
        sphere_kernels.paint_spheres(
            found.offset,
            found.radius,
            found.scalar,
            found.near,
            found.cut,
            found.shadow,
            count,
            np.array([camera.scale, camera.width / 2, camera.height / 2 - first]),
            np.array([scale.lower, scale.entries, float(scale.log)]),
            colors.scene_table(scene, view),
            np.array([*view.background_rgb, HAZE if view.depth_fades else 0.0], np.float64),
            np.append(_LOOK, found.darkest),
            total,
        )
        for far, color in lines_behind(scene, camera, view, pixel_ratio):
            ink = np.array([*color.rgb, color.alpha], np.float64)
            sphere_kernels.paint_lines_behind(far - (0.0, first, 0.0, first), pixel_ratio / 2, ink, total)


def is_density(scene: Scene, camera: Camera) -> bool:
    """Whether the picture is a density image: very many discs with radii below one pixel of `camera`."""
    return camera.pose is None and scene.count > _MANY and scene.mean_radius * camera.scale < 1.0
