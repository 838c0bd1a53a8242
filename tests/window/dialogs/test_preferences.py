"""*Preferences*: the dialog, the commands that come with it, and what keys do when single letters are off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QRect, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QCheckBox, QComboBox, QMenu, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.document.document import Document
from aggviewer.document.view import ViewModel
from aggviewer.parameters.form import ParameterForm
from aggviewer.systems.registry import layouts
from aggviewer.widgets import file_dialogs
from aggviewer.widgets.file_dialogs import FileChooser
from aggviewer.widgets.number_edit import NumberField
from aggviewer.window.main_window import MainWindow
from aggviewer.window.preferences import PreferencesDialog
from aggviewer.window.settings import WindowSettings
from aggviewer.window.side_panels import SidePanels
from engine import plugins
from tests.waiting import laid_out
from tests.window.conftest import part_of


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[WindowSettings]:
    made = WindowSettings(tmp_path / "window.ini")
    made.follow(Document())
    yield made
    made.close()


def test_a_setting_is_kept_and_garbage_is_the_usual_value(settings: WindowSettings, tmp_path: Path) -> None:
    settings.memory, settings.single_keys, settings.surface = 64, False, "painter"
    settings.close()
    again = WindowSettings(tmp_path / "window.ini")
    assert (again.memory, again.single_keys, again.surface) == (64, False, "painter")
    again.store("memory/megabytes", "-3", "memory")
    again.store("picture/surface", "crayons", "surface")
    assert (again.memory, again.surface) == (256, "auto")
    again.memory = 1
    assert again.memory == 16, "the least"


def test_settings_changed_elsewhere_are_announced_and_can_be_reset(settings: WindowSettings) -> None:
    told: list[str] = []
    settings.changed.connect(told.append)
    assert settings.document is not None
    settings.document.view.theme = "light"
    settings.log_time = True
    assert told == ["theme", "log_time"]
    assert settings.theme == "light"
    settings.restore_usual()
    assert (settings.theme, settings.log_time) == (ViewModel().theme, False)


def test_a_field_for_each_setting_which_counts_at_once(settings: WindowSettings, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PreferencesDialog(settings, FileChooser(parent, settings, lambda use: None), parent)
    dialog.show()
    assert list(dialog.fields) == [setting.name for setting in settings.offered()]
    theme, keys, memory = (dialog.fields[name] for name in ("theme", "single_keys", "memory"))
    assert isinstance(theme, QComboBox)
    assert isinstance(keys, QCheckBox)
    assert isinstance(memory, NumberField)
    theme.setFocus()
    qtbot.keyClick(theme, Qt.Key.Key_Down)
    assert settings.theme == theme.currentData() != ViewModel().theme
    keys.click()
    assert not settings.single_keys
    memory.stepBy(1)
    assert settings.memory == 320
    settings.memory = 64
    assert memory.value == 64
    dialog.close()


def test_plug_ins_are_added_to_and_removed_from_the_list_for_the_next_start(
    settings: WindowSettings, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    parent = QWidget()
    qtbot.addWidget(parent)
    plug_ins = PreferencesDialog(settings, FileChooser(parent, settings, lambda use: None), parent).plug_ins
    for chosen in (first, None, second, first):
        monkeypatch.setattr(file_dialogs, "ask_open", lambda *_, chosen=chosen: chosen)
        plug_ins.add.click()
    assert settings.plug_ins == [first, second]
    assert plugins.known() == (), "nothing is loaded now"
    assert not plug_ins.remove.isEnabled()
    plug_ins.list.setCurrentRow(0)
    plug_ins.remove.click()
    settings.close()
    assert WindowSettings(tmp_path / "window.ini").plug_ins == [second]
    assert [plug_ins.list.item(row).text() for row in range(plug_ins.list.count())] == ["second.py"]


def test_all_text_is_as_large_as_was_chosen(shared_window: MainWindow) -> None:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    usual = application.font().pointSizeF()
    for command, size in (("larger", 1.15), ("larger", 1.3), ("smaller", 1.15), ("smaller", 1.0), ("smaller", 0.9)):
        shared_window.commands.run(f"view.text_{command}")
        assert application.font().pointSizeF() == pytest.approx(size * usual, abs=0.01)
        assert shared_window.plots.font().pointSizeF() == application.font().pointSizeF()
    assert not shared_window.commands.action("view.text_smaller").isEnabled()
    part_of(shared_window, WindowSettings).text_size = "100"
    assert application.font().pointSizeF() == usual


def test_text_that_is_made_larger_in_preferences_is_not_cut_off_there(shared_window: MainWindow) -> None:
    settings = part_of(shared_window, WindowSettings)
    shared_window.commands.run("edit.preferences")
    (dialog,) = shared_window.findChildren(PreferencesDialog)
    laid_out(dialog)
    narrow = dialog.width()
    settings.text_size = "150"
    laid_out(dialog)  # it grows a few times
    found = dialog.width() > narrow, dialog.scrolls[0]
    dialog.reject()
    settings.text_size = "100"
    assert found == (True, False)


def test_everything_follows_the_text_size_also_what_is_made_meanwhile_and_after_presenting(
    shared_window: MainWindow,
) -> None:
    settings, commands = part_of(shared_window, WindowSettings), shared_window.commands
    dock, (box, *_) = part_of(shared_window, SidePanels).left, shared_window.findChildren(QCheckBox)
    made = ParameterForm(layouts(), 3, shared_window)

    def seen() -> tuple[list[set[float]], int, QImage]:
        laid_out(shared_window)
        menus, values = shared_window.findChildren(QMenu), made.read_outs.values.values()
        sizes = [{one.font().pointSizeF() for one in some} for some in (menus, values)]
        return sizes, box.sizeHint().height(), dock.grab(QRect(0, 0, 120, 20)).toImage()

    usual = seen()
    settings.text_size = "150"
    made = ParameterForm(layouts(), 3, shared_window)
    large = seen()
    commands.run("view.presenter")
    settings.text_size = "100"
    commands.run("view.presenter")
    again = seen()
    made.deleteLater()
    assert [len(sizes) for sizes in large[0]] == [1, 1]
    assert (large[1] > 1.3 * usual[1], large[2] != usual[2]) == (True, True), "check boxes and titles of panels"
    assert again == usual


def test_without_single_letters_only_other_keys_work(shared_window: MainWindow, qtbot: QtBot) -> None:
    settings, commands = part_of(shared_window, WindowSettings), shared_window.commands
    used: list[str] = []
    commands.used.connect(used.append)
    shared_window.canvas.setFocus()
    settings.single_keys = False
    for key in (Qt.Key.Key_F, Qt.Key.Key_1, Qt.Key.Key_Slash):
        qtbot.keyClick(shared_window.canvas, key)
    assert used == []
    assert commands.action("view.fit").toolTip() == "Show the whole box"
    qtbot.keyClick(shared_window.canvas, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert used == ["edit.select_invert"]
    settings.single_keys = True
    qtbot.keyClick(shared_window.canvas, Qt.Key.Key_F)
    assert used == ["edit.select_invert", "view.fit"]
    commands.used.disconnect(used.append)
