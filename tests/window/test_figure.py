"""The composer of figures in a real window: what is ticked and set is what is written."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtPdf import QPdfDocument
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialogButtonBox

from aggviewer.window.dialogs.figure import FigureDialog
from aggviewer.window.files import file_dialogs
from aggviewer.window.main_window import MainWindow
from tests.window.conftest import wait_until


@pytest.fixture
def measured(held: MainWindow) -> MainWindow:
    """A window whose plots show data."""
    wait_until(lambda: not held.plots.cards[0].view.empty_text)
    return held


def in_dialog(window: MainWindow, act: Callable[[FigureDialog], None]) -> FigureDialog:
    """Open the composer by its key, and do something there; what fails in it fails here."""
    seen: list[FigureDialog] = []
    problems: list[BaseException] = []

    def use() -> None:
        dialog = QApplication.activeModalWidget()
        if not (isinstance(dialog, FigureDialog) and dialog.isActiveWindow()):
            QTimer.singleShot(20, use)
            return
        seen.append(dialog)
        try:
            act(dialog)
        except BaseException as error:
            problems.append(error)
        if dialog.isVisible():
            dialog.reject()

    window.activateWindow()
    wait_until(window.isActiveWindow)
    window.canvas.setFocus()
    QTimer.singleShot(0, use)
    QTest.keyClick(window.canvas, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    if problems:
        raise problems[0]
    return seen[0]


def save(dialog: FigureDialog) -> None:
    button = dialog.findChildren(QDialogButtonBox)[0].button(QDialogButtonBox.StandardButton.Save)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_figure_from_the_key_to_the_file(
    measured: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "figure.pdf"
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *_: path)
    titles = [card.title for card in measured.plots.cards if not card.view.empty_text]

    def act(dialog: FigureDialog) -> None:
        offered = [dialog.panels.item(row).text() for row in range(dialog.panels.count())]
        assert offered[0] == "Picture"
        assert set(titles) <= set(offered[1:])
        wait_until(lambda: not dialog.preview.pixmap().isNull())  # it comes when the dialog is there
        assert dialog.size_label.text().startswith("178 x ")  # there are more than two
        for row in range(2, dialog.panels.count()):
            dialog.panels.item(row).setCheckState(Qt.CheckState.Unchecked)
        dialog.panels.setFocus()
        dialog.panels.setCurrentRow(1)
        QTest.keyClick(dialog.panels, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
        assert dialog.choices.names == (titles[0], "Picture")
        dialog.presets.setCurrentIndex(0)
        dialog.presets.activated.emit(0)
        assert dialog.width_field.value == 86.0
        wait_until(lambda: dialog.size_label.text().startswith("86 x "))
        save(dialog)

    in_dialog(measured, act)
    document = QPdfDocument(None)
    document.load(str(path))
    assert document.pagePointSize(0).width() / 72.0 * 25.4 == pytest.approx(86.0, abs=0.4)
    with (tmp_path / "figure-a.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == list(measured.plots.cards[0].table())
    assert sorted(found.name for found in tmp_path.glob("figure*")) == ["figure-a.csv", "figure.pdf"]

    def again(dialog: FigureDialog) -> None:  # what was chosen stays
        assert dialog.choices.names == (titles[0], "Picture")
        assert dialog.width_field.value == 86.0
        QTest.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)

    in_dialog(measured, again)
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None
    assert clipboard.image().width() == pytest.approx(86.0 / 25.4 * 300.0, abs=1)


def test_plots_that_are_open_are_in_it_at_first_and_fit_a_page(measured: MainWindow) -> None:
    folded = next(card for card in measured.plots.cards if card.seen)
    folded.head.fold.setChecked(False)

    def act(dialog: FigureDialog) -> None:
        assert dialog.choices.names[0] == "Picture"
        assert 2 < len(dialog.choices.names) <= 6
        assert folded.title not in dialog.choices.names
        wait_until(lambda: bool(dialog.size_label.text()))  # the preview comes a little later
        assert float(dialog.size_label.text().split()[2]) < 250.0  # that of A4 with margins

    try:
        in_dialog(measured, act)
    finally:
        folded.head.fold.setChecked(True)


def test_what_cannot_be_composed_is_said_there(measured: MainWindow) -> None:
    def act(dialog: FigureDialog) -> None:
        for row in range(dialog.panels.count()):
            dialog.panels.item(row).setCheckState(Qt.CheckState.Unchecked)
        wait_until(lambda: dialog.problem.text() == "a figure must have at least one panel")
        assert not dialog.save_button.isEnabled()
        dialog.panels.item(0).setCheckState(Qt.CheckState.Checked)
        wait_until(lambda: dialog.problem.text() == "")
        assert dialog.save_button.isEnabled()
        assert not dialog.resolution.isVisible()
        dialog.formats.setCurrentIndex(2)
        assert dialog.resolution.isVisible()

    dialog = in_dialog(measured, act)
    assert not dialog.isVisible()
    assert not dialog._again.isActive()
