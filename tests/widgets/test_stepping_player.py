"""A player with numbered stops: buttons, line, keys, pace, and a clock of the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLineEdit, QMainWindow, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.widgets.transport import PaceRange, SteppingPlayer, SteppingTransport
from engine.system import Clock

LAST = 20
TIPS = {name: name for name in ("play", "first", "back", "forward", "last")}


class Stage:
    """A window with a transport, a field, and a command on Space."""

    def __init__(self) -> None:
        self.window, middle = QMainWindow(), QWidget()
        self.transport = SteppingTransport(TIPS, PaceRange(1.0, 60.0, 10.0, str), "")
        self.field = QLineEdit()
        self.left: list[bool] = []
        clock = Clock("tick", "tick", "", True, "Tick", "")
        keys = {Qt.Key.Key_Escape: lambda: self.left.append(True)}
        self.player = SteppingPlayer(self.transport, clock, self.window, keys)
        self.shown: list[int] = []
        self.player.moved.connect(lambda: self.shown.append(self.player.index))
        self.commands: list[str] = []
        action = QAction("Run", self.window)
        action.setShortcut(QKeySequence("Space"))
        action.triggered.connect(lambda: self.commands.append("Space"))
        self.window.addAction(action)
        column = QVBoxLayout(middle)
        column.addWidget(self.transport)
        column.addWidget(self.field)
        self.window.setCentralWidget(middle)

    def press(self, *keys: Qt.Key) -> None:
        """Press keys in the widget with the focus."""
        for key in keys:
            QTest.keyClick(self.window.focusWidget() or self.window, key)


@pytest.fixture
def stage(qtbot: QtBot) -> Iterator[Stage]:
    """At the first of its stops, with the keys."""
    made = Stage()
    made.window.resize(700, 200)
    made.window.show()
    qtbot.waitExposed(made.window)
    made.window.activateWindow()
    qtbot.waitUntil(made.window.isActiveWindow)
    made.player.set_stops(range(LAST + 1), marks=[5.0])
    made.player.keys.on = True
    yield made
    made.player.keys.on = False
    made.player.pause()
    made.window.close()
    made.window.deleteLater()


def test_the_keys_are_its_own_while_they_are_on(stage: Stage) -> None:
    stage.transport.setFocus()
    stage.press(Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left)
    assert stage.player.index == 1
    stage.press(Qt.Key.Key_End)
    assert stage.player.index == LAST
    stage.press(Qt.Key.Key_Home, Qt.Key.Key_Left)
    assert stage.player.index == 0
    stage.press(Qt.Key.Key_Space)
    assert stage.player.playing
    stage.press(Qt.Key.Key_Space)
    assert not stage.player.playing
    stage.press(Qt.Key.Key_Escape)
    assert stage.left == [True]
    assert stage.commands == []
    stage.player.keys.on = False
    stage.press(Qt.Key.Key_Space, Qt.Key.Key_Right)
    assert stage.commands == ["Space"]
    assert stage.player.index == 0


def test_a_field_keeps_its_keys(stage: Stage) -> None:
    stage.field.setFocus()
    stage.press(Qt.Key.Key_A, Qt.Key.Key_Space, Qt.Key.Key_B, Qt.Key.Key_Home)
    assert stage.field.text() == "a b"
    assert stage.field.cursorPosition() == 0
    assert not stage.player.playing


def test_buttons_and_line_go_to_a_stop_and_pause_there(stage: Stage, qtbot: QtBot) -> None:
    buttons, line = stage.transport.buttons, stage.transport.timeline
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(buttons["last"], left)
    assert stage.player.index == LAST
    assert not buttons["forward"].isEnabled()
    qtbot.mouseClick(buttons["back"], left)
    assert stage.player.index == LAST - 1
    qtbot.mouseClick(buttons["first"], left)
    assert stage.player.index == 0
    assert not buttons["back"].isEnabled()
    buttons["forward"].setFocus()
    stage.press(Qt.Key.Key_Return)
    assert stage.player.index == 1
    qtbot.mouseClick(stage.transport.run_button, left)
    assert stage.player.playing
    qtbot.mouseClick(line, left, pos=line.rect().center())
    assert not stage.player.playing
    assert stage.player.index == pytest.approx(LAST / 2, abs=1)
    assert line.timeline is not None
    assert (line.timeline.shown_time, line.timeline.end, list(line.timeline.marks)) == (stage.player.index, LAST, [5.0])


def test_a_player_plays_every_stop_to_the_end_and_starts_again(stage: Stage) -> None:
    stage.transport.speed.number = 4.0
    stage.shown.clear()
    stage.player.play()
    stage.player.player.start(0.0)  # a clock of the test, on which each look comes after two stops
    for now in range(1, 2 * LAST):
        stage.player.advance(now / 2.0)
    assert stage.shown == list(range(1, LAST + 1))
    assert not stage.player.playing
    stage.player.toggle()
    assert stage.player.playing
    assert stage.player.index == 0


def test_a_player_waits_for_the_picture(stage: Stage) -> None:
    stage.player.play()
    stage.player.player.start(0.0)
    stage.player.ready = lambda: False
    stage.player.advance(1.0)
    assert stage.player.index == 0
    stage.player.ready = lambda: True
    stage.player.advance(2.0)
    assert stage.player.index == 1
