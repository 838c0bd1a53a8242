"""Rows of a study as they come in: means and errors, failures, tables; and what the dialog asks for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PyQt6.QtCore import Qt

from aggviewer.extensions.studies.dialog import usual_range, with_slider
from aggviewer.extensions.studies.plan import (
    as_bundled,
    can_vary,
    failure_words,
    grid_of,
    mean_and_error,
    range_table,
    study_tables,
)
from aggviewer.extensions.studies.results import Results
from aggviewer.extensions.studies.view import PointModel
from aggviewer.parameters.editors import Control
from engine.errors import InputError
from engine.scenario import describe, load_scenario
from engine.study import Study
from tests.extensions.studies.results import STUDY, failure, read_all, results_of, row, store_rows

V_F = "discs.volume_fraction"
VALUES = {(0, 3): 0.51, (0, 4): 0.53, (0, 5): 0.58, (0, 6): 0.49, (1, 3): 0.61, (1, 4): 0.66}


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Four runs of the first point, two of the second."""
    return results_of(tmp_path, [row(point, seed, value) for (point, seed), value in VALUES.items()])


def test_means_and_errors_are_those_of_numpy(results: Results) -> None:
    count, mean, error = results.means("contacts_relative")
    for point in range(2):
        mine = np.array([value for (at, _), value in VALUES.items() if at == point])
        assert count[point] == len(mine) == results.runs_at[point]
        assert_allclose(mean[point], mine.mean(), rtol=1e-14)
        assert_allclose(error[point], mine.std(ddof=1) / np.sqrt(len(mine)), rtol=1e-12)


def test_one_run_has_a_mean_and_no_error(tmp_path: Path) -> None:
    results = results_of(tmp_path, [row(0, 3, 0.5)])
    count, mean, error = results.means("contacts_relative")
    assert (count[0], mean[0]) == (1, 0.5)
    assert np.isnan(error[0])
    assert np.isnan(mean[1])


def test_a_row_that_comes_twice_counts_once_and_one_that_succeeds_later_has_not_failed(tmp_path: Path) -> None:
    results = results_of(tmp_path, [row(0, 3, 0.5), failure(0, 4), failure(1, 3)])
    assert (results.total, results.done, len(results.failures), results.remaining) == (8, 1, 2, 5)
    assert results.failed_at(0) == 1
    store_rows(tmp_path, [row(0, 3, 0.5), row(0, 4, 0.7)])
    read_all(results)
    count, mean, _ = results.means("contacts_relative")
    assert count[0] == 2
    assert mean[0] == pytest.approx(0.6)
    assert (results.done, results.failed_at(0), results.failed_at(1), results.remaining) == (2, 0, 1, 5)


def test_points_without_a_finite_value_are_left_out(tmp_path: Path) -> None:
    rows = [row(0, 3, 0.5), row(0, 4, 0.5)]
    rows[1].numbers["contacts_relative"] = None
    rows[0].numbers["fractal_dimension"] = None
    results = results_of(tmp_path, rows)
    assert results.means("contacts_relative")[0][0] == 1
    assert results.quantities() == ["contacts_relative"]
    assert results.done == 2


def test_why_runs_have_failed_in_words(tmp_path: Path) -> None:
    assert failure_words(results_of(tmp_path / "none", [row(0, 3, 0.5)])) == ""
    assert (
        failure_words(results_of(tmp_path / "one", [failure(0, 3, "one reason")])) == "One run has failed: one reason"
    )
    both = results_of(tmp_path / "two", [failure(0, 3, "one reason"), failure(0, 4, "another")])
    assert failure_words(both) == "2 runs have failed: one reason (and 1 other reason: see the report)"


def test_more_seeds_widen_the_study(results: Results) -> None:
    results.widen(Study.from_values(STUDY | {"seeds": {"first": 3, "count": 10}}))
    assert results.total == 20
    assert results.remaining == 14


def test_rows_are_read_in_bites(tmp_path: Path) -> None:
    rows = [row(point, seed, 0.5) for point in range(2) for seed in range(3, 103)]
    results = results_of(tmp_path, rows, seeds={"first": 3, "count": 100})
    assert results.done == 200
    slow = Results(results.study, tmp_path)
    assert slow.read()
    assert slow.behind
    assert 0 < slow.done < 200


@pytest.mark.parametrize(
    ("mean", "error", "texts"),
    [
        (0.26712, 0.006, ("0.2671", "0.0060")),
        (0.27934, 0.0067, ("0.2793", "0.0067")),
        (1.0, 0.0996, ("1.00", "0.10")),
        (123.456, 12.3, ("123", "12")),
        (12345.6, 345.6, ("12\N{THIN SPACE}346", "346")),
        (0.5, 0.0, ("0.5", "0")),
        (0.5, float("nan"), ("0.5", "")),
        (float("nan"), float("nan"), ("–", "")),
        (1e-9, 1e-11, ("10⁻⁹", "10⁻¹¹")),
    ],
)
def test_numbers_of_the_table_have_the_digits_that_the_error_leaves(mean, error, texts) -> None:
    assert mean_and_error(mean, error) == texts


def test_the_table_has_a_row_for_each_point_and_names_failures(tmp_path: Path) -> None:
    results = results_of(tmp_path, [row(0, 3, 0.5), row(0, 4, 0.7), failure(1, 3, "no room")])
    table = PointModel(results)
    table.show_quantity("contacts_relative")
    texts = [[table.index(line, column).data() for column in range(table.columnCount())] for line in range(2)]
    assert texts == [["0.1", "2", "0.60", "0.10"], ["0.2", "0, 1 failed", "–", ""]]
    assert table.index(1, 0).data(Qt.ItemDataRole.ToolTipRole) == "Failed: no room"
    titles = [table.headerData(k, Qt.Orientation.Horizontal) for k in range(4)]
    assert titles == ["V_f", "Runs", "Mean", "Error"]


# what is asked for


def test_the_dialog_makes_a_study_of_its_scenario() -> None:
    scenario = load_scenario("lattice-400").with_values({V_F: 0.3, "velocities.speed": 2.0})
    vary = [range_table(V_F, 0.1, 0.4, 4), {"key": "aggregation.method", "values": ["event-driven"]}]
    measured = {"quantities": ["contacts_relative"], "curves": ["pair_distribution"]}
    limits = {"until_clusters": 2}
    grid = grid_of(study_tables(scenario, "A title", vary, first=7, count=3, limits=limits, **measured))
    assert [point.values[V_F] for point in grid.points] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert grid.scenario_at(grid.points[1]).velocities.speed == 2.0
    assert grid.scenario_at(grid.points[1]).discs.count == 400
    assert list(grid.seeds) == [7, 8, 9]
    study = grid.study
    assert study.measure.quantities == ("contacts_relative",)
    assert study.measure.curves == ("pair_distribution",)
    assert study.stop.limits().until_clusters == 2
    assert "measure" not in study_tables(scenario, "A title", vary)


def test_too_many_points_are_refused_at_their_key() -> None:
    many = [range_table(V_F, 0.1, 0.4, 100), range_table("velocities.speed", 1.0, 2.0, 100)]
    with pytest.raises(InputError, match=r"10.000 points; the window allows at most 2.000") as refused:
        grid_of(study_tables(load_scenario("lattice-400"), "Many", many))
    assert refused.value.key == "velocities.speed"


@pytest.mark.parametrize("name", ["stepping-2500", "gas-10000", "jam-256"])
def test_a_scenario_is_said_by_the_bundled_one_that_is_nearest(name: str) -> None:
    scenario = load_scenario(name).with_values({"discs.volume_fraction": 0.31})
    found, base = as_bundled(scenario)
    assert found == name
    assert base == {"discs.volume_fraction": 0.31}
    keys = [one.key for one in can_vary(scenario)]
    assert "discs.count" in keys
    assert "seed" not in keys
    tables = {key.partition(".")[0] for key in keys}
    assert len(tables & {"aggregation", "hard_discs", "jamming"}) == 1
    assert ("shear.rate" in keys) == ("hard_discs" in tables)


@pytest.mark.parametrize(
    ("key", "control", "value", "slider", "ends"),
    [
        (V_F, Control(step=0.01, slider=(0.01, 0.78)), 0.2, (0.01, 0.78), (0.1, 0.3)),
        (V_F, Control(step=0.01, slider=(0.01, 0.78)), 0.7, (0.01, 0.78), (0.35, 0.78)),
        ("velocities.speed", Control(step=0.1), 1.0, (0.0, 4.0), (0.5, 1.5)),
        ("discs.spread", Control(step=0.1), 0.0, (0.0, 4.0), (0.0, 4.0)),
        ("discs.count", Control(slider=(1, 1e6)), 400, (1, 1e6), (100, 1600)),
        ("velocities.speed", Control(log=True), 2.0, (0.02, 200.0), (0.5, 8.0)),
    ],
)
def test_a_range_is_proposed_around_the_value_of_the_scenario(
    key: str, control: Control, value: float, slider: tuple[float, float], ends: tuple[float, float]
) -> None:
    offered = with_slider(describe(key), control, value)
    assert offered.slider == pytest.approx(slider)
    assert usual_range(describe(key), offered, value) == pytest.approx(ends)
