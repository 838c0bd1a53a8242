"""The start of the window: what it does not wait for, and what must not keep it away."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication

from aggviewer.cli import exits
from aggviewer.extensions.lessons import source
from aggviewer.session import Session, precompile
from aggviewer.session.builder import Engine
from aggviewer.window import app
from aggviewer.window.main_window import MainWindow
from benchmarks.test_start_speed import start
from tests.window.conftest import wait_until

_LATER = ("numba", "ziamath", "scipy", "matplotlib", "av", "highspy", "pandas", "qtawesome", "sympy", "dask")
"""Large libraries that no first picture needs."""


def test_the_window_waits_for_no_library_that_its_first_picture_does_not_need() -> None:
    code = f"import sys, aggviewer.window.app; print([name for name in {_LATER} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_damaged_lesson_is_left_out_and_named(
    make_window: Callable[[], MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lessons"
    for name in ("fractal", "stuck", "two-four-many"):
        shutil.copytree(source.bundled_folder() / name, folder / name)
    (folder / "fractal" / source.FILE).write_text("title = 'half")
    (folder / "stuck" / source.FILE).write_bytes(b"title = \xff")
    monkeypatch.setattr(source, "bundled_folder", lambda: folder)
    window = make_window()
    (toast,) = window.stage.toasts.toasts
    assert toast.notice.title == "Some lessons could not be read"
    assert [name in line for name, line in zip(("fractal", "stuck"), toast.notice.text.splitlines(), strict=True)]
    ids = {command.id for command in window.commands}
    assert "lesson.two-four-many" in ids
    assert not {"lesson.fractal", "lesson.stuck"} & ids


def test_garbage_is_collected_on_the_gui_thread_only_once_the_window_is_there(
    monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    """Anywhere else, a forgotten timer would be deleted while an event for it is on its way."""
    threads: set[int] = set()

    class Forgotten:
        def __init__(self) -> None:
            self.self = self
            weakref.finalize(self, lambda: threads.add(threading.get_ident()))

    def forget_many() -> None:
        for _ in range(20_000):
            Forgotten()

    while_opening: list[bool] = []
    monkeypatch.setattr(exits, "_open", lambda files: while_opening.append(gc.isenabled()) or 0)
    try:
        assert exits.open_window([]) == 0
        assert while_opening == [False]
        with ExitStack() as context:
            app._collect_garbage(context)
            working = threading.Thread(target=forget_many)
            working.start()
            wait_until(lambda: bool(threads))
            working.join()
        assert threads == {threading.get_ident()}
        assert gc.isenabled()
    finally:
        gc.enable()


@pytest.fixture
def first_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As at the first start of a version: the child that compiles goes on until the test makes the file that is
    returned. Numbers of the children are in ``pids`` beside it."""
    go_on, pids = tmp_path / "go_on", tmp_path / "pids"
    monkeypatch.setattr("engine.kernels.CACHE_DIR", tmp_path / "kernels")
    monkeypatch.setattr(Engine, "_warm", set())
    code = (
        f"import os, pathlib, time\nwith open({str(pids)!r}, 'a') as file: print(os.getpid(), file=file)\n"
        "import sys; from pathlib import Path; from aggviewer.session.precompile import files_of\n"
        "files_of(Path(sys.argv[1]), tuple(sys.argv[2:])).progress.write_text('3 7 events\\n')\n"
        f"while not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.01)"
    )
    monkeypatch.setattr(precompile, "CHILD", code)
    yield go_on
    precompile.end_children()


def _compiles(window: MainWindow) -> bool:
    status = window.session.status()
    return status.stand_in and status.preparation is not None and status.preparation.what == "events"


def _at(window: MainWindow) -> float:
    shown = window.refresher.shown()
    return -1.0 if shown is None else shown.frame.time


def _looks_again(window: MainWindow) -> None:
    """The window has looked twice for what is new, in which time a recording that is played goes on."""
    found: list[object] = []
    window.refresher.status_found.connect(found.append)
    wait_until(lambda: len(found) > 1)
    window.refresher.status_found.disconnect(found.append)


@pytest.mark.slow
def test_the_recording_is_paused_and_stepped_by_the_buttons_and_the_run_takes_over_there(
    first_start: Path, make_window: Callable[[], MainWindow]
) -> None:
    window = make_window()
    window.resize(1024, 700)
    button, card = window.transport.run_button, window.stage.preparation
    window.open_first([], app.DEFAULT_SCENARIO)
    wait_until(lambda: _compiles(window) and _at(window) > 0.3)
    wait_until(lambda: button.isEnabled() and button.text() == "Pause" and card.isVisible())
    assert card.title.text() == "Recorded"
    assert window.stage.picture.rect().contains(card.geometry())
    button.click()
    wait_until(lambda: button.text() == "Run")
    assert card.isVisible(), "what is shown is still the recording"
    wait_until(lambda: card.title.text() == "Recorded, paused")
    wait_until(lambda: _at(window) == window.session.status().time)
    held = _at(window)
    _looks_again(window)
    assert _at(window) == held, "it stays"
    window.commands.action("run.step_event").trigger()
    wait_until(lambda: _at(window) > held)
    held = _at(window)
    positions = window.canvas.scene.positions.copy()
    place, camera = card.geometry(), window.canvas.camera
    first_start.touch()
    wait_until(lambda: window.session.status().state == "paused" and not window.session.status().stand_in)
    wait_until(lambda: not card.isVisible())
    _looks_again(window)
    assert _at(window) == held
    assert (window.canvas.scene.positions == positions).all(), "no disc jumps"
    assert window.canvas.camera == camera
    assert not place.isEmpty()
    assert button.isEnabled()
    assert button.text() == "Run"


def test_other_discs_take_the_place_of_the_recording_at_once_and_closing_leaves_no_process(
    first_start: Path, make_window: Callable[[], MainWindow]
) -> None:
    window = make_window()
    window.open_first([], app.DEFAULT_SCENARIO)
    wait_until(lambda: _compiles(window) and _at(window) > 0.1)
    window.parameters.change("discs.count", 500)
    wait_until(lambda: not window.session.status().stand_in and window.canvas.scene.count == 500)
    assert window.stage.preparation.isVisible()
    wait_until(lambda: window.stage.preparation.title.text() == "Preparing the engine")  # told after the scenario
    window.session.open("lattice-100", run=True)
    wait_until(lambda: window.canvas.scene.count == 100 and "100 discs" in window.windowTitle())
    pids = (first_start.parent / "pids").read_text().split()
    first_start.touch()
    wait_until(lambda: window.session.status().state in ("running", "finished"))
    assert (first_start.parent / "pids").read_text().split() == pids, "what was compiled so far was not thrown away"
    assert window.session.scenario is not None
    assert window.session.scenario.discs.count == 100

    first_start.unlink()
    with app.compiling_the_rest(window.session):
        window.session.open("ball-1", run=True)  # other kernels
        wait_until(lambda: len((first_start.parent / "pids").read_text().split()) > len(pids))
        numbers = [int(pid) for pid in (first_start.parent / "pids").read_text().split()]
        window.close()
        assert window.session.close(), "all threads have ended"
    for pid in numbers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_all_other_kernels_are_compiled_at_idle_priority_when_there_is_a_run(
    first_start: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "all_parts", lambda: (("one",), ("two",)))
    pids, session = first_start.parent / "pids", Session()
    with app.compiling_the_rest(session):
        session.state_changed.emit("running")  # of a recorded run that is shown first
        assert not pids.exists()
        session.lanes_changed.emit(())
        wait_until(lambda: pids.exists() and pids.read_text().endswith("\n"))
        assert os.getpriority(os.PRIO_PROCESS, int(pids.read_text())) == 19
    assert len(pids.read_text().split()) == 1, "one after the other"
    assert session.close()


@pytest.mark.slow
def test_from_an_empty_cache_the_picture_moves_first_and_the_run_takes_over(tmp_path: Path) -> None:
    marks = start(tmp_path)
    assert 0.0 < marks["window"] < marks["moving"] < marks["live"]
    assert marks["live_at"] > 0.5, "it goes on where the recording was"
    assert list(tmp_path.glob("aggviewer/kernels/*/complete-engine-event-driven.txt"))
