"""One window for all modules of a folder, which has its theme: fixtures that the folder's conftest.py imports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtWidgets import QApplication

from aggviewer.window.main_window import MainWindow
from tests.conftest import use_colors_of_the_desktop
from tests.window.conftest import paused_window


@pytest.fixture(scope="package", autouse=True)
def colors_of_the_desktop() -> None:
    """Each folder begins with Qt's own colours."""
    use_colors_of_the_desktop()


@pytest.fixture(scope="package")
def shared_window(qapp: QApplication, compiled: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """One paused window for all modules of a folder."""
    with pytest.MonkeyPatch.context() as patch:  # it is made before the surface of the first module is chosen
        patch.setenv("AGGVIEWER_CANVAS", "painter")
        yield from paused_window(tmp_path_factory.mktemp("shared"))
