"""The page in a scroll area, replaced while one of its widgets may be in use."""

from __future__ import annotations

from PyQt6.QtWidgets import QScrollArea, QWidget


def replace_page(area: QScrollArea, page: QWidget) -> None:
    """Show `page` in a scroll area, and delete the page shown before once the current event has been handled.

    `QScrollArea.setWidget` alone deletes the old page at once. Where the mouse button or key being handled went to a
    widget of that page, Qt would continue with a widget that no longer exists, and crash.
    """
    old = area.takeWidget()
    if old is not None:
        old.deleteLater()
    area.setWidget(page)
