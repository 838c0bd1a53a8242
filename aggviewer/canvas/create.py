"""Which canvas this machine can have, and which of two it takes."""

from __future__ import annotations

import os
from collections.abc import Callable

from PyQt6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas.base import DiscCanvas
from aggviewer.canvas.image_surface import ImageSurface
from aggviewer.canvas.surface import Host, Surface
from aggviewer.canvas.trial import Measured, Trial
from aggviewer.session.view import ViewModel
from engine.errors import InputError

VARIABLE = "AGGVIEWER_CANVAS"
_PLATFORMS_WITHOUT_OPENGL = ("offscreen", "minimal", "vnc", "linuxfb")
_LEAST_VERSION = (3, 3)  # the first with instances


def create_canvas(
    parent: QWidget | None, view: ViewModel, surface: str = "", measured: Callable[[Measured], None] | None = None
) -> DiscCanvas:
    """A canvas with OpenGL where it works here, else one without, whose `notice` says why.

    Parameters
    ----------
    surface : ``opengl`` or ``painter`` for one of them alone, as ``AGGVIEWER_CANVAS`` does, which comes first.
    measured : where both are allowed they are timed once there are many discs, which is told here, and the canvas goes
        on with the faster one.

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
    reason = "" if os.environ.get(VARIABLE) == "opengl" else missing_opengl()
    if not reason:
        try:
            canvas = DiscCanvas(parent, view, _opengl)
        except Exception as error:  # VisPy, PyOpenGL and drivers raise what they like; the person gets a picture anyhow
            reason = str(error) or type(error).__name__
        else:
            if measured is not None and not wanted:
                canvas.trial = Trial(measured)
            return canvas
    canvas = DiscCanvas(parent, view, ImageSurface)
    canvas.notice = f"The discs are drawn without OpenGL: {reason}."
    return canvas


def missing_opengl() -> str:
    """Why there is no usable OpenGL here, in a few words; empty where there is."""
    platform = QGuiApplication.platformName()
    if platform in _PLATFORMS_WITHOUT_OPENGL:
        return f"the display platform '{platform}' has none"
    surface = QOffscreenSurface()
    surface.create()
    context = QOpenGLContext()
    if not context.create() or not context.makeCurrent(surface):
        return "no OpenGL context could be made"
    try:
        version = context.format().version()
        if context.isOpenGLES() or version < _LEAST_VERSION:
            kind = "OpenGL ES" if context.isOpenGLES() else "OpenGL"
            return f"this machine has {kind} {version[0]}.{version[1]}, OpenGL 3.3 is needed"
    finally:
        context.doneCurrent()
    return ""


def _opengl(host: Host, parent: QWidget) -> Surface:
    from aggviewer.canvas.gl_surface import GLSurface  # loads OpenGL libraries, which may not be there

    return GLSurface(host, parent)
