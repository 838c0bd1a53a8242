"""In and out of lessons, from steps where the window is in another mode; what a step puts away; what a panel has no
room for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt

from aggviewer.canvas.turning import ALONG
from aggviewer.extensions.stepping.mode import StepView
from aggviewer.session import Notice
from aggviewer.session.notices import ENDED
from aggviewer.window.files import Opening
from aggviewer.window.main_window import MainWindow
from aggviewer.window.run_display import Comparing
from aggviewer.window.side_panels import SidePanels
from tests.extensions.lessons.window.learner import Learner
from tests.extensions.lessons.window.test_lessons import LESSONS, to_step
from tests.waiting import laid_out
from tests.window.conftest import SMALL, hold, part_of, wait_until


@pytest.fixture
def window(window_again: MainWindow) -> MainWindow:
    """One window for all these tests."""
    return window_again


def state_of(learner: Learner) -> dict[str, object]:
    """What is the person's own."""
    window = learner.window
    status, camera, panels = window.session.status(), window.canvas.camera, part_of(window, SidePanels)
    return {
        "scenario": window.session.scenario,
        "time": status.time,
        "clusters": status.clusters,
        "speed": (status.speed, status.every_frame),
        "view": window.session.view.model_dump(),
        "plots": window.plots.choice,
        "panels": (panels.left.isVisible(), panels.right.isVisible(), learner.lessons.dock.isVisible()),
        "camera": (round(camera.x, 6), round(camera.y, 6), round(camera.scale, 6)),
        "compared": part_of(window, Comparing).on,
        "inside": part_of(window, StepView).mode.story is not None,
        "shown": window.canvas.isVisible(),
    }


def own_state(learner: Learner, folder: Path, text: str) -> dict[str, object]:
    """A run of the person's own, with settings of its own."""
    window = learner.window
    path = folder / "own.toml"
    path.write_text(text)
    hold(window, path)
    laid_out(window)  # a panel that still comes or goes would change the scale of the picture afterwards
    window.session.step_frame()
    wait_until(lambda: window.session.status().state == "paused" and window.session.status().time > 0.0)
    with window.session.document.unrecorded():
        window.session.view.set_for_lesson({"color_by": "speed", "turn": ALONG["x"]})
    window.plots.show_these([len(window.plots.cards)])
    window.session.set_speed(3.0)
    wait_until(lambda: window.session.status().speed == 3.0)  # the thread of the simulation knows it
    window.canvas.zoom(1.5)
    return state_of(learner)


def wait_for_state(now: Callable[[], dict[str, object]], wanted: dict[str, object]) -> None:
    """Wait until all values are as wanted; which ones are not is told where pytest ends a test that takes too long."""
    other: dict[str, object] = {}

    def there() -> bool:
        found = now()
        other.clear()
        other.update({name: (wanted[name], found[name]) for name in wanted if wanted[name] != found[name]})
        return not other

    try:
        wait_until(there)
    finally:
        assert other == {}


def came_back(learner: Learner, before: dict[str, object]) -> None:
    """All of it is there again, as soon as the run is in the picture."""
    wait_for_state(lambda: state_of(learner), before)


AWAY = {
    "inside a step": ("inside-a-step", "What you have seen", "inside"),
    "two runs side by side": ("exact-or-steps", "Similar, but not the same", "compared"),
    "a view in the place of the picture": ("bouncing-ball", "Two rules", "shown"),
}
"""A lesson, the step of it that is left, and what of the state is another there."""


@pytest.mark.parametrize("where", AWAY)
def test_leaving_from_another_mode_gives_back_what_was_there(learner: Learner, tmp_path: Path, where: str) -> None:
    before = own_state(learner, tmp_path, SMALL)
    name, title, _ = AWAY[where]
    learner.open(name)
    while learner.step.title != title:
        if where == "inside a step":  # which is not there where it was passed over
            learner.do(LESSONS[name].get(learner.step.title, lambda _: None))
        (learner.forward if learner.player.complete else learner.skip)()
    during = state_of(learner)
    assert during[AWAY[where][2]] != before[AWAY[where][2]]
    learner.leave()
    wait_until(lambda: learner.window.session.status().state == "paused")
    came_back(learner, before)


def test_left_before_its_picture_was_seen_the_camera_is_where_it_was(learner: Learner, tmp_path: Path) -> None:
    before = own_state(learner, tmp_path, SMALL)
    learner.window.commands.run("lesson.two-four-many")  # which shows the whole box
    assert learner.window.canvas.fitted
    learner.lessons.leave()
    came_back(learner, before)
    is_back: list[bool] = []
    learner.lessons.classroom.after_commands(lambda: is_back.append(True))
    wait_until(lambda: bool(is_back))
    learner.window.canvas.fit()
    hold(learner.window, tmp_path / "own.toml")
    assert learner.window.canvas.fitted, "the lesson has nothing to say of the same scenario, begun anew"


@pytest.mark.slow
def test_a_question_that_a_plot_would_answer_has_none_beside_it(learner: Learner) -> None:
    learner.open("gas-forgets")
    to_step(learner, "And in a dense gas?")
    assert learner.window.plots.seen == ()
    learner.answer()
    learner.forward()
    assert [learner.window.plots.cards[number - 1].key() for number in learner.window.plots.seen] == ["pressure"]


def test_messages_about_the_previous_step_disappear_with_the_next_one(learner: Learner) -> None:
    window = learner.window
    learner.open("two-four-many")
    for level in ("info", "warning"):
        window.stage.toasts.show(Notice(level, f"All have met ({level})"))
    window.stage.toasts.show(Notice("error", "The disk is full"))
    window.stage.toasts.show(Notice("error", "It must be at most 0.78", key="discs.volume_fraction"))
    window.stage.toasts.show(Notice("error", "The discs overlap", about=ENDED))
    window.stage.toasts.show(Notice("info", "Keep it?"), [("Keep", lambda: None)])
    learner.forward()
    assert [toast.notice.title for toast in window.stage.toasts.toasts] == ["The disk is full", "Keep it?"]
    window.stage.toasts.show(Notice("error", "It must be at most 0.78", key="discs.volume_fraction"))
    window.parameters.rows["discs.volume_fraction"].edited.emit("discs.volume_fraction", 0.7)
    assert len(window.stage.toasts.toasts) == 2, "another value is tried"
    window.parameters.revert()
    window.stage.toasts.show(Notice("warning", "One more"))
    learner.leave()
    assert "One more" not in [toast.notice.title for toast in window.stage.toasts.toasts]
    window.stage.toasts.close()


def test_a_step_fits_its_plot_over_a_range_that_goes_with_the_lesson(learner: Learner) -> None:
    plots = learner.window.session.document.plots
    learner.open("dust-to-cluster")
    assert plots.ranges == {}
    to_step(learner, "Why a straight line")
    assert plots.ranges == {"aggregation/CoarseningPlot": (6.0, 16.0)}
    (card,) = (card for card in learner.window.plots.cards if card.key() == "coarsening")
    assert card.fits.chosen == (6.0, 16.0)
    learner.leave()
    assert plots.ranges == {}


def whole_run(learner: Learner) -> dict[str, object]:
    """The user's own run, with what can be undone and the bits of the discs."""
    session = learner.window.session
    shown = learner.window.refresher.shown()
    assert shown is not None
    return state_of(learner) | {
        "bits": (shown.frame.time, shown.frame.positions.tobytes(), shown.frame.velocities.tobytes()),
        "undo": (session.history.undo_text, session.history.redo_text),
    }


@pytest.mark.parametrize(
    "lessons",
    [
        (("stuck", "Let them grow"),),
        pytest.param((("two-four-many", "Let them meet"), ("stuck", "Jam them")), marks=pytest.mark.slow),
    ],
    ids=len,
)
def test_undo_after_lessons_is_the_person_s_own(
    learner: Learner, tmp_path: Path, lessons: tuple[tuple[str, str], ...]
) -> None:
    """Run, restart, open a lesson, Shift+R in it, leave, Ctrl+Z; also after one of another system."""
    window = learner.window
    own_state(learner, tmp_path, SMALL)
    window.session.restart()  # the step that Ctrl+Z takes back in the end
    window.session.step_event()
    stepped: list[bool] = []
    learner.lessons.classroom.after_commands(lambda: stepped.append(True))
    wait_until(lambda: bool(stepped))
    wait_until(lambda: window.refresher.shown().frame.time == window.session.status().time > 0.0)  # type: ignore[union-attr]
    before = whole_run(learner)
    assert before["undo"] == ("Undo restart", "")
    for name, title in lessons:
        learner.open(name)
        assert (window.session.history.undo_text, window.session.history.redo_text) == ("", "")
        while learner.step.title != title:
            learner.do(LESSONS[name].get(learner.step.title, lambda _: None))
            learner.forward()
        learner.do(LESSONS[name][title])
        window.canvas.setFocus()
        learner.press(Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
        wait_until(lambda: window.session.history.undo_text == "Undo new seed")
        learner.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        learner.press(Qt.Key.Key_V)
        window.plots.keep_as_reference()
        learner.leave()
        wait_for_state(lambda: whole_run(learner), before)
        assert window.plots.model.references == {}, "references of a lesson are removed with it"
    window.canvas.setFocus()
    learner.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: window.session.history.redo_text == "Redo restart")
    assert window.session.scenario is not None
    assert window.session.scenario.discs.count == 225, "the person's discs"


def test_a_file_that_is_opened_in_a_lesson_is_the_person_s_own(learner: Learner, tmp_path: Path) -> None:
    window = learner.window
    own_state(learner, tmp_path, SMALL)
    learner.open("two-four-many")
    path = tmp_path / "another.toml"
    path.write_text(SMALL.replace("225", "100"))
    part_of(window, Opening).open(path)
    wait_until(lambda: window.session.status().count == 100)
    assert not learner.lessons.on, "the lesson is closed, and continues there the next time"
    assert window.session.history.undo_text == "Undo opening another.toml"
    window.session.history.undo()
    wait_until(lambda: window.session.status().count == 225)


def test_the_picture_is_that_of_the_page_after_going_back_and_when_the_lesson_is_opened_again(
    window: MainWindow,
) -> None:
    learner = Learner(window)
    learner.open("two-four-many")
    to_step(learner, "Let them meet")
    learner.do(Learner.run)
    learner.forward()
    wait_until(lambda: learner.player.complete)
    met = window.session.status().time
    learner.back()
    wait_until(lambda: window.session.status().time == 0.0)
    assert learner.player.complete, "it was done"
    learner.forward()
    wait_until(lambda: window.session.status().time == met)
    assert window.session.status().clusters == 1
    learner.leave()
    window.commands.run("lesson.two-four-many")
    learner.settle()
    assert learner.step.title == "What the run shows"
    wait_until(lambda: window.session.status().time == met)
    learner.back()
    wait_until(lambda: window.session.status().clusters == 2)
    assert window.session.view.layers == ("velocities",)
    assert learner.errors == []
    learner.leave()
