"""A plot that is folded at first is its head alone, and when it is made it is as if it had been there all the time."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel
from aggviewer.plots.card import PlotCard
from aggviewer.plots.drawing import Axes
from aggviewer.plots.head import CornerText
from aggviewer.plots.view import PlotView
from aggviewer.style.theme import DARK
from aggviewer.systems.state_plots import StructureFactorPlot, VelocityCorrelationPlot
from tests.plots.gas_data import gas
from tests.plots.panels import data_of, give, kept_of, panel_of_heads, plot_of, plots_panel
from tests.waiting import laid_out, wait_until


@pytest.fixture
def panel(qtbot: QtBot) -> PlotsPanel:
    """A panel of a gas on the screen, as it is at first."""
    made = plots_panel("hard-discs")
    qtbot.addWidget(made)
    made.resize(340, 900)
    made.show()
    made.begin()
    return made


def test_folded_plots_are_made_when_they_are_looked_at(panel: PlotsPanel) -> None:
    panel.refresh(gas())
    panel.set_theme(DARK)
    folded = [card for card in panel.cards if card.plot.folded_at_first]
    assert len(folded) > 4
    assert not any(card.made or card.findChildren(PlotView) for card in folded)
    assert not any(card.head.keep.isEnabled() for card in folded)
    waves = plot_of(panel, StructureFactorPlot)
    waves.head.fold.setChecked(True)
    assert waves.made
    assert_allclose(data_of(waves, "curve")[1], gas().indicators.structure_factor.s)
    assert waves.head.keep.isEnabled()
    assert sum(card.made for card in folded) == 1
    waves.head.fold.setChecked(False)
    assert waves.body.isHidden()


def test_what_was_chosen_for_it_before_it_is_made_holds(panel: PlotsPanel) -> None:
    card = plot_of(panel, StructureFactorPlot)
    card.make()
    card.body.choose_logarithmic(0, 0, False)
    card.fits.choose((2.0, 8.0))
    card.fits.settled.emit()
    panel.refresh(gas())
    panel.keep_as_reference(card)
    kept = kept_of(panel)
    again = plots_panel("hard-discs")
    give(again, kept)
    again.set_theme(DARK)
    later = plot_of(again, StructureFactorPlot)
    assert not later.made
    again.refresh(gas())
    later.draw_all()
    assert later.body.look() == card.body.look()
    assert later.fits.chosen == (2.0, 8.0)
    assert [one.name for one, _ in later.references] == [one.name for one in panel.references]
    assert later.theme is DARK
    again.deleteLater()


@pytest.mark.parametrize("ask", [PlotCard.table, lambda card: card.kept_curves(0), PlotCard.draw_all])
def test_whoever_asks_for_what_it_draws_gets_it(panel: PlotsPanel, ask: Any) -> None:
    panel.refresh(gas())
    card = plot_of(panel, VelocityCorrelationPlot)
    ask(card)
    assert card.shows_data
    r, c = data_of(card, "total")
    assert len(r) > 3
    assert np.isfinite(c).all()


def test_another_system_takes_away_what_waited_to_be_drawn(panel: PlotsPanel) -> None:
    panel.refresh(gas())
    panel.begin()
    card = plot_of(panel, StructureFactorPlot)
    card.head.fold.setChecked(True)
    assert not card.shows_data


def test_the_keys_come_to_it_after_its_head(panel: PlotsPanel) -> None:
    waves, following = plot_of(panel, StructureFactorPlot), None
    waves.head.fold.setChecked(True)
    at: QWidget | None = waves.head.alone
    for _ in range(40):
        at = at.nextInFocusChain() if at is not None else None
        if isinstance(at, PlotView):
            following = at
            break
    assert following is waves.view


def test_a_drawing_area_has_no_widgets_that_nobody_sees(qtbot: QtBot) -> None:
    before = set(QApplication.allWidgets())
    view = PlotView(Axes("t", "M"))
    qtbot.addWidget(view)
    made = set(QApplication.allWidgets()) - before
    assert not any(isinstance(widget, QMenu) for widget in made)
    assert len(made) < 12, "the view, its viewport, bars that scroll and two texts"


def test_the_label_of_a_low_axis_does_not_run_into_that_of_another(qtbot: QtBot) -> None:
    around = QWidget()
    qtbot.addWidget(around)
    view = PlotView(Axes("step", "iterations of the minimisation"))
    view.setParent(around)
    view.set_theme(DARK)
    around.show()
    axis = view.getPlotItem().getAxis("left")
    for height, there in ((120, False), (300, True), (120, False)):
        view.resize(320, height)
        laid_out(view)
        assert axis.label.isVisible() == there, f"at {height} pixels"


def test_numbers_side_by_side_are_apart(qtbot: QtBot) -> None:
    around, close = QWidget(), QLabel("kT = <b>0.5</b> a = <b>1</b>")
    text = CornerText(around, Qt.AlignmentFlag.AlignLeft)
    text.write("kT = <b>0.5</b><br>a = <b>1</b>")
    text.fit(400)
    assert text.width() > close.sizeHint().width() + 2 * text.fontMetrics().horizontalAdvance(" ")


def test_the_window_is_told_of_a_plot_that_its_data_have_made(panel: PlotsPanel) -> None:
    """Presenter mode gives it its large type then."""
    made: list[bool] = []
    panel.plot_made.connect(lambda: made.append(True))
    card = plot_of(panel, StructureFactorPlot)
    assert not card.made
    card.set_data(None)
    wait_until(lambda: bool(made))


def test_plots_that_are_seen_are_made_one_after_the_other(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = panel_of_heads(qtbot, "hard-discs")
    panel.refresh(gas())  # a state may come before there is anything to draw it in
    seen = [card for card in panel.cards if card.seen]
    assert len(seen) > 2
    assert not any(card.made for card in panel.cards)
    done: list[str] = []
    usual = PlotCard.make

    def make(card: PlotCard) -> None:
        if not card.made:
            done.append("made")
        usual(card)

    monkeypatch.setattr(PlotCard, "make", make)
    turns = QTimer()
    turns.timeout.connect(lambda: done.append("-"))
    turns.start(0)
    qtbot.waitUntil(lambda: all(card.made for card in seen))
    turns.stop()
    assert done.count("made") == len(seen)
    assert ("made", "made") not in pairwise(done), "the window has its turn between two"
    assert [card.made for card in panel.cards] == [card in seen for card in panel.cards]
    qtbot.waitUntil(lambda: any(card.shows_data for card in seen))
    at_once = plots_panel("hard-discs")
    qtbot.addWidget(at_once)
    at_once.resize(340, 900)
    at_once.show()
    at_once.refresh(gas())
    again = [card for card in at_once.cards if card.seen]
    assert [card.shows_data for card in seen] == [card.shows_data for card in again]
    assert [list(card.table()) for card in seen] == [list(card.table()) for card in again]


def test_a_state_that_comes_just_after_a_plot_was_made_is_drawn(qtbot: QtBot) -> None:
    """Qt shows what is below the head a moment later, and says nothing to the plot."""
    panel = panel_of_heads(qtbot, "hard-discs")
    card = next(card for card in panel.cards if card.seen)
    card.make()
    panel.refresh(gas())
    laid_out(panel)
    assert card.shows_data
    assert not card.view.empty_text


def test_all_plots_come_back_in_one_layout(panel: PlotsPanel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel.refresh(gas())
    laid_out(panel)
    panel.show_only(1)
    laid_out(panel)
    sizes: Counter[PlotView] = Counter()
    usual = PlotView.resizeEvent

    def resized(view: PlotView, event: Any) -> None:
        sizes[view] += 1
        usual(view, event)

    monkeypatch.setattr(PlotView, "resizeEvent", resized)
    panel.show_only(None)
    seen = [card for card in panel.cards if card.seen]
    assert len(seen) > 2
    assert all(card.height() > card.head.sizeHint().height() for card in seen)
    assert sizes
    assert max(sizes.values()) <= 2  # once as it is shown, once in its place


def test_a_plot_that_nobody_sees_follows_the_font_when_it_is_shown(panel: PlotsPanel, qtbot: QtBot) -> None:
    panel.refresh(gas())
    panel.show_only(1)
    laid_out(panel)
    first, second = (card.view for card in panel.cards[:2])
    before = second.getPlotItem().getAxis("left").width()
    larger = QFont(panel.font())
    larger.setPointSizeF(2.0 * larger.pointSizeF())
    panel.setFont(larger)
    assert first.getPlotItem().getAxis("left").width() > 1.5 * before
    assert second.getPlotItem().getAxis("left").width() == before
    panel.show_only(2)
    assert second.getPlotItem().getAxis("left").width() == first.getPlotItem().getAxis("left").width()


def test_what_is_arranged_after_it_was_closed_starts_no_timer(panel: PlotsPanel) -> None:
    """A part of the window that closes later, such as a lesson, may give back the choice of plots."""
    panel.close()
    panel.choose(None)
    panel.choose((1, 2))
    panel.cards[0].seen_changed.emit()
    assert not [timer for timer in panel.findChildren(QTimer) if timer.isActive()]
