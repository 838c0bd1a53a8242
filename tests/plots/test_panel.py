"""The panel with the plots of a system: which of them are shown, made and drawn, for one run and for two."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel, RunStyle
from aggviewer.plots.card import PlotCard
from aggviewer.plots.drawing import Axes, PlotDrawing, PlotSeries
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot, PlotChoice
from aggviewer.plots.runs import matching_runs
from aggviewer.plots.view import PlotView
from aggviewer.session.data import Analysis
from aggviewer.style.theme import DARK, LIGHT
from aggviewer.systems.aggregation.coarsening import CoarseningPlot, ConvergencePlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot, ContactsPlot, PairDistributionPlot
from aggviewer.systems.registry import plots_of
from aggviewer.systems.state_plots import StructureFactorPlot
from tests.plots.aggregate_data import aggregate, merging
from tests.plots.gas_data import gas
from tests.plots.panels import (
    data_of,
    give,
    kept_of,
    open_plot,
    panel_of_heads,
    plot_of,
    plots_panel,
    shown_panel,
    style_of,
    unfold_all,
)
from tests.waiting import laid_out

ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")
FINE, COARSE = RunStyle("f = 0.25", "time-stepping"), RunStyle("f = 0.5", "time-stepping", 1)


@pytest.fixture
def panel(qtbot: QtBot) -> PlotsPanel:
    """A panel of aggregates on the screen, all folded."""
    return shown_panel(qtbot)


@pytest.fixture
def gas_panel(qtbot: QtBot) -> PlotsPanel:
    """A panel of a gas on the screen, as it is at first."""
    made = plots_panel("hard-discs")
    qtbot.addWidget(made)
    made.resize(340, 900)
    made.show()
    made.begin()
    return made


# which plots are shown


def test_the_plots_follow_the_system(qtbot: QtBot) -> None:
    panel = panel_of_heads(qtbot, "aggregation")
    before = panel.cards
    for card in before:
        card.make()
    panel.set_theme(DARK)
    panel.show_only(len(before))
    chosen = panel.seen
    for system in ("hard-discs", "jamming"):
        panel.set_system(system)
        assert [type(card.plot) for card in panel.cards] == [type(plot) for plot in plots_of(system)]
        assert [card.number for card in panel.cards] == [*range(1, len(panel.cards) + 1)]
        assert {card.theme for card in panel.cards} == {DARK}
        assert [card.number for card in panel.cards if card.isVisible()] == [*panel.seen] != []
        assert not any(card.isVisible() for card in before)
    with pytest.raises(ValueError, match="no plot 12"):
        panel.show_only(12)
    panel.set_system("of the future")  # none of its own
    assert (panel.cards, panel.choice) == ((), ())
    panel.set_system("aggregation")
    assert panel.cards == before
    assert panel.seen == chosen, "what was chosen of its plots is shown again"


def test_one_plot_is_enlarged_by_its_number_or_its_button_and_all_come_again(qtbot: QtBot, panel: PlotsPanel) -> None:
    def visible() -> list[int]:
        return [card.number for card in panel.cards if card.isVisible()]

    unfold_all(panel)
    panel.focus_plot(2)
    assert panel.enlarged == 2
    assert visible() == [2]
    assert panel.focusWidget() is open_plot(panel, PairDistributionPlot).view
    panel.focus_plot(3)
    assert visible() == [3]
    panel.focus_plot(3)
    assert panel.enlarged is None
    assert visible()[:4] == [1, 2, 3, 4]
    for shown in (3, None):
        qtbot.mouseClick(open_plot(panel, ContactsPlot).head.enlarge, Qt.MouseButton.LeftButton)
        assert panel.enlarged == shown
    panel.focus_plot(5)
    assert open_plot(panel, ConvergencePlot).isVisible(), "also one that has no place among the others"
    large = open_plot(panel, ConvergencePlot).view.font().pointSizeF()
    panel.choose([1, 2])
    assert visible() == [1, 2], "a lesson that chooses plots shows them"
    assert open_plot(panel, ConvergencePlot).view.font().pointSizeF() < large, "in smaller type"


def test_a_closed_panel_is_freed_and_starts_no_timer(qtbot: QtBot, indicators: Any) -> None:
    """A part of the window that closes later, such as a lesson, may give back the choice of plots."""
    panel = plots_panel()
    panel.show()
    panel.begin()
    panel.refresh(aggregate(indicators, merging(400, 50), 12.0))
    gone = weakref.ref(panel)
    panel.close()
    for choice in (None, (1, 2)):
        panel.choose(choice)
    panel.cards[0].seen_changed.emit()
    assert not [timer for timer in panel.findChildren(QTimer) if timer.isActive()]
    panel.deleteLater()
    del panel

    def is_gone() -> bool:
        gc.collect()
        return gone() is None

    qtbot.waitUntil(is_gone)


# when a plot is made and drawn


def test_a_plot_that_is_folded_or_hidden_is_not_drawn_and_catches_up(panel: PlotsPanel, indicators: Any) -> None:
    folded, hidden = (open_plot(panel, plot) for plot in (BoxCountingPlot, PairDistributionPlot))
    folded.head.fold.setChecked(False)
    panel.refresh(aggregate(indicators, None, 1.0))
    assert len(data_of(folded, "points")[0]) == 0
    folded.head.fold.setChecked(True)
    assert len(data_of(folded, "points")[0]) == 10
    panel.begin()
    panel.show_only(1)
    panel.refresh(aggregate(indicators, None, 1.0))
    assert len(data_of(hidden, "curve")[0]) == 0
    panel.show_only(None)
    assert len(data_of(hidden, "curve")[0]) > 0


def test_what_the_plots_say_without_data_is_about_the_bodies_in_the_box_and_fits_a_narrow_panel(qtbot: QtBot) -> None:
    """The box is known before its run is."""
    for system, dimensions in product(("aggregation", "hard-discs", "jamming"), (3, 2)):
        panel = plots_panel(system)
        qtbot.addWidget(panel)
        panel.set_system(system, dimensions)
        panel.resize(240, 600)
        panel.show()
        unfold_all(panel)
        laid_out(panel)
        for card in panel.cards:
            said, body = card.view.empty_text, card.view.texts()[-1]
            assert ("spheres" if dimensions == 2 else "disc") not in said.replace("discs in the plane", "")
            assert body.heightForWidth(body.width()) <= body.height(), f"{said} is cut"
        panel.hide()


def test_a_plot_says_its_time_wherever_it_is_not_the_pictures(panel: PlotsPanel, indicators: Any) -> None:
    """Under the pointer a plot has icons in the place of its time."""
    card = unfold_all(panel).cards[0]
    panel.refresh(aggregate(indicators, merging(400, 50), 12.0))
    panel.show_time(12.0)
    card.head.reveal(True)
    assert card.head.moment.isHidden()
    panel.show_time(12.5)
    assert card.head.moment.text() == "t = 12.00"
    assert not card.head.moment.isHidden()
    panel.refresh(aggregate(indicators, merging(400, 50), 12.5))
    assert card.head.moment.isHidden()
    assert card.minimumSizeHint().width() <= 240 - 16, "a narrow panel fits them all"


def test_another_run_empties_all_plots(panel: PlotsPanel, indicators: Any) -> None:
    cards = unfold_all(panel).cards
    panel.refresh(aggregate(indicators, merging(400, 50), 12.0))
    assert any(card.view.drawn for card in cards)
    assert open_plot(panel, CoarseningPlot).head.moment.text() == "t = 12.00"
    panel.begin()
    for card in cards:
        assert card.view.empty_text
        assert card.view.value == ""
        assert not card.view.drawn


def test_a_plot_that_fails_says_so_and_the_others_go_on(
    panel: PlotsPanel, indicators: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_given: object) -> None:
        raise ZeroDivisionError("no discs")

    failing = open_plot(panel, PairDistributionPlot)
    with monkeypatch.context() as patch:
        patch.setattr(failing.plot, "prepare", fails)
        panel.refresh(aggregate(indicators, None, 12.0))
    words = "cannot be drawn: ZeroDivisionError: no discs (test_panel.py, line 208)"
    assert failing.view.empty_text == f"{failing.title} {words}"
    assert not open_plot(panel, BoxCountingPlot).view.empty_text
    panel.refresh(aggregate(indicators, None, 14.0))
    assert not failing.view.empty_text


def test_plots_that_are_folded_at_first_are_made_when_they_are_looked_at(gas_panel: PlotsPanel) -> None:
    gas_panel.refresh(gas())
    gas_panel.set_theme(DARK)
    folded = [card for card in gas_panel.cards if card.plot.folded_at_first]
    assert len(folded) > 4
    assert not any(card.has_body or card.findChildren(PlotView) or card.head.keep.isEnabled() for card in folded)
    waves = plot_of(gas_panel, StructureFactorPlot)
    waves.head.fold.setChecked(True)
    assert_allclose(data_of(waves, "curve")[1], gas().indicators.structure_factor.s)
    assert waves.head.keep.isEnabled()
    assert sum(card.has_body for card in folded) == 1
    at: QWidget | None = waves.head.enlarge
    while at is not None and not isinstance(at, PlotView):  # keys come to it after its head
        at = at.nextInFocusChain()
    assert at is waves.view
    waves.head.fold.setChecked(False)
    assert waves.body.isHidden()
    gas_panel.begin()
    waves.head.fold.setChecked(True)
    assert not waves.shows_data, "what waited to be drawn is gone with its run"


def test_choices_for_a_plot_that_is_not_made_yet_hold(gas_panel: PlotsPanel) -> None:
    card = plot_of(gas_panel, StructureFactorPlot)
    card.make()
    card.body.choose_logarithmic(0, 0, False)
    card.fits.choose((2.0, 8.0))
    card.fits.settled.emit()
    gas_panel.refresh(gas())
    gas_panel.keep_as_reference(card)
    again = plots_panel("hard-discs")
    give(again, kept_of(gas_panel))
    again.set_theme(DARK)
    later = plot_of(again, StructureFactorPlot)
    assert not later.has_body
    again.refresh(gas())
    later.draw_all()
    assert later.body.look() == card.body.look()
    assert later.fits.chosen == (2.0, 8.0)
    assert [one.name for one, _ in later.references] == [one.name for one in gas_panel.references]
    assert later.theme is DARK
    again.deleteLater()


def test_plots_that_are_seen_are_made_one_after_the_other(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = panel_of_heads(qtbot, "hard-discs")
    panel.refresh(gas())  # a state may come before there is anything to draw it in
    seen = [card for card in panel.cards if card.seen]
    assert len(seen) > 2
    assert not any(card.has_body for card in panel.cards)
    done: list[str] = []
    usual = PlotCard.make

    def make(card: PlotCard) -> None:
        if not card.has_body:
            done.append("made")
        usual(card)

    monkeypatch.setattr(PlotCard, "make", make)
    turns = QTimer()
    turns.timeout.connect(lambda: done.append("-"))
    turns.start(0)
    qtbot.waitUntil(lambda: all(card.has_body for card in seen))
    turns.stop()
    assert done.count("made") == len(seen)
    assert ("made", "made") not in pairwise(done), "the window has its turn between two"
    assert [card.has_body for card in panel.cards] == [card in seen for card in panel.cards]
    qtbot.waitUntil(lambda: all(card.shows_data for card in seen))


def test_a_state_that_comes_just_after_a_plot_was_made_is_drawn(qtbot: QtBot) -> None:
    """Qt shows what is below the head a moment later, and says nothing to the plot."""
    panel = panel_of_heads(qtbot, "hard-discs")
    card = next(card for card in panel.cards if card.seen)
    card.make()
    panel.refresh(gas())
    laid_out(panel)
    assert card.shows_data
    assert not card.view.empty_text


# two runs


def compare(panel: PlotsPanel, indicators: Any, runs: list[RunStyle]) -> None:
    """Fill a panel with runs of the same indicators, of discs of radius 0.25 and 0.5, whose energy falls as powers."""
    panel.set_runs(runs)
    for run in range(len(runs)):
        panel.begin(run)
        past = merging(400, 50)
        past.kinetic_energy[:] **= 1.0 + run
        panel.refresh(aggregate(indicators, past, 12.0, radius=0.25 * (1 + run)), run)


def test_a_run_that_stays_keeps_its_data_and_the_other_goes(panel: PlotsPanel, indicators: Any) -> None:
    compare(panel, indicators, [ED, TS])
    card = open_plot(panel, PairDistributionPlot)
    kept = data_of(card, "curve", 1)
    panel.set_runs([TS])
    assert len(card.drawings) == 1
    assert_allclose(data_of(card, "curve"), kept)
    panel.set_runs([ED])  # it goes on with another method
    assert_allclose(data_of(card, "curve"), kept)
    assert style_of(card, "curve").colour == LIGHT.event_driven
    panel.set_runs([ED, TS])
    assert len(data_of(card, "curve", 1)[0]) == 0
    assert_allclose(data_of(card, "curve"), kept)
    compare(panel, indicators, [ED, TS])
    panel.begin(1)
    assert [len(data_of(card, "curve", run)[0]) > 0 for run in range(2)] == [True, False]
    assert card.view.empty_text == ""


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ([ED], [TS], [0]),
        ([ED], [ED, TS], [0, None]),
        ([ED, TS], [TS], [1]),
        ([ED, TS], [TS, ED], [1, 0]),
        ([ED, TS], [TS, COARSE], [1, None]),
        ([FINE, COARSE], [FINE, RunStyle("f = 0.4", "time-stepping", 1)], [0, 1]),
        ([], [ED], [None]),
    ],
)
def test_a_run_goes_on_with_the_data_of_the_same_run_or_of_the_one_in_its_place(
    before: list[RunStyle], now: list[RunStyle], expected: list[int | None]
) -> None:
    assert matching_runs(before, now) == expected


# switches in the heads of plots, which plug-ins can declare


class Height(Plot):
    """One point at height 1, or 2 if the choice is made."""

    title = "Height"
    axes = Axes("t", "h")
    choices = (PlotChoice("double", "Doubled ({})", "2 x ({})", "Twice the height"),)

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing:
        height = 2.0 if choices.get("double") else 1.0
        return PlotDrawing((PlotSeries("points", np.ones(1), np.array([height])),), choice_counts={"double": 7})


class OtherHeight(Height):
    """Another plot of the same system with the same choice."""


def test_a_switch_applies_to_all_plots_of_the_system_that_have_it(qtbot: QtBot) -> None:
    panel = PlotsPanel(lambda system: (Height(), OtherHeight()))
    qtbot.addWidget(panel)
    panel.show()
    panel.set_system("aggregation")
    panel.refresh(aggregate())
    cards = [open_plot(panel, plot) for plot in (Height, OtherHeight)]
    assert [card.head.switches["double"].accessibleName() for card in cards] == ["Doubled (7)"] * 2
    for card, height in zip(cards, (2.0, 1.0), strict=True):
        card.head.switches["double"].click()
        assert [data_of(one, "points")[1].tolist() for one in cards] == [[height]] * 2
