"""The desktop's clipboard. Without one, these functions do nothing."""

from __future__ import annotations

from PyQt6.QtGui import QGuiApplication, QImage


def copy_text(text: str) -> None:
    """Put a text there."""
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)


def copy_image(image: QImage) -> None:
    """Put a picture there."""
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setImage(image)
