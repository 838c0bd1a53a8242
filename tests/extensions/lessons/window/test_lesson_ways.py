"""In and out of lessons, from steps where the window is in another mode; what a step puts away; what a panel has no
room for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QLabel, QScrollArea

from aggviewer.canvas.camera import ALONG
from aggviewer.extensions.stepping.mode import StepView
from aggviewer.session import Notice
from aggviewer.session.notices import ENDED
from aggviewer.window.files import Opening
from aggviewer.window.main_window import MainWindow
from aggviewer.window.run_display import Comparing
from aggviewer.window.side_panels import SidePanels
from engine.plotting.projection import FROM_ABOVE
from tests.extensions.lessons.window.learner import Learner
from tests.extensions.lessons.window.test_lessons import LESSONS, to_step
from tests.waiting import laid_out
from tests.window.conftest import GAS, SMALL, hold, part_of, wait_until


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
        "speed": (status.speed, status.fast),
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
    "two runs side by side": ("exact-or-steps", "Alike, not the same", "compared"),
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


def test_done_shows_the_plots_as_they_were_before_the_lesson(learner: Learner, small: Path) -> None:
    window, size = learner.window, learner.window.size()
    hold(window, small)
    window.resize(1000, 700)  # parameters and plots are tabs
    laid_out(window)
    panels, plots = part_of(window, SidePanels), window.plots
    panels.show(panels.right)
    plots.cards[3].head.fold.setChecked(False)  # the plot that the lesson shows
    laid_out(window)
    bar = plots.findChild(QScrollArea).verticalScrollBar()  # type: ignore[union-attr]
    wait_until(lambda: bar.maximum() > 100)
    bar.setValue(100)

    def shown() -> dict[str, object]:
        folded = [card.number for card in plots.cards if not card.head.fold.isChecked()]
        return {
            "behind": panels.is_covered(panels.right),
            "folded": folded,
            "scrolled": bar.value(),
            "seen": plots.seen,
        }

    before = shown()
    assert (before["behind"], before["scrolled"]) == (False, 100)
    learner.open("two-four-many")
    while not learner.player.ended:
        learner.player.skip()
        learner.settle()
    learner.leave()
    wait_for_state(shown, before)
    plots.cards[3].head.fold.setChecked(True)
    bar.setValue(0)
    window.resize(size)


def test_a_lesson_of_another_system_gives_back_what_was_there_and_coming_back_goes_on(
    learner: Learner, tmp_path: Path
) -> None:
    before = own_state(learner, tmp_path, GAS)
    name, title = "dust-to-cluster", "Let it begin"
    learner.open(name)
    assert learner.window.session.view.turn == FROM_ABOVE, "a lesson begins with its own view of spheres"
    to_step(learner, title)
    assert state_of(learner) != before
    answers, done = dict(learner.player.answers), set(learner.player.done)
    learner.leave()
    wait_until(lambda: learner.window.session.status().state == "paused")
    came_back(learner, before)
    learner.use(f"lesson.{name}")
    learner.settle()
    assert learner.step.title == title
    assert learner.player.answers == answers
    assert learner.player.done >= done
    learner.leave()
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
    to_step(learner, "And in a crowd?")
    assert learner.window.plots.seen == ()
    learner.answer()
    learner.forward()
    assert [learner.window.plots.cards[number - 1].key() for number in learner.window.plots.seen] == ["pressure"]


def test_what_was_said_of_the_step_before_is_taken_away(learner: Learner) -> None:
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


WIDE = r"""
format = 1
title = "Wide"
summary = "Formulas without end."
minutes = 1

[[step]]
title = "Too wide"
say = "It is $a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12}$."
equation = "$$\\sum a_i = a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12} + a_{13}$$"
[step.set]
scenario = "lattice-100"
[step.predict]
id = "which"
ask = "Which, $a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12}$?"
choices = [
  { text = "$b_1 + b_2 + b_3 + b_4 + b_5 + b_6 + b_7 + b_8 + b_9 + b_{10} + b_{11} + b_{12}$", when = "< 1" },
  { text = "Another", when = ">= 1" },
]
"""


def test_formulas_are_as_wide_as_the_panel_at_most(learner: Learner, tmp_path: Path) -> None:
    window, panel = learner.window, learner.lessons.panel
    window.resize(1024, 700)
    wait_until(lambda: (window.width(), window.height()) == (1024, 700))
    (tmp_path / "lesson.toml").write_text(WIDE)
    learner.lessons.open(tmp_path / "lesson.toml")
    learner.settle()
    learner.click(learner.task.choices.button(0))
    learner.click(learner.task.button)

    def fits() -> bool:
        QApplication.sendPostedEvents()
        page, port = panel.page.widget(), panel.page.viewport()
        return page.width() <= port.width() and all(
            label.sizeHint().width() <= port.width() for label in page.findChildren(QLabel) if label.isVisible()
        )

    wait_until(fits)
    usual = panel.page.width()
    for width in (usual + 24, usual - 8):
        window.resizeDocks([learner.lessons.dock], [width], Qt.Orientation.Horizontal)
        wait_until(lambda width=width: abs(panel.page.width() - width) < 8)
        wait_until(fits)


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


def test_arrows_have_one_scale_for_a_whole_lesson(learner: Learner) -> None:
    window = learner.window
    assert window.session.view.arrow_speed is None
    learner.open("two-four-many")
    wait_until(lambda: window.session.view.arrow_speed == 0.5)
    to_step(learner, "Let them meet")
    learner.do(Learner.run)
    scene = window.canvas.scene
    wait_until(lambda: scene.data("velocities").round_speed == 0.2)  # of the pair alone
    assert window.session.view.arrow_speed == 0.5
    learner.leave()
    assert window.session.view.arrow_speed is None
