"""What lies over the discs, in the window: painted above whatever the surface draws."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QRectF, Qt
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas.overlays import Overlays
from aggviewer.canvas.surface import Host


class OverlayWidget(QWidget):
    """A sheet of glass above the surface; its text follows the font of the canvas."""

    def __init__(self, host: Host, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = host
        self._overlays = Overlays(host.view, self.font())
        self._time_rect = QRectF()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)

    def room(self) -> float:
        """Rows at the foot that the legend takes."""
        return self._overlays.room(self._host.scene, self.width(), self.height())

    def update_time(self) -> None:
        """Paint the time again, and nothing else."""
        rect = self._overlays.time_rect(self._host.scene, self._host.camera)
        self.update(rect.united(self._time_rect).toAlignedRect())
        self._time_rect = rect

    def changeEvent(self, event: QEvent | None) -> None:
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._overlays = Overlays(self._host.view, self.font())
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        self._overlays.paint(painter, self._host.scene, self._host.camera)
