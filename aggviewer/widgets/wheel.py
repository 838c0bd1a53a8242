"""The wheel scrolls and zooms; it never changes a value."""

from __future__ import annotations

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QComboBox, QScrollBar, QTabBar, QWidget

_EDITORS = (QAbstractSpinBox, QComboBox, QAbstractSlider, QTabBar)


def wheel_would_change(watched: QObject | None) -> bool:
    """True for a field, list, slider or row of tabs, whose value Qt changes when the wheel is turned over it.

    A scroll bar is a slider too, but what it changes is the place in a page, as the wheel should.
    """
    return isinstance(watched, _EDITORS) and not isinstance(watched, QScrollBar)


def focus_without_wheel(widget: QWidget) -> None:
    """Let an editor take the focus by click and Tab, no longer by the wheel."""
    policy = widget.focusPolicy()
    if policy == Qt.FocusPolicy.WheelFocus:
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
