"""Studies in a real window: from the dialog to the report, paused, gone on with, closed in the middle and offered."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QAction
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QMenu, QPushButton

from aggviewer.extensions.studies import process
from aggviewer.extensions.studies.dialog import RangeFields, StudyDialog
from aggviewer.extensions.studies.plan import (
    SEEDS,
    mean_and_error,
    range_table,
    study_of,
    study_tables,
    tables_for_plot,
)
from aggviewer.extensions.studies.process import Kept
from aggviewer.extensions.studies.studies import Studies
from aggviewer.extensions.studies.view import StudyWindow
from aggviewer.plots.body import plot_menu
from aggviewer.plots.card import PlotCard
from aggviewer.systems.aggregation.structure import BoxCountingPlot
from aggviewer.systems.registry import Catalog
from aggviewer.widgets.lists import TickList
from aggviewer.widgets.number_edit import NumberEdit
from aggviewer.window.main_window import MainWindow
from engine.scenario import load_scenario
from engine.study import load_study
from engine.study.one_run import Row
from tests import waiting
from tests.extensions.studies.programs import WAITS, Plays, player
from tests.extensions.studies.results import STUDY, store_rows
from tests.plots.panels import plot_of
from tests.waiting import laid_out
from tests.window.conftest import part_of

V_F = "discs.volume_fraction"
MANY = 5_000  # seeds: more runs than any machine does in this test
ESTIMATES = f"""case "$*" in *--dry-run*) echo '{
    json.dumps(
        {
            "seconds_on": [3.0] * 1024,
            "quantities": {"contacts_relative": "contacts", "fractal_dimension": "dimension"},
        }
    )
}'; exit;; esac"""
"""A program that tells at once how long a study takes, and what can be measured."""
_LONG = 280.0  # seconds; processes at low priority on a machine that is busy elsewhere wait long for their turn


def wait_until(condition: Callable[[], bool]) -> None:
    """Handle events until a condition is true."""
    waiting.wait_until(condition, _LONG)


@pytest.fixture(autouse=True)
def own_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of studies for each test alone."""
    root = tmp_path / "data" / "aggviewer" / "studies"
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *args, **more: str(root.parent))
    monkeypatch.setattr(process, "_NICE", 0)  # other tests may keep all cores busy
    return root


@pytest.fixture
def plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plays:
    """Has a script run in the place of the program."""
    return player(tmp_path, monkeypatch)


@pytest.fixture
def window(shared_window: MainWindow, window_again: MainWindow, own_studies: Path) -> Iterator[MainWindow]:
    """The window of this file, with the studies of one test."""
    studies = part_of(shared_window, Studies)
    studies.kept_studies = Kept(own_studies)
    yield shared_window
    for opened in studies.windows:
        opened.shut_down()
    studies.windows.clear()
    if studies.dialog is not None:
        studies.dialog.reject()


def asked(window: MainWindow) -> StudyDialog:
    """The dialog, as the command opens it."""
    window.commands.run("study.new")
    dialog = part_of(window, Studies).dialog
    assert dialog is not None
    return dialog


def study_entry(card: PlotCard) -> QAction:
    """The entry for a study in the menu of a plot."""
    (found,) = [action for action in plot_menu(card, 0).actions() if action.text() == f"Study with {SEEDS} seeds…"]
    return found


def enter(edit: NumberEdit, text: str) -> None:
    """Type a text into a field, and leave it."""
    line = edit.lineEdit()
    assert line is not None
    line.setText(text)
    edit.commit()


def set_range(dialog: StudyDialog, start: float, to: float, steps: int) -> RangeFields:
    """Type a range for the first parameter."""
    fields = dialog.first.fields
    assert isinstance(fields, RangeFields)
    for editor, value in ((fields.start, start), (fields.to, to), (fields.steps, steps)):
        enter(editor.edit, f"{value:g}")
    return fields


def begun(window: MainWindow, seeds: int) -> StudyWindow:
    """A study of two volume fractions that has begun."""
    scenario = window.session.scenario
    assert scenario is not None
    studies = part_of(window, Studies)
    studies.begin(study_tables(scenario, "Two volume fractions", [range_table(V_F, 0.1, 0.2, 2)], count=seeds))
    return studies.windows[-1]


def click_single(view: StudyWindow, run: tuple[int, int]) -> None:
    """Click with the mouse on a run in the plot, which is named by the point of the grid and the seed."""
    plot = view.plot.view
    assert plot is not None
    assert view.plot.drawing is not None
    laid_out(plot)
    (at,) = [(key, runs.index(run)) for key, runs in view.plot.drawing.runs.items() if run in runs]
    scene = plot.getPlotItem().getViewBox().mapViewToScene(plot.readable.place_of(*at))
    place: QPoint = plot.mapFromScene(scene)
    QTest.mouseMove(plot.viewport(), place)
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)


@pytest.mark.slow
def test_pause_go_on_more_seeds_and_stop(window):
    view = begun(window, MANY)
    wait_until(lambda: view.results.done > 2)
    view.pause_button.click()
    wait_until(lambda: view.process.state == "paused")
    view.show_new_rows()
    done = view.results.done
    assert 2 < done < 2 * MANY
    assert view.kept_study.unfinished
    assert view.pause_button.text() == "Continue"

    view.add_seeds(7)
    assert view.process.state == "running"
    assert view.results.total == 2 * (MANY + 7)
    wait_until(lambda: view.results.done > done)
    view.add_seeds(1)  # while it runs: the process that runs then is another one
    assert view.process.state == "pausing"
    wait_until(lambda: view.process.state == "running")
    done = view.results.done
    wait_until(lambda: view.results.done > done + 1)
    runs = view.results.singles("contacts_relative")
    assert len(set(zip(runs.point, runs.seed, strict=True))) == len(runs.point)  # no run twice

    view.stop_button.click()
    assert view.process.state == "stopping"
    wait_until(lambda: view.process.state == "stopped")
    assert view.kept_study.report.is_file()
    assert not view.kept_study.unfinished
    values = tomllib.loads((view.kept_study.results / "study.toml").read_text(encoding="utf-8"))
    assert values["seeds"]["count"] == MANY + 8


def test_a_study_that_cannot_run_says_why(window, plays):
    plays(ESTIMATES)
    dialog = asked(window)
    set_range(dialog, -1.0, 0.3, 3)
    assert dialog.problem.text() == "Volume fraction must be a number above 0 and below 1, not -1.0"
    assert not dialog.accept_button.isEnabled()
    fields = set_range(dialog, 0.1, 0.3, 1)
    assert dialog.problem.text().startswith("Steps must be at least 2")
    set_range(dialog, 0.1, 0.3, 3)
    assert not dialog.problem.isVisible()
    enter(fields.start.edit, "half")
    assert "must be a number" in dialog.problem.text()
    set_range(dialog, 0.1, 0.3, 3)

    dialog.second.choose("aggregation.method")
    values = dialog.second.fields
    assert isinstance(values, TickList)
    for row in range(values.count()):
        values.item(row).setCheckState(Qt.CheckState.Unchecked)
    assert dialog.problem.text() == "Tick at least one value"
    dialog.second.choose(V_F)
    assert "varied twice" in dialog.problem.text()
    dialog.second.choose("")

    enter(dialog.seeds, "0")
    assert dialog.seeds.refused
    assert dialog.seeds.value == 5
    enter(dialog.seeds, "2")
    enter(dialog.limits["until_clusters"], "0")
    assert "at least 1" in dialog.problem.text()
    enter(dialog.limits["until_clusters"], "")
    assert dialog.accept_button.isEnabled()
    assert not dialog.problem.isVisible()
    dialog.reject()
    assert part_of(window, Studies).windows == []


# the same with a script in the place of the program


def test_from_the_dialog_to_the_results_and_back_to_a_run(window, plays, tmp_path, monkeypatch):
    plays(f"{ESTIMATES}\n{WAITS}")
    dialog = asked(window)
    set_range(dialog, 0.1, 0.3, 3)
    dialog.seeds.set_value(2)
    dialog.second.choose("aggregation.method")
    assert dialog.words.text() == "12 runs; estimating how long they take…"
    wait_until(lambda: dialog.quantities.count() > 0)
    assert dialog.words.text().startswith("12 runs, about 3")
    assert dialog.quantities.keys == ["contacts_relative", "fractal_dimension"]
    dialog.quantities.item(1).setCheckState(Qt.CheckState.Unchecked)
    assert dialog.tables["measure"]["quantities"] == ["contacts_relative"]
    file = tmp_path / "saved.toml"
    monkeypatch.setattr(part_of(window, Studies), "_ask_save", lambda *args: file)
    dialog.save_button.click()
    saved = load_study(file)
    assert (saved.seeds.count, saved.vary[0].key) == (2, V_F)

    dialog.accept_button.click()
    (view,) = part_of(window, Studies).windows
    assert view.process.state == "running"
    numbers = [(point, seed, 0.1 * point + seed) for point in range(6) for seed in (1, 2)]
    final = {"positions": np.ones((2, 2)), "radii": np.ones(2), "cluster": np.arange(2), "box": np.full(2, 4.0)}
    store_rows(
        view.kept_study.results,
        [Row(point, seed, "done", numbers={"contacts_relative": c}, final=final) for point, seed, c in numbers],
    )
    view.show_new_rows()
    wait_until(lambda: view.finals.count() == 6)
    model = view.table.model()
    assert model is not None
    _, mean, error = view.results.means("contacts_relative")
    assert mean == pytest.approx([0.1 * point + 1.5 for point in range(6)])
    assert model.index(5, 3).data() == mean_and_error(mean[5], error[5])[0]
    click_single(view, (4, 2))
    wanted = view.results.grid.points[4].values | {"seed": 2}
    wait_until(lambda: all(window.session.scenario.value(key) == value for key, value in wanted.items()))
    for singles, log in ((False, False), (True, True)):
        view.singles.setChecked(singles)
        view.log.setChecked(log)
        assert len(view.plot.view.readable.all()) == (12 if singles else 0)


def test_a_study_that_is_not_through_is_offered_and_goes_on(window, own_studies, plays, tmp_path):
    plays(WAITS)
    Kept(own_studies).new(STUDY)
    studies = part_of(window, Studies)
    studies.offer_work()
    (toast,) = [one for one in window.stage.toasts.toasts if "not finished" in one.notice.title]
    assert STUDY["title"] in toast.notice.text
    menu = QMenu()
    studies.fill_menu(menu)
    assert [entry.text().startswith(f"{STUDY['title']}, ") for entry in menu.actions()] == [True]
    next(button for button in toast.findChildren(QPushButton) if button.text() == "Continue").click()
    (view,) = studies.windows
    assert view.process.state == "running"
    wait_until((tmp_path / "began").exists)
    number = view.process._child._process.processId()
    studies.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert Kept(own_studies).all()[0].unfinished


def test_the_menu_of_a_plot_opens_the_dialog_with_its_study_filled_in(window, plays):
    plays(f"{ESTIMATES}\n{WAITS}")
    scenario = window.session.scenario
    card = plot_of(window.plots, BoxCountingPlot)
    card.head.fold.setChecked(True)
    wait_until(lambda: 0 in window.plots._latest and not card.views[0].empty_text)
    study_entry(card).trigger()
    dialog = part_of(window, Studies).dialog
    of = f"{part_of(window, Catalog).title_of(scenario)}, {card.plot.title}"
    measured = study_of(card.plot, window.plots._latest[0], card.fits.chosen, card.fits.range)
    assert dialog.tables == tables_for_plot(measured, of, ended=False)
    assert dialog.quantities_note.text() == "All numbers of a run, and D_f, fitted as in the plot"
    wait_until(lambda: dialog.quantities.count() > 0)
    assert dialog.quantities.ticked == [], "what the study did not ask for is offered only"
    dialog.accept_button.click()
    study = part_of(window, Studies).windows[-1].results.study
    assert (study.seeds.first, study.seeds.count, study.vary) == (scenario.seed, SEEDS, ())


def test_pools_stay_in_a_study_as_long_as_it_varies_only_the_seed(qtbot):
    scenario = load_scenario("jam-256")
    exponent, count = "packing.gaps.fit.exponent", "packing.gaps.fit.count"
    pools = [{"title": "gaps", "exponent": exponent, "count": count}]
    filled = study_tables(scenario, "gaps", (), count=SEEDS, quantities=(exponent, count), pools=pools)
    dialog = StudyDialog(scenario, "gaps", lambda tables: None, filled=filled)
    qtbot.addWidget(dialog)
    assert dialog.quantities.ticked == [exponent, count]
    assert dialog.quantities.item(0).text() == "Exponent of small gaps -γ"
    assert dialog.tables["pool"] == pools
    dialog.first.choose("discs.count")
    assert "pool" not in dialog.tables
    dialog.first.choose("")
    dialog.quantities.item(1).setCheckState(Qt.CheckState.Unchecked)
    assert "pool" not in dialog.tables, "it needs the numbers of values"
    dialog.close_estimate()
