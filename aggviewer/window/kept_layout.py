"""Size, place and panels of the window, kept from one start to the next."""

from __future__ import annotations

from PyQt6.QtCore import QByteArray, QMargins
from PyQt6.QtWidgets import QMainWindow

from aggviewer.window.settings import WindowSettings

_LAYOUT_VERSION = 1  # of the stored docks; another number forgets them
_FRAME = QMargins(4, 32, 4, 8)  # what the window manager needs around a window, or a little more


class KeptLayout:
    """Saves and restores the layout of a window with docks."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window

    def save(self, settings: WindowSettings) -> None:
        """Keep it for the next start."""
        settings.set_bytes("window/geometry", self._window.saveGeometry())
        settings.set_bytes("window/docks", self._window.saveState(_LAYOUT_VERSION))

    def restore(self, settings: WindowSettings) -> None:
        """As it was left, or as fits the screen at a first start."""
        window = self._window
        if not window.restoreGeometry(settings.bytes_of("window/geometry") or QByteArray()):
            screen = window.screen()
            room = screen.availableSize().shrunkBy(_FRAME) if screen is not None else window.sizeHint()
            window.resize(window.sizeHint().boundedTo(room))
        docks = settings.bytes_of("window/docks")
        if docks is not None:
            window.restoreState(docks, _LAYOUT_VERSION)
