"""What plots show of a measured state, asked of the declarations alone: no widget, no application."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from aggviewer.plots.drawing import as_table, curves_of
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.plots.series_items import style_of
from aggviewer.session.data import Analysis
from aggviewer.style.theme import DARK, LIGHT, Colors
from aggviewer.systems.registry import plots_of
from tests.plots.aggregate_data import aggregate
from tests.plots.drawn import drawn
from tests.plots.gas_data import gas
from tests.plots.jamming_data import history as jamming_history
from tests.plots.jamming_data import jammed

SYSTEMS = ("aggregation", "hard-discs", "jamming")


@pytest.mark.parametrize(("system", "plot"), [(system, plot) for system in SYSTEMS for plot in plots_of(system)])
def test_a_drawing_is_whole(states: dict[str, Analysis], system: str, plot: Plot) -> None:
    drawing = drawn(plot, states[system])
    assert drawing.has_data
    assert len(drawing.panes) == len(plot.all_axes)
    keys = [one.key for one in drawing.series]
    assert len(keys) == len(set(keys)), "renderers update a series by its key"
    assert plot.lower_keys <= {*keys, *plot.columns}
    assert any(one.words is not None for one in drawing.series), "the mouse reads something"
    for one in drawing.series:
        assert len(one.x) - len(one.y) == (one.kind == "steps") or one.kind in ("level", "upright")
        assert one.error is None or len(one.error) == len(one.y)
        if one.interval is not None:
            _, low, y, high = one.bars()
            assert (low < y).all()
            assert (y < high).all()
            assert (low > 0.0).all(), "bars of counts stay on a logarithmic axis"
        if one.words is not None:
            assert all(one.words(k) for k in range(len(one.y)))
    for axes, pane in zip(plot.all_axes, drawing.panes, strict=True):
        assert pane.bounds is not None
        x0, x1, y0, y1 = pane.bounds
        assert x0 < x1
        assert y0 < y1
        assert x0 > 0.0 or not axes.x_log, "ends of a logarithmic axis are quantities above 0"
        assert y0 > 0.0 or not axes.y_log
    table = as_table(curves_of([drawing], plot.columns, [""]))
    assert all(re.fullmatch(r"\S.* \[\S+\]", heading) for heading in table), "each column has a unit"
    columns = [values for values in table.values() if values.dtype.kind == "f"]
    for one in drawing.series:
        if one.role.name == "run" and one.kind == "line" and not one.invisible:
            assert any(np.isin(one.y[np.isfinite(one.y)], values).all() for values in columns), one.key
    for slope in plot.power_fit.slopes:
        assert drawing.find(slope.field) is not None


@pytest.mark.parametrize("system", SYSTEMS)
def test_without_data_a_plot_is_empty_and_says_what_it_will_show(states: dict[str, Analysis], system: str) -> None:
    empty = {
        "aggregation": aggregate(),
        "hard-discs": replace(gas(), history=None, time=0.0),
        "jamming": jammed(past=jamming_history(0), found=None),
    }[system]
    run = RunStyle("one", "event-driven")
    for plot in plots_of(system):
        assert len(plot.text_without_data([run], {})) > 20, plot.title
        assert len(plot.definition) > 100, plot.title
        if system == "aggregation" or plot.key() in (
            "energy_decay",
            "forces",
            "gaps",
            "jam_contacts",
            "jam_convergence",
        ):
            found = plot.prepare(empty, {}, None)
            assert found is None or not found.has_data, plot.title


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_series_of_two_runs_are_told_apart_in_every_theme(
    states: dict[str, Analysis], system: str, theme: Colors
) -> None:
    """A run is alone in the colour of its method; of two the first is wide, filled or to the left."""
    runs = [RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")]
    shades = [RunStyle("f = 1", "time-stepping"), RunStyle("f = 2", "time-stepping", 1)]
    for plot in plots_of(system):
        for series in drawn(plot, states[system]).series:
            if series.role.name != "run" or series.invisible:
                continue
            alone = style_of(series, theme, runs[:1])
            assert alone.colour == theme.event_driven
            first, second = (style_of(series, theme, runs, run) for run in range(2))
            assert (first.colour, second.colour) == (theme.event_driven, theme.time_stepping)
            if series.kind == "bars":
                assert (first.side, second.side) == (-1, 1)
            elif series.kind == "points" and not series.hollow:
                assert (first.filled, second.filled) == (True, False)
                assert second.size > first.size, "a ring around the point"
            elif series.kind == "line":
                assert first.width >= 2.0 * second.width
            plain, shade = (style_of(series, theme, shades, run) for run in range(2))
            assert (plain.colour, shade.colour) == (theme.time_stepping, theme.time_stepping_shade)
            if series.kind == "line":
                assert plain.dashes != shade.dashes
            elif series.kind == "bars":
                assert shade.rim_width > 0.0
                assert shade.fill < 128
