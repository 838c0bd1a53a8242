"""The list of references below the names of the runs, each with its line, its name and a button."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from aggviewer.plots.runs import Reference
from aggviewer.plots.series_items import reference_colour, reference_dashes
from aggviewer.style.theme import LIGHT, Colors
from aggviewer.widgets.buttons import icon

_SWATCH = 28  # pixels
_SIDE = 16
_FEWEST = 4  # least number of characters of the beginning of a name to show


def reference_pen(slot: int, theme: Colors, width: float) -> QPen:
    """The pen of a reference's curves. width : in screen pixels."""
    pen = QPen(QColor(reference_colour(slot, theme)), width)
    pen.setCosmetic(True)
    if reference_dashes(slot):
        pen.setDashPattern(list(reference_dashes(slot)))
    return pen


class _Swatch(QWidget):
    """A small sample of the line that draws a reference."""

    def __init__(self, slot: int, theme: Colors) -> None:
        super().__init__()
        self._slot = slot
        self._theme = theme
        self.setFixedSize(_SWATCH, 16)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the sample of the line."""
        painter = QPainter(self)
        painter.setPen(reference_pen(self._slot, self._theme, 1.5))
        painter.drawLine(0, 8, _SWATCH, 8)
        painter.end()


class _Name(QLabel):
    """A label that shortens a name to fit: of a name with a colon, the part after the last colon, which distinguishes
    the points of a study, has priority."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setToolTip(name)
        self.setAccessibleName(f"Reference: {name}")

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Fit the name to the new width."""
        super().resizeEvent(event)
        self.setText(self._elided(self.width()))

    def _elided(self, width: int) -> str:
        metrics = self.fontMetrics()
        head, colon, tail = self._name.rpartition(": ")
        room = width - metrics.horizontalAdvance(colon + tail)
        if room < metrics.horizontalAdvance("…" + head[:_FEWEST]):
            return metrics.elidedText(tail, Qt.TextElideMode.ElideMiddle, width)
        return metrics.elidedText(head, Qt.TextElideMode.ElideRight, room) + colon + tail


class ReferenceList(QWidget):
    """The list of references below the names of the runs; hidden while there is none."""

    remove_asked = pyqtSignal(str)
    """The user wants to remove the reference of this name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(_SIDE, 4, 8, 0)
        self._rows.setSpacing(0)
        self._theme = LIGHT
        self.buttons: list[QToolButton] = []
        self.names: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_references(self, references: Sequence[Reference], theme: Colors) -> None:
        """Show these references."""
        while (row := self._rows.takeAt(0)) is not None:
            widget = row.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.buttons, self.names = [], [one.name for one in references]
        for one in references:
            self._rows.addWidget(self._row(one, theme))
        self.setVisible(bool(references))

    def _row(self, reference: Reference, theme: Colors) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(_Swatch(reference.slot, theme))
        layout.addWidget(_Name(reference.name), 1)
        button = QToolButton()
        button.setAutoRaise(True)
        button.setIconSize(QSize(14, 14))
        button.setIcon(icon("mdi6.close", theme.muted))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setToolTip("Remove this reference from the plots")
        button.setAccessibleName(f"Remove the reference {reference.name}")
        name = reference.name
        button.clicked.connect(lambda: self.remove_asked.emit(name))
        self.buttons.append(button)
        layout.addWidget(button)
        return row
