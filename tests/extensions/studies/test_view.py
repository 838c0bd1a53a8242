"""The window of a study, over rows that are there: what is drawn, what a click opens, what is said of failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from aggviewer.extensions.studies.process import Kept
from aggviewer.extensions.studies.view import StudyWindow
from aggviewer.plots.series_items import group_colours
from aggviewer.style.theme import DARK
from engine.scenario import Scenario
from engine.study.one_run import Row
from tests.extensions.studies.results import STUDY, failure, row, store_rows
from tests.waiting import laid_out

V_F, N = "discs.volume_fraction", "discs.count"
GRID = STUDY | {"vary": [{"key": V_F, "values": [0.1, 0.2, 0.3]}, {"key": N, "values": [100, 144]}]}
ROWS = [row(point, seed, 0.5 + 0.01 * point + 0.003 * seed) for point in range(6) for seed in (3, 4, 6)]

Opens = Callable[..., StudyWindow]


@pytest.fixture
def opened() -> list[Scenario]:
    """The runs that were opened."""
    return []


@pytest.fixture
def opens(tmp_path: Path, qtbot: QtBot, opened: list[Scenario]) -> Iterator[Opens]:
    """Shows the window of a study with these rows."""
    made: list[StudyWindow] = []

    def show(tables: dict[str, Any] = GRID, rows: Sequence[Row] = ROWS) -> StudyWindow:
        kept = Kept(tmp_path / "studies").new(tables)
        if rows:
            store_rows(kept.results, rows)
        window = StudyWindow(
            kept, lambda scenario, _title: opened.append(scenario), lambda kind, name, curves: "Kept", DARK
        )
        qtbot.addWidget(window)
        window.set_colors(DARK)
        window.show()
        qtbot.waitExposed(window)
        window.show_new_rows()
        made.append(window)
        return window

    yield show
    for window in made:
        window.shut_down()


def items_of(view: StudyWindow, kind: type[Any]) -> list[Any]:
    """What is drawn of a kind, line by line."""
    plot = view.plot.view
    assert plot is not None
    return [item for item in plot.getPlotItem().items if isinstance(item, kind)]


def test_means_and_error_bars_of_each_line(opens: Opens) -> None:
    view = opens()
    values = np.array([[one.numbers["contacts_relative"] for one in ROWS if one.point == p] for p in range(6)], float)
    mean, error = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(3.0)
    drawn, bars = view.plot.drawing.drawing, items_of(view, pg.ErrorBarItem)
    for line in range(2):
        means = drawn[f"means {line}"]
        assert_allclose(means.x, [0.1, 0.2, 0.3])
        assert_allclose(means.y, mean[line::2])
        assert_allclose(bars[line].opts["top"], error[line::2])
        assert_allclose(bars[line].opts["bottom"], error[line::2])
    assert [len(drawn[f"runs {line}"].y) for line in range(2)] == [9, 9]
    assert "100" in view.plot.legend.text()
    assert group_colours(DARK)[1] in view.plot.legend.text()


def test_a_click_opens_the_run_under_it(opens: Opens, opened: list[Scenario]) -> None:
    view = opens()
    plot = view.plot.view
    assert plot is not None
    laid_out(plot)
    places = {view.plot.drawing.runs[key][k]: (key, k) for key, k in plot.readable.all()}
    for index in (0, 7, 17):
        runs = view.results.singles("contacts_relative")
        point, seed, value = runs.point[index], runs.seed[index], runs.value[index]
        at = plot.readable.place_of(*places[point, seed])
        assert at.y() == pytest.approx(value)
        place = plot.mapFromScene(plot.getPlotItem().getViewBox().mapViewToScene(at))
        QTest.mouseMove(plot.viewport(), place)
        QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
        wanted = view.results.grid.points[point].values | {"seed": seed}
        assert {key: opened[-1].value(key) for key in wanted} == wanted
        assert plot.describe(*places[point, seed]).endswith(f", seed {seed}: {value:.4g}")


def test_a_row_of_the_table_opens_the_first_run_of_its_point(opens: Opens, opened: list[Scenario]) -> None:
    view = opens()
    model = view.table.model()
    assert model is not None
    assert model.rowCount() == 6
    view.table.doubleClicked.emit(model.index(3, 0))
    assert (opened[-1].value(V_F), opened[-1].value(N), opened[-1].seed) == (0.2, 144, 3)
    assert [model.index(3, column).data() for column in range(3)] == ["0.2", "144", "3"]


def test_buttons_of_a_study_follow_its_state(opens: Opens) -> None:
    view = opens()
    assert view.state.text() == "Not running: 18 of 24 runs"
    assert (view.bar.value(), view.bar.maximum()) == (18, 24)
    assert view.pause_button.text() == "Continue"
    assert view.pause_button.isEnabled()
    assert view.stop_button.isEnabled()
    assert not view.report_button.isEnabled(), "there is none yet"
    assert not view.problem.isVisible()
    whole = opens(rows=[row(point, seed, 0.5) for point in range(6) for seed in range(3, 7)])
    whole.kept_study.set_unfinished(False)
    whole.show_new_rows()
    assert not whole.pause_button.isEnabled()
    assert not whole.stop_button.isEnabled()


def test_runs_that_have_failed_say_why(opens: Opens) -> None:
    view = opens(rows=[failure(point, seed, "no room for the discs") for point in range(6) for seed in range(3, 7)])
    assert view.state.text() == "Not running: 0 of 24 runs, 24 failed"
    assert view.problem.text() == "24 runs have failed: no room for the discs"
    assert view.problem.isVisible()
    assert view.bar.value() == 24
    assert view.plot.view is not None
    assert view.plot.view.empty_text


def test_more_seeds_are_asked_for_in_the_file(opens: Opens, monkeypatch: pytest.MonkeyPatch) -> None:
    view = opens()
    begun: list[int] = []
    monkeypatch.setattr(view.process, "begin_again", lambda: begun.append(view.kept_study.read().seeds.count))
    view.add_seeds(3)
    assert begun == [7]
    assert view.results.total == 42
    assert view.kept_study.read().seeds.first == 3
