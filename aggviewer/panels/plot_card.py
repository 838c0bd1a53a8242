"""A plot with its head: fold, name, definition, show all, alone."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
import qtawesome
from PyQt6.QtCore import QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QPen, QShowEvent
from PyQt6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QToolTip, QVBoxLayout, QWidget

from aggviewer.panels.fold_button import FoldButton
from aggviewer.panels.plot_view import PlotView
from aggviewer.panels.style import LIGHT, Theme


class PlotCard(QWidget):
    """Base of the plots: subclasses say what they draw in `_draw`, `_empty_text` and `_recolour`.

    Data that arrive while the plot cannot be seen are kept and drawn when it can.
    """

    alone_asked = pyqtSignal()
    folded = pyqtSignal(bool)

    title = ""
    definition = ""
    empty_text = ""

    def __init__(self, number: int, view: PlotView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number = number
        self.view = view
        self.theme = LIGHT
        self._data: Any = None
        self._stale = False

        self.fold_button = FoldButton(self.title)
        self.fold_button.setToolTip(self.definition)
        self.fold_button.toggled.connect(self._fold)

        self.follow_button = self._button("Show all data again (A or double click)")
        policy = self.follow_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.follow_button.setSizePolicy(policy)
        self.follow_button.hide()
        self.follow_button.clicked.connect(view.follow)
        self.help_button = self._button(self.definition)
        self.help_button.setAccessibleName(f"Definition: {self.title}")
        self.help_button.clicked.connect(self._show_definition)
        self.alone_button = self._button("")
        self.alone_button.clicked.connect(self.alone_asked)

        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(0)
        head.addWidget(self.fold_button)
        head.addStretch(1)
        for button in (self.follow_button, self.help_button, self.alone_button):
            head.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(view, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        view.setAccessibleName(self.title)
        view.following_changed.connect(lambda on: self.follow_button.setVisible(not on))
        view.set_empty(self.empty_text)
        self.set_alone(False)

    def _button(self, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setIconSize(QSize(16, 16))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setToolTip(tip)
        return button

    # for the panel

    def set_data(self, data: Any) -> None:
        """Draw `data`, now or when the plot comes into view; None brings the empty state."""
        self._data = data
        self._stale = False
        if data is None:
            self._clear()
            self.view.set_value("")
            self.view.set_empty(self.empty_text)
        elif self.view.isVisible():
            if self.view.empty_text:
                self.view.set_empty("")
            self._draw(data)
        else:
            self._stale = True

    def set_alone(self, alone: bool) -> None:
        """Whether the plot is the only one shown."""
        self._alone = alone
        tip = "Show all plots" if alone else "Show this plot alone"
        self.alone_button.setToolTip(f"{tip} ({self.number})")
        self.alone_button.setAccessibleName(tip)
        if alone:
            self.fold_button.setChecked(True)
        self._icons()

    def set_theme(self, theme: Theme) -> None:
        """Colours of head and plot."""
        self.theme = theme
        self._icons()
        self.view.set_theme(theme)
        self._recolour(theme)
        self.set_data(self._data)

    # for the subclasses

    def _pen(self, colour: str, width: float) -> QPen:
        """A pen of so many pixels as the person sees them: pyqtgraph's are of the screen's own pixels."""
        pen: QPen = pg.mkPen(colour, width=width * self.view.devicePixelRatioF())
        return pen

    def _draw(self, data: Any) -> None:
        raise NotImplementedError

    def _clear(self) -> None:
        raise NotImplementedError

    def _recolour(self, theme: Theme) -> None:
        raise NotImplementedError

    # head

    def _icons(self) -> None:
        colour = self.theme.muted
        self.follow_button.setIcon(qtawesome.icon("mdi6.fit-to-page-outline", color=colour))
        self.help_button.setIcon(qtawesome.icon("mdi6.information-outline", color=colour))
        name = "mdi6.arrow-collapse" if self._alone else "mdi6.arrow-expand"
        self.alone_button.setIcon(qtawesome.icon(name, color=colour))

    def _fold(self, shown: bool) -> None:
        self.view.setVisible(shown)
        vertical = QSizePolicy.Policy.Expanding if shown else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        self.folded.emit(not shown)
        self._draw_stale()

    def _show_definition(self) -> None:
        corner = self.help_button.mapToGlobal(QPoint(0, self.help_button.height()))
        QToolTip.showText(corner, self.definition, self.help_button)

    def _draw_stale(self) -> None:
        if self._stale and self.view.isVisible():
            self.set_data(self._data)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self._draw_stale()
