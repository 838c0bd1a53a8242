"""The visual of the discs: instanced quads in OpenGL, one per disc. Positions and one scalar travel per frame."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from aggviewer.canvas import colors, kernels
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.raster import box_clip
from aggviewer.canvas.scene import Scene
from aggviewer.session.view import ViewModel

_SQUARE = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


def _program(name: str) -> gloo.Program:
    folder = files("resources") / "shaders"
    program = gloo.Program((folder / f"{name}.vert").read_text(), (folder / f"{name}.frag").read_text())
    program["a_corner"] = gloo.VertexBuffer(_SQUARE)
    return program


class GLDiscs:
    """Draws a scene into the current OpenGL context, whose viewport is the whole picture.

    The square is static, and so are the radii: a constant where they are all equal, else a buffer that is sent again
    only when other discs have come into view. Offsets are measured from the middle of the view.
    """

    def __init__(self) -> None:
        self._program = _program("disc")
        self._image = _program("image")
        self._offsets = gloo.VertexBuffer(np.zeros((1, 2), np.float32), divisor=1)
        self._scalars = gloo.VertexBuffer(np.zeros(1, np.float32), divisor=1)
        self._radii = gloo.VertexBuffer(np.zeros(1, np.float32), divisor=1)
        self._program["a_offset"] = self._offsets
        self._program["a_scalar"] = self._scalars
        self._table: NDArray[np.uint8] | None = None
        self._system: NDArray[np.float64] | None = None  # radii that the radius attribute was made for
        self._all_sent = False
        self._staged = _Stage(1)

    def draw(self, scene: Scene, camera: Camera, view: ViewModel, pixel_ratio: float) -> None:
        """The discs of `scene` as quads; `camera` in device pixels."""
        count = self._upload(scene, camera)
        if count == 0:
            return
        table = colors.scene_table(scene, view)
        if table is not self._table:
            self._table = table
            self._program["u_table"] = gloo.Texture2D(table[np.newaxis].copy(), interpolation="nearest")
        scale = colors.ramp(scene.coloring)
        self._program["u_half"] = camera.width / 2, camera.height / 2
        self._program["u_scale"] = camera.scale
        self._program["u_ramp"] = scale.lower, scale.entries, float(scale.log)
        self._program["u_rim"] = colors.RIM
        self._program["u_ratio"] = pixel_ratio
        left, top, right, bottom = box_clip(scene, camera)
        gloo.set_state(blend=True, blend_func=("one", "one_minus_src_alpha"), depth_test=False, cull_face=False)
        gloo.set_state(scissor_test=scene.periodic or camera.below > 0.0)
        gloo.set_scissor(left, int(camera.height) - bottom, max(right - left, 0), max(bottom - top, 0))
        self._program.draw("triangle_strip")
        gloo.set_state(scissor_test=False)

    def draw_image(self, image: NDArray[np.uint8]) -> None:
        """An image (H, W, 4) of the size of the picture, premultiplied alpha: the density image."""
        gloo.set_state(blend=False, depth_test=False, cull_face=False, scissor_test=False)
        self._image["u_image"] = gloo.Texture2D(image, interpolation="nearest")
        self._image.draw("triangle_strip")

    def _upload(self, scene: Scene, camera: Camera) -> int:
        """Send what is in view; returns the number of instances."""
        left, bottom, width, height = camera.rect
        margin = 1.0 / camera.scale  # the soft edge reaches beyond the radius
        view = np.array(
            [left - margin, bottom - margin, left + width + margin, bottom + height + margin, camera.x, camera.y]
        )
        stage = self._staged
        while True:
            count = kernels.gather(
                scene.positions,
                scene.radii,
                scene.scalar,
                scene.box,
                scene.periodic,
                view,
                stage.offset,
                stage.radius,
                stage.scalar,
            )
            if count <= len(stage.offset):
                break
            stage = self._staged = _Stage(count + count // 8)
        if count:
            self._offsets.set_data(stage.offset[:count])
            self._scalars.set_data(stage.scalar[:count])
            self._send_radii(scene, stage.radius[:count])
        return count

    def _send_radii(self, scene: Scene, visible: NDArray[np.float32]) -> None:
        same_system = self._system is scene.radii
        if scene.equal_radii:
            if not same_system:
                self._program["a_radius"] = float(scene.radii[0])
        else:
            # without copies across the edge, as many as there are means all of them, in their own order
            every = not scene.periodic and len(visible) == scene.count
            if not (same_system and every and self._all_sent):
                self._radii.set_data(visible)
            if not same_system:
                self._program["a_radius"] = self._radii
            self._all_sent = every
        self._system = scene.radii


class _Stage:
    """Host memory that the culling kernel writes and OpenGL reads."""

    def __init__(self, capacity: int) -> None:
        self.offset = np.zeros((capacity, 2), np.float32)
        self.scalar = np.zeros(capacity, np.float32)
        self.radius = np.zeros(capacity, np.float32)
