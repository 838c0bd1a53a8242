"""Which canvas this machine can have."""

from __future__ import annotations

import os

from PyQt6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas.base import DiscCanvas
from aggviewer.canvas.surface import Host, ImageSurface, Surface
from aggviewer.session.view import ViewModel
from engine.errors import InputError

VARIABLE = "AGGVIEWER_CANVAS"
_PLATFORMS_WITHOUT_OPENGL = ("offscreen", "minimal", "vnc", "linuxfb")
_LEAST_VERSION = (3, 3)  # the first with instances


def create_canvas(parent: QWidget | None, view: ViewModel) -> DiscCanvas:
    """The canvas with OpenGL where it works here, else the one without, whose `notice` says why.

    InputError where ``AGGVIEWER_CANVAS`` is neither ``opengl`` nor ``painter``.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "opengl", "painter"):
        raise InputError(f"{VARIABLE} must be opengl or painter, not {wanted}", VARIABLE)
    if wanted == "painter":
        return DiscCanvas(parent, view, ImageSurface)
    reason = "" if wanted == "opengl" else missing_opengl()
    if not reason:
        try:
            return DiscCanvas(parent, view, _opengl)
        except Exception as error:  # VisPy, PyOpenGL and drivers raise what they like; the person gets a picture anyhow
            reason = str(error) or type(error).__name__
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
