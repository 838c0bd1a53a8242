"""The surface without OpenGL: an image painted by the compiled kernels."""

from __future__ import annotations

from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas import warmup
from aggviewer.canvas.qt_images import to_qimage
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.surface import Host


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
        painter = QPainter(self)
        if not warmup.ready():
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
