"""Size, place and panels of the window, kept from one start to the next."""

from __future__ import annotations

from PyQt6.QtCore import QByteArray, QMargins, Qt
from PyQt6.QtWidgets import QDockWidget, QMainWindow

from aggviewer.window.settings import WindowSettings

_LAYOUT_VERSION = 1  # of the stored docks; another number forgets them
_NARROW, _TOO_NARROW = 1200, 940  # pixels of width for narrow panels, for one panel
_FRAME = QMargins(4, 32, 4, 8)  # what the window manager needs around a window, or a little more


class KeptLayout:
    """Saves and restores the layout of a window with two docks, left and right."""

    def __init__(self, window: QMainWindow, left: QDockWidget, right: QDockWidget) -> None:
        self._window = window
        self._left = left
        self._right = right

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
            self._lay_out()
        docks = settings.bytes_of("window/docks")
        if docks is not None:
            window.restoreState(docks, _LAYOUT_VERSION)

    def _lay_out(self) -> None:
        """The panels of a first start: narrow in a narrow window, and where there is no room for both, one."""
        width = self._window.width()
        self._right.setHidden(width < _TOO_NARROW)
        widths = [256, 288] if width < _NARROW else [304, 336]
        self._window.resizeDocks([self._left, self._right], widths, Qt.Orientation.Horizontal)
