"""Presenter mode: the picture, one plot, large type, nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QMainWindow, QToolBar, QWidget

from aggviewer.plots import PlotsPanel
from aggviewer.widgets.command import Command, Place
from aggviewer.window.panels.side_panels import SidePanels

_SCALE = 1.5
_SHARE = 0.33  # of the window's width for the plot
_PLOT = 4  # shown where none was chosen: clusters and energy


@dataclass
class _Before:
    visible: dict[QWidget, bool]
    font: QFont
    plot: int | None
    width: int


class Presenter:
    """Switches a main window between its usual layout and the presenter's, which has no bars and one panel.

    transport : the bar below the picture.
    """

    def __init__(self, window: QMainWindow, panels: SidePanels, plots: PlotsPanel, transport: QWidget) -> None:
        self._window = window
        self._panels = panels
        self._plots = plots
        self._plots_dock = panels.right
        self._transport = transport
        self._before: _Before | None = None

    def commands(self) -> Iterator[Command]:
        """In and out."""
        yield Command(
            "view.presenter",
            "Presenter mode",
            self.toggle,
            ("P",),
            "The picture and one plot in large type, nothing else",
            "mdi6.presentation",
            checked=lambda: self.on,
            menu=Place("View", 5, 1),
            bar=Place("right", 1, 5),
        )

    @property
    def on(self) -> bool:
        """True while presenting."""
        return self._before is not None

    def toggle(self) -> None:
        """In or out; on the way out everything is as it was."""
        self._panels.held = self._before is None
        if self._before is None:
            self._enter()
        else:
            self._leave(self._before)
        self._panels.lay_out()

    def _enter(self) -> None:
        window = self._window
        bars: list[QWidget | None] = [window.menuBar(), *window.findChildren(QToolBar), window.statusBar()]
        hidden = [widget for widget in (*bars, self._transport, self._panels.left) if widget is not None]
        self._before = _Before(
            {widget: not widget.isHidden() for widget in (*hidden, self._plots_dock)},
            QFont(self._window.font()),
            self._plots.shown,
            self._plots_dock.width(),
        )
        for widget in hidden:
            widget.hide()
        self._plots_dock.show()
        self._plots.show_only(self._plots.shown or _PLOT)
        large = QFont(self._window.font())
        large.setPointSizeF(large.pointSizeF() * _SCALE)
        self._window.setFont(large)
        self._plots_dock.setTitleBarWidget(QWidget())
        self._resize_plots(round(_SHARE * self._window.width()))

    def _leave(self, before: _Before) -> None:
        self._before = None
        self._window.setFont(before.font)
        self._plots.show_only(before.plot)
        empty = self._plots_dock.titleBarWidget()
        self._plots_dock.setTitleBarWidget(None)
        if empty is not None:
            empty.deleteLater()
        for widget, visible in before.visible.items():
            widget.setVisible(visible)
        self._resize_plots(before.width)

    def _resize_plots(self, width: int) -> None:
        self._window.resizeDocks([self._plots_dock], [width], Qt.Orientation.Horizontal)
