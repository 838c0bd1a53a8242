"""The buttons of the transports inside a step and in the lessons: alike in every one of them."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import QToolButton

ICON = QSize(20, 20)


def step_button(tip: str, main: bool) -> QToolButton:
    """A button that has an icon alone, with a tip and its name before " (" for screen readers. main : the one that
    plays, which stands out."""
    button = QToolButton()
    button.setIconSize(ICON)
    button.setToolTip(tip)
    button.setAccessibleName(tip.partition(" (")[0])
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if main:
        button.setObjectName("runButton")
    else:
        button.setProperty("flat", True)
    return button
