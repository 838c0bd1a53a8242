"""Waits for what must happen, however slow or busy the machine is: for a condition, and for the layout of widgets.

A fixed pause is no such wait: it is too short on one machine and lost time on another. Where something is *not* to
happen, wait until nothing is put off any more (`nothing_put_off`), or for what would come after it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from PyQt6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication, QEvent, Qt, QTimer
from PyQt6.QtGui import QGuiApplication, QWindow
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

PATIENCE = 600_000
"""Milliseconds; pytest's limit for a test ends one that waits for what does not come."""

_ALIKE = 4
"""A layout has ended where it is the same after so many turns of the event loop."""
_CONFIGURE_NOTIFY = 22  # of the X protocol


class PatientBot(QtBot):
    """pytest-qt's, which waits for five seconds unless told otherwise, and lets go of widgets when a test returns.

    The garbage collector would then take them at any moment, also while Qt is asking one of their items for its size,
    and the process would end. Here they stay until the test is over, and go in one piece.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        super().__init__(request)
        self._widgets: list[QWidget] = []

    def addWidget(self, widget: QWidget, **how: Any) -> None:
        """Close this widget at the end of the test, and keep it until then."""
        super().addWidget(widget, **how)
        self._widgets.append(widget)

    def put_away(self) -> None:
        """Have all widgets destroyed, which pytest-qt has closed."""
        delete_now()
        self._widgets.clear()

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE) -> None:
        """Wait until a condition is true."""
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE, **how: Any) -> Any:
        """Wait until a signal was sent."""
        return super().waitSignal(signal, timeout=timeout, **how)

    def waitExposed(self, widget: QWidget, *, timeout: int = PATIENCE) -> Any:
        """Wait until a window is on the screen."""
        return super().waitExposed(widget, timeout=timeout)


def delete_now(*widgets: QWidget) -> None:
    """Have these destroyed, and all for which ``deleteLater`` was called: Qt would do it when the event loop comes to
    rest. A plot without a parent that is only forgotten is collected at any time, also while Qt asks one of its curves
    for its size."""
    for widget in widgets:
        widget.close()
        widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def wait_until(condition: Callable[[], bool], seconds: float = 1e-3 * PATIENCE) -> None:
    """Handle events until a condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        QTest.qWait(5)


def nothing_put_off(widget: QWidget) -> None:
    """Wait until a widget has done all that it does a little later: no timer of it that fires once is still going."""

    def put_off() -> bool:
        return any(timer.isActive() and timer.isSingleShot() for timer in widget.findChildren(QTimer))

    QCoreApplication.processEvents()
    wait_until(lambda: not put_off())
    QCoreApplication.processEvents()


def laid_out(widget: QWidget) -> None:
    """Wait until the window manager has answered all that it was asked for, and the layout of a widget has ended.

    It has ended where neither place nor size of any visible widget in the window has changed for some turns of the
    event loop, and no part waits to draw itself again to its new width (timers named "layout").
    """
    window = widget.window()
    assert window is not None
    end = time.monotonic() + 1e-3 * PATIENCE
    alike, seen, timers = 0, None, []
    window_manager_has_answered()
    while alike < _ALIKE:
        assert time.monotonic() < end, "the layout did not end"
        QTest.qWait(1)
        before, seen = seen, _geometry(window)
        if seen != before or any(timer.isActive() for timer in timers):
            alike = 0
            continue
        alike += 1
        if alike == 1:
            timers = window.findChildren(QTimer, "layout")  # once: to go through all that a window has takes 20 ms
            window_manager_has_answered()  # what has been laid out may have asked for another size


def _geometry(window: QWidget) -> object:
    """Of all visible widgets. What is hidden is not gone through: of a thousand widgets two hundred can be seen."""
    found, rest = [], [window]
    while rest:
        one = rest.pop()
        found.append(one.geometry())
        children = one.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        rest += [child for child in children if child.isVisible()]
    return found


class _Answers(QAbstractNativeEventFilter):
    """Sees that the X server tells a window its size."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.came = False

    def nativeEventFilter(self, kind: QByteArray | bytes | bytearray | memoryview, message: Any) -> tuple[bool, int]:
        if bytes(kind) == b"xcb_generic_event_t":
            message.setsize(12)
            event = bytes(message.asarray())
            told = int.from_bytes(event[8:12], "little")
            self.came |= event[0] & 0x7F == _CONFIGURE_NOTIFY and told == self.number
        return False, 0


def window_manager_has_answered() -> None:
    """Wait until all sizes are there that were asked for.

    Qt changes the size of a window at once, and once more when the window manager answers, which may then be the
    answer to what was asked for before. It answers in order: when it has answered the question of another window,
    one that nobody sees, it has answered all before.
    """
    if QGuiApplication.platformName() != "xcb":
        return
    asks = QWindow()
    asks.create()
    answers = _Answers(int(asks.winId()))
    application = QCoreApplication.instance()
    assert application is not None
    application.installNativeEventFilter(answers)
    try:
        asks.resize(asks.width() + 10, asks.height() + 10)
        end = time.monotonic() + 1e-3 * PATIENCE
        while not answers.came:
            assert time.monotonic() < end, "neither X server nor window manager has answered"
            QCoreApplication.processEvents()
            time.sleep(1e-3)
    finally:
        application.removeNativeEventFilter(answers)
        asks.destroy()
