"""One window for many files: to open one takes most of a second.

A file, or the conftest.py of a folder, that imports both fixtures by their names has the same window as all others that
do. A file that leaves something which `put_back` does not know, such as packings to be pooled, has one of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PyQt6.QtWidgets import QApplication

from aggviewer.window.main_window import MainWindow
from tests.conftest import set_colors
from tests.window.conftest import SMALL, hold, put_back, told, wait_until


@pytest.fixture(scope="module", autouse=True)
def colors_of_the_desktop(kept_window: tuple[MainWindow, Any]) -> None:
    """Those of that window, in the place of Qt's own: to style it again takes a quarter of a second."""
    set_colors(kept_window[1])


@pytest.fixture(scope="module")
def shared_window(
    kept_window: tuple[MainWindow, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """That window, paused at the start of a small scenario, for tests that leave it as they found it."""
    window, path = kept_window[0], tmp_path_factory.mktemp("shared") / "small.toml"
    path.write_text(SMALL)
    QApplication.setActiveWindow(window)
    wait_until(window.isActiveWindow)
    hold(window, path)
    window.session.history.forget()
    yield window
    put_back(window)
    window.session.pause()  # nothing runs beside the tests of a file that has a window of its own
    told(window)
