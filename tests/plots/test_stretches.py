"""M(t) and E(t) of a run that was carried on with another method: each stretch has the colour of its method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest

from aggviewer.plots.runs import RunStyle
from aggviewer.style.theme import DARK, LIGHT, colors_on
from aggviewer.systems.aggregation.coarsening import CoarseningPlot, changes
from engine.simulation import History
from tests.plots.panels import aggregate, plot_of, shown_panel

COUNT = 400
ENTRIES = 60
HISTORY = History(
    np.linspace(0.0, 10.0, ENTRIES), COUNT - np.arange(ENTRIES), 3.0 * (1.0 - np.arange(ENTRIES) / COUNT) ** 1.5
)
SWITCHED = replace(HISTORY, stretches=(("event-driven", 0), ("time-stepping", 20), ("event-driven", 45)))


@pytest.fixture
def panel(qtbot):
    return shown_panel(qtbot)


def colour_of(item):
    return pg.mkPen(item.opts["pen"]).color().name()


def times_of(item):
    """Times at which a curve has a point."""
    x, y = item.getOriginalDataset()
    return np.empty(0) if x is None else 10.0 ** np.asarray(x)[np.isfinite(y)]


def test_every_stretch_keeps_the_colour_of_its_method(panel):
    panel.refresh(aggregate(None, SWITCHED, 10.0))
    items = plot_of(panel, CoarseningPlot).items[0]
    times = SWITCHED.time
    for theme, dark in ((LIGHT, False), (DARK, True)):
        panel.set_theme(colors_on(dark))
        for part in (0, 1):
            assert colour_of(items.parts["event-driven"][part]) == theme.event_driven
            assert colour_of(items.parts["time-stepping"][part]) == theme.time_stepping
            by_events = times_of(items.parts["event-driven"][part])
            by_steps = times_of(items.parts["time-stepping"][part])
            # a curve begins at the last point of the one before, so that there is no gap
            np.testing.assert_allclose(np.unique(by_steps.round(9)), times[19:45].round(9))
            np.testing.assert_allclose(np.unique(by_events.round(9)), np.r_[times[1:20], times[44:]].round(9))
        for whole in (items.clusters, items.energy):
            assert pg.mkPen(whole.opts["pen"]).style() == pg.QtCore.Qt.PenStyle.NoPen, "not drawn a second time"


def test_the_switch_is_marked_and_says_to_what(panel):
    panel.refresh(aggregate(None, SWITCHED, 10.0))
    items = plot_of(panel, CoarseningPlot).items[0]
    x, y = items.switches.getData()
    np.testing.assert_allclose(10.0 ** x[::2], SWITCHED.time[[20, 45]])
    assert y[0] < y[1]
    assert [label.toPlainText() for label in items.labels] == ["TS", "ED"]
    assert all(label.isVisible() for label in items.labels)
    table = plot_of(panel, CoarseningPlot).table()
    assert len(table["M/N [1]"]) >= ENTRIES - 1, "the table has the whole curve"


def test_a_run_by_one_method_is_one_curve(panel):
    panel.refresh(aggregate(None, SWITCHED, 10.0))
    panel.refresh(aggregate(None, replace(HISTORY, stretches=(("event-driven", 0), ("event-driven", 30))), 10.0))
    items = plot_of(panel, CoarseningPlot).items[0]
    assert colour_of(items.clusters) == (LIGHT if plot_of(panel, CoarseningPlot).theme is LIGHT else DARK).event_driven
    assert all(len(times_of(one)) == 0 for two in items.parts.values() for one in two)
    assert not any(label.isVisible() for label in items.labels)
    panel.refresh(aggregate(None, HISTORY, 10.0))  # of a recording, or an earlier version
    assert all(len(times_of(one)) == 0 for two in items.parts.values() for one in two)


def test_beside_another_run_the_stretches_keep_their_width(panel):
    panel.set_runs([RunStyle("TS", "time-stepping"), RunStyle("ED", "event-driven")])
    panel.refresh(aggregate(None, SWITCHED, 10.0), 0)
    panel.refresh(aggregate(None, HISTORY, 10.0), 1)
    first = plot_of(panel, CoarseningPlot).items[0]
    assert {part[1].opts["pen"].widthF() for part in first.parts.values()} == {
        plot_of(panel, CoarseningPlot)._line(panel_look(panel)).widthF()
    }
    panel.set_runs([RunStyle("ED", "event-driven")])
    assert len(plot_of(panel, CoarseningPlot).items) == 1


def panel_look(panel):
    from aggviewer.plots.runs import looks

    return looks(panel.runs, plot_of(panel, CoarseningPlot).theme)[0]


def test_stretches_by_the_same_method_are_one():
    assert changes([("a", 0), ("a", 3), ("b", 5), ("b", 7), ("a", 9)]) == [("a", 0), ("b", 5), ("a", 9)]
    assert changes(()) == []
