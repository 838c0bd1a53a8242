"""A Qt application for widgets that are never shown on screen."""

from __future__ import annotations

import sys

from PyQt6.QtCore import qInstallMessageHandler
from PyQt6.QtWidgets import QApplication

from aggviewer.names import OFFSCREEN
from aggviewer.session.notices import log
from engine.errors import InputError

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
