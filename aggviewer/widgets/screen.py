"""The room that a screen has for a window."""

from __future__ import annotations

from PyQt6.QtCore import QMargins, QRect, QSize
from PyQt6.QtWidgets import QWidget

FRAME = QMargins(4, 32, 4, 8)
"""What the window manager needs around a window, or a little more."""


def available(widget: QWidget) -> QRect:
    """The part of the screen of a window where windows may lie."""
    screen = widget.screen()
    return QRect() if screen is None else screen.availableGeometry()


def room(widget: QWidget) -> QSize:
    """The largest size that a window can have on its screen, within its frame."""
    return available(widget).size().shrunkBy(FRAME)
