"""Each bundled lesson is played to its end in a real window, and one of them in every other way."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QPushButton

from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson
from aggviewer.extensions.lessons.source import bundled
from aggviewer.extensions.stepping.mode import StepView
from aggviewer.session import Shown
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picture_settings import LayerList
from aggviewer.window.settings import WindowSettings
from tests.extensions.lessons.window.learner import LEFT, Act, Learner, nothing, unnamed
from tests.waiting import laid_out
from tests.window.conftest import part_of, wait_until


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
        "Down to one cluster": Learner.run,
    },
    "dust-to-cluster": {
        "Start the run": Learner.run,
        "On to 16": Learner.run,
        "Does the run hit your mark?": Learner.run,
        "Down to one cluster": Learner.run,
    },
    "fractal": {"A figure that nobody designed": Learner.run},
    "exact-or-steps": {"The same start": Learner.run, "Long steps": Learner.run},
    "inside-a-step": {
        "Look inside": look_inside,
        "With the usual numbers": Learner.run,
        "Try less friction": run_with({FRICTION: "0.2"}),
        "Try the long stride": run_with({ALPHA: "1"}),
        "Tune it": run_with({ALPHA: "0.2", FRICTION: "1.2"}),
    },
    "gas-forgets": {
        "Four collisions per disc": Learner.run,
        "Twenty collisions per disc": Learner.run,
        "Pressure": Learner.run,
        "Measure the dense gas": Learner.run,
    },
    "losing-energy": {
        "Let it cool": Learner.run,
        "Eighty collisions": Learner.run,
        "Run it": Learner.run,
        "A way out": run_with({"hard_discs.contact_time": "0.001"}),
    },
    "bouncing-ball": {
        "The first bounces": five_bounces,
        "To the end": lambda learner: learner.press(Qt.Key.Key_End),
        "Roll the dice": roll_the_dice,
        "Store the small number": store_the_gap,
    },
    "stuck": {
        "Let them grow": Learner.run,
        "Jam them": lambda learner: learner.use("run.jam"),
        "Which discs hold nothing up?": color_by_rattlers,
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
        "Which spheres hold nothing up?": turn,
    },
    "do-they-turn": {
        "Let them meet": Learner.run,
        "Hit the lower end": Learner.run,
        "Against the wall": Learner.run,
        "Run both": Learner.run,
        "On to 15": Learner.run,
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
                assert verdict == "Your prediction was right.", f"{step.title}: {found}, {learner.player.answers}"
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
def test_every_lesson_can_be_played_to_its_end(learner: Learner, name: str) -> None:
    played(learner, name)


ONE = "two-four-many"


def to_step(learner: Learner, title: str) -> None:
    """Skip to a step."""
    while learner.step.title != title:
        if learner.player.complete:
            learner.forward()
        else:
            learner.skip()


def test_an_invalid_answer_is_refused_and_stays_in_the_field(learner: Learner) -> None:
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
    assert learner.lessons.panel.task.verdict.text() == "Your prediction was right."  # type: ignore[union-attr]


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
