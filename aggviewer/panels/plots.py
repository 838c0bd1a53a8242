"""The plots panel: four live plots, stacked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from aggviewer.panels.charts import (
    BoxCountingPlot,
    BoxCounts,
    Coarsening,
    CoarseningPlot,
    Contacts,
    ContactsPlot,
    PairCounts,
    PairDistributionPlot,
)
from aggviewer.panels.plot_card import PlotCard
from aggviewer.panels.style import theme


class PlotsPanel(QWidget):
    """Box counting, pair distribution, contacts, and clusters with energy. See `aggviewer.panels`."""

    def __init__(self, session: Any = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.setObjectName("plots")
        self.box_counting = BoxCountingPlot(1)
        self.pair_distribution = PairDistributionPlot(2)
        self.contacts = ContactsPlot(3)
        self.coarsening = CoarseningPlot(4)
        self.cards: tuple[PlotCard, ...] = (
            self.box_counting,
            self.pair_distribution,
            self.contacts,
            self.coarsening,
        )
        self._radius = 1.0
        self._alone: int | None = None

        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        for card in self.cards:
            layout.addWidget(card, 1)
            card.alone_asked.connect(lambda number=card.number: self.focus_plot(number))
            card.view.wheel_zooms = self._nothing_to_scroll
        layout.addStretch(0)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(content)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._scroll)
        self.setMinimumWidth(240)
        self.set_theme(self.palette().window().color().lightnessF() < 0.5)

    # data

    def set_system(self, radii: NDArray[np.float64]) -> None:
        """The discs that the next data belong to: radii (N,). Takes what is drawn away."""
        self._radius = float(np.mean(radii))
        self.clear()
        for card in self.cards:
            card.view.follow()

    def refresh(self, indicators: Any, history: Any, time: float) -> None:
        """Draw engine Indicators and History (either may be None) that belong to the simulation time `time`."""
        for card, data in zip(self.cards, self._records(indicators, history, time), strict=True):
            card.set_data(data)

    def clear(self) -> None:
        """Back to the empty states."""
        for card in self.cards:
            card.set_data(None)

    def _records(self, indicators: Any, history: Any, time: float) -> tuple[Any, Any, Any, Any]:
        boxes = pairs = contacts = coarsening = None
        counting = getattr(indicators, "box_counting", None)
        if counting is not None:
            fit = indicators.fractal_fit
            boxes = BoxCounts(
                np.asarray(counting["eps"], np.float64) / self._radius,
                np.asarray(counting["n"], np.float64),
                None if fit is None else (fit.dimension, fit.prefactor * self._radius**-fit.dimension),
            )
        distribution = getattr(indicators, "pair_distribution", None)
        if distribution is not None:
            r = np.asarray(distribution["r"], np.float64) / self._radius
            pairs = PairCounts(r, np.asarray(distribution["p"], np.float64))
        histogram = getattr(indicators, "contacts_histogram", None)
        if histogram is not None:
            contacts = Contacts(np.asarray(histogram, np.int64), indicators.contacts_relative)
        if history is not None and len(history.time):
            coarsening = Coarsening(history.time, history.clusters, history.kinetic_energy, time)
        return boxes, pairs, contacts, coarsening

    # which plots are seen

    @property
    def shown(self) -> int | None:
        """The number of the plot that is alone, None where all are shown."""
        return self._alone

    def show_only(self, number: int | None) -> None:
        """One plot (1 to 4) alone; None brings all back."""
        if number is not None and not 1 <= number <= len(self.cards):
            raise ValueError(f"there is no plot {number}")
        self._alone = number
        for card in self.cards:
            card.set_alone(card.number == number)
            card.setVisible(number in (None, card.number))

    def focus_plot(self, number: int) -> None:
        """One plot alone with the keyboard focus; the same number again brings all back."""
        self.show_only(None if self._alone == number else number)
        card = self.cards[number - 1]
        card.view.setFocus()
        self._scroll.ensureWidgetVisible(card)

    def set_theme(self, dark: bool) -> None:
        """Colours for a dark or a light ground."""
        for card in self.cards:
            card.set_theme(theme(dark))

    def _nothing_to_scroll(self) -> bool:
        bar = self._scroll.verticalScrollBar()
        return bar is None or bar.maximum() <= bar.minimum()
