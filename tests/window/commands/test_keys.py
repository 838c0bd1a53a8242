"""Keys, commands, palette, sheet."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.widgets.command import Command, CommandSet
from aggviewer.window.commands.palette import CommandPalette, side_of
from aggviewer.window.main_window import MainWindow
from tests.window.conftest import part_of


@pytest.fixture
def held(shared_window: MainWindow) -> MainWindow:
    """The window of all these tests, whose keys go to the picture at the start."""
    QApplication.setActiveWindow(shared_window)
    shared_window.canvas.setFocus()
    return shared_window


@pytest.fixture
def ran(held: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that were used, instead of what they do."""
    used: list[str] = []
    monkeypatch.setattr(held.commands, "run", used.append)
    return used


@pytest.mark.extension("export_dialogs", "lessons")
def test_every_key_belongs_to_one_command(held: MainWindow) -> None:
    keys = [key for command in held.commands for key in command.keys]
    assert len(keys) == len(set(keys))
    for needed in ("Space", "Right", "R", "F", "S", "1", "2", "3", "4", "P", "Ctrl+Shift+P", "?", "F11"):
        assert needed in keys


def test_a_second_command_cannot_take_a_key_and_nothing_of_its_part_is_added(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    commands = CommandSet(widget)
    commands.add(Command("a.one", "One", lambda: None, ("X",)))
    with pytest.raises(ValueError, match=r"a\.one"):
        commands.add(Command("a.three", "Three", lambda: None), Command("a.two", "Two", lambda: None, ("X",)))
    assert [command.id for command in commands] == ["a.one"]
    assert [action.objectName() for action in widget.actions()] == ["a.one"]


@pytest.mark.parametrize(
    ("key", "command"),
    [
        (Qt.Key.Key_Space, "run.toggle"),
        (Qt.Key.Key_Right, "run.step_event"),
        (Qt.Key.Key_R, "run.restart"),
        (Qt.Key.Key_F, "view.fit"),
        pytest.param(Qt.Key.Key_S, "file.snapshot", marks=pytest.mark.extension("export_dialogs")),
        (Qt.Key.Key_3, "plots.3"),
        (Qt.Key.Key_0, "plots.10"),
        pytest.param(Qt.Key.Key_P, "view.presenter", marks=pytest.mark.extension("lessons")),
    ],
)
def test_a_key_runs_its_command(held: MainWindow, qtbot: QtBot, ran: list[str], key: Qt.Key, command: str) -> None:
    qtbot.keyClick(held.canvas, key)
    assert ran == [command]


def test_space_does_not_press_a_button_that_has_the_focus(held: MainWindow, qtbot: QtBot, ran: list[str]) -> None:
    pressed: list[bool] = []
    button = QToolButton(held.stage.picture)
    button.clicked.connect(pressed.append)
    button.show()
    button.setFocus()
    qtbot.addWidget(button)
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert pressed == []
    assert ran == ["run.toggle"]


def test_the_palette_finds_a_command_by_its_words(held: MainWindow, qtbot: QtBot) -> None:
    palette = part_of(held, CommandPalette)
    palette.open()
    qtbot.keyClicks(palette.field, "speed colour")
    assert palette.list.count() == 1
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert held.session.view.color_by == "speed"
    held.session.view.color_by = "cluster"
    palette.open()
    qtbot.keyClicks(palette.field, "zzzz")
    (said,) = [palette.list.item(row) for row in range(palette.list.count())]
    palette.list.itemClicked.emit(said)
    assert palette.isVisible(), "that nothing was found is no command"
    palette.close()


@pytest.mark.extension("gallery")
def test_the_palette_leads_from_what_a_beginner_types_to_what_helps(held: MainWindow) -> None:
    palette = part_of(held, CommandPalette)
    palette.open()
    wanted = {"3d": "Scenarios", "rotate": "Keys", "bigger text": "Larger text", "keys": "Keys", "manual": "Manual"}
    for typed, name in wanted.items():
        palette.field.setText(typed)
        top = palette.list.currentItem()
        assert top is not None, typed
        assert (top.text(), top.flags() != Qt.ItemFlag.NoItemFlags) == (name, True)
    palette.close()


def listed(palette: CommandPalette) -> list[str]:
    """The lines of the palette."""
    return [item.text() for item in palette.lines]


def test_an_unavailable_command_is_grey_with_its_reason(held: MainWindow, qtbot: QtBot) -> None:
    palette = part_of(held, CommandPalette)
    palette.open()
    assert "Loop" not in listed(palette), "it was not searched for"
    used: list[str] = []
    held.commands.used.connect(used.append)
    qtbot.keyClicks(palette.field, "loop")
    assert listed(palette)[0] == "Loop"
    top = palette.list.item(0)
    assert top is not None
    assert top.flags() == Qt.ItemFlag.NoItemFlags
    assert "Only recordings" in side_of(top)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert not used, "nor anything that fits less well"
    palette.field.setText("colour by rattlers")
    assert [(item.text(), side_of(item)) for item in palette.lines] == [
        ("Colour by rattlers", "Not available for this system")
    ]
    palette.close()
    held.commands.used.disconnect(used.append)


def test_enter_runs_what_answers_the_text_and_is_seen_in_full(held: MainWindow, qtbot: QtBot) -> None:
    palette = part_of(held, CommandPalette)
    used: list[str] = []
    held.commands.used.connect(used.append)
    palette.open()
    palette.field.blockSignals(True)  # the list is not up to date yet
    palette.field.setText("no such thing")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    palette.field.blockSignals(False)
    assert not used
    palette.field.setText("colour by")
    bottom = palette.lines[-1]
    palette.list.setCurrentItem(bottom)
    palette.list.scrollToTop()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not used, "it is not visible"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert used == [bottom.data(Qt.ItemDataRole.UserRole)]
    held.commands.used.disconnect(used.append)


def test_no_two_commands_look_alike_in_the_palette(held: MainWindow) -> None:
    twins = [Command(f"view.twin_{k}", "Twin", lambda: None, tooltip=f"Number {k}") for k in range(2)]
    held.commands.add(*twins)
    palette = part_of(held, CommandPalette)
    palette.open()
    palette.field.setText("twin")
    assert listed(palette) == ["Twin – Number 0", "Twin – Number 1"]
    palette.field.clear()
    assert len(set(listed(palette))) == len(listed(palette)) > 60
    palette.close()
