"""Films of the window with plots, that follow what the person looks at, of one run and of two."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from PyQt6.QtCore import QRect, Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialogButtonBox, QListWidget, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from aggviewer.export.follow import Follow
from aggviewer.extensions.export_dialogs.fields import ItemList
from aggviewer.extensions.export_dialogs.film_dialog import FilmDialog
from aggviewer.extensions.export_dialogs.film_files import FilmFiles
from aggviewer.window.main_window import MainWindow
from tests.widgets.number_fields import enter
from tests.window.conftest import PATIENCE, part_of

SIZE = (800, 600)


def tick(plots: QListWidget, key: str) -> None:
    """Click into the box before a line."""
    item = next(
        plots.item(row) for row in range(plots.count()) if plots.item(row).data(Qt.ItemDataRole.UserRole) == key
    )
    plots.scrollToItem(item)
    option = QStyleOptionViewItem()
    option.rect = plots.visualItemRect(item)
    option.features = QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    box = plots.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, plots)
    assert isinstance(box, QRect)
    QTest.mouseClick(plots.viewport(), Qt.MouseButton.LeftButton, pos=box.center())


def only(plots: ItemList, *keys: str) -> None:
    """Click into the boxes of all plots that are ticked and should not be, and the other way round."""
    for key in {*plots.value} ^ {*keys}:
        tick(plots, key)


def film(window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch, fill: Callable[[FilmDialog], None]) -> None:
    """Ask for a film as a person does: the key, the dialog, Save."""
    failed: list[BaseException] = []

    def answer() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, FilmDialog):
            QTimer.singleShot(20, answer)
            return
        try:
            dialog.file.line.setText(str(path))
            dialog.size_fields.value = SIZE
            enter(dialog.fps, 10.0)
            fill(dialog)
            save = dialog.buttons.button(QDialogButtonBox.StandardButton.Save)
            assert save is not None
            assert save.isEnabled(), dialog.problem.text()
            QTest.mouseClick(save, Qt.MouseButton.LeftButton)
        except BaseException as error:
            failed.append(error)
            dialog.reject()

    QTimer.singleShot(20, answer)
    window.commands.run("file.film")
    if failed:
        raise failed[0]


def finished(window: MainWindow, qtbot: QtBot, path: Path) -> list[np.ndarray]:
    qtbot.waitUntil(lambda: not part_of(window, FilmFiles).films.busy, timeout=PATIENCE)
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]


def test_plots_without_room_and_missing_discs_are_reported_in_the_dialog(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(dialog: FilmDialog) -> None:
        save = dialog.buttons.button(QDialogButtonBox.StandardButton.Save)
        assert save is not None
        only(dialog.plots)
        assert not dialog.plots_at.isEnabled()
        tick(dialog.plots, "contacts")
        assert dialog.plots_at.isEnabled()
        dialog.size_fields.value = (320, 240)
        dialog.size_fields.changed.emit()
        assert "1 plot does not fit beside the picture" in dialog.problem.text()
        assert not save.isEnabled()
        tick(dialog.plots, "contacts")
        assert save.isEnabled()
        assert dialog.follow.disc.high == 224
        dialog.follow.what.setCurrentIndex(2)
        enter(dialog.follow.disc, 300)
        assert dialog.follow.disc.refused
        enter(dialog.follow.disc, 224)
        dialog.follow.view_size.setCurrentIndex(1)
        assert dialog.spec.follow == Follow((224,), cluster=True, fitted=True)
        enter(dialog.times.end, dialog.times.start.value + 0.1)

    film(held, tmp_path / "film.gif", monkeypatch, fill)
    assert len(finished(held, qtbot, tmp_path / "film.gif")) >= 1
