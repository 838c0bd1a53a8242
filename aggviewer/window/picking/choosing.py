"""A field at the top of the window for selecting discs by number or by condition, a camera that follows a disc, and
the paths of discs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from aggviewer.canvas.layers import paths
from aggviewer.canvas.layers.paths import Paths
from aggviewer.document.run import CameraPlace
from aggviewer.session import Shown
from aggviewer.widgets.entry_line import EntryLine
from aggviewer.widgets.popup import Popup
from aggviewer.window.canvases import Canvases
from engine.errors import InputError
from engine.selection import example

_WIDTH = 480
_NUMBERS = "or numbers: 3, 17, 20-30"


class ChoosingLine(Popup):
    """A popup with a field. Enter calls `choose` with the text; the sentence of an InputError is shown.

    names() : names allowed in a condition, for the line below the field.
    """

    def __init__(self, parent: QWidget, choose: Callable[[str], None], names: Callable[[], Sequence[str]]) -> None:
        super().__init__("commandPalette", "Select discs", parent)
        self._choose = choose
        self._names = names
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(4)
        self.field = EntryLine()
        self.field.setAccessibleName("Discs to select")
        self.field.returnPressed.connect(self._use)
        self.field.textEdited.connect(lambda _text: self._show_message(""))
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setContentsMargins(12, 0, 12, 0)
        layout.addWidget(self.field)
        layout.addWidget(self.words)

    def open(self) -> None:
        """Show it at the top of the window, with the last text."""
        parent = self.parentWidget()
        if parent is None:
            return
        self.field.setPlaceholderText(f"{example(self._names())}, {_NUMBERS}")
        self.open_below_bar(min(_WIDTH, parent.width() - 32))
        self._show_message("")
        self.field.setFocus()
        self.field.selectAll()

    def _use(self) -> None:
        try:
            self._choose(self.field.text())
        except InputError as error:
            self._show_message(f"{error}.")
            return
        self.close()

    def _show_message(self, words: str) -> None:
        self.field.refused = bool(words)
        self.words.setText(words or f"Names: {', '.join(self._names())}")
        layout = self.layout()
        if layout is not None:  # `adjustSize` would leave room for the lines of a narrower popup
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))


MOST_PATHS = 50
"""Most discs whose paths can be shown at once."""

_LEAST_RADIUS = 4.0  # pixels of the disc that is followed: from farther away one comes closer at first


class Following(QObject):
    """Keeps a disc at the centre of the picture until the user moves the picture.

    When the disc crosses a periodic edge, the picture jumps with it to the opposite side. changed : signal for start
    and end.

    Attributes
    ----------
    disc : the number of the followed disc, or None.
    """

    changed = pyqtSignal()

    def __init__(self, canvases: Canvases) -> None:
        super().__init__(canvases)
        self._canvases = canvases
        self.disc: int | None = None
        self._before: CameraPlace | None = None
        canvases.about_to_move.connect(self._on_moved_by_hand)

    def start(self, disc: int, shown: Shown) -> None:
        """Follow a disc of the frame on the screen."""
        canvas = self._canvases.first
        if self.disc is None:
            self._before = canvas.place
        self.disc = disc
        radius = float(shown.discs.radii[disc]) * shown.frame.radius_factor * canvas.camera.scale
        if radius < _LEAST_RADIUS:
            canvas.zoom(_LEAST_RADIUS / radius)
        self.on_frame(shown)
        self.changed.emit()

    def stop(self) -> None:
        """Stop, leaving the view as it is."""
        if self.disc is not None:
            self.disc = None
            self.changed.emit()

    def go_back(self) -> None:
        """Stop, and return to the view from before."""
        if self.disc is not None:
            self.stop()
            self._canvases.first.set_place(self._before)

    def on_frame(self, shown: Shown) -> None:
        """React to a new frame on the screen."""
        if self.disc is None:
            return
        if self.disc >= shown.disc_set.count:  # other discs
            self.stop()
            return
        place = shown.frame.positions[self.disc]
        if np.isfinite(place).all():
            self._canvases.first.centre_on(place)

    def _on_moved_by_hand(self, how: str, _number: int) -> None:
        if how != "zoom":
            self.stop()


class PathKeeper:
    """Collects the paths of some discs in the left or only picture."""

    def __init__(self, canvases: Canvases) -> None:
        self._canvases = canvases
        self._paths: Paths | None = None
        self._disc_set: object = None

    @property
    def on(self) -> bool:
        """Whether there are paths."""
        return self._paths is not None

    def start(self, discs: np.ndarray, shown: Shown) -> None:
        """Collect from the present frame on."""
        self._paths = Paths(discs[:MOST_PATHS], shown.discs.box, shown.discs.periodic)
        self._disc_set = shown.disc_set
        self.on_frame(shown)

    def stop(self) -> None:
        """Delete the paths."""
        self._paths = None
        self._canvases.first.pin(paths.PATH, None)

    def on_frame(self, shown: Shown) -> None:
        """React to a new frame on the screen."""
        if self._paths is None:
            return
        if shown.disc_set is not self._disc_set:
            self.stop()
            return
        self._paths.add(shown.frame.time, shown.frame.positions, shown.discs, shown.frame.strain)
        self._canvases.first.pin(paths.PATH, self._paths)
