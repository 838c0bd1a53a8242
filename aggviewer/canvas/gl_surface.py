"""The surface with OpenGL: a VisPy canvas inside the Qt widget."""

from __future__ import annotations

from typing import Any

import vispy
from PyQt6.QtWidgets import QWidget
from vispy import app, gloo

from aggviewer.canvas import warmup
from aggviewer.canvas.gl_discs import GLDiscs
from aggviewer.canvas.raster import Raster, is_density
from aggviewer.canvas.surface import Host


class GLSurface:
    """Draws quads, or the density image where very many discs are smaller than a pixel.

    OpenGL objects are made at the first paint, when Qt has made the context. Anything that goes wrong then is told
    to the host, which goes on without OpenGL.
    """

    def __init__(self, host: Host, parent: QWidget) -> None:
        vispy.use(app="pyqt6", gl="gl+")
        self._host = host
        self._discs: GLDiscs | None = None
        self._raster = Raster()
        self._canvas = app.Canvas(parent=parent, show=False, autoswap=False, vsync=False, config={"samples": 0})
        self._canvas.events.draw.connect(self._on_draw)
        self.widget: QWidget = self._canvas.native
        self.renderer = "OpenGL"

    def close(self) -> None:
        """Free the OpenGL objects with their context."""
        self._canvas.events.draw.disconnect(self._on_draw)
        self._canvas.close()
        self._discs = None

    def _on_draw(self, _event: Any) -> None:
        try:
            self._draw()
        except Exception as error:  # drivers fail in many ways; VisPy would only log it and draw nothing
            self._host.failed(str(error) or type(error).__name__)

    def _draw(self) -> None:
        host = self._host
        width, height = self._canvas.physical_size
        gloo.set_viewport(0, 0, width, height)
        red, green, blue = host.view.background_rgb
        gloo.clear(color=(red / 255, green / 255, blue / 255, 1.0))
        if self._discs is None:
            self._discs = GLDiscs()
            self.renderer = _describe()
        if not host.scene.shown or not warmup.ready():
            return
        ratio = self.widget.devicePixelRatioF()
        camera = host.camera.magnified(ratio).resized(width, height)
        if is_density(host.scene, camera):
            self._discs.draw_image(self._raster.paint(host.scene, camera, host.view, pixel_ratio=ratio))
        else:
            self._discs.draw(host.scene, camera, host.view, ratio)
        host.drawn()


def _describe() -> str:
    """``OpenGL 4.5, llvmpipe (…)``: version and renderer of the current context."""
    version = str(gloo.gl.glGetParameter(gloo.gl.GL_VERSION)).split(" ")[0]
    return f"OpenGL {version}, {gloo.gl.glGetParameter(gloo.gl.GL_RENDERER)}"
