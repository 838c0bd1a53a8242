"""Qt for pictures without a window."""

from __future__ import annotations

import os
import sys

from PyQt6.QtGui import QGuiApplication

_made: list[QGuiApplication] = []  # Qt's application lives as long as something refers to it


def ensure_gui() -> None:
    """Make Qt's application if there is none: fonts need it. Where there is no display it needs none. Main thread."""
    if QGuiApplication.instance() is None:
        displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
        if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in displays):
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
        _made.append(QGuiApplication([sys.argv[0]]))
