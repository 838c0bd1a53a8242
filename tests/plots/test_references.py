"""Curves of earlier runs that stay in the plots, and the standard errors of what is drawn."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from aggviewer.document.window import MOST_REFERENCES
from aggviewer.plots import PlotsPanel
from aggviewer.plots.runs import thinned
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.systems.hard_discs.motion import SpeedsPlot
from tests.plots import gas_data
from tests.plots.aggregate_data import aggregate, history
from tests.plots.jamming_data import jammed
from tests.plots.panels import give, kept_of, open_plot, shown_panel


def names(panel: PlotsPanel) -> list[str]:
    return panel.reference_list.names


def test_the_button_of_a_plot_keeps_its_curves_for_the_following_runs(panel: PlotsPanel, indicators: Any) -> None:
    card = open_plot(panel, CoarseningPlot)
    before = card.table()
    assert not panel.reference_list.isVisible()
    QTest.mouseClick(card.head.keep, Qt.MouseButton.LeftButton)
    (name,) = names(panel)
    assert name == "aggregation, seed 1, ED, t = 100.00"
    assert panel.reference_list.isVisible()
    panel.begin()
    assert not card.view.drawn, "nothing to compare"
    panel.refresh(aggregate(indicators, history(-0.4), 300.0))
    assert "reference 0 clusters" in card.view.drawn
    after = card.table()
    assert not np.array_equal(after["M/N [1]"], before["M/N [1]"])
    kept = after[f"M/N ({name}) [1]"]
    assert_allclose(np.interp(after[f"t ({name}) [time]"], before["t [time]"], before["M/N [1]"]), kept, rtol=1e-6)
    assert list(open_plot(panel, BoxCountingPlot).references) == [], "only this plot was asked to keep"


def test_all_plots_are_kept_by_the_command_also_folded_ones(panel: PlotsPanel, indicators: Any) -> None:
    folded = open_plot(panel, BoxCountingPlot)
    folded.head.fold.setChecked(False)
    panel.refresh(aggregate(indicators, history(), 100.0))
    panel.keep_as_reference()
    assert len(names(panel)) == 1
    for card in panel.cards[:4]:
        assert len(card.references) == 1, card.title
    panel.keep_as_reference()  # the same moment of the same run
    assert len(names(panel)) == 1


def test_references_are_taken_away_one_by_one_and_there_is_room_for_five(
    panel: PlotsPanel, indicators: Any, qtbot: QtBot
) -> None:
    said: list[str] = []
    panel.problem.connect(said.append)
    for time in range(MOST_REFERENCES + 1):
        panel.refresh(aggregate(indicators, history(), 100.0 + time))
        panel.keep_as_reference()
    assert len(names(panel)) == MOST_REFERENCES
    assert len(said) == 1
    assert "5 references" in said[0]
    second = names(panel)[1]
    QTest.mouseClick(panel.reference_list.buttons[1], Qt.MouseButton.LeftButton)
    assert second not in names(panel)
    assert len(names(panel)) == MOST_REFERENCES - 1
    assert all(second != one.name for card in panel.cards for one, _ in card.references)
    panel.keep_as_reference()
    slots = [one.slot for one in panel.references]
    assert sorted(slots) == list(range(MOST_REFERENCES)), "each has its own colour"
    assert slots[-1] == 1, "the colour that has become free"


def test_references_belong_to_their_system(panel: PlotsPanel) -> None:
    panel.keep_as_reference()
    panel.set_system("hard-discs")
    assert names(panel) == []
    panel.refresh(gas_data.gas(0.9))
    panel.keep_as_reference()
    assert len(names(panel)) == 1
    assert len(open_plot(panel, SpeedsPlot).references) == 1
    panel.set_system("aggregation")
    assert names(panel) == ["aggregation, seed 1, ED, t = 100.00"]


@pytest.mark.parametrize("system", ["aggregation", "hard-discs", "jamming"])
def test_references_are_kept_as_small_json_and_come_back(qtbot: QtBot, indicators: Any, system: str) -> None:
    states = {
        "aggregation": lambda: aggregate(indicators, history(), 100.0),
        "hard-discs": lambda: gas_data.gas(0.9),
        "jamming": jammed,
    }
    panel = shown_panel(qtbot, system, height=3000)
    panel.refresh(states[system]())
    panel.keep_as_reference()
    text = json.dumps(kept_of(panel))
    assert len(text) < 100_000
    other = shown_panel(qtbot, system, height=3000)
    give(other, json.loads(text))
    other.refresh(states[system]())
    assert names(other) == names(panel)
    for mine, theirs in zip(panel.cards, other.cards, strict=True):
        table, again = mine.table(), theirs.table()
        assert list(table) == list(again)
        for heading in table:
            if table[heading].dtype.kind != "U":  # the version is a word
                assert_allclose(again[heading], table[heading], err_msg=heading)


def test_long_curves_are_thinned_with_their_ends() -> None:
    x = np.linspace(0.0, 1.0, 100_000)
    small = thinned(x, x**2)
    assert small is not None
    assert len(small[0]) == len(small[1]) <= 240
    assert (small[0][0], small[0][-1]) == (0.0, 1.0)
    assert thinned(np.arange(5002.0), np.arange(5001.0)) is None
    assert thinned(np.empty(0), np.empty(0)) is None


# standard errors
