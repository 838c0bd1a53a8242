"""The visible discs as circles with a face and a rim: for vector files, and for Qt until the kernels are ready."""

from __future__ import annotations

import numpy as np

from aggviewer.canvas import colors
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView
from aggviewer.canvas.layers.primitives import DrawnDiscs
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.plotting.projection import shaded

_RIM_FROM, _RIM_FULL = 5.0, 8.0  # pixels: radii from which a disc has a rim, and its full rim
_RIM_STEPS = 8


def circles_in_view(
    scene: Scene, camera: Camera, view: ViewModel, in_view: DiscsInView, *, pixel: float = 1.0, compiled: bool = True
) -> DrawnDiscs:
    """The discs that a camera sees, including periodic copies; spheres from back to front.

    Parameters
    ----------
    in_view : buffers for them.
    pixel : the width of a rim, which is the outermost part of a disc.
    compiled : whether to use a kernel, see `DiscsInView.find`.
    """
    share = scene.drawn_share(view.layers)
    count = in_view.find(scene, camera, compiled=compiled, share=share) if scene.shown else 0
    places, radii = in_view.outlines(camera, count)
    strength = np.clip((radii / pixel - _RIM_FROM) / (_RIM_FULL - _RIM_FROM), 0.0, 1.0)
    step = np.rint(strength * _RIM_STEPS).astype(np.int64)
    entries = colors.entries_of(in_view.scalar[:count], colors.shown(scene, view))
    faces = colors.scene_table(scene, view)[entries, :3]
    if camera.pose is not None and view.depth_fades:
        faces = np.rint(shaded(faces, in_view.near[:count], view.background_rgb)).astype(np.uint8)
    rims = np.rint(faces * (1.0 - colors.RIM / _RIM_STEPS * step[:, None])).astype(np.uint8)
    widths = np.where(step > 0, pixel, 0.0)
    return DrawnDiscs(places, radii - widths / 2, faces, rims, widths, in_order=camera.pose is not None)
