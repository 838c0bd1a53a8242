"""M(t) and E(t) of a run that was carried on with another method: each stretch has the colour of its method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aggviewer.plots.runs import RunStyle
from aggviewer.style.theme import DARK, LIGHT, colors_on
from aggviewer.systems.aggregation.coarsening import CoarseningPlot, changes
from engine.simulation import History
from tests.plots.panels import aggregate, data_of, open_plot, shown_panel, style_of

COUNT = 400
ENTRIES = 60
HISTORY = History(
    np.linspace(0.0, 10.0, ENTRIES), COUNT - np.arange(ENTRIES), 3.0 * (1.0 - np.arange(ENTRIES) / COUNT) ** 1.5
)
SWITCHED = replace(HISTORY, stretches=(("event-driven", 0), ("time-stepping", 20), ("event-driven", 45)))


@pytest.fixture
def panel(qtbot):
    return shown_panel(qtbot)


PARTS = ("clusters", "energy")


def times_of(card, key):
    """Times at which a curve has a point."""
    x, y = data_of(card, key)
    return x[np.isfinite(y)]


def test_every_stretch_keeps_the_colour_of_its_method(panel):
    panel.refresh(aggregate(None, SWITCHED, 10.0))
    card, times = open_plot(panel, CoarseningPlot), SWITCHED.time
    for theme, dark in ((LIGHT, False), (DARK, True)):
        panel.set_theme(colors_on(dark))
        for part in PARTS:
            assert style_of(card, f"{part} by event-driven").colour == theme.event_driven
            assert style_of(card, f"{part} by time-stepping").colour == theme.time_stepping
            by_events = times_of(card, f"{part} by event-driven")
            by_steps = times_of(card, f"{part} by time-stepping")
            # a curve begins at the last point of the one before, so that there is no gap
            np.testing.assert_allclose(np.unique(by_steps.round(9)), times[19:45].round(9))
            np.testing.assert_allclose(np.unique(by_events.round(9)), np.r_[times[1:20], times[44:]].round(9))
        assert [style_of(card, whole).width for whole in PARTS] == [0.0, 0.0], "not drawn a second time"


def test_the_switch_is_marked_and_says_to_what(panel):
    panel.refresh(aggregate(None, SWITCHED, 10.0))
    switches = open_plot(panel, CoarseningPlot).view.shown[(0, "switches")].series
    np.testing.assert_allclose(switches.x, SWITCHED.time[[20, 45]])
    assert list(switches.labels) == ["TS", "ED"]
    table = open_plot(panel, CoarseningPlot).table()
    assert len(table["M/N [1]"]) >= ENTRIES - 1, "the table has the whole curve"


def test_a_run_by_one_method_is_one_curve(panel):
    panel.refresh(aggregate(None, SWITCHED, 10.0))
    panel.refresh(aggregate(None, replace(HISTORY, stretches=(("event-driven", 0), ("event-driven", 30))), 10.0))
    card = open_plot(panel, CoarseningPlot)
    whole = {(0, "energy"), (0, "clusters"), (0, "fit of clusters")}
    assert style_of(card, "clusters").colour == card.theme.event_driven
    assert set(card.view.shown) == whole
    panel.refresh(aggregate(None, HISTORY, 10.0))  # of a recording, or an earlier version
    assert set(card.view.shown) == whole


def test_beside_another_run_the_stretches_keep_their_width(panel):
    panel.set_runs([RunStyle("TS", "time-stepping"), RunStyle("ED", "event-driven")])
    panel.refresh(aggregate(None, SWITCHED, 10.0), 0)
    panel.refresh(aggregate(None, HISTORY, 10.0), 1)
    card = open_plot(panel, CoarseningPlot)
    wide, also, thin = (
        style_of(card, key, run).width
        for key, run in (("clusters by event-driven", 0), ("clusters by time-stepping", 0), ("clusters", 1))
    )
    assert wide == also > thin
    panel.set_runs([RunStyle("ED", "event-driven")])
    assert len(card.drawings) == 1


def test_stretches_by_the_same_method_are_one():
    assert changes([("a", 0), ("a", 3), ("b", 5), ("b", 7), ("a", 9)]) == [("a", 0), ("b", 5), ("a", 9)]
    assert changes(()) == []
