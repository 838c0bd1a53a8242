"""Plots on paper: what matplotlib is given is what the window shows, in quantities."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes as Pad
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from aggviewer.export.sheet import Sheet
from aggviewer.plots.drawing import Axes, PlotSeries, level
from aggviewer.plots.film import PlotPanel, with_same_axes
from aggviewer.plots.page import PagePane, TextRun, draw_panes, plain_math, runs_of
from aggviewer.plots.series_items import ShownSeries, style_of
from aggviewer.style.theme import LIGHT

X = np.array([1.0, 10.0, 100.0])


def pane(*series: PlotSeries, axes: Axes | None = None, log: bool = True, numbers: str = "") -> PagePane:
    """A pane from 0.5 to 200 both ways."""
    shown = [ShownSeries(one.key, one, style_of(one, LIGHT), float(k)) for k, one in enumerate(series)]
    return PagePane(axes or Axes("t", "M"), (log, log), (0.5, 200.0, 0.5, 200.0), shown, numbers, (1.0, 10.0))


def page(one: PagePane) -> tuple[Figure, Pad]:
    """A page with it alone, and its axes."""
    sheet = Sheet.whole(300.0, 200.0, unit=1.0)
    (pad,) = draw_panes([one], sheet, LIGHT)
    return sheet.figure, pad


def drawn(one: PagePane) -> Pad:
    """Its axes on a page."""
    return page(one)[1]


def test_a_series_is_drawn_in_quantities_on_the_scales_of_the_window() -> None:
    pad = drawn(pane(PlotSeries("curve", X, 2.0 * X, marker="o"), level("one", 1.0)))
    (curve, guide) = pad.lines
    assert_allclose(curve.get_xdata(), X)
    assert_allclose(curve.get_ydata(), 2.0 * X)
    assert guide.get_ydata() == [1.0, 1.0]
    assert (pad.get_xscale(), pad.get_yscale()) == ("log", "log")
    assert pad.get_xlim() == (0.5, 200.0)
    assert drawn(pane(log=False)).get_xscale() == "linear"


def test_a_line_that_does_not_go_on_has_a_gap() -> None:
    joined = np.array([True, False, True])
    (curve,) = drawn(pane(PlotSeries("law", X, X, joined=joined))).lines
    assert np.isnan(curve.get_ydata()).tolist() == [False, False, True, False]


def test_bars_of_errors_end_with_the_axes() -> None:
    """Those of single counts reach 0."""
    counted = PlotSeries("points", X, X, "points", marker="o", error=np.array([1.0, 3.0, 1000.0]))
    (bars,) = [one for one in drawn(pane(counted)).collections if isinstance(one, LineCollection)]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[0.5, 2.0], [7.0, 13.0], [0.5, 200.0]]


@pytest.mark.parametrize(("at", "sides"), [((2.0, 60.0), ["center"] * 2), ((2.0, 2.2), ["right", "left"])])
def test_labels_of_upright_lines_stand_above_the_pane_apart_from_each_other(
    at: tuple[float, ...], sides: list[str]
) -> None:
    """Inside they would be under the numbers in the corner."""
    lines = PlotSeries("crystals", np.array([*at, 900.0]), np.empty(0), "upright", labels=("hcp", "fcc", "off"))
    whole, pad = page(pane(PlotSeries("curve", X, X), lines, axes=Axes("t", "M", corner="top right"), numbers="c = 1"))
    hcp, fcc = pad.texts
    assert [hcp.get_horizontalalignment(), fcc.get_horizontalalignment()] == sides
    renderer = FigureCanvasAgg(whole).get_renderer()
    places = [text.get_window_extent(renderer) for text in (hcp, fcc)]
    assert all(place.y0 >= pad.bbox.y1 and place.y1 <= whole.bbox.y1 for place in places)
    assert places[0].x1 < places[1].x0


def test_panels_of_one_plot_have_the_same_axes() -> None:
    one, other = pane(PlotSeries("curve", X, X)), pane(PlotSeries("curve", X, X))
    other = replace(other, ends=(0.1, 20.0, 1.0, 900.0))
    empty = replace(pane(level("one", 1.0)), ends=(1e-9, 1e9, 1e-9, 1e9))
    found = with_same_axes([PlotPanel([one]), PlotPanel([empty]), PlotPanel([other])])
    assert [panel.panes[0].ends for panel in found] == [(0.1, 200.0, 0.5, 900.0), empty.ends, (0.1, 200.0, 0.5, 900.0)]
    assert with_same_axes([PlotPanel([empty])])[0].panes == [empty]


def test_rich_text_is_split_into_runs_of_one_look() -> None:
    first, second = runs_of('<span style="color:#0072b2">━</span> D<sub>f</sub> = <b>1.8</b> <small>(4)</small><br>$')
    assert first[0] == TextRun("━", "#0072b2")
    assert TextRun(r"$_{\mathrm{f}}$") in first
    assert TextRun("1.8", bold=True) in first
    assert TextRun("(4)", small=True) in first
    assert second == [TextRun(r"\$")]
    assert plain_math("V<sub>f</sub>") == r"V$_{\mathrm{f}}$"


def test_matplotlib_is_imported_on_use() -> None:
    code = "import sys, aggviewer.plots.film, aggviewer.window.preferences; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
