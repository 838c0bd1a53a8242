"""A system that the application has never heard of: its columns are plots, its table a section, its name in menus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aggviewer.parameters.layout import plain_layout
from aggviewer.plots import PlotsPanel
from aggviewer.session.data import Analysis, LaneStatus, Status
from aggviewer.systems import registry
from aggviewer.systems.base import SystemView
from aggviewer.systems.state_plots import history_plots
from engine import plugins
from engine.arrays import Longs
from engine.scenario import Scenario, scenario_keys
from engine.simulation import Column, History
from engine.system import Clock, System
from tests.plots.aggregate_data import system_of


@dataclass(frozen=True)
class HopHistory(History):
    hops: Annotated[Longs, Column("Hops", "h")]


class Hopping(System):
    """Nothing that runs: what is said of a system, alone."""

    name, title, table = "hopping", "Hopping discs", "jamming"
    clock = Clock("k", "round", "", True, "One round", "Pause, and play the next round")
    history = HopHistory
    methods = ("dice",)
    create = restore = check_checkpoint = lambda *given: None


def test_every_column_that_means_something_is_a_plot(qtbot):
    found = history_plots(Hopping())
    assert [plot.title for plot in found] == ["Kinetic energy", "Hops"]  # discs that do not join have no clusters
    panel = PlotsPanel(lambda system: found)
    qtbot.addWidget(panel)
    panel.set_system("hopping")
    panel.resize(340, 600)
    panel.show()
    assert all(len(card.view.empty_text) > 3 and card.plot.definition for card in panel.cards)
    rounds = np.arange(30.0)
    past = HopHistory(rounds, np.full(30, 4), rounds**2, np.arange(30) * 3)
    panel.refresh(Analysis(system_of(Scenario(), 4, 0.5), 29.0, None, past))
    energy, hops = (card.table() for card in panel.cards)
    assert list(energy)[:2] == ["k [time]", "E [mass·length²/time²]"]
    assert_allclose(hops["h [1]"], 3 * rounds)
    assert "87" in panel.cards[1].view.value
    panel.begin()
    assert all(card.view.empty_text for card in panel.cards)


def test_a_table_without_a_layout_is_one_section_with_plain_controls():
    layout = plain_layout("Hopping discs", "hard_discs")
    assert set(layout.sections["Hopping discs"]) == {key for key in scenario_keys() if key.startswith("hard_discs.")}
    restitution = layout.controls["hard_discs.restitution"]
    assert (restitution.slider, restitution.step) == ((0.0, 1.0), 0.01)
    assert layout.inert(Scenario().value, ()).reasons == {}


def test_words_of_a_system_without_a_view():
    view = SystemView("of the future")
    assert (view.title(2), view.plots(), view.opposite(Scenario())) == ("of the future", (), {})
    rate = view.rate(Status("running", "of the future", 2.0, count=7, events={"hop": 3}, events_per_second=31.0))
    assert rate.text == "31 events/s"
    assert "hop: 3" in rate.tip
    assert view.progress(LaneStatus(time=2.0)) == "t = 2.00"


def test_a_plug_in_brings_a_view_and_one_that_fails_is_left_out(monkeypatch):
    class HoppingView(SystemView):
        heading = "Discs that hop"

    def broken() -> SystemView:
        raise RuntimeError("no dice")

    makers = {"dice.py": broken, "hops.py": lambda: HoppingView("hopping")}
    late = tuple(plugins.LatePart("view", "own", name, make) for name, make in makers.items())
    monkeypatch.setattr(plugins.LATE_PARTS, "parts", late)
    monkeypatch.setattr(plugins, "_known", {name: plugins.PlugIn(name, name) for name in makers})
    assert registry.view_of("hopping").title(2) == "Discs that hop"
    assert registry.view_of("aggregation").title(3) == "Spheres that stick"
    assert [one.problem for one in plugins.known()] == ["its view fails: RuntimeError: no dice", ""]


@pytest.mark.parametrize("system", ["aggregation", "hard-discs", "jamming"])
def test_every_word_of_the_known_systems_is_said(system):
    view = registry.view_of(system)
    assert view.title(2).startswith("Discs that ")
    assert view.plots()
    scenario = Scenario().with_values({"system": system})
    other = scenario.with_values(view.opposite(scenario))
    assert len({run.name for run in view.run_styles([scenario, other])}) == 2
    side = view.side(scenario)
    assert side.choice or side.key or side.text
