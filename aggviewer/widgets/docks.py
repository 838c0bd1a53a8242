"""Panels of a window, which can be stacked as tabs."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6 import sip
from PyQt6.QtCore import QEvent, Qt, QTimer
from PyQt6.QtGui import QPaintEvent
from PyQt6.QtWidgets import (
    QAbstractButton,
    QDockWidget,
    QMainWindow,
    QScrollBar,
    QStyle,
    QStyleOptionDockWidget,
    QStylePainter,
    QTabBar,
    QTabWidget,
    QWidget,
)

from aggviewer.widgets.buttons import icon

_BUTTONS = {"qt_dockwidget_floatbutton": "mdi6.dock-window", "qt_dockwidget_closebutton": "mdi6.close"}
"""Qt's names of the buttons in a dock's title bar, and their icons."""

_MOST = 0.25
"""Largest share of the window's height for a newly opened panel below the picture, so that the picture stays larger
even in a small window."""
_OPENED = "openedBefore"


def in_sight(window: QMainWindow, dock: QDockWidget) -> bool:
    """Whether a panel is shown, and is not a tab behind another one."""
    if dock.isHidden() or not window.tabifiedDockWidgets(dock):
        return not dock.isHidden()
    return dock.geometry().intersects(window.rect())  # Qt keeps hidden tabs outside the window


def to_front(dock: QDockWidget) -> None:
    """Show a panel, in front of other tabs at the same place."""
    dock.show()
    dock.raise_()


def add_below(window: QMainWindow, dock: QDockWidget) -> None:
    """Put a panel below the picture, hidden, as a tab beside the panels that are there: side by side they would be too
    narrow."""
    bottom = Qt.DockWidgetArea.BottomDockWidgetArea
    docks = window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    there = [other for other in docks if other is not dock and window.dockWidgetArea(other) == bottom]
    window.addDockWidget(bottom, dock)
    for other in there:
        if not other.isFloating():
            window.tabifyDockWidget(other, dock)
            break
    window.setTabPosition(bottom, QTabWidget.TabPosition.North)
    dock.hide()


def leave_arrow_keys(window: QMainWindow) -> None:
    """Keep tabs of panels from taking the focus: ← and → belong to the transport."""
    for bar in window.findChildren(QTabBar):
        bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)


def give_height(window: QMainWindow, dock: QDockWidget, height: int) -> None:
    """Set a newly shown panel below the picture to `height` pixels, or less in a small window.

    After the first time, a panel that the user has made higher is left as it is.
    """
    height = min(height, round(_MOST * window.height()))
    first = not dock.property(_OPENED)
    dock.setProperty(_OPENED, True)
    if not dock.isFloating() and (first or dock.height() < height):
        window.resizeDocks([dock], [height], Qt.Orientation.Vertical)


def set_headless(dock: QDockWidget, headless: bool) -> None:
    """Hide or show a panel's title bar; it is hidden if something else shows the title."""
    empty = dock.titleBarWidget()
    if headless and empty is None:
        dock.setTitleBarWidget(QWidget(dock))
    elif not headless and empty is not None:
        dock.setTitleBarWidget(None)
        empty.deleteLater()


def keep_layout(window: QMainWindow) -> Callable[[], None]:
    """Record which bars and panels a window shows, where they are, and how far they are scrolled. Returns a function
    that restores this layout, and which panels have a title bar."""
    state = window.saveState()
    shown = {bar: not bar.isHidden() for bar in (window.menuBar(), window.statusBar()) if bar is not None}
    docks = window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    headless = {dock: dock.titleBarWidget() is not None for dock in docks}
    scrolled = {bar: bar.value() for dock in docks for bar in dock.findChildren(QScrollBar)}

    def scroll() -> None:
        for bar, value in scrolled.items():
            if not sip.isdeleted(bar):  # with what was in the panel, such as a page of a lesson
                bar.setValue(value)

    def bring_back() -> None:
        for dock in docks:
            set_headless(dock, headless[dock])
        window.restoreState(state)
        for bar, visible in shown.items():
            bar.setVisible(visible)
        QTimer.singleShot(0, scroll)  # after the layout; a window closing meanwhile is gone then

    return bring_back


class Dock(QDockWidget):
    """A panel whose title-bar buttons have icons in the theme's colours; Qt's own are hardly visible on a dark
    background."""

    def __init__(self, title: str, window: QMainWindow) -> None:
        super().__init__(title, window)
        self.topLevelChanged.connect(lambda _floating: self._draw_buttons())
        self._draw_buttons()

    def setVisible(self, visible: bool) -> None:
        """Stay hidden while the contents are shown elsewhere."""
        super().setVisible(visible and self.widget() is not None)

    def changeEvent(self, event: QEvent | None) -> None:
        """Replace the icons again after Qt has changed the style."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.StyleChange:
            self._draw_buttons()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draw the title in the font of the panel; Qt draws it in the one of the time when the panel was made."""
        if self.isFloating() or self.titleBarWidget() is not None:
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionDockWidget()
        self.initStyleOption(option)
        painter.drawControl(QStyle.ControlElement.CE_DockWidgetTitle, option)

    def _draw_buttons(self) -> None:
        for name, drawn in _BUTTONS.items():
            button = self.findChild(QAbstractButton, name)
            if button is not None:
                button.setIcon(icon(drawn, "muted"))
