"""The screen and its application: the space for windows, what fits into a narrow bar, the clipboard, and waiting
while the window stays alive."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TypeVar

from PyQt6.QtCore import QCoreApplication, QEventLoop, QMargins, QRect, QSize, qInstallMessageHandler
from PyQt6.QtGui import QGuiApplication, QImage
from PyQt6.QtWidgets import QApplication, QWidget

from aggviewer.names import OFFSCREEN
from aggviewer.session.notices import log
from engine.errors import InputError

FRAME = QMargins(4, 32, 4, 8)
"""Space for the frame that the window manager draws around a window, or a little more."""


def available(widget: QWidget) -> QRect:
    """The part of the screen of a widget that windows may use."""
    screen = widget.screen()
    return QRect() if screen is None else screen.availableGeometry()


def room(widget: QWidget) -> QSize:
    """The largest size of a window on its screen, without its frame."""
    return available(widget).size().shrunkBy(FRAME)


_made: list[QApplication] = []  # Qt's application lives as long as something refers to it


def ensure_widgets(what: str) -> None:
    """Create a Qt application if there is none, since plots are Qt widgets. It never opens a display.

    Parameters
    ----------
    what : the thing that needs widgets, for the error message.

    Raises
    ------
    InputError
        The process has a Qt application without widgets.
    """
    application = QApplication.instance()
    if application is not None and not isinstance(application, QApplication):
        raise InputError(f"{what} must be created before pictures, because plots are Qt widgets", "film")
    if application is None:
        qInstallMessageHandler(lambda kind, context, text: log.debug("Qt: %s", text))  # about missing screens
        _made.append(QApplication([sys.argv[0], *(OFFSCREEN if sys.platform == "linux" else ())]))


T = TypeVar("T")


def first_fitting(stages: Iterable[T], needed: Callable[[T], int], width: int) -> T:
    """The first stage of a bar that fits into a width.

    Parameters
    ----------
    stages : at least one, from everything to the least that the bar can show.
    needed : returns the width of the bar at a stage in pixels; may rearrange the bar.
    width : available pixels.

    Returns
    -------
    Stage
        The first stage for which `needed` is at most `width`, else the last.
    """
    last: list[T] = []
    for stage in stages:
        if needed(stage) <= width:
            return stage
        last = [stage]
    return last[0]


def copy_text(text: str) -> None:
    """Put a text on the clipboard."""
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)


def copy_image(image: QImage) -> None:
    """Put a picture on the clipboard."""
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setImage(image)


_REST = 0.005  # seconds between two turns of the event loop


def wait_in_loop(there: Callable[[float], bool], patience: float) -> bool:
    """Wait for something while the window keeps painting; it ignores mouse and keys meanwhile.

    Parameters
    ----------
    there : waits for the given number of seconds and returns whether it is there.
    patience : most seconds to wait.

    Returns
    -------
    bool
        Whether it is there.
    """
    end = monotonic() + patience
    while not there(_REST):
        if monotonic() >= end:
            return False
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    return True
