"""The transparent widget above the surface: layers, box, legend, and gestures of the mouse."""

from __future__ import annotations

from typing import Protocol

from PyQt6.QtCore import QEvent, QRectF, Qt
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas.camera import Camera, LegendRoom
from aggviewer.canvas.gestures import Gesture
from aggviewer.canvas.layers.registry import Guard
from aggviewer.canvas.overlays import Overlays
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel


class Below(Protocol):
    """The canvas below the overlay. gesture : the current gesture of the mouse, else None."""

    scene: Scene
    view: ViewModel
    gesture: Gesture | None

    @property
    def camera(self) -> Camera: ...

    def refit(self) -> None: ...


class OverlayWidget(QWidget):
    """A transparent widget above the surface for the overlays; its text follows the font of the canvas."""

    def __init__(self, parent: QWidget, below: Below, guard: Guard) -> None:
        super().__init__(parent)
        self._canvas = below
        self._guard = guard
        self._overlays = Overlays(below.view, self.font(), guard)
        self._overlays.tells_time = False
        self._time_rect = QRectF()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)

    def tell_time(self, on: bool) -> None:
        """Set whether the time is in the picture."""
        if on != self._overlays.tells_time:
            self._overlays.tells_time = on
            self._canvas.refit()
            self.update()

    def room(self) -> LegendRoom:
        """What a fitted view keeps free for time, scale bar and legend."""
        return self._overlays.room()

    def covered(self) -> list[QRectF]:
        """The rectangles of time, scale bar and legend."""
        return [card.rect for card in self._overlays.cards(self._canvas.scene, self._canvas.camera)]

    def scale_rect(self) -> QRectF:
        """The rectangle of the colour scale."""
        return self._overlays.scale_rect(self._canvas.scene, self._canvas.camera)

    def update_time(self) -> None:
        """Repaint only the time."""
        rect = self._overlays.time_rect(self._canvas.scene, self._canvas.camera)
        self.update(rect.united(self._time_rect).toAlignedRect())
        self._time_rect = rect

    def changeEvent(self, event: QEvent | None) -> None:
        """Apply a new font."""
        if event is not None and event.type() == QEvent.Type.FontChange:
            before, self._overlays = self._overlays, Overlays(self._canvas.view, self.font(), self._guard)
            self._overlays.tells_time = before.tells_time
            self._canvas.refit()
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint layers, box, and the cards in the corners."""
        with QPainter(self) as painter:  # ended here, since the error of a layer may keep it alive
            self._overlays.paint(painter, self._canvas.scene, self._canvas.camera)
            if self._canvas.gesture is not None:
                self._canvas.gesture.paint(painter, self._canvas.view.dark)
