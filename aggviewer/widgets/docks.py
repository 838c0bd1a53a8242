"""Panels of a window that may lie behind one another as tabs."""

from __future__ import annotations

from PyQt6.QtWidgets import QDockWidget, QMainWindow


def in_sight(window: QMainWindow, dock: QDockWidget) -> bool:
    """Whether a panel is shown, and is not a tab behind another one."""
    return not dock.isHidden() and not (window.tabifiedDockWidgets(dock) and dock.visibleRegion().isEmpty())


def to_front(dock: QDockWidget) -> None:
    """Show a panel, before others that are tabs in the same place."""
    dock.show()
    dock.raise_()
