"""Each bundled lesson is played to its end in a real window, and one of them in every other way."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QPushButton

from aggviewer.extensions.gallery.popup import Scenarios
from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson
from aggviewer.extensions.lessons.source import bundled
from aggviewer.extensions.stepping.mode import StepView
from aggviewer.session import Shown
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picture_settings import LayerList
from aggviewer.window.settings import WindowSettings
from aggviewer.window.side_panels import SidePanels
from tests.extensions.lessons.window.learner import LEFT, Act, Learner, answer_to, nothing, unnamed
from tests.waiting import laid_out
from tests.window.conftest import part_of, wait_until

NO = "That is not what happens: read on."


def look_inside(learner: Learner) -> None:
    """Run until it holds, then look into a step, to its end."""
    learner.run()
    wait_until(lambda: learner.window.session.status().state == "paused" and learner.window.session.status().time > 1)
    wait_until(learner.window.commands.action("method.inside").isEnabled)
    learner.window.canvas.setFocus()
    learner.press(Qt.Key.Key_I)
    mode = part_of(learner.window, StepView).mode
    wait_until(lambda: mode.story is not None)
    learner.press(Qt.Key.Key_End)


def run_with(values: dict[str, str]) -> Act:
    """Write values into the controls of the lesson, then run."""

    def act(learner: Learner) -> None:
        for key, text in values.items():
            learner.write(key, text)
            wait_until(lambda key=key, text=text: learner.window.session.scenario.value(key) == float(text))
        learner.run()

    return act


ALPHA, FRICTION = "aggregation.damping.alpha", "aggregation.damping.c"


def color_by_rattlers(learner: Learner) -> None:
    """The list in the bar at the top."""
    colors = learner.window.top_bar.color_by
    colors.setFocus()
    colors.setCurrentIndex(colors.findData("rattlers"))
    colors.activated.emit(colors.currentIndex())


def take_out(*, rattler: bool) -> Act:
    """The menu of a disc: the one that stands most in the middle of those that are rattlers, or are not."""

    def act(learner: Learner) -> None:
        window = learner.window
        at_it: list[Shown] = []

        def packing() -> bool:
            shown, status = window.refresher.shown(), window.session.status()
            if shown is None or shown.disc_set.count != 150 or status.state != "finished":
                return False
            # the last frame, and not one of an iteration before: its rattlers are those of the packing
            if shown.frame.time == status.time and shown.frame.network is not None and len(shown.frame.network.pairs):
                at_it[:] = [shown]
            return bool(at_it)

        wait_until(packing)
        (shown,) = at_it
        assert shown.frame.network is not None
        possible = np.flatnonzero(shown.frame.network.rattlers == rattler)
        away = np.linalg.norm(shown.frame.positions[possible] - 0.5 * shown.disc_set.box, axis=1)
        disc = possible[away.argmin()]
        learner.click_menu(*shown.frame.positions[disc].tolist(), "run.take_out")
        window.session.set_speed(1e9)

    return act


def turn(learner: Learner) -> None:
    """Drag in the middle of the picture."""
    canvas = learner.window.canvas
    start = canvas.rect().center()
    QTest.mousePress(canvas, LEFT, pos=start)
    QTest.mouseMove(canvas, start + QPoint(60, 25))
    QTest.mouseRelease(canvas, LEFT, pos=start + QPoint(60, 25))


def cut_open(learner: Learner) -> None:
    """The upper slider of the slab, in the list of layers, with the keyboard."""
    learner.use("view.layers")
    layers = part_of(learner.window, LayerList)
    wait_until(layers.isVisible)
    slider, _ = layers._planes[1]
    for _ in range(4):
        QTest.keyClick(slider, Qt.Key.Key_PageUp)
    layers.hide()


def ball(learner: Learner) -> BallLesson:
    """The two balls in the place of the picture."""
    (found,) = learner.window.stage.findChildren(BallLesson)
    return found


def five_bounces(learner: Learner) -> None:
    """→ five times."""
    for _ in range(5):
        learner.press(Qt.Key.Key_Right)


def roll_the_dice(learner: Learner) -> None:
    """Another plate, until the naive ball is held there; the thousand plates are counted meanwhile."""
    shown = ball(learner)
    wait_until(lambda: shown.samples is not None)
    while shown.story.naive.halted:
        QTest.mouseClick(shown.controls.dice, Qt.MouseButton.LeftButton)


def store_the_gap(learner: Learner) -> None:
    """The list beside the plate."""
    store = ball(learner).controls.store
    store.setCurrentIndex(1)
    store.activated.emit(1)


LESSONS: dict[str, dict[str, Act]] = {
    "two-four-many": {
        "Let them meet": Learner.run,
        "Four discs": Learner.run,
        "Until one is left": Learner.run,
    },
    "dust-to-cluster": {
        "Let it begin": Learner.run,
        "On to 16": Learner.run,
        "Does it get there?": Learner.run,
        "To the last one": Learner.run,
    },
    "fractal": {"Nobody's plan": Learner.run},
    "exact-or-steps": {"The same start": Learner.run, "Long steps": Learner.run},
    "inside-a-step": {
        "Look inside": look_inside,
        "With the usual numbers": Learner.run,
        "Try less friction": run_with({FRICTION: "0.2"}),
        "Try the long stride": run_with({ALPHA: "1"}),
        "Tune it": run_with({ALPHA: "0.2", FRICTION: "1.2"}),
    },
    "gas-forgets": {
        "Four collisions each": Learner.run,
        "Twenty collisions each": Learner.run,
        "Pressure": Learner.run,
        "Measure the crowd": Learner.run,
    },
    "losing-energy": {
        "Let it cool": Learner.run,
        "Eighty collisions": Learner.run,
        "Run it": Learner.run,
        "A way past it": run_with({"hard_discs.contact_time": "0.001"}),
    },
    "bouncing-ball": {
        "The first bounces": five_bounces,
        "To the end": lambda learner: learner.press(Qt.Key.Key_End),
        "Roll the dice": roll_the_dice,
        "Keep the small number": store_the_gap,
    },
    "stuck": {
        "Let them grow": Learner.run,
        "Jam them": lambda learner: learner.use("run.jam"),
        "Who holds nothing?": color_by_rattlers,
        "Without the rattler": take_out(rattler=True),
        "Without the held disc": take_out(rattler=False),
    },
    "planes-and-spheres": {
        "Turn the box": turn,
        "Cut it open": cut_open,
        "First, the plane": Learner.run,
        "Measure the spheres": Learner.run,
        "Stuck in the plane": Learner.run,
        "Jam the spheres": Learner.run,
        "Who holds nothing?": turn,
    },
}
"""What a learner does at the steps that wait for it, by their titles, for each bundled lesson. Answers are taken from
what the lesson expects. To test a lesson, add it here."""

QUICK: tuple[str, ...] = ("dust-to-cluster",)
"""The lesson that every run of the tests plays to its end: questions of each kind, plots, and three measurements. The
ways out of others go through steps inside a time step, of two runs side by side, and of the bouncing ball."""


@pytest.fixture
def window(window_again: MainWindow) -> MainWindow:
    """One window for all these tests."""
    return window_again


def played(learner: Learner, name: str) -> None:
    """Play a lesson with right answers in a small window: it measures what it expects, and nothing is cut off."""
    window, panel = learner.window, learner.lessons.panel
    window.resize(1024, 700)
    wait_until(lambda: (window.width(), window.height()) == (1024, 700))
    learner.open(name)
    for step in learner.play(LESSONS[name]):
        laid_out(window)
        assert panel.page.widget().width() <= panel.page.viewport().width(), f"{step.title} is wider than the panel"
        assert not unnamed(panel), step.title
        found, measure = learner.player.found_here, step.measure
        if measure is not None and measure.expected is not None:
            assert found is not None, step.title
            assert abs(found.value - measure.expected) <= measure.within, f"{step.title}: {found}"
            assert not measure.error or found.error > 0.0, f"{step.title}: {found}"
            if measure.of:
                verdict = learner.lessons.panel.task.verdict.text()  # type: ignore[union-attr]
                assert verdict == "Your prediction holds.", f"{step.title}: {found}, {learner.player.answers}"
    assert not learner.player.skipped
    assert not learner.errors
    learner.leave()


def test_each_bundled_lesson_is_played_here() -> None:
    for found in bundled():
        waiting = [step.title for step in found.lesson.step if step.do is not None]
        assert len(set(waiting)) == len(waiting), f"{found.name}: two steps to do have one title"
        assert set(LESSONS.get(found.name, ())) == set(waiting), found.name


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in LESSONS]
)
def test_it_is_played_to_its_end(learner: Learner, name: str) -> None:
    played(learner, name)


ONE = "two-four-many"


def to_step(learner: Learner, title: str) -> None:
    """Skip to a step."""
    while learner.step.title != title:
        if learner.player.complete:
            learner.forward()
        else:
            learner.skip()


def test_a_prediction_can_be_changed_before_and_after_it_is_measured(learner: Learner) -> None:
    learner.open(ONE)
    learner.forward()
    learner.answer(right=False)
    assert learner.task.button.text() == "Change"
    learner.answer()
    assert learner.player.answers == {"speed": 0.25}
    learner.forward()
    learner.do(Learner.run)
    learner.forward()
    learner.do(nothing)
    for _ in range(2):
        learner.back()
    learner.answer(right=False)
    assert learner.player.answers["speed"] != 0.25
    learner.forward()
    learner.forward()
    shown = learner.lessons.panel.task
    assert shown.result.text() == "You said 0.31 length / time, this run gives 0.25 length / time."  # type: ignore[union-attr]
    assert shown.verdict.text() == NO  # type: ignore[union-attr]


def test_what_is_no_answer_is_told_and_nothing_is_lost(learner: Learner) -> None:
    learner.open(ONE)
    learner.forward()
    learner.click(learner.task.field)
    QTest.keyClicks(learner.task.field, "fast")
    learner.press(Qt.Key.Key_Return)
    assert learner.task.problem.text() == "Type a number, such as 0.5."
    assert learner.task.field.text() == "fast"
    assert not learner.lessons.panel.next_button.isEnabled()
    QTest.keyClicks(learner.task.field, "0,2")  # the text is selected, and another one takes its place
    assert learner.task.field.text() == "0,2"
    assert not learner.task.problem.isVisible(), "what was said of the one before is not said of this one"


def test_every_step_can_be_skipped(learner: Learner) -> None:
    learner.open("stuck")  # which has two systems
    canvas, sizes = learner.window.canvas, set()
    for _ in learner.player.lesson.step[1:]:
        laid_out(learner.window)
        sizes.add((canvas.width(), canvas.height(), bool(learner.window.plots.seen)))
        if learner.player.complete:
            learner.forward()
        else:
            learner.skip()
    assert learner.player.last
    (width, height, _), other = sizes
    assert other[:2] == (width, height), "plots come below the text: the picture keeps its size"
    wait_until(lambda: learner.player.busy is None)
    assert learner.player.skipped >= {k for k, step in enumerate(learner.player.lesson.step) if step.do is not None}
    assert not learner.errors, "what is skipped is no error"


def test_page_down_asks_before_it_skips_and_the_pages_after_it_say_what_was_skipped(learner: Learner) -> None:
    learner.open(ONE)
    panel, question = learner.lessons.panel, learner.player.lesson.step[1].title
    learner.press(Qt.Key.Key_PageDown)
    learner.settle()
    assert learner.step.title == question
    learner.press(Qt.Key.Key_PageDown)
    assert learner.step.title == question
    told = learner.window.stage.toasts.toasts[-1].title.text()
    assert told == "This question has no answer yet. Press again to skip it."
    learner.press(Qt.Key.Key_PageDown)
    learner.settle()
    assert learner.step.title == learner.player.lesson.step[2].title
    words = f"Skipped: “{question}”."

    def shown() -> list[str]:
        return [label.text() for label in panel.page.findChildren(QLabel) if label.isVisible()]

    assert words in shown()
    learner.window.session.set_speed(0.01)
    learner.press(Qt.Key.Key_PageDown)
    wait_until(lambda: learner.window.session.status().state == "running")
    for _ in range(3):
        learner.press(Qt.Key.Key_PageDown)
    assert learner.player.number == 2, "its run goes on"
    while not learner.player.ended:
        learner.player.skip()
        learner.settle()
    assert any(text.startswith(words[:-1]) for text in shown())


@pytest.mark.slow
def test_what_was_skipped_can_still_be_done_and_back_puts_the_run_of_that_step_in_place(learner: Learner) -> None:
    learner.open(ONE)
    to_step(learner, "Four discs")
    assert learner.window.session.status().count == 4
    learner.back()
    learner.back()
    assert learner.step.title == "Let them meet"
    assert learner.window.session.status().count == 2
    learner.do(Learner.run)
    learner.forward()
    learner.do(nothing)
    assert learner.player.found_here.value == pytest.approx(0.25)  # type: ignore[union-attr]
    to_step(learner, "Four discs")
    learner.back()
    status = learner.window.session.status()
    assert (status.count, status.clusters) == (2, 2), "the two discs are at their start again"


def test_a_lesson_goes_on_where_it_was_left(learner: Learner) -> None:
    learner.open(ONE)
    learner.forward()
    learner.answer()
    learner.forward()
    learner.leave()
    kept = part_of(learner.window, WindowSettings).plain(f"lessons/{ONE}")
    assert kept["step"] == 2, "the settings of the program have it"
    assert kept["answers"] == {"speed": 0.25}
    learner.use(f"lesson.{ONE}")
    learner.settle()
    assert learner.step.title == "Let them meet"
    assert learner.window.session.status().count == 2
    learner.do(Learner.run)
    learner.forward()
    learner.do(nothing)
    assert learner.lessons.panel.task.verdict.text() == "Your prediction holds."  # type: ignore[union-attr]


def test_leaving_gives_back_what_was_there(learner: Learner) -> None:
    window = learner.window
    laid_out(window)  # a panel that still comes or goes would change the scale of the picture afterwards
    window.session.step_frame()
    wait_until(lambda: window.session.status().state == "paused" and window.session.status().time > 0.0)
    with window.session.document.unrecorded():
        window.session.view.set_for_lesson({"color_by": "speed"})
    window.plots.show_these([2, 3])
    window.session.set_speed(3.0)
    wait_until(lambda: window.session.status().speed == 3.0)
    panels = part_of(window, SidePanels)
    panels.right.hide()
    window.canvas.zoom(2.0)
    window.canvas.pan(30.0, 10.0)

    def state() -> dict[str, object]:
        status, camera = window.session.status(), window.canvas.camera
        return {
            "scenario": window.session.scenario,
            "time": status.time,
            "clusters": status.clusters,
            "speed": (status.speed, status.fast),
            "view": window.session.view.model_dump(),
            "plots": window.plots.choice,
            "panels": (panels.left.isVisible(), panels.right.isVisible(), learner.lessons.dock.isVisible()),
            "camera": (round(camera.x, 6), round(camera.y, 6), round(camera.scale, 6)),
        }

    before = state()
    learner.open(ONE)
    to_step(learner, "A hundred discs")
    during = state()
    assert all(during[name] != before[name] for name in before), "the lesson has changed all of it"
    learner.leave()
    wait_until(lambda: window.session.status().state == "paused")
    wait_until(lambda: state()["camera"] == before["camera"])  # as soon as the run is in the picture
    assert state() == before


def test_it_is_played_with_the_keyboard_alone_in_a_small_window(learner: Learner) -> None:
    window = learner.window
    window.resize(1024, 700)
    wait_until(lambda: (window.width(), window.height()) == (1024, 700))
    learner.use("lesson.new_class")
    learner.open(ONE)
    window.session.set_speed(1e9)
    panel = learner.lessons.panel
    while True:
        step = learner.step
        assert not unnamed(panel), step.title
        laid_out(window)
        assert panel.page.widget().width() <= panel.page.viewport().width(), f"{step.title} is wider than the panel"
        if step.predict is not None:
            given = answer_to(learner.player.found, step.predict, right=True)
            if step.predict.kind == "choice":
                for _ in range(int(given)):
                    learner.press(Qt.Key.Key_Down)
            else:
                QTest.keyClicks(QApplication.focusWidget(), f"{given:g}")
            learner.press(Qt.Key.Key_Return)
        elif step.do is not None:
            window.session.set_speed(1e9)
            learner.press(Qt.Key.Key_Space)
        wait_until(lambda: learner.player.complete)
        if learner.player.last:
            break
        learner.press(Qt.Key.Key_PageDown)
        learner.settle()
        assert learner.step is not step
    assert learner.player.answers == {"speed": 0.25, "energy": 3}
    learner.press(Qt.Key.Key_PageDown)
    assert learner.player.ended
    texts = [label.text() for label in panel.page.findChildren(QLabel)]
    assert "✓ You said 0.25 length / time, this run gives 0.25 length / time." in texts
    assert {button.text() for button in panel.page.findChildren(QPushButton)} == {
        "Next lesson: From dust to one cluster",
        "Try it yourself",
        "Save the worksheet…",
    }
    assert not unnamed(panel)
    plots = part_of(window, SidePanels).right
    assert plots.isHidden(), "the page at the end needs the height"
    learner.press(Qt.Key.Key_PageUp)
    assert not plots.isHidden()
    learner.press(Qt.Key.Key_PageDown)
    learner.press(Qt.Key.Key_PageDown)
    assert not learner.lessons.on, "one more leaves"
    tiles = [tile for group in part_of(window, Scenarios).contents() for tile in group.tiles if tile.done]
    assert [tile.words for tile in tiles] == [ONE], "it has a tick"
    learner.use(f"lesson.{ONE}")
    assert (learner.player.number, learner.player.answers) == (0, {}), "it begins clean"
    learner.use("lesson.leave")
    learner.use("lesson.new_class")
    assert not any(tile.done for group in part_of(window, Scenarios).contents() for tile in group.tiles)


def test_new_class_is_undone_from_its_message(learner: Learner) -> None:
    learner.open(ONE)
    learner.forward()
    learner.answer()
    learner.forward()
    learner.use("lesson.new_class")
    learner.settle()
    assert (learner.player.number, learner.player.answers) == (0, {})
    (undo,) = (b for b in learner.window.stage.toasts.toasts[-1].findChildren(QPushButton) if b.text() == "Undo")
    undo.click()
    learner.settle()
    assert learner.step.title == "Let them meet"
    assert learner.player.answers == {"speed": 0.25}
    assert part_of(learner.window, WindowSettings).plain(f"lessons/{ONE}")["answers"] == {"speed": 0.25}


def test_the_run_of_a_finished_lesson_becomes_the_person_s_own_and_is_undone(learner: Learner) -> None:
    window = learner.window
    count = window.session.status().count
    learner.open(ONE)
    while not learner.player.ended:
        learner.player.skip()
        learner.settle()
    wait_until(lambda: window.session.status().count == 100)
    learner.click(next(b for b in learner.lessons.panel.findChildren(QPushButton) if b.text() == "Try it yourself"))
    assert not learner.lessons.on
    wait_until(lambda: window.session.status().count == 100)
    wait_until(lambda: window.session.history.undo_text != "")
    window.session.history.undo()
    wait_until(lambda: window.session.status().count == count)
