"""What all tests share: settings, logs and caches of their own, and no thread left behind."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

# before anything reads them: no test sees or changes a person's files (compiled kernels, though, are shared)
_HOME = Path(tempfile.mkdtemp(prefix="aggviewer-tests-"))
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = str(_HOME / _name.lower())
os.environ.setdefault("PYTHONFAULTHANDLER", "1")

_JOIN_PATIENCE = 20.0


@pytest.fixture(scope="module", autouse=True)
def colors_of_the_desktop() -> None:
    """Each file begins with Qt's own colours, whichever window chose a theme before it in this process."""
    widgets, gui = sys.modules.get("PyQt6.QtWidgets"), sys.modules.get("PyQt6.QtGui")
    application = None if widgets is None else widgets.QApplication.instance()
    if application is not None and gui is not None:
        application.setStyleSheet("")
        application.setPalette(gui.QPalette())


@pytest.fixture(autouse=True)
def no_thread_is_left_behind() -> Iterator[None]:
    """Fail a test that leaves a thread running; threads that are about to end are given the time."""
    before = set(threading.enumerate())
    yield
    end = time.monotonic() + _JOIN_PATIENCE
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(max(0.0, end - time.monotonic()))
    alive = [thread.name for thread in left if thread.is_alive()]
    assert not alive, f"threads left running: {', '.join(alive)}"
