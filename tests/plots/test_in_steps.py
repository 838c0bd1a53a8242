"""What changes all plots at once can be done a plot a step, so that the window goes on in between."""

from __future__ import annotations

from typing import Any

import pytest
from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel
from aggviewer.plots.card import PlotCard
from aggviewer.plots.runs import RunStyle
from aggviewer.style.theme import DARK
from aggviewer.systems.registry import plots_of
from tests.plots.panels import aggregate, history

ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")


def panel_on_screen(qtbot: QtBot) -> PlotsPanel:
    panel = PlotsPanel(plots_of, one_by_one=True)
    qtbot.addWidget(panel)
    panel.resize(340, 900)
    panel.show()
    panel.set_kind("aggregation")
    for card in panel.cards:
        card.make()
    return panel


def test_the_plots_of_another_system_are_made_a_head_a_step_and_shown_together(qtbot: QtBot) -> None:
    panel = panel_on_screen(qtbot)
    before = panel.findChildren(PlotCard)
    seen = [card for card in before if card.isVisible()]
    made: list[PlotCard] = []
    counts = []
    for _ in panel.prepare("hard-discs"):
        made = [card for card in panel.findChildren(PlotCard) if card not in before]
        counts.append(len(made))
        qtbot.wait(1)
        assert [card for card in panel.findChildren(PlotCard) if card.isVisible()] == seen, (
            "nothing is shown of them yet"
        )
    assert counts == [*range(1, len(plots_of("hard-discs")) + 1)]
    panel.set_kind("hard-discs")
    assert [*panel.cards] == sorted(made, key=lambda card: card.number)
    assert [card.number for card in panel.cards if card.isVisible()] == [*panel.seen]
    assert panel.seen
    assert not any(card.isVisible() for card in seen)
    assert not [*panel.prepare("aggregation")], "they are there"


def test_whoever_shows_them_before_makes_what_is_left(qtbot: QtBot) -> None:
    panel = panel_on_screen(qtbot)
    steps = panel.prepare("jamming")
    next(steps)
    next(steps)
    panel.set_theme(DARK)
    panel.set_kind("jamming")
    cards = panel.cards
    assert [type(card.plot) for card in cards] == [type(plot) for plot in plots_of("jamming")]
    assert {card.theme for card in cards} == {DARK}
    assert not [*steps]
    assert panel.cards is cards
    pooling = [card for card in cards if "pooled" in card.choices()]
    assert len(pooling) > 1
    pooling[0].choice_made.emit("pooled", True)
    assert [card.choices()["pooled"] for card in pooling] == [True] * len(pooling)


def test_where_a_plug_in_was_loaded_again_meanwhile_they_are_made_anew(qtbot: QtBot) -> None:
    class Again(type(plots_of("hard-discs")[0])):  # type: ignore[misc]
        pass

    found = {"aggregation": plots_of("aggregation"), "hard-discs": plots_of("hard-discs")}
    panel = PlotsPanel(found.__getitem__, one_by_one=True)
    qtbot.addWidget(panel)
    panel.set_kind("aggregation")
    steps = panel.prepare("hard-discs")
    next(steps)
    next(steps)
    found["hard-discs"] = (Again(), *found["hard-discs"][1:])
    for _ in steps:
        pass
    panel.set_kind("hard-discs")
    assert [card.plot for card in panel.cards] == [*found["hard-discs"]]


def test_two_runs_come_to_the_plots_one_after_the_other_and_to_the_legend_last(qtbot: QtBot) -> None:
    panel = panel_on_screen(qtbot)
    assert len(panel.cards) > 2
    states = []
    for _ in panel.follow_runs([ED, TS]):
        states.append([len(card.drawings) for card in panel.cards])
        assert panel.legend.isHidden()
    assert states == [[2] * (k + 1) + [1] * (len(panel.cards) - k - 1) for k in range(len(panel.cards))]
    assert not panel.legend.isHidden()
    assert panel.runs == (ED, TS)
    assert not [*panel.follow_runs([ED, TS])], "nothing is new"


def test_plots_of_another_system_come_to_the_runs_when_they_are_shown(qtbot: QtBot) -> None:
    panel = panel_on_screen(qtbot)
    others = panel.cards
    panel.set_kind("hard-discs")
    panel.set_runs([ED, TS])
    assert {len(card.drawings) for card in others} == {1}
    assert len([*panel.prepare("aggregation")]) == len(others), "a plot a step"
    assert {len(card.drawings) for card in others} == {2}
    panel.set_runs([TS])
    panel.set_kind("aggregation")
    assert {len(card.drawings) for card in others} == {1}
    assert {card.runs for card in others} == {(TS,)}
    panel.begin(0)


class Painting(QObject):
    """How often a window is brought to the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        self.times += event is not None and event.type() == QEvent.Type.UpdateRequest
        return False


@pytest.mark.parametrize("system", ["aggregation", "hard-discs"])
def test_the_window_is_painted_together_when_several_plots_have_changed(
    qtbot: QtBot, indicators: Any, system: str
) -> None:
    """Qt would paint all of it for each scene that has changed."""
    panel = panel_on_screen(qtbot)
    qtbot.waitExposed(panel)
    for kind in ("hard-discs", "aggregation"):  # all plots have been made and seen
        panel.set_kind(kind)
        for card in panel.cards:
            card.make()
        qtbot.wait(100)
    panel.refresh(aggregate(indicators, history(), 90.0))  # live numbers have taken their room
    qtbot.wait(100)
    painting = Painting()
    panel.installEventFilter(painting)
    if system == "aggregation":
        panel.refresh(aggregate(indicators, history(), 100.0))
    else:
        panel.set_kind(system)
    drawn = [view for card in panel.cards for view in (card.views if card.seen else ())]
    assert len(drawn) > 2
    qtbot.waitUntil(lambda: painting.times > 0, timeout=20_000)
    QApplication.processEvents()
    assert painting.times <= 2, "the second one where live numbers take another size"
