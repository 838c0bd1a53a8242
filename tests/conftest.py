"""What all tests share: settings, logs and caches of their own, and no thread left behind."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# before anything reads them: no test sees or changes a person's files (compiled kernels, though, are shared)
_HOME = Path(tempfile.mkdtemp(prefix="aggviewer-tests-"))
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = str(_HOME / _name.lower())
os.environ.setdefault("PYTHONFAULTHANDLER", "1")
# small matrices on several threads: they wait for each other in a loop, as many processors as there are
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# a shell script that starts the tests with & has them, and all that they start, ignore Ctrl-C, which some tests send
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# the same examples in every run, however slow the machine is; the many that `make fuzz` tries are new ones each time
settings.register_profile("tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

_JOIN_PATIENCE = 60.0
_KEPT = "Dask-"  # threads that distributed keeps for its next cluster


def pytest_collection() -> None:
    """Nearly all that is made while tests are collected stays: to look for garbage again and again takes a second."""
    gc.disable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test of the spine that uses a command of an extension is skipped where that is taken out (`test_removal`)."""
    from aggviewer.extensions import EXTENSIONS

    for marker in item.iter_markers("extension"):
        for name in marker.args:
            if name not in EXTENSIONS:
                pytest.skip(f"without the extension {name}")


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: the garbage collector need not look at them again, after no window and when
    pytest looks for garbage at its end."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(7000, 10, 10)  # ten times the usual number: looking for garbage took a thirtieth of the time


def pytest_unconfigure() -> None:
    """Nothing is left of the settings and logs: each process of each run would leave a folder."""
    shutil.rmtree(_HOME, ignore_errors=True)


def _application() -> Any:
    """Qt's application with widgets, None where there is none: most tests need no Qt, and a film needs no widgets."""
    widgets = sys.modules.get("PyQt6.QtWidgets")
    application = None if widgets is None else widgets.QApplication.instance()
    return application if widgets is not None and isinstance(application, widgets.QApplication) else None


def _colors() -> Any:
    """Style sheet and palette, None where there is no application."""
    application = _application()
    if application is None:
        return None
    return application.styleSheet(), sys.modules["PyQt6.QtGui"].QPalette(application.palette())


def _set_colors(colors: Any) -> None:
    """Those, or Qt's own for None. Nothing is done where they are so already: it would style every widget again."""
    application = _application()
    if application is None:
        return
    sheet, palette = colors or ("", sys.modules["PyQt6.QtGui"].QPalette())
    if application.styleSheet() != sheet:
        application.setStyleSheet(sheet)
    if colors is None or application.palette() != palette:
        application.setPalette(palette)


def use_colors_of_the_desktop() -> None:
    """Qt's own colours, whichever window has chosen a theme in this process."""
    _set_colors(None)


@pytest.fixture(scope="module", autouse=True)
def colors_of_the_desktop() -> None:
    """Each file begins with Qt's own colours."""
    use_colors_of_the_desktop()


@pytest.fixture(autouse=True)
def colors_as_they_were() -> Iterator[None]:
    """A test that chose a theme leaves none behind, so that the next one does not depend on which came before.

    What it found is given back and not Qt's own: a window that all tests of a file share has its theme.
    """
    before = _colors()
    yield
    _set_colors(before)


@pytest.fixture(autouse=True)
def no_thread_is_left_behind() -> Iterator[None]:
    """Fail a test that leaves a thread running; threads that are about to end are given the time."""
    before = set(threading.enumerate())
    yield
    end = time.monotonic() + _JOIN_PATIENCE
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.name.startswith(_KEPT)]
    for thread in left:
        while time.monotonic() < end:
            try:
                thread.join(max(0.0, end - time.monotonic()))
                break
            except RuntimeError:  # listed already, and about to begin
                time.sleep(1e-3)
    alive = [thread.name for thread in left if thread.is_alive()]
    assert not alive, f"threads left running: {', '.join(alive)}"


@pytest.fixture
def qtbot(qapp: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """pytest-qt's, with the patience that a slow or busy machine needs."""
    from tests.waiting import PatientBot  # brings Qt, which most tests need not

    bot = PatientBot(request)
    yield bot
    bot.put_away()


@pytest.fixture(autouse=True)
def registries_as_they_were() -> Iterator[tuple[Any, ...]]:
    """Plug-ins that a test loads are forgotten after it; gives the systems, indicators and formats before."""
    from engine import fields, guarding, indicators, plugins
    from engine.files import formats
    from engine.scenario import section

    registries = (section.SYSTEMS, indicators.INDICATORS, formats.FORMATS, fields.FIELDS)
    with pytest.MonkeyPatch.context() as patch:  # not the test's own, which it may undo
        for registry in (*registries, plugins.LATE_PARTS):
            patch.setattr(registry, "parts", registry.parts)
        patch.setattr(plugins, "_known", dict(plugins._known))
        patch.setattr(guarding, "_told", set())
        yield tuple(registry.parts for registry in registries)
