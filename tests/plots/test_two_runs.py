"""The plots of two runs: both are drawn, told apart, read and kept as they should."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyqtgraph as pg
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import QPointF

from aggviewer.plots import RunStyle
from aggviewer.plots.runs import carried_over, looks
from aggviewer.style.theme import DARK, LIGHT
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot, ContactsPlot, PairDistributionPlot
from engine.analysis import analyse
from engine.simulation import History
from tests.plots.panels import aggregate, data_of, open_plot, shown_panel, style_of, told, unfold_all
from tests.waiting import laid_out

COUNT = 400
BOX = np.array([20.0, 20.0])
RADII = (0.25, 0.3)
ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")
FINE, COARSE = RunStyle("f = 0.25", "time-stepping"), RunStyle("f = 0.5", "time-stepping", 1)


@pytest.fixture(scope="module")
def states():
    rng = np.random.default_rng(3)
    return [analyse(rng.uniform(0.0, 20.0, (COUNT, 2)), np.full(COUNT, r), BOX, periodic=False) for r in RADII]


def history_of(power):
    clusters = COUNT - np.arange(50)
    return History(np.linspace(0.0, 10.0, 50), clusters, 3.0 * (clusters / COUNT) ** power)


@pytest.fixture
def panel(qtbot):
    return shown_panel(qtbot, height=900)


def fill(panel, states, runs):
    panel.set_runs(runs)
    for run in range(len(runs)):
        panel.begin(run)
        panel.refresh(aggregate(states[run], history_of(1.5 + run), 12.0, radius=RADII[run]), run)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_colour_of_one_run_is_that_of_its_method(panel, states, theme):
    panel.set_theme(theme)
    for run, colour in ((ED, theme.event_driven), (TS, theme.time_stepping)):
        fill(panel, states, [run])
        for plot, key in ((CoarseningPlot, "clusters"), (PairDistributionPlot, "curve"), (ContactsPlot, "bars")):
            assert style_of(open_plot(panel, plot), key).colour == colour
        assert colour in open_plot(panel, CoarseningPlot).view.value
    assert not panel.legend.isVisible()


def test_both_runs_are_in_every_plot_each_in_its_own_radius(panel, states):
    fill(panel, states, [ED, TS])
    for run, colour in enumerate((LIGHT.event_driven, LIGHT.time_stepping)):
        x, y = data_of(open_plot(panel, BoxCountingPlot), "points", run)
        assert_allclose(x, states[run].box_counting["eps"] / RADII[run])
        assert_allclose(y, states[run].box_counting["n"])
        x, y = data_of(open_plot(panel, PairDistributionPlot), "curve", run)
        assert_allclose(x, states[run].pair_distribution["r"] / RADII[run])
        assert_allclose(y, states[run].pair_distribution["p"])
        _, y = data_of(open_plot(panel, CoarseningPlot), "energy", run)
        assert_allclose(y[-1], (351 / COUNT) ** (1.5 + run))
        assert style_of(open_plot(panel, CoarseningPlot), "clusters", run).colour == colour
        assert style_of(open_plot(panel, CoarseningPlot), "energy", run).dashes
        assert not style_of(open_plot(panel, CoarseningPlot), "clusters", run).dashes


def test_coinciding_curves_stay_visible(panel, states):
    fill(panel, states, [ED, TS])
    wide, thin = (style_of(open_plot(panel, PairDistributionPlot), "curve", run).width for run in (0, 1))
    assert wide >= 2 * thin
    filled, ring = (style_of(open_plot(panel, BoxCountingPlot), "points", run) for run in (0, 1))
    assert ring.size > filled.size
    assert (filled.filled, ring.filled) == (True, False)


def test_the_bars_stand_side_by_side(panel, states):
    fill(panel, states, [ED, TS])
    items = open_plot(panel, ContactsPlot).view.getPlotItem().items
    left, right = (item.opts for item in items if isinstance(item, pg.BarGraphItem))
    assert_allclose(left["x"] + left["width"] / 2, right["x"] - right["width"] / 2)
    assert_allclose((left["x"] + right["x"]) / 2, np.arange(7))
    for opts, state in ((left, states[0]), (right, states[1])):
        assert_allclose(opts["height"][:6], state.contacts_histogram[:6] / COUNT)


def test_both_numbers_stand_in_the_corner_with_names_where_they_are_short(panel, states):
    fill(panel, states, [ED, TS])
    value = open_plot(panel, BoxCountingPlot).view.value
    for state, name, colour in zip(states, ("ED", "TS"), (LIGHT.event_driven, LIGHT.time_stepping), strict=True):
        assert f"{state.fractal_dimension:.3f}" in value
        assert name in value
        assert colour in value
    fill(panel, states, [FINE, COARSE])
    assert "f = 0.5" not in open_plot(panel, BoxCountingPlot).view.value
    assert f"{states[1].fractal_dimension:.3f}" in open_plot(panel, BoxCountingPlot).view.value


def test_two_runs_of_a_method_differ_in_shade_dashes_and_marks(panel, states):
    fill(panel, states, [FINE, COARSE])
    first, second = (style_of(open_plot(panel, CoarseningPlot), "clusters", run) for run in (0, 1))
    assert first.colour == LIGHT.time_stepping
    assert second.colour == LIGHT.time_stepping_shade
    assert not first.dashes
    assert second.dashes
    assert second.dashes != style_of(open_plot(panel, CoarseningPlot), "energy", 1).dashes
    bars = style_of(open_plot(panel, ContactsPlot), "bars", 1)
    assert bars.fill < 128
    assert bars.rim_width > 0.0


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("method", ["event-driven", "time-stepping"])
def test_the_shades_stay_apart_without_their_hue(theme, method):
    light = [luminance(look.colour) for look in looks([RunStyle("a", method), RunStyle("b", method, 1)], theme)]
    assert (max(light) + 0.05) / (min(light) + 0.05) > 1.7


def test_the_legend_names_two_runs(panel, states):
    fill(panel, states, [FINE, COARSE])
    assert panel.legend.isVisible()
    assert panel.legend.names == ["f = 0.25", "f = 0.5"]
    assert "f = 0.5" in panel.legend.toolTip()
    panel.resize(280, 900)
    marks = panel.legend.grab().toImage()
    colours = {marks.pixelColor(x, y).name() for x in range(marks.width()) for y in range(marks.height())}
    assert {LIGHT.time_stepping, LIGHT.time_stepping_shade} <= colours
    panel.set_runs([FINE])
    assert not panel.legend.isVisible()


def test_the_mouse_says_which_run(panel, states):
    fill(unfold_all(panel), states, [ED, TS])
    view = open_plot(panel, CoarseningPlot).view
    box = view.getPlotItem().getViewBox()
    for run, name in enumerate(("ED", "TS")):
        assert told(open_plot(panel, CoarseningPlot), "clusters", 7, run).startswith(f"{name}: t = ")
        view.scene().sigMouseMoved.emit(box.mapViewToScene(view.readable.place_of((run, "clusters"), 7)))
        assert "t = " in view._text.text()
    bars = open_plot(panel, ContactsPlot).view
    bars.scene().sigMouseMoved.emit(bars.getPlotItem().getViewBox().mapViewToScene(QPointF(1.18, 0.01)))
    assert "TS: 1: " in bars._text.text()


def test_a_run_that_stays_keeps_its_data_and_the_other_goes(panel, states):
    fill(panel, states, [ED, TS])
    kept = data_of(open_plot(panel, PairDistributionPlot), "curve", 1)[1]
    panel.set_runs([TS])
    assert len(open_plot(panel, PairDistributionPlot).drawings) == 1
    assert_allclose(data_of(open_plot(panel, PairDistributionPlot), "curve")[1], kept)
    assert f"{states[0].fractal_dimension:.3f}" not in open_plot(panel, BoxCountingPlot).view.value
    panel.set_runs([TS, ED])
    assert len(data_of(open_plot(panel, PairDistributionPlot), "curve", 1)[0]) == 0
    assert_allclose(data_of(open_plot(panel, PairDistributionPlot), "curve")[1], kept)


def test_a_run_that_goes_on_with_another_method_keeps_its_history(panel, states):
    fill(panel, states, [ED])
    before = data_of(open_plot(panel, CoarseningPlot), "clusters")
    panel.set_runs([TS])
    assert_allclose(data_of(open_plot(panel, CoarseningPlot), "clusters"), before)
    assert style_of(open_plot(panel, CoarseningPlot), "clusters").colour == LIGHT.time_stepping


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
def test_which_data_a_run_goes_on_with(before, now, expected):
    assert carried_over(before, now) == expected


def test_a_system_of_one_run_clears_that_run_alone(panel, states):
    fill(panel, states, [ED, TS])
    panel.begin(1)
    assert len(data_of(open_plot(panel, BoxCountingPlot), "points")[0]) == 10
    assert len(data_of(open_plot(panel, BoxCountingPlot), "points", 1)[0]) == 0
    assert open_plot(panel, BoxCountingPlot).view.empty_text == ""
    panel.begin(0)
    assert open_plot(panel, BoxCountingPlot).view.empty_text


def test_the_band_of_the_fit_goes_with_the_last_fit(panel, states):
    none = SimpleNamespace(**{**vars(states[0]), "fractal_dimension": None, "fractal_fit": None})
    fill(panel, [none, states[1]], [ED, TS])
    assert open_plot(panel, BoxCountingPlot).fits.band.isVisible()
    panel.refresh(aggregate(none, None, 1.0), 1)
    assert not open_plot(panel, BoxCountingPlot).fits.band.isVisible()
    assert "D<sub>f</sub> = —" in open_plot(panel, BoxCountingPlot).view.value


def test_the_range_holds_both(panel, states):
    fill(panel, states, [ED, TS])
    seen = open_plot(panel, CoarseningPlot).view.viewRect()
    for run in range(2):
        x, y = np.log10(data_of(open_plot(panel, CoarseningPlot), "energy", run))
        assert seen.left() <= x.min()
        assert x.max() <= seen.right() + 1e-9
        assert seen.top() <= y.min()


def test_no_more_than_two_and_no_fewer_than_one(panel):
    for runs in ([], [ED, TS, COARSE]):
        with pytest.raises(ValueError, match="one run or two"):
            panel.set_runs(runs)


def test_the_values_fit_a_narrow_panel(panel, states):
    unfold_all(panel).resize(280, 1200)
    fill(panel, states, [ED, TS])
    tiny = History(np.array([0.0, 1.0, 12.0]), np.array([COUNT, 123, 101]), np.array([3.0, 1e-3, 1e-3]))
    for run in (0, 1):
        panel.refresh(aggregate(None, tiny, 12.0), run)
        panel.refresh(aggregate(states[run], tiny, 12.0), run)
    for card in panel.cards[:4]:
        text = card.view._text
        assert text.x() >= 0, card.title
        assert text.x() + text.width() <= card.view.width(), card.title


@pytest.mark.parametrize("kind", ["aggregation", "hard-discs", "jamming"])
def test_nothing_is_cut_off_in_the_narrowest_panel(panel, qtbot, kind):
    panel.set_kind(kind)
    unfold_all(panel)
    for width in (240, 500):
        panel.resize(width, 600)
        laid_out(panel)
        for card in panel.cards:
            if not card.isVisible():
                continue
            assert card.mapTo(panel, card.rect().bottomRight()).x() < width, card.title
            card.head.reveal(True)
            laid_out(panel)
            alone = card.head.alone
            assert alone.mapTo(panel, alone.rect().bottomRight()).x() < width, card.title
            whole = card.head.fold.text() == card.title
            assert whole or (width == 240 and card.head.fold.text().endswith("…"))
            assert card.head.fold.accessibleName() == card.title
