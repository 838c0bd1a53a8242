"""A real window under the X server of the tests, with the real engine and a small scenario."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from aggviewer import canvas as canvas_package
from aggviewer.canvas.create import missing_opengl
from aggviewer.document.view import ViewModel
from aggviewer.document.window import DEFAULT_SPEED
from aggviewer.session import DiscSet, Notice, Session, session
from aggviewer.session.builder import Engine
from aggviewer.systems.registry import view_of
from aggviewer.widgets.gui_thread import GuiThread, collecting_garbage_on_this_thread
from aggviewer.window import toasts
from aggviewer.window.app import create_application
from aggviewer.window.main_window import MainWindow
from aggviewer.window.run_display import Comparing
from aggviewer.window.settings import WindowSettings
from aggviewer.window.side_panels import SidePanels
from engine.scenario import Scenario
from tests.conftest import use_colors_of_the_desktop
from tests.plots.conftest import every_move_counts  # noqa: F401  a fixture for each test
from tests.waiting import PATIENCE, delete_now, wait_until, window_manager_has_answered

if TYPE_CHECKING:
    from tests.extensions.lessons.window.learner import Learner

_Part = TypeVar("_Part")

SMALL = """
format = 1
seed = 5
[discs]
count = 225
volume_fraction = 0.2
"""


GAS = """
format = 1
system = "hard-discs"
seed = 5
[box]
boundary = "periodic"
[discs]
count = 225
volume_fraction = 0.4
[velocities]
distribution = "maxwell"
[hard_discs]
restitution = 0.95
"""

JAM = """
format = 1
system = "jamming"
seed = 5
[box]
boundary = "periodic"
[discs]
count = 60
volume_fraction = 0.7
arrangement = "random"
radii = "bidisperse"
spread = 1.4
"""

_EXPORTED = ("snapshot", "plots", "figure", "film")  # the folders of what a window exports

SYSTEMS = {"aggregation": SMALL, "hard-discs": GAS, "jamming": JAM}
"""A scenario of each system that is soon through."""


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    """The application as the program makes it."""
    return create_application()


_FOLDERS = (Path(__file__).parent, Path(__file__).parents[1] / "extensions")
_kept: list[MainWindow] = []  # of a file beside this one: the next such file goes on with it


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None]:
    """No window is left for the tests of other folders, which it would watch, nor at the end."""
    yield
    if nextitem is None or not any(folder in nextitem.path.parents for folder in _FOLDERS):
        put_away(_kept)


@pytest.fixture(scope="module", autouse=True)
def colors_of_the_desktop(surface: None) -> None:
    """Each file begins with Qt's own colours, but where a window goes on that has its theme."""
    if not _kept:
        use_colors_of_the_desktop()


@pytest.fixture(scope="module", autouse=True)
def surface(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[None]:
    """Windows draw their discs on the processor, which takes a third of the time of OpenGL without a graphics card. A
    file that is about the picture, or about what happens to its context, is marked ``opengl``."""
    mine = (item for item in request.session.items if item.parent is request.node)
    shares = any("shared_window" in getattr(item, "fixturenames", ()) for item in mine)
    if request.path.parent != Path(__file__).parent or not shares:
        put_away(_kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toasts, "_INFO_MS", 10 * PATIENCE)  # none goes by itself before a slow machine looks at it
        patch.setattr(session, "TO_BEGIN", 1e-3 * PATIENCE)
        patch.setenv("AGGVIEWER_CANVAS", "painter")
        if request.node.get_closest_marker("opengl") is not None:
            # no trial of both: where the painter is the faster one the window would go on with that
            patch.setenv("AGGVIEWER_CANVAS", "" if missing_opengl() else "opengl")
        with collecting_garbage_on_this_thread():  # as in the program
            yield
    gc.collect()  # what Python keeps of the windows of a file: once for all of them, it takes a third of a second


@pytest.fixture(scope="session")
def compiled() -> None:
    """All kernels are there before the first window: no test waits for a compiler inside the event loop."""
    for method in ("event-driven", "time-stepping"):
        Engine().warm_up(lambda done, total, what: None, method)
    canvas_package.warm_up()
    gc.freeze()  # see tests.conftest.pytest_collection_finish


@pytest.fixture(scope="session")
def all_compiled(compiled: None) -> None:
    """The kernels of all three systems."""
    for method in ("hard-discs", "jamming"):
        Engine().warm_up(lambda done, total, what: None, method)


def settings_in(folder: Path) -> WindowSettings:
    """Settings of nobody else, with that folder for pictures."""
    made = WindowSettings(folder / "window.ini")
    made.welcome_dismissed = True
    for use in _EXPORTED:
        made.set_folder(use, folder)
    return made


@pytest.fixture
def settings(tmp_path: Path) -> WindowSettings:
    """Settings of one test alone."""
    return settings_in(tmp_path)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario file that is soon through."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def quick_clock() -> float:
    """Seconds, of which four pass in each second: a run comes to where a test wants it in a quarter of the time."""
    return 4.0 * perf_counter()


def window_with(settings: WindowSettings, **parts: Any) -> MainWindow:
    """A window, not shown yet. parts : of its session."""
    gui_thread = GuiThread()
    return MainWindow(Session(**parts, post_to_owner=gui_thread.later), settings, gui_thread)


def shown(settings: WindowSettings) -> MainWindow:
    """A window on the screen that has the keys."""
    window = window_with(settings, measuring_view_of=view_of, clock=quick_clock)
    window.resize(1280, 800)
    window.show()
    QTest.qWaitForWindowExposed(window, PATIENCE)
    QApplication.setActiveWindow(window)  # keys need it, and there may be no window manager
    wait_until(window.isActiveWindow)
    return window


def part_of(window: MainWindow, kind: type[_Part]) -> _Part:
    """The part of a window that is of this kind: what does the work behind the commands is nobody else's."""
    try:
        return window.context[kind]
    except LookupError:  # what a part has made for itself
        found = window.findChildren(kind)
        assert len(found) == 1, found
        return found[0]


def put_away(windows: list[MainWindow]) -> None:
    """Close windows and delete them; none of their timers may go on."""
    for window in windows:
        window.close()
        alive = [timer for timer in window.findChildren(QTimer) if timer.isActive()]
        assert not alive, f"timers left running: {[timer.parent() for timer in alive]}"
        window.deleteLater()
    windows.clear()
    delete_now()


def put_back(window: MainWindow) -> None:
    """A window as it is when it is made, but for the history of undo, and for the simulation, which the next test
    replaces."""
    for dialog in QApplication.topLevelWidgets():
        if isinstance(dialog, QDialog):
            dialog.close()
    for mode in [command.id for command in window.commands if command.id in ("view.presenter", "method.inside")]:
        if window.commands.action(mode).isChecked():
            window.commands.run(mode)
    if part_of(window, Comparing).on:
        window.session.compare(None)
        told(window)  # of other discs, for which there are no marks
        wait_until(lambda: not part_of(window, Comparing).on)
    if window.session.status().recording is not None:
        window.session.stop_recording()
    window.session.set_speed(DEFAULT_SPEED)
    with window.session.document.unrecorded():
        window.session.view.set_for_lesson(ViewModel().model_dump())
    window.parameters.revert()
    panels = part_of(window, SidePanels)
    panels.show(panels.right)
    panels.show(panels.left)
    window.plots.show_only(None)
    window.stage.toasts.close()
    window.resize(1280, 800)
    window_manager_has_answered()
    assert (window.width(), window.height()) == (1280, 800)


def told(window: MainWindow) -> None:
    """Every command given so far has been carried out, and the window has been told."""
    done: list[bool] = []
    later = part_of(window, GuiThread).later
    window.session.after_commands(lambda: later(done.append, True))
    wait_until(lambda: bool(done))


def load(window: MainWindow, scenario: Path | str, *, run: bool) -> None:
    """Open a scenario; a frame of it is shown then."""
    begun: list[DiscSet] = []
    window.session.discs_changed.connect(begun.append)
    window.session.open(scenario, run=run)
    told(window)  # what was asked for before may begin other discs, too
    window.session.discs_changed.disconnect(begun.append)

    def system() -> DiscSet | None:
        shown = window.refresher.shown()
        return None if shown is None else shown.disc_set

    wait_until(lambda: system() is begun[-1] and window.canvas.frames_drawn > 0)
    name = begun[-1].scenario.system
    wait_until(lambda: [one.system for one in part_of(window, Comparing).scenarios[:1]] == [name])


def hold(window: MainWindow, scenario: Path | str) -> None:
    """Load a scenario; its first frame is shown then, and the run is paused."""
    load(window, scenario, run=False)
    wait_until(lambda: window.session.status().state == "paused")


def scenario_file(folder: Path, text: str) -> Path:
    """A file with the text of a scenario."""
    path = folder / "s.toml"
    path.write_text(text)
    return path


def hold_small(window: MainWindow, folder: Path) -> None:
    """Load what most tests begin with, from a file in a folder."""
    (folder / "small.toml").write_text(SMALL)
    hold(window, folder / "small.toml")


@pytest.fixture
def make_window(
    qapp: QApplication, qtbot: QtBot, compiled: None, settings: WindowSettings
) -> Iterator[Callable[[], MainWindow]]:
    """Makes windows; they are closed afterwards."""
    made: list[MainWindow] = []

    def make() -> MainWindow:
        made.append(shown(settings))
        return made[-1]

    yield make
    put_away(made)


def paused_window(folder: Path) -> Iterator[MainWindow]:
    """A paused window for many tests, which leave it as they found it: to open one takes a second."""
    window = shown(settings_in(folder))
    hold_small(window, folder)
    yield window
    put_away([window])


@pytest.fixture(scope="module")
def shared_window(qapp: QApplication, compiled: None, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    """One paused window for all tests of a module, and for the modules beside it that come next."""
    if not _kept:
        folder = tmp_path_factory.mktemp("shared")
        _kept.append(shown(settings_in(folder)))
        hold_small(_kept[0], folder)
    return _kept[0]


@pytest.fixture
def window_again(shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """The window that all tests of a file share, put back after each: ``window = window_again`` in a file makes it the
    window of `held` and of `notices` there."""
    for use in _EXPORTED:
        part_of(shared_window, WindowSettings).set_folder(use, tmp_path)
    QApplication.setActiveWindow(shared_window)
    wait_until(shared_window.isActiveWindow)
    shared_window.canvas.setFocus()
    found, status = shared_window.refresher.shown(), shared_window.session.status()
    small = found is not None and found.disc_set.scenario == Scenario.from_toml(SMALL)
    if not small or status.state != "paused" or status.past is not None:  # a test of another file has left its own
        hold_small(shared_window, tmp_path)
    yield shared_window
    put_back(shared_window)


@pytest.fixture
def window(make_window: Callable[[], MainWindow]) -> MainWindow:
    """An empty window."""
    return make_window()


@pytest.fixture
def notices(window: MainWindow) -> Iterator[list[Notice]]:
    """What the window was told."""
    got: list[Notice] = []
    window.session.notices.sent.connect(got.append)
    yield got
    window.session.notices.sent.disconnect(got.append)


@pytest.fixture
def held(window: MainWindow, small: Path) -> MainWindow:
    """A window that shows the first frame of the small scenario, paused."""
    hold(window, small)
    return window


@pytest.fixture
def learner(window: MainWindow) -> Iterator[Learner]:
    """Somebody at the window, which has no lesson open before and afterwards."""
    from tests.extensions.lessons.window.learner import Learner  # which uses this module

    at_it = Learner(window)
    yield at_it
    window.session.notices.sent.disconnect(at_it._note)
    if at_it.lessons.on:
        at_it.leave()
        told(window)  # the run from before is there, and looked at as before: nothing of it comes in the next test
