"""A monkey at the real window: keys, clicks, drags, the wheel, words in fields, other sizes; seeded."""

from __future__ import annotations

import ctypes
import gc
import logging
import random
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6 import sip
from PyQt6.QtCore import QObject, QPoint, QPointF, Qt, QTimer
from PyQt6.QtGui import QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from aggviewer.session import Notice
from aggviewer.widgets.input_guard import edits_text
from aggviewer.window.main_window import MainWindow
from tests.window.screen import turn

_REST_MS = 4  # between two actions
_NESTED = 6  # event loops inside one another, as of a dialog over a menu; from there on the monkey only leaves
_MOST_DISCS = 20_000  # of a scenario that a monkey may open: larger ones take a second each
_SIZES = (640, 1590), (480, 960)  # of the window: least and greatest width, then height
_WORDS = (
    "",
    "0",
    "-1",
    "1e400",
    "nan",
    "abc",
    "0.5",
    "3",
    "400",
    "12 000",
    "0,25",
    "1/3",
    "50 x 40",
    "  ",
    "1e-12",
)
# what ends the window or the series of actions, what works on a page of its own for seconds, and what starts processes
LEFT_ALONE = ("file.quit", "help.system", "scenario.lattice-100000", "scenario.lattice-1000000", "study.new")
_TYPED = (Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Up, Qt.Key.Key_Down, None)
_NONE = Qt.KeyboardModifier.NoModifier
_LEFT, _RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


class Log(logging.Handler):
    """Collects what is logged above info, but for what a person was told about their own input."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(logging.WARNING)
        self.records: list[str] = []
        self._told: set[str] = set()
        self._notices = window.session.notices
        self._notices.sent.connect(self._on_notice)

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(self.format(record))

    def _on_notice(self, notice: Notice) -> None:
        if not notice.details:  # no traceback: a refusal in words
            self._told.add(f"{notice.title} {notice.text}")

    @property
    def bad(self) -> list[str]:
        """What should not be there."""
        return [record for record in self.records if record not in self._told]

    def close(self) -> None:
        self._notices.sent.disconnect(self._on_notice)
        super().close()


FEWEST = 20
"""Actions of a monkey, also on a machine that is slow."""


def click(widget: QWidget, button: Qt.MouseButton, at: QPoint) -> None:
    """Press and release. What the press has closed is not released any more: QTest would go on with a dead widget, as
    no mouse does."""
    QTest.mousePress(widget, button, _NONE, at)
    if not sip.isdeleted(widget):
        QTest.mouseRelease(widget, button, _NONE, at)


def press_key(widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press and release a key, likewise."""
    QTest.keyPress(widget, key, modifiers)
    if not sip.isdeleted(widget):
        QTest.keyRelease(widget, key, modifiers)


class Monkey(QObject):
    """Acts on a window until its time is over, and `FEWEST` times; `finished` then. What it did last stands in `deeds`.

    It acts from a timer, so that it goes on in the event loops of dialogs and menus.
    """

    def __init__(self, window: MainWindow, seed: int, seconds: float) -> None:
        super().__init__()
        self.finished = False
        self.deeds: deque[str] = deque(maxlen=60)
        self.count = 0
        self._window = window
        self._random = random.Random(seed)
        self._end = time.monotonic() + seconds
        self._depth = 0
        self._commands = [c.id for c in window.commands if c.id not in LEFT_ALONE]
        self._keys = [key for c in window.commands if c.id in self._commands for key in c.keys]
        self._actions: list[tuple[int, Callable[[QWidget], None]]] = [
            (30, self._press_key),
            (25, self._click),
            (10, self._drag),
            (12, self._wheel),
            (6, self._type),
            (6, self._command),
            (3, self._resize),
            (3, self._double_click),
            (2, self._right_click),
        ]
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._act)
        self._timer.start(_REST_MS)

    def _act(self) -> None:
        if time.monotonic() >= self._end and self.count >= FEWEST:
            self.finished = self._depth == 0 or self.finished
            self._leave()
            if self._depth:
                self._timer.start(_REST_MS)
            else:
                self.finished = True
            return
        self._timer.start(_REST_MS)
        self._depth += 1
        try:
            if self._depth > _NESTED:
                self._leave()
                return
            for _ in range(self._random.choice((1, 1, 1, 2, 5))):  # several at once: nothing is handled between them
                target = self._target()
                if target is None:
                    self._window.activateWindow()
                    return
                weights, deeds = zip(*self._actions, strict=True)
                self._random.choices(deeds, weights)[0](target)
                self.count += 1
                self._keep_small()
        finally:
            self._depth -= 1

    def _keep_small(self) -> None:
        """A million discs take a gigabyte: not what this test is about."""
        count = self._window.parameters.draft.get("discs.count", 0)
        if isinstance(count, int) and count > _MOST_DISCS:
            self._window.parameters.revert()

    def _target(self) -> QWidget | None:
        """What gets the input: a menu, a dialog, another window, mostly the window itself."""
        for over in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
            if over is not None and over.isVisible():
                return over
        others = [
            widget
            for widget in QApplication.topLevelWidgets()
            if widget.isVisible() and widget is not self._window and not isinstance(widget, QMenu)
            if widget.windowType() not in (Qt.WindowType.ToolTip, Qt.WindowType.SplashScreen)
        ]
        if others and self._random.random() < 0.4:
            return self._random.choice(others)
        return self._window if self._window.isVisible() else None

    def _leave(self) -> None:
        """Out of menus, dialogs and other windows."""
        popup, modal = QApplication.activePopupWidget(), QApplication.activeModalWidget()
        if popup is not None:
            popup.close()
        elif isinstance(modal, QDialog):
            modal.reject()
        elif modal is not None:
            modal.close()

    def _did(self, what: str) -> None:
        self.deeds.append(f"{self.count}: {what}")

    # what it does

    def _place(self, target: QWidget) -> tuple[QWidget, QPoint]:
        """A random place in a random part of a window that can be seen."""
        parts = [w for w in target.findChildren(QWidget) if w.isVisible() and not w.visibleRegion().isEmpty()]
        part = self._random.choice([target, *parts]) if self._random.random() < 0.8 else target
        box = part.visibleRegion().boundingRect()
        at = QPoint(
            self._random.randint(box.left(), max(box.left(), box.right())),
            self._random.randint(box.top(), max(box.top(), box.bottom())),
        )
        on = part.mapTo(target, at) if part is not target else at
        return target.childAt(on) or target, on

    def _at(self, target: QWidget) -> tuple[QWidget, QPoint]:
        """As `_place`, in the coordinates of the widget that is there."""
        widget, on = self._place(target)
        return widget, (widget.mapFrom(target, on) if widget is not target else on)

    def _press_key(self, target: QWidget) -> None:
        extra = ("Tab", "Shift+Tab", "Return", "Up", "Down", "Left", "Home", "End", "PageUp", "A", "Ctrl+A", "Del")
        key = self._random.choice((*self._keys, *extra))
        if target is not self._window and self._random.random() < 0.3:
            key = "Esc"
        combination = QKeySequence(key)[0]
        focus = target.focusWidget() or target
        self._did(f"key {key} to {type(focus).__name__} in {type(target).__name__}")
        press_key(focus, combination.key(), combination.keyboardModifiers())

    def _click(self, target: QWidget) -> None:
        widget, at = self._at(target)
        self._did(f"click {_name(widget)} in {type(target).__name__}")
        click(widget, _LEFT, at)

    def _double_click(self, target: QWidget) -> None:
        widget, at = self._at(target)
        self._did(f"double click {_name(widget)}")
        click(widget, _LEFT, at)
        if not sip.isdeleted(widget):
            QTest.mouseDClick(widget, _LEFT, _NONE, at)

    def _right_click(self, target: QWidget) -> None:
        widget, at = self._at(target)
        self._did(f"right click {_name(widget)}")
        click(widget, _RIGHT, at)

    def _drag(self, target: QWidget) -> None:
        widget, at = self._at(target)
        button = self._random.choice((_LEFT, _LEFT, _LEFT, _RIGHT, Qt.MouseButton.MiddleButton))
        self._did(f"drag {_name(widget)}")
        QTest.mousePress(widget, button, _NONE, at)
        for _ in range(self._random.randint(1, 8)):
            at = at + QPoint(self._random.randint(-60, 60), self._random.randint(-40, 40))
            if not sip.isdeleted(widget):
                QTest.mouseMove(widget, at)
        if not sip.isdeleted(widget):
            QTest.mouseRelease(widget, button, _NONE, at)

    def _wheel(self, target: QWidget) -> None:
        widget, at = self._at(target)
        modifiers = self._random.choice((_NONE, _NONE, Qt.KeyboardModifier.ControlModifier))
        self._did(f"wheel over {_name(widget)}")
        for _ in range(self._random.choice((1, 3, 20))):
            turn(widget, self._random.choice((120, -120, 15, -600)), modifiers, QPointF(at))

    def _type(self, target: QWidget) -> None:
        editable = [w for w in target.findChildren(QWidget) if w.isVisible() and w.isEnabled() and edits_text(w)]
        if not editable:
            return
        field, word, end = self._random.choice(editable), self._random.choice(_WORDS), self._random.choice(_TYPED)
        self._did(f"type {word!r} into {_name(field)} and {end}")
        field.setFocus()
        press_key(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        if not sip.isdeleted(field):
            QTest.keyClicks(field, word)
        if end is not None and not sip.isdeleted(target):
            press_key(QApplication.focusWidget() or target, end)

    def _command(self, target: QWidget) -> None:
        if target is self._window:
            name = self._random.choice(self._commands)
            action = self._window.commands.action(name)
            self._did(f"command {name} {'' if action.isEnabled() else '(off)'}")
            if action.isEnabled():
                action.trigger()

    def _resize(self, target: QWidget) -> None:
        size = [self._random.randint(*sides) for sides in _SIZES]
        self._did(f"resize to {size}")
        if target is self._window:
            target.resize(*size)


def _name(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}".strip()


# around it


def tame(monkeypatch: pytest.MonkeyPatch, folder: Path, rng: random.Random) -> None:
    """Files are chosen at random in `folder`, in place of the dialogs of the desktop; no other program is started."""
    written: list[Path] = []

    def ask_save(_parent: QWidget, proposal: Path, _title: str, _filter: str) -> Path | None:
        if rng.random() < 0.3:
            return None
        written.append(folder / f"{len(written) % 7}{proposal.suffix}")
        return written[-1]

    def ask_open(_parent: QWidget, _folder: Path, title: str, _filter: str) -> Path | None:
        if title in ("Add a plug-in", "State file"):
            return None
        there = [path for path in written if path.is_file()]
        return rng.choice(there) if there and rng.random() < 0.7 else None

    monkeypatch.setenv("HOME", str(folder))  # where dialogs with a field for the file propose one
    monkeypatch.setattr("aggviewer.widgets.file_dialogs.ask_save", ask_save)
    monkeypatch.setattr("aggviewer.widgets.file_dialogs.ask_open", ask_open)
    monkeypatch.setattr("aggviewer.window.toasts.QDesktopServices.openUrl", lambda *_: True)
    monkeypatch.setattr("aggviewer.session.saved.autosave.EVERY", 5.0)


def memory() -> float:
    """MB that this process has in memory, when what is free has been given back."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6
