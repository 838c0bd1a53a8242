"""The film dialog, and films made while the window is used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, cast

import av
import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QListWidget, QPushButton, QWidget
from pytestqt.qtbot import QtBot

import engine
from aggviewer.canvas.camera import Camera
from aggviewer.document.view import ViewModel
from aggviewer.export.kinds import ExportItem
from aggviewer.export.sources import LaneToFilm
from aggviewer.export.spec import FilmSpec, Growth, merge_times
from aggviewer.extensions.export_dialogs.film_dialog import FilmDialog
from aggviewer.extensions.export_dialogs.film_job import FilmCosts, FilmOrder, Films
from aggviewer.extensions.export_dialogs.film_times import FilmAhead, FilmOffer
from aggviewer.session import DiscSet, Notice
from aggviewer.session.analyst import SystemAnalysis
from aggviewer.session.log import Repetition
from aggviewer.systems.registry import view_of
from aggviewer.window.toasts import ToastStack
from tests.widgets.number_fields import enter
from tests.window.conftest import PATIENCE

CAMERA = Camera.fitting((10.0, 10.0), (800.0, 600.0))
LIVE = FilmOffer(np.full(100, 0.25), CAMERA, (801, 601), first_time=3.0, speed=2.0)
RECORDED = replace(LIVE, first_time=0.0, last_time=1.0 / 3.0, frames=40)


@pytest.fixture
def show(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Callable[..., FilmDialog]:
    def make(offer: FilmOffer, name: str = "film.mp4", last: FilmSpec | None = None) -> FilmDialog:
        dialog = FilmDialog(offer, tmp_path / name, last)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        return dialog

    return make


def untick(plots: QListWidget) -> None:
    for row in range(plots.count()):
        plots.item(row).setCheckState(Qt.CheckState.Unchecked)


def save_of(dialog: FilmDialog) -> QPushButton:
    button = dialog.buttons.button(QDialogButtonBox.StandardButton.Save)
    assert button is not None
    return button


@pytest.mark.parametrize("missing", [(), ("gravity",), ("axes", "gravity")])
def test_axes_and_gravity_can_be_left_out_of_a_film_that_has_them(show, missing: tuple[str, ...]) -> None:
    dialog = show(replace(LIVE, missing=missing))
    for name in ("axes", "gravity"):
        box = getattr(dialog.over, name)
        assert box.isVisible() == (name not in missing)
        if name not in missing:
            box.click()
            assert not getattr(dialog.spec.over, name)


def test_a_film_of_iterations_starts_and_ends_at_whole_ones(show) -> None:
    packing = replace(LIVE, clock=view_of("jamming").clock, first_time=12.34, speed=0.296025)
    dialog = show(replace(packing, past=np.arange(13.0)))
    assert (dialog.times.start.text(), dialog.times.end.text()) == ("0", "12")
    enter(dialog.times.start, 12)
    enter(dialog.times.end, 18)
    assert (dialog.spec.start, dialog.spec.end) == (12.0, 18.0)
    assert any("Up to the present (iteration 12), it shows" in label.text() for label in dialog.findChildren(QLabel))
    enter(dialog.times.end, 17.5)
    assert dialog.times.end.refused
    assert show(packing).spec.start == 13.0  # nothing is kept of what was before


def test_a_film_may_begin_in_the_past_that_is_kept(show) -> None:
    stored = np.linspace(0.0, 3.0, 40)
    dialog = show(replace(LIVE, first_time=3.0000000004, past=stored))
    assert dialog.spec.start == 0.0, "what was watched"
    assert dialog.spec.end == 3.0000000004  # the present, which the field shows with fewer digits
    why = "since a run of many discs that began with a file cannot be recomputed"
    assert f"the 40 stored states: 6 of 46 pictures repeat the previous one, {why}." in dialog.note.text()
    assert not dialog.times.again.isVisible()
    enter(dialog.times.start, 1.0)
    enter(dialog.times.end, 5.0)
    assert dialog.spec.start == 1.0
    assert dialog.estimate_label.text().startswith("2.0 s, 61 frames")
    enter(dialog.times.start, -1.0)
    assert dialog.times.start.refused
    assert dialog.spec.start == 1.0
    looked_at = show(replace(LIVE, past=stored, shown=0.5)).spec
    assert (looked_at.start, looked_at.end) == (0.5, 3.0)
    assert show(replace(LIVE, past=np.linspace(2.5, 3.0, 12))).spec.start == 3.0, "too little was watched"


def test_speed_and_length_follow_each_other(show) -> None:
    times = (dialog := show(LIVE)).times
    assert times.length.text() == "20 s"
    enter(times.length, 10.0)
    assert (times.speed.value, dialog.spec.speed, dialog.spec.length) == (4.0, 4.0, None)
    enter(times.speed, 8.0)
    assert times.length.text() == "5 s"
    enter(times.end, 83.0)
    assert times.length.text() == "10 s"
    times.pace.setCurrentText("By the logarithm of time")
    assert not times.speed.isVisible()
    assert (dialog.spec.length, dialog.spec.log_time) == (10.0, True)
    assert dialog.estimate_label.text().startswith("10.0 s, 301 frames")


def test_a_recording_frame_by_frame_or_by_time(show) -> None:
    dialog = show(RECORDED)
    assert dialog.spec.frames == (0, 39)
    assert dialog.times.first_frame.isVisible()
    assert not dialog.times.start.isVisible()
    assert dialog.estimate_label.text().startswith("1.3 s, 40 frames")
    dialog.times.pace.setCurrentText("By simulation time")
    assert not dialog.times.first_frame.isVisible()
    spec = dialog.spec
    # the field shows 0.333333, and the film goes to the very end
    assert (spec.frames, spec.start, spec.end) == (None, 0.0, 1.0 / 3.0)
    assert save_of(dialog).isEnabled()


def test_an_impossible_film_is_reported_and_cannot_be_saved(show) -> None:
    dialog = show(RECORDED)
    enter(dialog.times.first_frame, 20)
    enter(dialog.times.last_frame, 10)
    assert not save_of(dialog).isEnabled()
    assert "Recorded frames go from 0 to 39" in dialog.problem.text()
    assert dialog.problem.isVisible()
    assert dialog.estimate_label.text() == "–"
    enter(dialog.times.last_frame, 30)
    assert save_of(dialog).isEnabled()
    assert not dialog.problem.isVisible()
    enter(dialog.size_fields.width_field, 641)
    assert "must be even" in dialog.problem.text()


def test_the_plots_on_the_screen_are_proposed_as_far_as_there_is_room(show) -> None:
    plots = tuple(ExportItem(f"p{number}", f"Plot {number}") for number in range(9))
    keys = tuple(item.key for item in plots)
    dialog = show(replace(LIVE, plots=plots), last=FilmSpec(plots=keys[1:3]))
    assert dialog.spec.plots == keys[1:3]
    crowded = show(replace(LIVE, plots=plots), last=FilmSpec(plots=keys))
    assert crowded.spec.plots == keys[:8]
    assert save_of(crowded).isEnabled()


def test_the_dialog_says_how_long_rendering_takes(show, costs: FilmCosts, qtbot: QtBot, tmp_path: Path) -> None:
    asked: list[FilmSpec] = []

    def make(spec: FilmSpec, path: Path) -> FilmOrder:
        asked.append(spec)
        return order(path, size=spec.size, start=spec.start, end=spec.end, speed=spec.speed)

    costs.begin(make)
    dialog = FilmDialog(LIVE, tmp_path / "film.mp4", FilmSpec(size=(160, 120)), costs=costs)
    qtbot.addWidget(dialog)
    assert dialog.cost_label.text() == "…"
    qtbot.waitUntil(lambda: dialog.cost_label.text().startswith("about "), timeout=PATIENCE)
    assert dialog.cost_label.text().endswith(", simulation included"), "nothing is kept"
    enter(dialog.times.end, 1e4)
    assert len(asked) == 1, "a longer film costs as much for each frame"
    assert dialog.cost_label.text().endswith((" min, simulation included", " h, simulation included"))
    dialog.size_fields.value = (320, 240)
    dialog.size_fields.changed.emit()
    assert dialog.cost_label.text() == "…"
    qtbot.waitUntil(lambda: dialog.cost_label.text().startswith("about "), timeout=PATIENCE)
    assert [spec.size for spec in asked] == [(160, 120), (320, 240)]


# making a film


@pytest.fixture
def host(qtbot: QtBot, compiled: None) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.resize(800, 600)
    widget.show()
    return widget


@pytest.fixture
def costs(host: QWidget) -> Iterator[FilmCosts]:
    made = FilmCosts(host)
    yield made
    made.close()


@pytest.fixture
def told() -> list[Notice]:
    return []


@pytest.fixture
def films(host: QWidget, told: list[Notice]) -> Iterator[Films]:
    made = Films(host, told.append, ToastStack(host, host.rect, lambda _place: 0.0))
    yield made
    made.close()


def order(path: Path, again: Callable[[], Repetition] | None = None, **more: object) -> FilmOrder:
    spec = FilmSpec((160, 120), 10.0, start=0.0, end=2.0, again=again is not None)
    simulation = engine.create(engine.load_scenario("lattice-100"))
    discs = DiscSet.of(simulation.scenario, simulation)
    lane = LaneToFilm(discs, simulation.checkpoint(), (), SystemAnalysis, again)
    return FilmOrder(path, replace(spec, **more), [lane], None, [(None, "", "")], ViewModel(), CAMERA)  # type: ignore[arg-type]


def frames_in(path: Path) -> int:
    with av.open(str(path)) as container:
        return sum(1 for _ in container.decode(video=0))


def test_a_film_is_made_while_the_window_is_used(
    films: Films, told: list[Notice], host: QWidget, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "film.mp4"
    wanted = order(path)
    assert films.start(wanted)
    assert films.busy
    assert films.card is not None
    assert films.card.isVisible()
    wanted.view.show_time = False  # the person goes on with the picture
    host.resize(700, 500)
    assert films.card.geometry().right() == 700 - 16 - 1
    qtbot.waitUntil(lambda: not films.busy, timeout=PATIENCE)
    assert films.card is None
    (notice,) = told
    assert (notice.level, notice.title, notice.folder, notice.film) == (
        "info", "Film exported", str(tmp_path), str(path),
    )  # fmt: skip
    assert "21 frames, 2.1 s" in told[0].text
    assert frames_in(path) == 21


def test_a_film_can_be_given_up_with_a_click(films: Films, told: list[Notice], qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    films.start(order(tmp_path / "out" / "film.mp4", end=1e4))
    card = films.card
    assert card is not None
    qtbot.waitUntil(lambda: card.bar.value() > 2, timeout=PATIENCE)
    assert "Frame " in card.text.text()
    qtbot.mouseClick(card.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not films.busy, timeout=PATIENCE)
    assert [notice.title for notice in told] == ["The film was cancelled"]
    assert list((tmp_path / "out").iterdir()) == []


def test_one_film_at_a_time(films: Films, told: list[Notice], tmp_path: Path) -> None:
    assert films.start(order(tmp_path / "a.mp4", end=1e4))
    assert not films.start(order(tmp_path / "b.mp4"))
    assert [notice.title for notice in told] == ["A film is already being made"]


def test_closing_gives_the_film_up_and_joins_its_threads(films: Films, told: list[Notice], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    films.start(order(tmp_path / "out" / "a.mp4", end=1e4))
    films.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("film")]
    assert list((tmp_path / "out").iterdir()) == []
    assert told == []
    assert films.card is None


@pytest.mark.parametrize("kind", ["input", "fault"])
def test_a_failed_film_is_reported(films: Films, told: list[Notice], qtbot: QtBot, tmp_path: Path, kind: str) -> None:
    if kind == "input":
        films.start(order(tmp_path / "nowhere" / "a.mp4"))
        words = "there is no folder"
    else:

        def broken() -> Repetition:
            raise RuntimeError("the sky falls")

        films.start(order(tmp_path / "a.mp4", broken))
        words = "RuntimeError: the sky falls"
    qtbot.waitUntil(lambda: not films.busy, timeout=PATIENCE)
    ((level, title, text),) = [(notice.level, notice.title, notice.text) for notice in told]
    assert (level, title) == ("error", "The film could not be made")
    assert words in text


class Ahead(FilmAhead):
    """What would be found by simulating, given by the test."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def find(self) -> None:
        self.asked += 1
        self.busy = self.growth is None

    def give(self, growth: Growth) -> None:
        self._take(growth)


def test_a_film_until_the_end_goes_by_the_logarithm_and_says_where_its_merges_lie(qtbot: QtBot, tmp_path: Path) -> None:
    ahead = Ahead()
    dialog = FilmDialog(replace(LIVE, end="one cluster is left", merges=True), tmp_path / "a.mp4", ahead=ahead)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.merges_label.isVisible()
    assert ahead.asked == 0
    dialog.times.to_end.setChecked(True)
    assert (dialog.times.pace.currentData(), dialog.spec.end, dialog.spec.log_time) == ("log", inf, True)
    assert dialog.merges_label.isVisible()
    assert dialog.merges_label.text() == "…"
    length = dialog.spec.length
    assert length == 20.0
    ahead.give(Growth(np.array([4.0, 5.0, 6.0, 1003.0]), 1003.0))
    assert (dialog.spec.end, dialog.spec.length, dialog.spec.log_time) == (1003.0, length, True)
    by_log = dialog.merges_label.text()
    assert by_log.startswith("4 merges: half in the first ")
    pace = dialog.times.pace
    pace.setCurrentIndex(pace.findData("time"))
    pace.activated.emit(pace.currentIndex())  # as if a person had chosen it
    assert not dialog.spec.log_time
    assert dialog.merges_label.text() == "4 merges: half in the first 0.1 s, 90 % in the first 20.0 s of 20.0 s"
    dialog.times.to_end.setChecked(False)
    dialog.times.to_end.setChecked(True)
    assert not dialog.spec.log_time, "a pace that was chosen stays"


def test_the_end_of_a_run_and_its_merges_are_found_on_a_thread(qtbot: QtBot) -> None:
    simulation = engine.create(engine.load_scenario("lattice-100").with_values({"discs.count": 36}))
    simulation.advance(until_clusters=30)
    lane = LaneToFilm(cast(Any, None), simulation.checkpoint(), (), cast(Any, None))
    ahead = FilmAhead()
    ahead.begin([lane])
    with qtbot.waitSignal(ahead.changed, timeout=int(1000 * PATIENCE)):
        ahead.find()
        ahead.find()
        assert ahead.busy
    assert not ahead.busy
    simulation.advance(until_clusters=1)
    assert ahead.growth is not None
    assert ahead.growth.end == simulation.time
    assert ahead.growth.times.tolist() == merge_times(simulation.history()).tolist()
    ahead.close()
