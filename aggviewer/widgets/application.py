"""Qt's application for widgets that are never on a screen."""

from __future__ import annotations

import os
import sys

from PyQt6.QtCore import qInstallMessageHandler
from PyQt6.QtWidgets import QApplication

from aggviewer.session.notices import log
from engine.errors import InputError

_made: list[QApplication] = []  # Qt's application lives as long as something refers to it


def ensure_widgets(what: str) -> None:
    """Make Qt's application if there is none: plots are widgets. Where there is no display it needs none.

    Parameters
    ----------
    what : needs them, in words for an error.

    Raises
    ------
    InputError
        The program has an application that knows no widgets.
    """
    application = QApplication.instance()
    if application is not None and not isinstance(application, QApplication):
        raise InputError(f"{what} has to be made before pictures are: its plots are widgets", "film")
    if application is None:
        displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
        if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in displays):
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
        qInstallMessageHandler(lambda kind, context, text: log.debug("Qt: %s", text))  # of screens that are not there
        _made.append(QApplication([sys.argv[0]]))
