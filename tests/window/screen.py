"""Input as it comes from the screen: Qt hands it on from a widget to the one around it, as it does not do with events
that a program sends."""

from __future__ import annotations

import ctypes
from pathlib import Path

import PyQt6
from PyQt6 import sip
from PyQt6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QWidget

_CORE = Path(PyQt6.__file__).parent / "Qt6" / "lib" / "libQt6Core.so.6"
_SEND = "_ZN16QCoreApplication20sendSpontaneousEventEP7QObjectP6QEvent"


def send(receiver: QObject, event: QEvent) -> None:
    """Deliver an event as one of the window system (QCoreApplication::sendSpontaneousEvent, which PyQt leaves out)."""
    deliver = getattr(ctypes.CDLL(str(_CORE)), _SEND)
    deliver.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    deliver.restype = ctypes.c_bool
    deliver(sip.unwrapinstance(receiver), sip.unwrapinstance(event))


def turn(
    widget: QWidget,
    by: int,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    at: QPointF | None = None,
) -> None:
    """Turn the wheel over a widget, by 120 for a notch; in its middle where no place is given."""
    at = QPointF(widget.rect().center()) if at is None else at
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(at, widget.mapToGlobal(at), QPoint(), QPoint(0, by), none, modifiers, phase, False)
    send(widget, event)
