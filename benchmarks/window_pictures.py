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
from PyQt6.QtWidgets import QApplication, QWidget

from aggviewer.canvas.create import VARIABLE
from aggviewer.canvas.warmup import warm_up
from aggviewer.document.view import ColorScale
from aggviewer.lessons.bouncing_ball.lesson import BallLesson
from aggviewer.session import Analysis, Notices, Session
from aggviewer.session.step.story import StoryFrame
from aggviewer.systems.registry import view_of
from aggviewer.window.app import create_application
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from aggviewer.window.step_view.controller import StepView
from benchmarks.few_colors import few_colors
from engine.scenario import Scenario, load_scenario
from engine.simulation import Stride

FOLDER = Path(__file__).parents[1] / "docs" / "images"
SIZE = (1440, 930)
"""Pixels of the window."""
_COLORS = 255  # of a picture
_PATIENCE = 300.0  # seconds; only a machine that hangs waits so long
_BALL_SIZE = (1280, 800)  # wide enough for its headings
_BALL_HALTS = 28  # the event where naive detection finds no next one


class Photographer:
    """Somebody at a window who takes pictures of it."""

    def __init__(self, folder: Path) -> None:
        """folder : for the settings of the window, which are not the person's."""
        settings = WindowSettings(folder / "window.ini")
        settings.welcome_dismissed = True
        self.session = Session(notices=Notices(), views=view_of)
        self.window = MainWindow(self.session, settings)
        self._analysed: dict[int, float] = {}
        self.window.refresher.analysed.connect(self._on_analysis)
        self.window.resize(*SIZE)
        self.window.show()

    def _on_analysis(self, lane: int, analysis: Analysis) -> None:
        self._analysed[lane] = analysis.time

    def run(self, scenario: Scenario, goal: Stride | None, begin: Callable[[], None] = lambda: None) -> None:
        """Run a scenario until it reaches the goal, None: to its end, and wait until all plots show it.
        begin : done before it runs."""
        self._analysed.clear()
        self.session.load(scenario, run=False)
        until(lambda: self._is("paused"))
        begin()
        self.session.hold_at(goal)
        self.session.run()
        until(lambda: self._is("running", "finished"))
        until(lambda: self._is("paused", "finished"))
        end = self.session.status().time
        until(lambda: bool(self._analysed) and all(at == end for at in self._analysed.values()))
        wait(3.0)  # plots are measured one after the other, and painted one a turn

    def _is(self, *states: str) -> bool:
        return self.session.status().state in states

    def compare(self) -> None:
        """A second run beside the first."""
        self.command("method.compare")
        until(lambda: len(self.window.canvases.canvases) == 2 and len(self.session.status().lanes) == 2)

    def look_inside(self) -> None:
        """Into the next time step with a collision, where its minimisation is at work on a link that is new."""
        self.command("method.inside")
        inside = self.window.findChild(StepView)
        assert inside is not None
        until(lambda: inside.mode.story is not None)
        story = inside.mode.story
        assert story is not None
        inside.mode.steps.move("first")  # it would play on
        inside.mode.steps.go_to(max(range(story.last), key=lambda tick: _much_to_see(story.at(tick))))
        frame = story.at(inside.mode.tick)
        self.window.canvas.look_to(frame.positions[frame.overlapping[-1]].mean(axis=0))
        wait(1.0)

    def command(self, name: str) -> None:
        """Choose a command."""
        self.window.commands.action(name).trigger()
        wait(1.0)

    def taken(self, widget: QWidget | None = None) -> QImage:
        """What the screen shows of the window, or of another one."""
        widget = widget or self.window
        screen = widget.screen()
        assert screen is not None
        self.window.stage.toasts.clear_told()
        wait(1.0)
        return screen.grabWindow(widget.winId()).toImage()

    def close(self) -> None:
        """End."""
        self.window.close()
        self.session.close()


def _much_to_see(frame: StoryFrame) -> tuple[bool, int, int]:
    """What comes first is most worth a picture: an iteration with all new links and many overlaps."""
    return frame.residual is not None, len(frame.new_links), len(frame.overlapping)


def until(condition: Callable[[], bool]) -> None:
    """Handle events until it is so."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("The window did not come to where its picture is taken")
        wait(0.02)


def wait(seconds: float) -> None:
    """Handle events for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.005)


def aggregation(here: Photographer) -> QImage:
    """2 500 discs, of which large clusters have been made."""
    here.run(load_scenario("lattice-2500"), Stride(clusters=60))
    return here.taken()


def gas(here: Photographer) -> QImage:
    """A granular gas that has cooled and gathered."""
    here.run(load_scenario("cooling-16384"), Stride(time=150.0))
    here.session.view.scales = {"speed": ColorScale(low=0.0, high=0.5)}
    wait(1.0)
    return here.taken()


def jamming(here: Photographer) -> QImage:
    """A packing, at its end."""
    here.run(load_scenario("jam-1024"), None)
    return here.taken()


def compare(here: Photographer) -> QImage:
    """Both methods from the same discs."""
    here.command("view.parameters")
    here.run(load_scenario("lattice-400"), Stride(time=5.0), here.compare)
    image = here.taken()
    here.command("view.parameters")
    here.command("method.compare")
    return image


def inside_one_step(here: Photographer) -> QImage:
    """The minimisation of a time step."""
    here.command("view.everything")  # the picture is what counts here: few parameters, one plot
    here.run(load_scenario("stepping-2500"), Stride(time=1.3))
    here.look_inside()
    return here.taken()


def lesson_ball(here: Photographer) -> QImage:
    """The bouncing ball where naive detection finds no next event."""
    here.command("view.bouncing_ball")
    ball = here.window.findChild(BallLesson)
    assert ball is not None
    ball.resize(*_BALL_SIZE)
    ball.steps.go_to(_BALL_HALTS)
    wait(3.0)
    return here.taken(ball)


PICTURES: dict[str, Callable[[Photographer], QImage]] = {
    "window": aggregation,
    "gas": gas,
    "jamming": jamming,
    "compare": compare,
    "inside-one-step": inside_one_step,
    "lesson-ball": lesson_ball,
}


def main(names: list[str]) -> None:
    """Make the pictures of these names; all of them where none is given."""
    unknown = sorted(set(names) - set(PICTURES))
    if unknown:
        raise SystemExit(f"There is no picture {unknown[0]!r}: there are {', '.join(PICTURES)}")
    os.environ[VARIABLE] = "painter"  # which surface is the faster one differs from machine to machine
    application = create_application()  # kept: Qt ends with it
    warm_up()
    for name, take in PICTURES.items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            here = Photographer(Path(folder))
            try:
                data = few_colors(take(here), _COLORS)
            finally:
                here.close()
        (FOLDER / f"{name}.png").write_bytes(data)
        print(f"{name}.png: {len(data) / 1e3:.0f} kB", flush=True)
    application.quit()


if __name__ == "__main__":
    main(sys.argv[1:])
