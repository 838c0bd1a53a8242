"""What a person does by chance: the wheel over a field, keys while a button or a field has the focus."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PyQt6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PyQt6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from aggviewer.widgets.input_guard import ModeKeys, edits_text
from aggviewer.widgets.number_edit import NumberEdit
from aggviewer.window.main_window import MainWindow
from tests.window.conftest import told, window_again
from tests.window.screen import turn
from tests.window.watching import wait_for

EDITORS = (QAbstractSpinBox, QComboBox, QAbstractSlider, QTabBar)
BY_WHEEL = Qt.FocusPolicy.WheelFocus.value & ~Qt.FocusPolicy.StrongFocus.value


window = window_again


def editors(root: QWidget) -> list[QWidget]:
    """All that shows a value which a person can change."""
    return [
        widget
        for widget in (root, *root.findChildren(QWidget))
        if isinstance(widget, EDITORS) and not isinstance(widget, QScrollBar)
    ]


def value_of(widget: QWidget) -> object:
    if isinstance(widget, NumberEdit):
        return widget.value, widget.text().partition(" ")[0]  # its unit comes and goes with the focus
    if isinstance(widget, QComboBox | QTabBar):
        return widget.currentIndex()
    assert isinstance(widget, QAbstractSlider)  # of another kind there is none
    return widget.value()


def wheel_changes(root: QWidget) -> tuple[int, list[str]]:
    """How many editors there are, and those that the wheel does something to."""
    found = editors(root)
    before = [value_of(widget) for widget in found]
    bad = []
    for widget in found:
        widget.ensurePolished()
        if widget.focusPolicy().value & BY_WHEEL:
            bad.append(f"{widget!r} {widget.accessibleName()} takes the focus by the wheel")
        for focus in (False, True):
            if focus:
                widget.setFocus()
            for part in (widget, *widget.findChildren(QLineEdit)):
                for modifiers in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier):
                    for by in (120, -240):
                        turn(part, by, modifiers)
            QApplication.sendPostedEvents()
    for widget, value in zip(found, before, strict=True):
        if value_of(widget) != value:
            bad.append(f"{widget!r} {widget.accessibleName()}: {value} is now {value_of(widget)}")
    return len(found), bad


def dialogs_seen(window: MainWindow, command: Callable[[], None], look: Callable[[QWidget], None]) -> int:
    """Run a command; look at every dialog and window that opens, and close it. How many there were."""
    before = set(QApplication.topLevelWidgets())
    seen: list[QWidget] = []

    def watch() -> None:
        for widget in QApplication.topLevelWidgets():
            if widget.isVisible() and widget not in before and widget not in seen and not _small(widget):
                seen.append(widget)
                look(widget)
                if isinstance(widget, QDialog):
                    widget.reject()
                else:
                    widget.close()

    timer = QTimer()  # goes on in the event loop of a dialog
    timer.timeout.connect(watch)
    timer.start(5)
    command()
    told(window)
    timer.stop()
    watch()
    return len(seen)


def _small(widget: QWidget) -> bool:
    return widget.windowType() in (Qt.WindowType.ToolTip, Qt.WindowType.Popup)


@pytest.mark.extension("export_dialogs", "lessons")
def test_the_wheel_changes_no_editor_of_any_dialog(held: MainWindow, qtbot: QtBot) -> None:
    bad: list[str] = []
    counts: dict[str, int] = {}
    for command in list(held.commands):
        if not (command.text.endswith("…") or command.id == "view.bouncing_ball") or command.id == "help.system":
            continue  # what opens a dialog says so by its dots

        def look(widget: QWidget, name: str = command.id) -> None:
            count, found = wheel_changes(widget)
            counts[name] = counts.get(name, 0) + count
            bad.extend(f"{name}: {one}" for one in found)

        dialogs_seen(held, lambda name=command.id: held.commands.run(name), look)  # type: ignore[misc]
    assert bad == []
    assert {"file.film", "file.snapshot_as", "file.record", "edit.preferences", "view.bouncing_ball"} <= counts.keys()
    assert counts["file.film"] >= 5


# keys


@pytest.fixture
def ran(held: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that were used, instead of what they do."""
    used: list[str] = []
    monkeypatch.setattr(held.commands, "run", used.append)
    return used


def test_transport_keys_work_wherever_no_text_is_typed(held: MainWindow, qtbot: QtBot, ran: list[str]) -> None:
    tried = 0
    for widget in held.findChildren(QWidget):
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or edits_text(widget) or not widget.isVisible():
            continue
        if not widget.isEnabled() or widget.window() is not held or widget.focusProxy() is not None:
            continue
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if QApplication.focusWidget() is not widget:
            continue
        tried += 1
        for key, command in (
            (Qt.Key.Key_Space, "run.toggle"),
            (Qt.Key.Key_R, "run.restart"),
            (Qt.Key.Key_Right, "run.step_event"),
        ):
            ran.clear()
            qtbot.keyClick(widget, key)
            assert ran == [command], f"{widget!r} {widget.accessibleName()}"
    assert tried > 40


def test_enter_in_a_field_takes_its_value_and_gives_the_keys_to_the_picture(held: MainWindow, qtbot: QtBot) -> None:
    for key, text, value in (
        ("aggregation.damping.alpha", "0.25", 0.25),  # a number that takes effect at once
        ("box.size", "40", 40.0),  # a line of text
        ("discs.count", "100", 100),
    ):
        field = held.parameters.rows[key].editor.focus_widget
        if not field.isEnabled():
            continue
        field.setFocus()
        QApplication.processEvents()  # the text is selected once the focus is there
        assert isinstance(field, QLineEdit | QAbstractSpinBox)
        line = field if isinstance(field, QLineEdit) else field.findChild(QLineEdit)
        assert line is not None
        line.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert held.canvas.hasFocus(), key
        wait_for(
            qtbot,
            lambda key=key, value=value: (  # type: ignore[misc]
                held.session.scenario is not None and held.session.scenario.value(key) == value
            ),
        )


def test_after_a_drag_the_keys_are_for_the_picture_and_after_a_click_for_the_slider(
    held: MainWindow, qtbot: QtBot
) -> None:
    slider = held.transport.speed
    left, right = QPoint(20, slider.height() // 2), QPoint(60, slider.height() // 2)
    button = Qt.MouseButton.LeftButton
    slider.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    slider.setFocus()
    qtbot.mousePress(slider, button, pos=left)
    qtbot.mouseMove(slider, right)
    qtbot.mouseRelease(slider, button, pos=right)
    assert held.canvas.hasFocus()
    slider.setFocus()
    qtbot.mouseClick(slider, button, pos=left)
    assert slider.hasFocus()


class OfBefore:
    """Of another event, which was in this place before and is still held: only the type is that of the event of now."""

    def type(self) -> QEvent.Type:
        return QEvent.Type.Move

    def button(self) -> Qt.MouseButton:
        raise ValueError("4711 is not a valid Qt.MouseButton")

    def key(self) -> int:
        raise AssertionError("it is no key")

    def ignore(self) -> None:
        raise AssertionError("nothing of it is for the area around a field")


class MouseOfBefore(OfBefore, QMouseEvent): ...


class KeyOfBefore(OfBefore, QKeyEvent): ...


class WheelOfBefore(OfBefore, QWheelEvent): ...


def test_an_event_is_what_its_type_says_whatever_class_pyqt_gives(held: MainWindow) -> None:
    """PyQt knows an event by its place in memory, and gives the object of an earlier one that somebody still holds."""
    at, none = QPointF(2.0, 2.0), Qt.KeyboardModifier.NoModifier
    left, unpressed = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    phase = Qt.ScrollPhase.NoScrollPhase
    field = held.transport.speed
    guard, keys = held._guard, ModeKeys(held, {Qt.Key.Key_Space: lambda: pytest.fail("no key was pressed")})
    for event in (
        MouseOfBefore(QEvent.Type.MouseButtonPress, at, at, left, left, none),
        KeyOfBefore(QEvent.Type.KeyPress, Qt.Key.Key_Space, none),
        WheelOfBefore(at, at, QPoint(), QPoint(0, 120), unpressed, none, phase, False),
    ):
        assert not guard.eventFilter(field, event)
        assert not keys.eventFilter(field, event)
