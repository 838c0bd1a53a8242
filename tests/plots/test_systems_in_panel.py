"""One panel for the plots of several systems: whose plots are shown, and what those of the others keep."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel
from aggviewer.plots.card import PlotCard
from aggviewer.plots.runs import RunStyle
from aggviewer.style.theme import DARK
from aggviewer.systems.registry import plots_of
from tests.plots.panels import folded_panel, panel_of_heads, unfold_all
from tests.waiting import wait_until

ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")


def panel_on_screen(qtbot: QtBot) -> PlotsPanel:
    panel = panel_of_heads(qtbot, "aggregation")
    for card in panel.cards:
        card.make()
    return panel


def test_the_plots_of_another_system_take_the_place_of_those_of_the_first(qtbot: QtBot) -> None:
    panel = panel_on_screen(qtbot)
    before = panel.findChildren(PlotCard)
    panel.set_theme(DARK)
    panel.set_kind("jamming")
    cards = panel.cards
    assert [type(card.plot) for card in cards] == [type(plot) for plot in plots_of("jamming")]
    assert {card.theme for card in cards} == {DARK}
    assert [card.number for card in cards if card.isVisible()] == [*panel.seen]
    assert panel.seen
    assert not any(card.isVisible() for card in before)
    panel.set_kind("aggregation")
    assert [*panel.cards] == before


def test_where_a_plug_in_was_loaded_again_they_are_made_anew(qtbot: QtBot) -> None:
    class Again(type(plots_of("hard-discs")[0])):  # type: ignore[misc]
        pass

    found = {"aggregation": plots_of("aggregation"), "hard-discs": plots_of("hard-discs")}
    panel = PlotsPanel(found.__getitem__, one_by_one=True)
    qtbot.addWidget(panel)
    panel.set_kind("hard-discs")
    panel.set_kind("aggregation")
    found["hard-discs"] = (Again(), *found["hard-discs"][1:])
    panel.set_kind("hard-discs")
    assert [card.plot for card in panel.cards] == [*found["hard-discs"]]


def test_plots_of_another_system_come_to_the_runs_when_they_are_shown(qtbot: QtBot) -> None:
    panel = panel_on_screen(qtbot)
    others = panel.cards
    panel.set_kind("hard-discs")
    panel.set_runs([ED, TS])
    assert {len(card.drawings) for card in others} == {1}
    panel.set_kind("aggregation")
    assert {len(card.drawings) for card in others} == {2}
    panel.set_kind("hard-discs")
    panel.set_runs([TS])
    panel.set_kind("aggregation")
    assert {len(card.drawings) for card in others} == {1}
    assert {card.runs for card in others} == {(TS,)}
    panel.begin(0)


def test_in_space_plots_are_about_spheres_and_back_in_the_plane_about_discs(qtbot: QtBot) -> None:
    panel = panel_of_heads(qtbot, "jamming")
    (here,) = (number for number, card in enumerate(panel.cards) if card.plot.key() == "jam_contacts")

    def words() -> list[str]:
        plot = panel.cards[here].plot
        return [plot.title, plot.axes.y, plot.empty_text.split(",")[0]]

    plane = ["Contacts per disc", "discs", "How many contacts hold each disc"]
    assert words() == plane
    panel.set_runs([RunStyle("LP", "linear-programs", dimensions=3)])
    assert words() == [text.replace("disc", "sphere") for text in plane]
    assert panel.cards[here].view.axes.y == "spheres"
    panel.set_runs([RunStyle("LP", "linear-programs")])
    assert words() == plane


@pytest.mark.parametrize("system", ["aggregation", "hard-discs", "jamming"])
def test_what_a_low_plot_says_without_data_and_beside_its_axis_is_whole_in_plane_and_space(
    qtbot: QtBot, system: str
) -> None:
    panel = folded_panel(system)
    qtbot.addWidget(panel)
    panel.resize(256, 690)  # as in a window of 1280 pixels
    panel.show()
    panel.begin()
    for dimensions in (2, 3):
        panel.set_runs([RunStyle("one", "method", dimensions=dimensions)])
        for card in unfold_all(panel).cards:
            if card.isVisible():
                (empty,) = card.view.texts()
                wait_until(lambda view=card.view: view.width() > 200 and view.texts()[0].width() > 100)
                assert empty.heightForWidth(empty.width()) <= empty.height(), (card.plot.title, dimensions)
                label = card.view.getPlotItem().getAxis("left").label
                assert label.isVisible() or card.plot.key() == "autocorrelation", (card.plot.title, dimensions)
