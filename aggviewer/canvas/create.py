"""Creating the canvas: which surfaces this machine supports, and which one is used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from PyQt6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas.base import DiscCanvas
from aggviewer.canvas.image_surface import ImageSurface
from aggviewer.canvas.surface import DrawingTimes, Host, Surface, Trial
from aggviewer.document.view import ViewModel
from engine.errors import InputError

VARIABLE = "AGGVIEWER_CANVAS"
_PLATFORMS_WITHOUT_OPENGL = ("offscreen", "minimal", "vnc", "linuxfb")
_LEAST_VERSION = (3, 3)  # the first version with instancing
_RENDERER = 0x1F01  # GL_RENDERER
# parts of the names of software renderers: Mesa's, Chromium's, Windows' and macOS'
_ON_THE_PROCESSOR = ("llvmpipe", "softpipe", "software", "swiftshader", "gdi generic", "basic render")


def create_canvas(
    parent: QWidget | None, view: ViewModel, surface: str = "", measured: Callable[[DrawingTimes], None] | None = None
) -> DiscCanvas:
    """Create a canvas with OpenGL if it works, else one without it, whose `notice` says why.

    Parameters
    ----------
    surface : ``opengl`` or ``painter``; "" to choose. The variable ``AGGVIEWER_CANVAS`` overrides it.
    measured : if both are possible they are timed once there are many discs, the result is passed to this function, and
        the canvas continues with the faster one. If OpenGL is computed in software nothing is timed: the canvas draws
        without it, and its `software` names the renderer.

    Raises
    ------
    InputError
        ``AGGVIEWER_CANVAS`` is neither of them.
    """
    wanted = os.environ.get(VARIABLE, "") or surface
    if wanted not in ("", "opengl", "painter"):
        raise InputError(f"{VARIABLE} must be opengl or painter, not {wanted}", VARIABLE)
    if wanted == "painter":
        return DiscCanvas(parent, view, ImageSurface)
    reason = missing_opengl()  # even if OpenGL was requested: without a context the picture would stay black
    if not reason:
        software = "" if wanted or measured is None else software_opengl()
        if software:
            canvas = DiscCanvas(parent, view, ImageSurface)
            canvas.software = software
            return canvas
        try:
            canvas = DiscCanvas(parent, view, _opengl)
        except Exception as error:  # VisPy, PyOpenGL and drivers may raise anything; the user must get a picture anyway
            reason = str(error) or type(error).__name__
        else:
            if measured is not None and not wanted:
                canvas.trial = Trial(measured)
            return canvas
    canvas = DiscCanvas(parent, view, ImageSurface)
    canvas.notice = f"Software rendering instead of OpenGL: {reason}."
    return canvas


def missing_opengl() -> str:
    """Why there is no usable OpenGL here, in a few words; empty if there is."""
    platform = QGuiApplication.platformName()
    if platform in _PLATFORMS_WITHOUT_OPENGL:
        return f"the display platform '{platform}' does not offer OpenGL"
    with _context() as context:
        if context is None:
            return "no OpenGL context could be created"
        version = context.format().version()
        if context.isOpenGLES() or version < _LEAST_VERSION:
            kind = "OpenGL ES" if context.isOpenGLES() else "OpenGL"
            return f"this machine has {kind} {version[0]}.{version[1]}; OpenGL 3.3 is needed"
    return ""


def software_opengl() -> str:
    """The software renderer of OpenGL; empty if a graphics card is used.

    The painter is then two to three times as fast (docs/decisions/pictures.md), and every repaint of a window with
    OpenGL costs more, so no measurement is needed.
    """
    from PyQt6.QtOpenGL import QOpenGLVersionFunctionsFactory, QOpenGLVersionProfile  # loads OpenGL libraries

    with _context() as context:
        if context is None:
            return ""
        profile = QOpenGLVersionProfile()
        profile.setVersion(2, 0)
        functions: Any = QOpenGLVersionFunctionsFactory.get(profile, context)
        renderer = "" if functions is None else str(functions.glGetString(_RENDERER) or "")
    return renderer if on_the_processor(renderer) else ""


def on_the_processor(renderer: str) -> bool:
    """Whether this renderer computes OpenGL in software."""
    return any(name in renderer.lower() for name in _ON_THE_PROCESSOR)


@contextmanager
def _context() -> Iterator[QOpenGLContext | None]:
    """A temporary current OpenGL context, None if it cannot be created."""
    context, surface = QOpenGLContext(), QOffscreenSurface()
    surface.create()
    if not context.create() or not context.makeCurrent(surface):
        yield None
        return
    try:
        yield context
    finally:
        context.doneCurrent()


def _opengl(host: Host, parent: QWidget) -> Surface:
    from aggviewer.canvas.gl_surface import GLSurface  # loads OpenGL libraries, which may be missing

    return GLSurface(host, parent)
