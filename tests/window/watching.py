"""What a window shows now, and waits for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PyQt6.QtGui import QImage
from pytestqt.qtbot import QtBot

from aggviewer.window.main_window import MainWindow
from tests.window.conftest import PATIENCE, told, wait_until


def pixels(path: Path) -> np.ndarray:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGBA8888)
    data = image.constBits()
    assert data is not None
    shape = (image.height(), image.width(), 4)
    return np.frombuffer(data.asstring(image.sizeInBytes()), np.uint8).reshape(shape)


def state(window: MainWindow) -> str:
    return window.session.status().state


def wait_for(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition, timeout=PATIENCE)


def time_shown(window: MainWindow) -> float:
    shown = window.refresher.shown()
    return -1.0 if shown is None else shown.frame.time


def settled(window: MainWindow, qtbot: QtBot) -> None:
    """Every command given so far has been carried out, the window has been told, and what came of it is shown."""
    told(window)
    wait_for(qtbot, lambda: time_shown(window) == window.session.status().time)


def compare(window: MainWindow) -> None:
    """Two side by side, each with a picture."""
    window.commands.run("method.compare")
    wait_until(lambda: len(window.canvases.canvases) == 2)
    wait_until(lambda: all(canvas.frames_drawn > 0 for canvas in window.canvases.canvases))
