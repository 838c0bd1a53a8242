"""What the canvas draws its discs on: the contract of the two surfaces, and the one without OpenGL."""

from __future__ import annotations

from typing import Protocol

from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.qt_images import to_qimage
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.session.view import ViewModel


class Host(Protocol):
    """What a surface asks its canvas when Qt wants it painted."""

    scene: Scene
    view: ViewModel

    @property
    def camera(self) -> Camera:
        """In widget pixels."""
        ...

    def load_kernels(self) -> None:
        """The surface waits for the kernels; it is painted again when they are there."""
        ...

    def drawn(self) -> None:
        """The surface has drawn the discs once."""
        ...

    def failed(self, reason: str) -> None:
        """The surface cannot draw any more and wants to be replaced."""
        ...


class Surface(Protocol):
    """A widget that shows the discs of its host."""

    widget: QWidget
    renderer: str

    def close(self) -> None:
        """Free what the surface holds. The widget is the canvas's to delete."""
        ...


class ImageSurface:
    """Draws whole pictures on the processor; 10^4 discs take some milliseconds."""

    renderer = "Without OpenGL, drawn on the processor"

    def __init__(self, host: Host, parent: QWidget) -> None:
        self.widget: QWidget = _ImageWidget(host, parent)

    def close(self) -> None:
        """Nothing is held but memory."""


class _ImageWidget(QWidget):
    def __init__(self, host: Host, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = host
        self._raster = Raster()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The discs, or the background while the kernels are not there yet."""
        painter = QPainter(self)
        if not warmup.ready():
            self._host.load_kernels()
            painter.fillRect(self.rect(), QColor(*self._host.view.background_rgb))
            return
        ratio = self.devicePixelRatioF()
        camera = self._host.camera.magnified(ratio)
        image = self._raster.paint(self._host.scene, camera, self._host.view, pixel_ratio=ratio)
        picture = to_qimage(image)
        picture.setDevicePixelRatio(ratio)
        painter.drawImage(0, 0, picture)
        if self._host.scene.shown:
            self._host.drawn()
