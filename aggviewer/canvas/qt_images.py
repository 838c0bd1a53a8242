"""Conversion between numpy and Qt images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtGui import QImage


def to_qimage(image: NDArray[np.uint8]) -> QImage:
    """A QImage that shares the memory of (H, W, 4) uint8 RGBA with premultiplied alpha; keep the array while it is
    used."""
    height, width = image.shape[:2]
    premultiplied = QImage.Format.Format_RGBA8888_Premultiplied
    return QImage(image.data, width, height, 4 * width, premultiplied)  # type: ignore[call-overload, no-any-return]


def pixels_of(picture: QImage) -> NDArray[np.uint8]:
    """The memory of a QImage with four bytes per pixel, (H, W, 4) uint8, writable; keep the QImage while it is used."""
    bits = picture.bits()
    assert bits is not None  # only an image of size 0 has none
    bits.setsize(picture.sizeInBytes())
    pixels: NDArray[np.uint8] = np.frombuffer(bits, np.uint8)  # type: ignore[call-overload]
    return pixels.reshape(picture.height(), picture.width(), 4)


def from_qimage(picture: QImage) -> NDArray[np.uint8]:
    """A copy as (H, W, 4) uint8 RGBA with straight alpha."""
    straight = picture.convertToFormat(QImage.Format.Format_RGBA8888)
    return pixels_of(straight).copy()
