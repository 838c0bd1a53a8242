"""Tool tips with formulas, drawn only when the tip is shown, in its colours."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QPoint, Qt
from PyQt6.QtGui import QHelpEvent
from PyQt6.QtWidgets import QToolTip, QWidget

from aggviewer.style.formula_pictures import Ink, formulas_drawn
from aggviewer.style.formulas import plain_html


def set_tip(widget: QWidget, html: str) -> None:
    """Give a widget a tool tip, HTML with formulas between dollar signs.

    `QWidget.toolTip` returns the same with formulas as plain characters, for screen readers.
    """
    widget.setToolTip(plain_html(html))
    tip = widget.findChild(_FormulaTip, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if tip is None and "$" in html:
        tip = _FormulaTip(widget)
    if tip is not None:
        tip.html = html


def show_tip(corner: QPoint, html: str, widget: QWidget) -> None:
    """Show a tool tip of a widget now, at a point of the screen."""
    QToolTip.showText(corner, formulas_drawn(html, Ink.of_tool_tips(widget)), widget)


class _FormulaTip(QObject):
    """Shows the tool tip of its parent."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.html = ""
        self._widget = widget
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Show the formulas instead of the characters."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self.html:
            show_tip(event.globalPos(), self.html, self._widget)
            return True
        return False
