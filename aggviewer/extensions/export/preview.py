"""A preview: an image centred in a frame, on a chequered background where it is transparent."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QImage, QPainter, QPixmap, QResizeEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy

_USUAL, _LEAST = QSize(440, 480), QSize(240, 200)
_AROUND = 16  # pixels that are left free, together
_SQUARE = 8  # pixels
_LIGHT, _DARK = QColor("#ffffff"), QColor("#cccccc")


class Preview(QLabel):
    """An image that fits the available space; ``resized`` when the space changes."""

    resized = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("exportPreview")
        self.setAccessibleName("Preview")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumSize(_LEAST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def pixels(self) -> tuple[int, int]:
        """Largest width and height of an image, in screen pixels."""
        ratio = self.devicePixelRatioF()
        size = self.size() - QSize(_AROUND, _AROUND)
        return max(1, round(size.width() * ratio)), max(1, round(size.height() * ratio))

    def show_image(self, image: QImage) -> None:
        """Show an image of at most `pixels`."""
        ground = QImage(image.size(), QImage.Format.Format_RGB32)
        with QPainter(ground) as painter:
            if image.hasAlphaChannel():
                self._chequer(painter, image.size())
            painter.drawImage(0, 0, image)
        ground.setDevicePixelRatio(self.devicePixelRatioF())
        self.setPixmap(QPixmap.fromImage(ground))

    @staticmethod
    def _chequer(painter: QPainter, size: QSize) -> None:
        painter.fillRect(0, 0, size.width(), size.height(), _LIGHT)
        for row in range(-(-size.height() // _SQUARE)):
            for column in range(row % 2, -(-size.width() // _SQUARE), 2):
                painter.fillRect(column * _SQUARE, row * _SQUARE, _SQUARE, _SQUARE, _DARK)

    def sizeHint(self) -> QSize:
        """Qt's hook: does not depend on the image."""
        return _USUAL

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Emit ``resized``."""
        super().resizeEvent(event)
        self.resized.emit()
