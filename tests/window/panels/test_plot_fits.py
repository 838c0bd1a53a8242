"""Fits and references in the real window: dragged with the mouse, kept from run to run and from start to start."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from aggviewer.extensions.export.export import ExportDialog
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.window.main_window import MainWindow
from aggviewer.window.side_panels import SidePanels
from tests.extensions.export.export_dialog import in_export, items_of, press_export, tick
from tests.plots.panels import data_of, plot_of
from tests.plots.test_fit_range import by_numpy, drag
from tests.waiting import laid_out
from tests.window.conftest import hold, load, part_of, wait_until


def run_to(window: MainWindow, time: float) -> None:
    """Run until then, pause, and have the plots drawn of the last state."""
    window.session.run()
    wait_until(lambda: window.session.status().time >= time)
    window.session.pause()
    wait_until(lambda: window.session.status().state == "paused")
    card = plot_of(window.plots, CoarseningPlot)
    wait_until(lambda: not card.view.empty_text and card.fits.range is not None)
    wait_until(lambda: window.plots._latest[0].time == window.session.status().time)


@pytest.mark.slow
def test_a_range_is_dragged_a_run_is_kept_and_both_are_there_at_the_next_start(
    make_window: Callable[[], MainWindow], small: Path, tmp_path: Path
) -> None:
    window = make_window()
    hold(window, small)
    run_to(window, 3.0)
    part_of(window, SidePanels).focus_plot(1)
    card = plot_of(window.plots, BoxCountingPlot)
    wait_until(lambda: not card.view.empty_text and card.fits.range is not None)
    laid_out(card)
    x, y = data_of(card, "points")
    drag(card, 0, 0.0)
    chosen = card.fits.chosen
    assert chosen is not None
    assert np.log10(chosen[0]) == pytest.approx(0.0, abs=0.05)
    slope, count = by_numpy(x, y, *chosen)
    assert f"{-slope:.3f}</b>" in card.view.value
    assert f"{count}\u00a0points" in card.view.value

    path = tmp_path / "boxes.svg"

    def export(dialog: ExportDialog) -> None:
        tick(items_of(dialog, "plots"), card.title)
        dialog.file.line.setText(str(path))
        press_export(dialog)

    in_export(lambda: window.commands.run("file.plots"), export)
    with path.with_suffix(".csv").open(encoding="utf-8") as file:
        first = next(csv.DictReader(file))
    assert float(first["D_f [1]"]) == pytest.approx(-slope, rel=1e-8)
    assert float(first["fit from ε/R [1]"]) == pytest.approx(chosen[0])

    part_of(window, SidePanels).focus_plot(4)
    before = plot_of(window.plots, CoarseningPlot).table()
    window.canvas.setFocus()
    QTest.keyClick(window, Qt.Key.Key_K)
    (name,) = window.plots.reference_list.names
    assert name.startswith("225 discs, custom parameters, seed 5, ED, t = ")
    small.write_text(small.read_text().replace("seed = 5", "seed = 6"))
    load(window, small, run=False)
    run_to(window, 3.0)
    table = plot_of(window.plots, CoarseningPlot).table()
    kept = table[f"M/N ({name}) [1]"]
    assert_allclose([kept[0], kept[-1]], [before["M/N [1]"][0], before["M/N [1]"][-1]], rtol=1e-6)
    assert not np.array_equal(table["M/N [1]"], before["M/N [1]"])
    window.close()

    again = make_window()
    hold(again, small)
    wait_until(lambda: again.plots.kind == "aggregation" and bool(again.plots.cards))
    assert plot_of(again.plots, BoxCountingPlot).fits.chosen == pytest.approx(chosen)
    assert again.plots.reference_list.names == [name]
    QTest.mouseClick(again.plots.reference_list.buttons[0], Qt.MouseButton.LeftButton)
    assert again.plots.reference_list.names == []
