"""Switches in the heads of plots (`Plot.choices`), which plug-ins can declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel
from aggviewer.plots.card import PlotCard
from aggviewer.plots.drawing import Axes, PlotDrawing, PlotSeries
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot, PlotChoice
from aggviewer.session.data import Analysis
from tests.plots.panels import aggregate, data_of, open_plot


class Height(Plot):
    """One point at height 1, or 2 if the choice is made."""

    title = "Height"
    axes = Axes("t", "h")
    choices = (PlotChoice("double", "Doubled ({})", "2 x ({})", "Twice the height"),)

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing:
        height = 2.0 if choices.get("double") else 1.0
        return PlotDrawing((PlotSeries("points", np.ones(1), np.array([height])),), counts={"double": 7})


class OtherHeight(Height):
    """Another plot of the same system with the same choice."""


def test_a_switch_applies_to_all_plots_of_the_system_that_have_it(qtbot: QtBot) -> None:
    panel = PlotsPanel(lambda system: (Height(), OtherHeight()))
    qtbot.addWidget(panel)
    panel.show()
    panel.set_kind("aggregation")
    panel.refresh(aggregate())
    cards = [open_plot(panel, plot) for plot in (Height, OtherHeight)]
    assert [card.head.switches["double"].accessibleName() for card in cards] == ["Doubled (7)"] * 2
    cards[0].head.switches["double"].click()
    assert [data_of(card, "points")[1].tolist() for card in cards] == [[2.0]] * 2
    cards[1].head.switches["double"].click()
    assert [data_of(card, "points")[1].tolist() for card in cards] == [[1.0]] * 2


def test_a_plot_that_is_only_its_head_takes_a_choice(qtbot: QtBot) -> None:
    card = PlotCard(Height(), 1, later=True)
    qtbot.addWidget(card)
    card.take_choice("double", True)
    assert not card.made
    assert card.choices() == {"double": True}
    assert card.head.switches["double"].isChecked()
