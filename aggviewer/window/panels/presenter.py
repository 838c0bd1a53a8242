"""Presenter mode: the picture, one plot, large type, nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QDockWidget, QMainWindow, QWidget

from aggviewer.plots import PlotsPanel

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
    """Switches a main window between its usual layout and the presenter's."""

    def __init__(self, window: QMainWindow, hidden: list[QWidget], plots_dock: QDockWidget, plots: PlotsPanel) -> None:
        self._window = window
        self._hidden = hidden
        self._plots_dock = plots_dock
        self._plots = plots
        self._before: _Before | None = None

    @property
    def on(self) -> bool:
        """True while presenting."""
        return self._before is not None

    def toggle(self) -> None:
        """In or out; on the way out everything is as it was."""
        if self._before is None:
            self._enter()
        else:
            self._leave(self._before)

    def _enter(self) -> None:
        widgets = [*self._hidden, self._plots_dock]
        self._before = _Before(
            {widget: not widget.isHidden() for widget in widgets},
            QFont(self._window.font()),
            self._plots.shown,
            self._plots_dock.width(),
        )
        for widget in self._hidden:
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
