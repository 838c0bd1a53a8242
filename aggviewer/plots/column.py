"""The column of plots in the panel, one above the other: which of them are shown, and how far it is scrolled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from aggviewer.plots.card import PlotCard


class PlotColumn(QScrollArea):
    """Plots one above the other, scrolled if there are more than fit."""

    def __init__(self) -> None:
        super().__init__()
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(8)
        self._column.addStretch(0)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        bar = self.verticalScrollBar()
        assert bar is not None
        self._bar = bar
        self._scroll_to: tuple[int, Callable[[], bool]] | None = None  # where it is brought back to, and whether now
        bar.rangeChanged.connect(self._on_range)
        bar.actionTriggered.connect(self._forget_place)  # the user scrolls

    def add(self, card: PlotCard) -> None:
        """Add a plot below the others, hidden."""
        card.hide()
        self._column.insertWidget(self._column.count() - 1, card, card.plot.stretch)

    def take_away(self, cards: Sequence[PlotCard]) -> None:
        """Remove and delete plots."""
        for card in cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()

    def show_cards(self, seen: Sequence[PlotCard], every: Sequence[PlotCard], *, filled: bool) -> None:
        """Show some of all plots. If they need not fill the column, a single one is no higher than half of it."""
        self._column.setEnabled(False)  # Qt would lay out all plots again for each one that is shown
        for card in every:
            card.setVisible(card in seen)
        self._column.setStretch(self._column.count() - 1, int(not filled))
        self._column.setEnabled(True)
        self._column.activate()

    def keep_place(self, same_plots: Callable[[], bool]) -> Callable[[], None]:
        """Record how far the column is scrolled. Returns a function that scrolls back, as soon as there are the same
        plots as now, and they need as much room as now."""
        place = self._bar.value(), same_plots

        def bring_back() -> None:
            self._scroll_to = place
            self._on_range(0, self._bar.maximum())

        return bring_back

    def _on_range(self, _least: int, most: int) -> None:
        """Scroll to where the column was, once there is room for it."""
        if self._scroll_to is None:
            return
        place, same_plots = self._scroll_to
        if most >= place and same_plots():
            self._bar.setValue(place)
            self._scroll_to = None

    def _forget_place(self) -> None:
        self._scroll_to = None
