"""Typing numbers in the window and its dialogs: the same in every locale, and a refused entry keeps the focus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import QLocale, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.export.kinds import EXPORTS, ExportContents, ExportKind
from aggviewer.extensions.export_dialogs.export_dialog import ExportDialog
from aggviewer.extensions.export_dialogs.film_dialog import FilmDialog
from aggviewer.extensions.export_dialogs.film_files import RecordDialog
from aggviewer.session import Status
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.widgets.number_edit import NumberField
from aggviewer.window.main_window import MainWindow
from tests.extensions.export_dialogs.test_export_film import LIVE
from tests.waiting import nothing_put_off
from tests.window.canvases.test_comparing import methods
from tests.window.conftest import told, wait_until, window_again

ENTER = Qt.Key.Key_Return

window = window_again


@pytest.fixture(params=["de_DE", "ar_EG"])
def locale(request: pytest.FixtureRequest) -> Iterator[QLocale]:
    """The person's."""
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield QLocale()
    QLocale.setDefault(before)


def on_screen(dialog: QDialog, qtbot: QtBot) -> QDialog:
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitExposed(dialog)
    QApplication.setActiveWindow(dialog)
    wait_until(dialog.isActiveWindow)
    return dialog


def focused() -> QWidget:
    focus = QApplication.focusWidget()
    assert focus is not None
    return focus


def line_of(field: QWidget) -> QLineEdit:
    line = field if isinstance(field, QLineEdit) else field.findChild(QLineEdit)
    assert isinstance(line, QLineEdit)
    return line


def type_in(field: QWidget, text: str, *keys: Qt.Key) -> None:
    """Go to a field, write a text instead of what is there, and press keys."""
    field.setFocus()
    line_of(field).selectAll()
    QTest.keyClicks(field, text)
    for key in keys:
        QTest.keyClick(focused(), key)


def held_back(field: QWidget, text: str) -> bool:
    """Whether a field has the focus, with that text selected."""
    return focused() is field and line_of(field).selectedText() == line_of(field).text() == text


def good_text(field: NumberField, comma: bool) -> tuple[str, float]:
    """A number that a field takes, as it is typed, and its value."""
    if field._integer:
        value = min(max(24, field.low), field.high)
        return str(int(value)), value
    value = min(max(1.5, field.low), field.high)
    return str(value).replace(".", "," if comma else "."), value


def export_page(kind: ExportKind) -> ExportDialog:
    """A page of the dialog with all its fields, although there is nothing to be exported."""
    dialog = ExportDialog([kind], ExportContents(), kind, {}, lambda _kind: Path.home(), GuiJob("pages"))
    dialog.page.fold.setChecked(True)
    return dialog


def make_dialogs() -> list[QDialog]:
    return [
        FilmDialog(replace(LIVE, first_time=0.0), Path("film.mp4")),
        RecordDialog(Status("paused", count=10), 0.1, Path("run.gsd")),
        *(export_page(kind) for kind in EXPORTS.parts),
    ]


@pytest.mark.usefixtures("qapp")
def test_point_and_comma_are_decimal_marks_in_all_dialogs_and_locales(locale: QLocale, qtbot: QtBot) -> None:
    tried = 0
    for dialog in make_dialogs():
        on_screen(dialog, qtbot)
        for field in dialog.findChildren(NumberField):
            if not field.isVisible():
                continue
            for comma in (False, True):
                text, value = good_text(field, comma)
                type_in(field, text, Qt.Key.Key_Tab)
                assert field.value == value, (locale.name(), type(dialog), field.accessibleName(), text)
                assert "," not in field.text()
                assert not field.refused
            tried += 1
        dialog.reject()
    assert tried >= 12


@pytest.mark.usefixtures("qapp")
def test_a_dialog_stays_with_the_reason_until_a_refused_number_is_mended(qtbot: QtBot) -> None:
    dialog = on_screen(FilmDialog(LIVE, Path("film.mp4")), qtbot)
    assert isinstance(dialog, FilmDialog)
    width = dialog.size_fields.width_field
    before = width.value
    for text, why in (("1.280", "write 1280"), ("wide", "whole number from 16 to 8192"), ("9000", "16 to 8192")):
        type_in(width, text, ENTER)
        assert held_back(width, text)
        assert dialog.isVisible()
        assert why in width._bubble.text()
        assert width._bubble.isVisible()
        assert width.value == before
    dialog.fps.setFocus()
    save = dialog.buttons.button(QDialogButtonBox.StandardButton.Save)
    assert save is not None
    save.click()
    assert dialog.isVisible()
    assert held_back(width, "9000")
    type_in(width, "1280", ENTER)
    assert not dialog.isVisible()
    assert dialog.spec.size[0] == 1280


@pytest.mark.parametrize(
    ("key", "text", "next_text", "value"),
    [
        ("discs.count", "10.000", "100", 100),  # a change restarts the run
        ("aggregation.damping.alpha", "fast", "0,25", 0.25),  # takes effect at once
    ],
)
def test_keys_after_a_refused_entry_are_text(
    held: MainWindow, monkeypatch: pytest.MonkeyPatch, key: str, text: str, next_text: str, value: object
) -> None:
    scenario = held.session.scenario
    assert scenario is not None
    if key.startswith("aggregation.damping"):
        held.parameters.change("aggregation.method", "time-stepping")
        wait_until(held.parameters.rows[key].editor.isEnabled)
        wait_until(lambda: methods(held) == ["time-stepping"])
    used: list[str] = []
    monkeypatch.setattr(held.commands, "run", used.append)
    field = held.parameters.rows[key].editor.focus_widget
    type_in(field, text, ENTER)
    assert held_back(field, text)
    assert held.parameters.rows[key].message.isVisible()
    QTest.keyClicks(focused(), "0.25c")
    assert line_of(field).text() == "0.25c"
    assert used == []
    monkeypatch.undo()
    type_in(field, next_text, ENTER)
    assert held.canvas.hasFocus()
    wait_until(lambda: held.session.scenario is not None and held.session.scenario.value(key) == value)
    told(held)
    nothing_put_off(held.parameters)
    type_in(field, text, ENTER, Qt.Key.Key_Escape)
    assert held.canvas.hasFocus(), "Esc leaves it"
    assert not held.parameters.rows[key].message.isVisible()
    assert held.parameters.draft == {}
    nothing_put_off(held.parameters)  # the next change may be sent


@pytest.mark.parametrize(("low", "high", "text"), [(0, 9, "0"), (3, 9, "3"), (-9, -2, "-2")])
def test_a_new_field_shows_the_value_that_it_has(qtbot: QtBot, low: int, high: int, text: str) -> None:
    field = NumberField(True, low, high)
    qtbot.addWidget(field)
    assert (field.value, field.text()) == (int(text), text)
