"""The OpenGL surface: a VisPy canvas inside the Qt widget, with one instanced quad for each disc."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np
import vispy
from numpy.typing import NDArray
from PyQt6.QtWidgets import QWidget
from vispy import app, gloo

from aggviewer.canvas import colors, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.floor import look_behind
from aggviewer.canvas.in_view import DiscsInView, box_clip
from aggviewer.canvas.raster import Raster, is_density
from aggviewer.canvas.scene import Scene
from aggviewer.canvas.surface import Host
from aggviewer.document.view import ViewModel
from engine.plotting import light
from engine.plotting.projection import HAZE, WHOLE

_UNKNOWN = "OpenGL"  # until there is a context
_SHADOWS = {"a_shadow": slice(0, 4), "a_squares": slice(4, 8), "a_yz": slice(8, 9)}  # of `DiscsInView.shadow`
_SQUARE = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


def _program(name: str) -> gloo.Program:
    folder = files("resources") / "shaders"
    program = gloo.Program((folder / f"{name}.vert").read_text(), (folder / f"{name}.frag").read_text())
    program["a_corner"] = gloo.VertexBuffer(_SQUARE)
    return program


class GLDiscs:
    """Draws a scene into the current OpenGL context, whose viewport is the whole picture.

    shader : ``disc``, or ``sphere`` in space.

    The square is static, and so are the radii: a constant if they are all equal, else a buffer that is sent only when
    other discs come into view. Offsets are measured from the centre of the view.
    """

    def __init__(self, shader: str) -> None:
        self._program = _program(shader)
        self._offsets = gloo.VertexBuffer(np.zeros((1, 2), np.float32), divisor=1)
        self._scalars = gloo.VertexBuffer(np.zeros(1, np.float32), divisor=1)
        self._radii = gloo.VertexBuffer(np.zeros(1, np.float32), divisor=1)
        self._program["a_offset"] = self._offsets
        self._program["a_scalar"] = self._scalars
        if shader == "sphere":
            self._near = gloo.VertexBuffer(np.zeros(1, np.float32), divisor=1)
            self._cut = gloo.VertexBuffer(np.zeros((1, 4), np.float32), divisor=1)
            self._program["a_near"], self._whole = self._near, False
            self._program["a_cut"] = self._cut
            for name, part in _SHADOWS.items():
                self._program[name] = gloo.VertexBuffer(np.zeros((1, 9), np.float32)[:, part].copy(), divisor=1)
            self._program["u_look"] = light.AMBIENT, light.DIFFUSE, light.GLOSS, light.RIM
            self._program["u_cut"] = light.CUT
            self._program["u_light"], self._program["u_halfway"] = light.LIGHT, light.HALFWAY
        self._table: NDArray[np.uint8] | None = None
        self._radii_uploaded: NDArray[np.float64] | None = None  # the radii in the radius attribute
        self._all_sent = False
        self._in_view = DiscsInView()

    def draw(self, scene: Scene, camera: Camera, view: ViewModel, pixel_ratio: float) -> None:
        """Draw the discs of `scene` as quads; `camera` in device pixels."""
        count = self._upload(scene, camera, view)
        if count == 0:
            return
        table = colors.scene_table(scene, view)
        if table is not self._table:
            self._table = table
            self._program["u_table"] = gloo.Texture2D(table[np.newaxis].copy(), interpolation="nearest")
        scale = colors.ramp(colors.coloring_in_view(scene, view))
        self._program["u_half"] = camera.width / 2, camera.height / 2
        self._program["u_scale"] = camera.scale
        self._program["u_ramp"] = scale.lower, scale.entries, float(scale.log)
        if camera.pose is None:
            self._program["u_rim"] = colors.RIM
            self._program["u_ratio"] = pixel_ratio
        else:
            self._program["u_darkest"] = self._in_view.darkest
            self._program["u_haze"] = HAZE if view.depth_fades else 0.0
            self._program["u_background"] = tuple(part / 255 for part in view.background_rgb)
        left, top, right, bottom = box_clip(scene, camera)
        gloo.set_state(blend=True, blend_func=("one", "one_minus_src_alpha"), depth_test=False, cull_face=False)
        gloo.set_state(scissor_test=scene.wraps.any)
        gloo.set_scissor(left, int(camera.height) - bottom, max(right - left, 0), max(bottom - top, 0))
        self._program.draw("triangle_strip")
        gloo.set_state(scissor_test=False)

    def _upload(self, scene: Scene, camera: Camera, view: ViewModel) -> int:
        """Upload the visible discs; returns the number of instances."""
        found = self._in_view
        margin = 1.0  # the soft edge extends beyond the radius
        count = found.find_lit(scene, camera, view, margin, compiled=warmup.ready())
        if count:
            self._offsets.set_data(found.offset[:count])
            self._scalars.set_data(found.scalar[:count])
            if camera.pose is not None:
                self._near.set_data(found.near[:count])
                for name, part in _SHADOWS.items():
                    self._program[name].set_data(found.shadow[:count, part].copy())
                whole = camera.pose.slab == WHOLE
                if not whole:
                    self._cut.set_data(found.cut[:count])
                if whole != self._whole:
                    self._whole = whole
                    self._program["a_cut"] = (1.0, 1.0, 1.0, 0.0) if whole else self._cut
            self._send_radii(scene, camera, found.radius[:count])
        return count

    def _send_radii(self, scene: Scene, camera: Camera, visible: NDArray[np.float32]) -> None:
        same_discs = self._radii_uploaded is scene.radii
        if scene.equal_radii and camera.pose is None:
            if not same_discs:
                self._program["a_radius"] = float(scene.radii[0])
        else:
            # if there are no periodic copies, this number means all discs, in their own order
            every = camera.pose is None and not scene.wraps.any and len(visible) == scene.count
            if not (same_discs and every and self._all_sent):
                self._radii.set_data(visible)
            if not same_discs:
                self._program["a_radius"] = self._radii
            self._all_sent = every
        self._radii_uploaded = scene.radii


class GLImage:
    """Draws images of the size of the picture: the density image, and the edges of a box behind its spheres."""

    def __init__(self) -> None:
        self._program: gloo.Program | None = None  # compiled when there is an image
        self._drawn: object = None

    def draw(self, image: Callable[[], NDArray[np.uint8]], of: object = None) -> None:
        """Draw an image (H, W, 4), premultiplied alpha. of : what it shows; the last image is drawn again if that is
        the same, unless it is None."""
        gloo.set_state(blend=False, depth_test=False, cull_face=False, scissor_test=False)
        if self._program is None:
            self._program = _program("image")
        if of is None or of != self._drawn:
            self._program["u_image"] = gloo.Texture2D(image(), interpolation="nearest")
            self._drawn = of
        self._program.draw("triangle_strip")


class GLSurface:
    """Draws quads, or the density image if very many discs are smaller than a pixel.

    OpenGL objects are created at the first paint, when Qt has created the context. Errors are reported to the host,
    which continues without OpenGL.
    """

    def __init__(self, host: Host, parent: QWidget) -> None:
        vispy.use(app="pyqt6", gl="gl+")
        self._host = host
        self._discs: dict[str, GLDiscs] = {}  # by their shaders
        self._image = GLImage()
        self._raster = Raster()
        self._canvas = app.Canvas(
            parent=parent,
            show=False,
            autoswap=False,
            vsync=False,
            config={"samples": 0},
            dpi=parent.logicalDpiX(),  # VisPy would start another program to find out, and wait for it
        )
        self._canvas.events.draw.connect(self._on_draw)
        self.widget: QWidget = self._canvas.native
        self._began: float | None = None  # start time of the picture being timed
        self._canvas.native.frameSwapped.connect(self._on_swapped)
        self.renderer = _UNKNOWN

    @property
    def busy(self) -> bool:
        """False: `wait_idle` never has to wait."""
        return False

    def refresh(self) -> bool:
        """Draw the scene with its new frame."""
        self.widget.update()
        return False

    def wait_idle(self) -> None:
        """Nothing to wait for: the scene is only read while it is drawn."""

    def close(self) -> None:
        """Free the OpenGL objects with their context."""
        self._canvas.events.draw.disconnect(self._on_draw)
        self._canvas.native._vispy_canvas = None  # otherwise VisPy would process all events of the window first
        self._canvas.close()
        self._discs.clear()
        self._image = GLImage()

    def _on_draw(self, _event: Any) -> None:
        trial = self._host.trial
        if trial is not None and trial.times_opengl(self._host.scene):
            self._began = time.perf_counter()
        try:
            self._draw()
            if self._began is not None:
                gloo.finish()
        except Exception as error:  # drivers fail in many ways; VisPy would only log the error and draw nothing
            self._host.failed(str(error) or type(error).__name__)

    def _on_swapped(self) -> None:
        """The window is on the screen; Qt composes windows that contain OpenGL widgets with OpenGL."""
        began, self._began = self._began, None
        if began is not None and self._host.trial is not None:
            self._host.trial.opengl_took(time.perf_counter() - began)

    def _draw(self) -> None:
        host = self._host
        width, height = self._canvas.physical_size
        gloo.set_viewport(0, 0, width, height)
        red, green, blue = host.view.background_rgb
        gloo.clear(color=(red / 255, green / 255, blue / 255, 1.0))
        if self.renderer == _UNKNOWN:
            self.renderer = _describe()
        if not host.scene.shown:
            return
        ratio = self.widget.devicePixelRatioF()
        camera = host.camera.magnified(ratio).resized(width, height)
        if is_density(host.scene, camera):
            if not warmup.ready():
                host.load_kernels()
                return
            self._image.draw(partial(self._raster.paint, host.scene, camera, host.view, pixel_ratio=ratio))
        else:
            if camera.pose is not None and warmup.ready():
                behind = partial(self._raster.paint, host.scene, camera, host.view, pixel_ratio=ratio, discs=False)
                self._image.draw(behind, (camera, host.view.background_rgb, look_behind(host.scene, host.view)))
            shader = "disc" if camera.pose is None else "sphere"
            if shader not in self._discs:
                self._discs[shader] = GLDiscs(shader)
            self._discs[shader].draw(host.scene, camera, host.view, ratio)
        host.drawn()


def _describe() -> str:
    """Version and renderer of the current context: ``OpenGL 4.5, llvmpipe (…)``."""
    version = str(gloo.gl.glGetParameter(gloo.gl.GL_VERSION)).split(" ")[0]
    return f"OpenGL {version}, {gloo.gl.glGetParameter(gloo.gl.GL_RENDERER)}"
