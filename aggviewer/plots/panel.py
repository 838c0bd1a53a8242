"""The plots panel: live plots, stacked, of one run or of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QCoreApplication, QEvent, Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from aggviewer.plots.card import PlotCard
from aggviewer.plots.legend import RunLegend
from aggviewer.plots.runs import RunStyle, carried_over, looks
from aggviewer.plots.view import PlotView
from aggviewer.session.data import GasData, JammingData
from aggviewer.style.panel_theme import LIGHT, theme
from aggviewer.systems.aggregation.box_counting import BoxCountingPlot
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.contacts import ContactsPlot
from aggviewer.systems.aggregation.convergence import Steps
from aggviewer.systems.aggregation.convergence_plot import ConvergencePlot
from aggviewer.systems.aggregation.pair_distribution import PairDistributionPlot
from aggviewer.systems.aggregation.series import records
from aggviewer.systems.hard_discs.energy_decay import EnergyDecayPlot
from aggviewer.systems.hard_discs.fluctuations import FluctuationsPlot
from aggviewer.systems.hard_discs.mean_square_displacement import SpreadingPlot
from aggviewer.systems.hard_discs.pair_correlation import PairCorrelationPlot
from aggviewer.systems.hard_discs.pressure import PressurePlot
from aggviewer.systems.hard_discs.separations import SeparationsPlot
from aggviewer.systems.hard_discs.series import gas_records
from aggviewer.systems.hard_discs.speeds import SpeedsPlot
from aggviewer.systems.jamming.contacts import JamContactsPlot
from aggviewer.systems.jamming.convergence import JamConvergencePlot
from aggviewer.systems.jamming.power_laws import ForcesPlot, GapsPlot
from aggviewer.systems.jamming.series import jamming_records
from aggviewer.systems.jamming.volume_fraction import JamFractionPlot

_ONE_RUN = (RunStyle("ED", "event-driven"),)
_STICKING, _BOUNCING, _JAMMING = "aggregation", "hard-discs", "jamming"


class PlotsPanel(QWidget):
    """The plots of discs that stick, that bounce, or that jam. See `aggviewer.plots`."""

    place_asked = pyqtSignal(float, float)

    def __init__(self, session: Any = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.setObjectName("plots")
        self.legend = RunLegend()
        self.box_counting = BoxCountingPlot(1)
        self.pair_distribution = PairDistributionPlot(2)
        self.contacts = ContactsPlot(3)
        self.coarsening = CoarseningPlot(4)
        self.convergence = ConvergencePlot(5)
        self.convergence.place_asked.connect(self.place_asked)
        self.energy_decay = EnergyDecayPlot(1)
        self.speeds = SpeedsPlot(2)
        self.pressure = PressurePlot(3)
        self.pair_correlation = PairCorrelationPlot(4)
        self.fluctuations = FluctuationsPlot(5)
        self.spreading = SpreadingPlot(6)
        self.separations = SeparationsPlot(7)
        self.jam_convergence = JamConvergencePlot(1)
        self.forces = ForcesPlot(2)
        self.gaps = GapsPlot(3)
        for law in (self.forces, self.gaps):
            law.pooled_asked.connect(self.set_pooled)
        self.jam_contacts = JamContactsPlot(4)
        self.jam_fraction = JamFractionPlot(5)
        for folded in (self.spreading, self.separations, self.jam_fraction):
            folded.fold_button.setChecked(False)  # the others fill the height of a window
        sticking = (self.box_counting, self.pair_distribution, self.contacts, self.coarsening, self.convergence)
        bouncing = (
            *(self.energy_decay, self.speeds, self.pressure, self.pair_correlation),
            *(self.fluctuations, self.spreading, self.separations),
        )
        jamming = (self.jam_convergence, self.forces, self.gaps, self.jam_contacts, self.jam_fraction)
        self._every: tuple[PlotCard, ...] = (*sticking, *bouncing, *jamming)
        self._of_system: dict[str, tuple[PlotCard, ...]] = {
            _STICKING: sticking,
            _BOUNCING: bouncing,
            _JAMMING: jamming,
        }
        self._kind = _STICKING
        self._runs: tuple[RunStyle, ...] = ()
        self._radii: list[float] = []  # mean radius of each run
        self._counts: list[int] = []
        self._alone: int | None = None
        self._theme = LIGHT

        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        for card in self._every:
            layout.addWidget(card, 2 if card in (self.convergence, self.jam_convergence) else 1)
            card.alone_asked.connect(lambda number=card.number: self.focus_plot(number))
        layout.addStretch(0)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(content)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.legend)
        outer.addWidget(self._scroll)
        self.setMinimumWidth(240)
        self.set_runs(_ONE_RUN)
        self.set_theme(self.palette().window().color().lightnessF() < 0.5)

    # which system

    @property
    def cards(self) -> tuple[PlotCard, ...]:
        """The plots of the present system, by their number."""
        return self._of_system[self._kind]

    @property
    def kind(self) -> str:
        """The system whose plots are shown: ``"aggregation"``, ``"hard-discs"`` or ``"jamming"``."""
        return self._kind

    def set_kind(self, kind: str) -> None:
        """Show the plots of this system; those of another one lose their data. One without plots of its own has those
        of aggregation."""
        kind = kind if kind in self._of_system else _STICKING
        if kind == self._kind:
            return
        self.clear()
        self._kind = kind
        self.show_only(self._alone if self._alone is not None and self._alone <= len(self.cards) else None)

    # data

    @property
    def runs(self) -> tuple[RunStyle, ...]:
        """The runs that are drawn."""
        return self._runs

    def set_runs(self, runs: Sequence[RunStyle]) -> None:
        """One run or two. Those that were there before keep their data, and where as many stay, a run that goes on
        with another method does; what belongs to the others goes."""
        if not 1 <= len(runs) <= 2:
            raise ValueError(f"the plots show one run or two, not {len(runs)}")
        if tuple(runs) == self._runs:
            return
        sources = carried_over(self._runs, runs)
        self._radii = [1.0 if source is None else self._radii[source] for source in sources]
        self._counts = [1 if source is None else self._counts[source] for source in sources]
        self._runs = tuple(runs)
        for card in self._every:
            card.set_runs(runs, sources)
        self.legend.set_runs(runs, looks(runs, self._theme))
        self.show_only(self._alone)

    def set_system(self, radii: NDArray[np.float64], run: int = 0) -> None:
        """The discs that the next data of a run belong to: radii (N,). Takes what is drawn of it away."""
        self._radii[run] = float(np.mean(radii))
        self._counts[run] = len(radii)
        for card in self._every:
            card.set_data(None, run)
            card.view.follow()

    def refresh(self, indicators: Any, history: Any, time: float, run: int = 0) -> None:
        """Draw engine Indicators and History (either may be None) of a run at the simulation time `time`."""
        cards = self._of_system[_STICKING][:-1]  # the convergence comes apart
        self._draw(cards, records(indicators, history, time, self._radii[run], self._counts[run]), run)

    def refresh_gas(self, gas: GasData, time: float, run: int = 0) -> None:
        """Draw what there is to say of discs that bounce at the simulation time `time`."""
        self._draw(self._of_system[_BOUNCING], gas_records(gas, time, self._radii[run]), run)

    def refresh_jamming(self, data: JammingData, run: int = 0) -> None:
        """Draw what there is to say of discs that jam."""
        self._draw(self._of_system[_JAMMING], jamming_records(data), run)

    def set_pooled(self, pooled: bool) -> None:
        """Forces and gaps of all packings that have jammed with the present settings, or of the last one alone."""
        for law in (self.forces, self.gaps):
            law.set_pooled(pooled)

    def refresh_convergence(self, convergence: Any, tolerance: float, run: int = 0) -> None:
        """Draw an engine Convergence of a run (None for a method without), over the tolerance of the minimisation."""
        self._draw((self.convergence,), (Steps.of(convergence, tolerance),), run)

    def clear(self) -> None:
        """Back to the empty states."""
        for card in self._every:
            for run in range(len(self._runs)):
                card.set_data(None, run)

    def _draw(self, cards: Sequence[PlotCard], data: Sequence[Any], run: int) -> None:
        with _painted_at_once([view for card in cards for view in card.findChildren(PlotView) if view.isVisible()]):
            for card, one in zip(cards, data, strict=True):
                card.set_data(one, run)

    # which plots are seen

    @property
    def shown(self) -> int | None:
        """The number of the plot that is alone, None where all are shown."""
        return self._alone

    def show_only(self, number: int | None) -> None:
        """One plot (1 to 5, of discs that bounce 1 to 7) alone; None brings all back, the convergence only where a run
        has something to converge."""
        if number is not None and not 1 <= number <= len(self.cards):
            raise ValueError(f"there is no plot {number}")
        self._alone = number
        for card in self._every:
            mine = card in self.cards
            card.set_alone(mine and card.number == number)
            card.setVisible(mine and (card.number == number or (number is None and self._has_place(card))))

    def focus_plot(self, number: int) -> None:
        """One plot alone with the keyboard focus; the same number again brings all back."""
        self.show_only(None if self._alone == number else number)
        card = self.cards[number - 1]
        card.view.setFocus()
        self._scroll.ensureWidgetVisible(card)

    def set_theme(self, dark: bool) -> None:
        """Colours for a dark or a light ground."""
        self._theme = theme(dark)
        self.legend.set_runs(self._runs, looks(self._runs, self._theme))
        for card in self._every:
            card.set_theme(self._theme)

    def _has_place(self, card: PlotCard) -> bool:
        return card is not self.convergence or any(run.method == "time-stepping" for run in self._runs)


@contextmanager
def _painted_at_once(views: Sequence[PlotView]) -> Iterator[None]:
    """Paint what changes together. A scene that has changed has Qt paint and compose the window when it comes to it,
    with all other scenes still to come: here each of them does so while there is nothing to paint."""
    for view in views:
        view.setUpdatesEnabled(False)
    try:
        yield
        for view in views:
            view.scene().prepareForPaint()  # ranges change here, else while it is painted
            QCoreApplication.sendPostedEvents(view.scene(), QEvent.Type.MetaCall.value)
    finally:
        for view in views:
            view.setUpdatesEnabled(True)
