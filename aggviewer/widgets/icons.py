"""Icons of qtawesome's bundled fonts, in the colours of the theme."""

from __future__ import annotations

import qtawesome
from PyQt6.QtGui import QColor, QIcon


def icon(name: str, color: str, on: str = "") -> QIcon:
    """An icon of qtawesome's bundled fonts. `on` is its colour while its button is checked, where that differs."""
    disabled = QColor(*QColor(color).getRgb()[:3], 110)
    # under the mouse an icon is "active", for which qtawesome would take the colour of a checked button
    drawn: QIcon = qtawesome.icon(
        name,
        color=color,
        color_active=color,
        color_on=on or color,
        color_on_active=on or color,
        color_disabled=disabled,
    )
    return drawn
