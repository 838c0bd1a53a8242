"""What is measured of a run is what somebody looks at, and whoever asks for more gets it."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aggviewer.extensions.export_dialogs.export_dialog import ExportDialog
from aggviewer.plots.card import PlotCard
from aggviewer.session import Analysis, analyst
from aggviewer.window.main_window import MainWindow
from engine import indicators
from engine.indicators import Indicator, Measurable
from tests.extensions.export_dialogs.export_dialog import in_export, items_of
from tests.waiting import laid_out
from tests.window.conftest import GAS, hold, wait_until, window_again

window = window_again

ALWAYS = {"mean_square_displacement", "velocity_autocorrelation"}
"""Of a gas, as they are curves over time."""
SEEN = {"speeds", "pair_correlation", "contact_value", "contact_value_error", "fluctuations"}
"""By the plots that are not folded at first."""


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what has been measured, in order."""
    found: list[str] = []
    usual = indicators.measure

    def watched(sample: Measurable, which: Iterable[Indicator], *problems: Any) -> dict[str, Any]:
        which = list(which)
        found.extend(one.name for one in which)
        return usual(sample, which, *problems)

    monkeypatch.setattr("aggviewer.session.analyst.measure", watched)
    return found


@pytest.fixture
def gas(window: MainWindow, all_compiled: None, tmp_path: Path, measured: list[str]) -> Iterator[MainWindow]:
    """The window with a gas that is held, all plots as they are at first."""
    (tmp_path / "gas.toml").write_text(GAS)
    states: list[Analysis] = []

    def note(lane: int, analysis: Analysis) -> None:
        states.append(analysis)

    window.refresher.analysed.connect(note)
    hold(window, tmp_path / "gas.toml")
    for card in window.plots.cards:
        card.head.fold.setChecked(not card.plot.folded_at_first)
    laid_out(window)  # what is looked at is told in the event loop
    wait_until(lambda: bool(states) and states[-1].has(SEEN | ALWAYS))
    wait_until(lambda: plot(window, "height_profile").waits)  # that state may be of the run before
    measured.clear()
    yield window
    window.refresher.analysed.disconnect(note)


def plot(window: MainWindow, key: str) -> PlotCard:
    """A plot by its key."""
    return next(card for card in window.plots.cards if card.key() == key)


def test_folded_plots_cost_nothing_and_are_measured_when_they_are_unfolded(
    gas: MainWindow, measured: list[str]
) -> None:
    waves = plot(gas, "structure_factor")
    gas.session.step_frame()
    wait_until(lambda: set(measured) >= ALWAYS)
    assert set(measured) <= SEEN | ALWAYS
    assert not waves.shows_data
    measured.clear()
    waves.head.fold.setChecked(True)  # while it is held: no state comes by itself
    wait_until(lambda: waves.shows_data)
    assert "structure_factor" in measured
    y = waves.drawings[0]["curve"].y
    assert len(y) > 5
    assert np.isfinite(y).any()


def test_tables_references_and_figures_have_what_no_one_looked_at(gas: MainWindow, measured: list[str]) -> None:
    heights = plot(gas, "height_profile")
    assert not heights.shows_data
    columns = heights.table()
    assert measured == ["height_profile"]
    assert max(map(len, columns.values())) > 5, "seed, N and version have one value each"
    gas.plots.keep_as_reference()
    kept = gas.plots.model.references["hard-discs"]
    assert {"StructureFactorPlot", "VelocityCorrelationPlot", "RadialProfilePlot"} <= set(kept[0].curves)
    gas.plots.remove_reference(kept[0].name)
    gas.session.step_frame()
    wait_until(lambda: measured.count("speeds") > 0)

    def offered(dialog: ExportDialog) -> None:
        assert {"structure_factor", "velocity_correlation", "radial_profile"} <= set(items_of(dialog, "panels").keys)
        assert gas.plots.wanted_indicators is None  # the states that come while it is open bring all

    in_export(lambda: gas.commands.run("file.figure"), offered)
    assert gas.plots.wanted_indicators == SEEN


def test_a_figure_is_measured_on_another_thread(
    gas: MainWindow, measured: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    where: dict[str, set[threading.Thread]] = defaultdict(set)
    watched = analyst.measure

    def located(sample: Measurable, which: Iterable[Indicator], *problems: Any) -> dict[str, Any]:
        which = list(which)
        for one in which:
            where[one.name].add(threading.current_thread())
        return watched(sample, which, *problems)

    monkeypatch.setattr(analyst, "measure", located)
    gas.session.step_frame()
    wait_until(lambda: measured.count("speeds") > 0)
    assert "structure_factor" not in where  # of a plot that is folded

    def offered(dialog: ExportDialog) -> None:
        wait_until(lambda: "structure_factor" in where and not dialog.preview.pixmap().isNull())

    in_export(lambda: gas.commands.run("file.figure"), offered)
    assert threading.main_thread() not in set().union(*where.values())
