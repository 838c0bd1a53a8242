"""The space on a screen for windows."""

from __future__ import annotations

from PyQt6.QtCore import QMargins, QRect, QSize
from PyQt6.QtWidgets import QWidget

FRAME = QMargins(4, 32, 4, 8)
"""Space for the frame that the window manager draws around a window, or a little more."""


def available(widget: QWidget) -> QRect:
    """The part of the screen of a widget that windows may use."""
    screen = widget.screen()
    return QRect() if screen is None else screen.availableGeometry()


def room(widget: QWidget) -> QSize:
    """The largest size of a window on its screen, without its frame."""
    return available(widget).size().shrunkBy(FRAME)
