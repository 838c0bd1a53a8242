"""Panels of a window that may lie behind one another as tabs."""

from __future__ import annotations

from PyQt6.QtWidgets import QAbstractButton, QDockWidget, QMainWindow

from aggviewer.widgets.icons import icon

_BUTTONS = {"qt_dockwidget_floatbutton": "mdi6.dock-window", "qt_dockwidget_closebutton": "mdi6.close"}
"""Qt's names of the buttons in the head of a dock, and what is drawn on them."""


def in_sight(window: QMainWindow, dock: QDockWidget) -> bool:
    """Whether a panel is shown, and is not a tab behind another one."""
    return not dock.isHidden() and not (window.tabifiedDockWidgets(dock) and dock.visibleRegion().isEmpty())


def to_front(dock: QDockWidget) -> None:
    """Show a panel, before others that are tabs in the same place."""
    dock.show()
    dock.raise_()


def draw_buttons(dock: QDockWidget, color: str) -> None:
    """Draw the buttons in the head of a panel in this colour: Qt's own can hardly be seen on a dark ground."""
    for name, drawn in _BUTTONS.items():
        button = dock.findChild(QAbstractButton, name)
        if button is not None:
            button.setIcon(icon(drawn, color))
