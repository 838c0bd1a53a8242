"""`make screenshots`: the pictures of the window in README.md and docs/ go to docs/images.

A real window runs a scenario, holds where the picture is to be taken, measures, and the screen is grabbed. Names on the
command line are those that are made; without names all are.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas.create import VARIABLE
from aggviewer.document.view import ColorScale
from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson
from aggviewer.extensions.stepping.mode import StepView
from aggviewer.extensions.stepping.story import StoryFrame
from aggviewer.session import Analysis
from aggviewer.window.app import create_application
from aggviewer.window.main_window import MainWindow
from benchmarks.pictures import few_colors
from benchmarks.test_window_speed import load, opened, until
from engine.scenario import load_scenario
from engine.simulation import Stride

FOLDER = Path(__file__).parents[1] / "docs" / "images"
SIZE, _BALL_SIZE = (1440, 930), (1280, 800)
"""Pixels of the window, and of the lesson of the ball, which is wide enough for its headings."""
_BALL_HALTS = 28  # the event where naive detection finds no next one


def run(window: MainWindow, name: str, goal: Stride | None, begin: Callable[[], None] = lambda: None) -> None:
    """Run a scenario until it reaches the goal, None: to its end, and wait until all plots show it.
    begin : done before it runs."""
    analysed: dict[int, float] = {}

    def note(lane: int, analysis: Analysis) -> None:
        analysed[lane] = analysis.time

    session = window.session
    load(window, load_scenario(name))
    window.refresher.analysed.connect(note)
    begin()
    session.hold_at(goal)
    session.run()
    until(lambda: session.status().state in ("running", "finished"))
    until(lambda: session.status().state in ("paused", "finished"))
    end = session.status().time
    until(lambda: bool(analysed) and all(at == end for at in analysed.values()))
    wait(3.0)  # plots are measured one after the other, and painted one a turn


def wait(seconds: float) -> None:
    """Handle events for so long."""
    end = time.monotonic() + seconds
    until(lambda: time.monotonic() > end)


def command(window: MainWindow, name: str) -> None:
    """Choose a command."""
    window.commands.action(name).trigger()
    wait(1.0)


def taken(window: MainWindow, widget: QWidget | None = None) -> QImage:
    """What the screen shows of the window, or of another one."""
    widget = widget or window
    screen = widget.screen()
    assert screen is not None
    window.stage.toasts.clear_told()
    wait(1.0)
    return screen.grabWindow(widget.winId()).toImage()


def at(name: str, goal: Stride | None) -> Callable[[MainWindow], QImage]:
    """A scenario at a goal."""

    def picture(window: MainWindow) -> QImage:
        run(window, name, goal)
        return taken(window)

    return picture


def gas(window: MainWindow) -> QImage:
    """A granular gas that has cooled and gathered."""
    run(window, "cooling-16384", Stride(time=150.0))
    window.session.view.scales = {"speed": ColorScale(low=0.0, high=0.5)}
    return taken(window)


def compare(window: MainWindow) -> QImage:
    """Both methods from the same discs."""

    def second() -> None:
        command(window, "method.compare")
        until(lambda: len(window.canvases.canvases) == 2 and len(window.session.status().lanes) == 2)

    command(window, "view.parameters")
    run(window, "lattice-400", Stride(time=5.0), second)
    return taken(window)


def inside_one_step(window: MainWindow) -> QImage:
    """The next time step with a collision, where its minimisation is at work on a link that is new."""
    command(window, "view.everything")  # the picture is what counts here: few parameters, one plot
    run(window, "stepping-2500", Stride(time=1.3))
    command(window, "method.inside")
    inside = window.findChild(StepView)
    assert inside is not None
    until(lambda: inside.mode.story is not None)
    story = inside.mode.story
    assert story is not None
    inside.mode.steps.move("first")  # it would play on
    inside.mode.steps.go_to(max(range(story.last), key=lambda tick: _much_to_see(story.at(tick))))
    frame = story.at(inside.mode.tick)
    window.canvas.centre_on(frame.positions[frame.overlapping[-1]].mean(axis=0))
    return taken(window)


def _much_to_see(frame: StoryFrame) -> tuple[bool, int, int]:
    """What comes first is most worth a picture: an iteration with all new links and many overlaps."""
    return frame.residual is not None, len(frame.new_links), len(frame.overlapping)


def lesson_ball(window: MainWindow) -> QImage:
    """The bouncing ball where naive detection finds no next event."""
    command(window, "view.bouncing_ball")
    ball = window.findChild(BallLesson)
    assert ball is not None
    ball.resize(*_BALL_SIZE)
    ball.steps.go_to(_BALL_HALTS)
    wait(3.0)
    return taken(window, ball)


PICTURES: dict[str, Callable[[MainWindow], QImage]] = {
    "window": at("lattice-2500", Stride(clusters=60)),
    "gas": gas,
    "jamming": at("jam-1024", None),
    "compare": compare,
    "inside-one-step": inside_one_step,
    "lesson-ball": lesson_ball,
}


def main(names: list[str]) -> None:
    """Make the pictures of these names; all of them where none is given."""
    if unknown := sorted(set(names) - set(PICTURES)):
        raise SystemExit(f"There is no picture {unknown[0]!r}: there are {', '.join(PICTURES)}")
    os.environ[VARIABLE] = "painter"  # which surface is the faster one differs from machine to machine
    application = create_application()  # kept: Qt ends with it
    for name in names or PICTURES:
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder), load_scenario("lattice-100")) as window:
            window.resize(*SIZE)
            data = few_colors(PICTURES[name](window), 255)
        (FOLDER / f"{name}.png").write_bytes(data)
        print(f"{name}.png: {len(data) / 1e3:.0f} kB", flush=True)
    application.quit()


if __name__ == "__main__":
    main(sys.argv[1:])
