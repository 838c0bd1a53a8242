"""Curves of earlier runs that stay in the plots, and the standard errors of what is drawn."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyqtgraph as pg
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from aggviewer.document.window import MOST_REFERENCES
from aggviewer.plots import PlotsPanel, RunStyle
from aggviewer.plots.axes import AxisScale
from aggviewer.plots.drawing import PlotSeries
from aggviewer.plots.reference_list import ReferenceList, reference_pen
from aggviewer.plots.runs import Reference, thinned
from aggviewer.plots.series_items import error_ends, reference_colour
from aggviewer.style.theme import DARK, LIGHT
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.systems.hard_discs.motion import SpeedsPlot
from tests.builders.color_vision import contrast
from tests.plots import gas_data
from tests.plots.aggregate_data import aggregate, history
from tests.plots.jamming_data import jammed
from tests.plots.panels import give, kept_of, open_plot, shown_panel, unfold_all


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


def test_keeping_without_data_is_refused_with_a_message(qtbot: QtBot) -> None:
    panel, said = shown_panel(qtbot), []
    panel.problem.connect(said.append)
    panel.keep_as_reference()
    assert said == ["No plot has data to keep"]


def test_references_belong_to_their_system(panel: PlotsPanel) -> None:
    panel.keep_as_reference()
    panel.set_kind("hard-discs")
    assert names(panel) == []
    panel.refresh(gas_data.gas(0.9))
    panel.keep_as_reference()
    assert len(names(panel)) == 1
    assert len(open_plot(panel, SpeedsPlot).references) == 1
    panel.set_kind("aggregation")
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


def test_colours_of_references_stand_out_and_dashes_tell_them_apart() -> None:
    slots = range(MOST_REFERENCES)
    for theme in (LIGHT, DARK):
        colours = [reference_colour(slot, theme) for slot in slots]
        for colour in colours:
            assert contrast(colour, theme.window) >= 3.0, colour  # WCAG, for lines
        assert len({*colours, theme.event_driven, theme.time_stepping}) == MOST_REFERENCES + 2
        dashes = {tuple(reference_pen(slot, theme, 1.0).dashPattern()) for slot in slots}
        assert len(dashes) == MOST_REFERENCES, "without any colour, dashes are left"


def test_a_picture_that_is_taken_away_names_the_references(panel: PlotsPanel) -> None:
    panel.keep_as_reference()
    card = open_plot(panel, BoxCountingPlot)
    assert names(panel)[0] not in card.view.value
    (pane,) = card.page(LIGHT)
    assert names(panel)[0] in pane.numbers


def test_two_runs_are_kept_as_two(panel: PlotsPanel, indicators: Any) -> None:
    panel.set_runs([RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")])
    for run in range(2):
        panel.refresh(aggregate(indicators, history(-0.4 - 0.2 * run), 100.0), run)
    panel.keep_as_reference()
    assert [name.split(", ")[2] for name in names(panel)] == ["ED", "TS"]


# standard errors


def test_no_bar_where_there_is_no_error() -> None:
    x, linear, log = np.arange(2.0), (AxisScale(), AxisScale()), (AxisScale(), AxisScale(True))
    nothing = PlotSeries("y", x, np.ones(2), error=np.array([0.0, np.nan]))
    assert len(error_ends(nothing, linear)[0]) == 0
    assert len(error_ends(PlotSeries("y", x, np.zeros(2), error=np.ones(2)), log)[0]) == 0
    assert len(error_ends(PlotSeries("y", x, np.ones(2)), linear)[0]) == 0


def shown_bars(panel: PlotsPanel) -> list[str]:
    """The plots in which bars are seen."""
    return [
        card.title
        for card in panel.cards
        for view in card.views
        for item in view.getPlotItem().items
        if isinstance(item, pg.ErrorBarItem) and item.isVisible() and item.opts["x"] is not None
    ]


def test_an_emptied_plot_has_no_bars_of_before(qtbot: QtBot) -> None:
    panel, given = shown_panel(qtbot, "hard-discs", height=3000), gas_data.gas(0.9)
    unfold_all(panel).refresh(given)
    assert shown_bars(panel)
    panel.begin()
    assert shown_bars(panel) == []
    for colors in (DARK, LIGHT):
        panel.set_theme(colors)
    assert shown_bars(panel) == [], "nor in other colours"
    panel.refresh(given)
    assert shown_bars(panel)


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [
        ("Contacts over Δt: f = 0.5 (n = 20)", 1000, "Contacts over Δt: f = 0.5 (n = 20)"),
        ("A study with a title that is long: f = 0.5 (n = 20)", 200, "f = 0.5 (n = 20)"),
        ("A study: V_f = 0.1, Method = event-driven (n = 20)", 150, "(n = 20)"),
    ],
)
def test_the_end_of_a_name_tells_the_points_of_a_study_apart(qtbot: QtBot, name: str, width: int, shown: str) -> None:
    listed = ReferenceList()
    qtbot.addWidget(listed)
    listed.show_references([Reference(name, 0)], LIGHT)
    (label,) = [one for one in listed.findChildren(QLabel) if one.accessibleName() == f"Reference: {name}"]
    label.resize(width, 20)
    assert label.text().endswith(shown)
    assert label.fontMetrics().horizontalAdvance(label.text()) <= width
    if width == 150:
        assert label.text().startswith("V_f"), "no room for the title"
