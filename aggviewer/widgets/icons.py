"""Icons of qtawesome's bundled fonts, in the colours of the theme."""

from __future__ import annotations

import qtawesome
from PyQt6.QtGui import QColor, QIcon


def icon(name: str, color: str, on: str = "") -> QIcon:
    """An icon of qtawesome's bundled fonts; `on`: its colour on a button that is pressed."""
    disabled = QColor(*QColor(color).getRgb()[:3], 110)
    # under the mouse it is "active": without a colour for that, qtawesome would take the one for what is on
    drawn: QIcon = qtawesome.icon(
        name,
        color=color,
        color_active=color,
        color_on=on or color,
        color_on_active=on or color,
        color_disabled=disabled,
    )
    return drawn
