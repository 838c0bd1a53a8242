"""The dialog *Export* in the real window: each page from its key to the files, and what cannot be."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QGuiApplication, QImage
from PyQt6.QtPdf import QPdfDocument
from PyQt6.QtTest import QTest

from aggviewer.export.sheet import MATPLOTLIB
from aggviewer.extensions.export_dialogs.export_dialog import ExportDialog
from aggviewer.extensions.export_dialogs.fields import OverFields, SizeFields
from aggviewer.plots.body import plot_menu
from aggviewer.window.main_window import MainWindow
from tests.extensions.export_dialogs.export_dialog import in_export, items_of, press_export, problems, tick
from tests.waiting import wait_until
from tests.widgets.number_fields import enter
from tests.window.conftest import window_again

window = window_again


@pytest.fixture
def measured(held: MainWindow) -> MainWindow:
    """A window whose first plots show data."""
    wait_until(lambda: held.plots.cards[0].shows_data)
    return held


def previewed(dialog: ExportDialog) -> bool:
    """Whether there is a preview."""
    return not dialog.preview.pixmap().isNull()


@pytest.mark.slow
def test_a_picture_as_it_was_set_and_a_snapshot_of_the_box_at_twice_its_size(held: MainWindow, tmp_path: Path) -> None:
    def act(dialog: ExportDialog) -> None:
        wait_until(lambda: previewed(dialog))
        assert dialog.kind.name == "picture"
        assert dialog.size_label.text() == "{} × {} pixels".format(*held.canvases.pixels)
        size, over = dialog.page.editors["size"].widget, dialog.page.editors["overlays"].widget
        assert isinstance(size, SizeFields)
        assert isinstance(over, OverFields)
        assert not over.isVisible()
        QTest.mouseClick(dialog.page.fold, Qt.MouseButton.LeftButton)
        assert over.isVisible()
        over.box.click()
        enter(size.width_field, 320)
        enter(size.height_field, 200)
        assert size.presets.currentText() == "Other"
        dialog.file.line.setText(str(tmp_path / "discs.svg"))  # the ending chooses the format
        assert dialog.file.formats.currentData() == ".svg"
        press_export(dialog)

    in_export(lambda: held.commands.run("file.snapshot_as"), act)
    text = (tmp_path / "discs.svg").read_text(encoding="utf-8")
    assert 'width="240pt" height="150pt"' in text  # 96 pixels an inch
    assert held.session.view.show_box, "the view itself is as it was"
    held.commands.run("file.snapshot")
    [picture] = tmp_path.glob("aggviewer *.png")
    width, height = QImage(str(picture)).width(), QImage(str(picture)).height()
    assert 1.8 * held.canvas.height() < width <= 2 * held.canvas.height(), "as wide as the box without its margins"
    assert width <= height < 1.3 * width, "the legend is below the box"
    assert held.stage.toasts.toasts[-1].notice.folder == str(tmp_path)
    held.canvas.zoom(0.5)
    held.commands.run("file.snapshot")
    [small] = set(tmp_path.glob("aggviewer *.png")) - {picture}
    assert QImage(str(small)).width() == pytest.approx(width / 2, rel=0.2), "as large as it was in the window"
    held.canvas.fit()


def test_a_figure_from_its_key_to_the_files(measured: MainWindow, tmp_path: Path) -> None:
    titles = [card.title for card in measured.plots.cards if card.seen and card.shows_data]

    def act(dialog: ExportDialog) -> None:
        panels = items_of(dialog, "panels")
        assert panels.item(0).text() == "Picture"  # type: ignore[union-attr]
        wait_until(lambda: previewed(dialog))
        assert dialog.size_label.text().startswith("170 × "), "there are more than two"
        tick(panels, "Picture", titles[0])
        panels.setFocus()
        panels.setCurrentRow(1)
        QTest.keyClick(panels, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
        enter(dialog.page.editors["width"].widget.findChild(type(dialog.page.editors["font"].widget)), 86.0)
        box, dpi = (dialog.page.editors[key].widget for key in ("picture", "dpi"))
        assert box.currentText().startswith("Automatic: drawn, ")
        box.setCurrentIndex(box.findData("rendered"))
        enter(dpi, 150)
        wait_until(lambda: dialog.size_label.text().startswith("86 × "))
        wait_until(lambda: "rendered as an image, about 0." in dialog.size_label.text())
        dialog.file.line.setText(str(tmp_path / "figure.pdf"))
        assert dialog.file.message.text() == "Writes 2 files: figure.pdf, figure-a.csv."
        press_export(dialog)

    in_export(lambda: measured.commands.run("file.figure"), act)
    document = QPdfDocument(None)
    document.load(str(tmp_path / "figure.pdf"))
    assert document.pagePointSize(0).width() / 72.0 * 25.4 == pytest.approx(86.0, abs=0.4)
    assert b"/Subtype /Image" in (tmp_path / "figure.pdf").read_bytes()
    view = measured.session.view
    assert (view.picture, view.resolution) == ("rendered", 150), "sessions keep it"
    with (tmp_path / "figure-a.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == list(measured.plots.cards[0].table())
    assert sorted(found.name for found in tmp_path.glob("figure*")) == ["figure-a.csv", "figure.pdf"]

    def again(dialog: ExportDialog) -> None:
        assert dialog.page.choices["panels"] == (measured.plots.cards[0].key(), "picture 0"), "what was chosen stays"
        assert (dialog.page.choices["picture"], dialog.page.choices["dpi"]) == ("rendered", 150)
        dialog.file.line.setText(str(tmp_path / "figure.pdf"))
        assert dialog.export_button.text() == "Replace"

    in_export(lambda: measured.commands.run("file.figure"), again)


def test_plots_and_their_data_and_one_plot_from_its_menu(measured: MainWindow, tmp_path: Path) -> None:
    card = measured.plots.cards[0]

    def act(dialog: ExportDialog) -> None:
        tick(items_of(dialog, "plots"), card.title)
        dialog.file.line.setText(str(tmp_path / "one.svg"))
        press_export(dialog)

    measured.commands.run("view.plots")  # hidden plots are exported, too
    in_export(lambda: measured.commands.run("file.plots"), act)
    measured.commands.run("view.plots")
    assert (tmp_path / "one.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
    with (tmp_path / "one.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))
    assert table[0] == list(card.table())
    assert [float(row[0]) for row in table[1:] if row[0]] == card.table()[table[0][0]].tolist()
    next(action for action in plot_menu(card, 0).actions() if action.text() == "Copy data").trigger()
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None
    assert list(csv.reader(clipboard.text().splitlines())) == table

    other = measured.plots.cards[1]
    save = next(action for action in plot_menu(other, 0).actions() if action.text() == "Export plot…")

    def of_menu(dialog: ExportDialog) -> None:
        assert dialog.page.choices["plots"] == (other.key(),)

    in_export(save.trigger, of_menu)


def test_an_impossible_figure_is_reported_at_its_field_and_the_dialog_stays(
    measured: MainWindow, tmp_path: Path
) -> None:
    def act(dialog: ExportDialog) -> None:
        tick(items_of(dialog, "panels"))
        wait_until(lambda: problems(dialog) == ["A figure must have at least one panel"])
        assert not dialog.export_button.isEnabled()
        tick(items_of(dialog, "panels"), "Picture")
        wait_until(lambda: problems(dialog) == [])
        assert dialog.export_button.isEnabled()
        dialog.file.line.setText(str(tmp_path / "nowhere" / "figure.pdf"))
        press_export(dialog)
        wait_until(lambda: not dialog.busy)
        assert dialog.isVisible()
        assert dialog.export_button.isEnabled(), "it may be tried again"
        assert dialog.export_button.hasFocus()
        dialog.size_label.clear()
        dialog.preview.resized.emit()  # the words take room of it
        wait_until(lambda: bool(dialog.size_label.text()))
        [words] = problems(dialog)
        assert "there is no folder" in words
        dialog.file.line.setText(str(tmp_path / "figure.svg"))
        wait_until(lambda: problems(dialog) == [])

    in_export(lambda: measured.commands.run("file.figure"), act)
    assert list(tmp_path.glob("*.pdf")) == []


def test_the_window_goes_on_while_a_page_is_written_once(measured: MainWindow, tmp_path: Path) -> None:
    fired: list[bool] = []

    def act(dialog: ExportDialog) -> None:
        wait_until(lambda: previewed(dialog))
        dialog.file.line.setText(str(tmp_path / "figure.pdf"))
        with MATPLOTLIB:  # no other thread draws meanwhile
            QTest.mouseClick(dialog.export_button, Qt.MouseButton.LeftButton)
            QTimer.singleShot(0, lambda: fired.append(dialog.busy))
            wait_until(lambda: bool(fired))
            assert (dialog.export_button.text(), dialog.export_button.isEnabled()) == ("Exporting…", False)
            assert not dialog.tabs.isEnabled()
            QTest.keyClick(dialog, Qt.Key.Key_Return)
            dialog.accept()
            dialog.copy()
            assert not (tmp_path / "figure.pdf").exists()

    in_export(lambda: measured.commands.run("file.figure"), act)
    assert fired == [True]
    assert (tmp_path / "figure.pdf").exists()
    assert [toast.notice.title for toast in measured.stage.toasts.toasts].count("Figure exported") == 1
