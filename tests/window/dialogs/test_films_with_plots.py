"""Films of the window with plots, that follow what the person looks at, of one run and of two."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PyQt6.QtCore import QPoint, QRect, Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialogButtonBox, QListWidget, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from aggviewer.export.film_layout import FilmLayout
from aggviewer.export.follow import Follow
from aggviewer.plots.film import FilmPlots
from aggviewer.window.dialogs.film import FilmDialog
from aggviewer.window.dialogs.film_files import FilmFiles
from aggviewer.window.dialogs.item_list import ItemList
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picking.controller import SelectionController
from engine.selection import Selection
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


def threading_films() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("film")]


def run_for(window: MainWindow, qtbot: QtBot, frames: int) -> None:
    for _ in range(frames):
        before = window.session.status().time
        window.session.step_frame()
        qtbot.waitUntil(lambda before=before: window.session.status().time > before, timeout=PATIENCE)


@pytest.mark.slow
def test_a_film_with_plots_that_follows_a_disc_and_then_of_two_runs(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, drawn = held, []
    paint = FilmPlots._painted

    def painted(self: FilmPlots, card, place):  # type: ignore[no-untyped-def]
        assert threading.current_thread() is threading.main_thread()
        drawn.append({name: np.array(column) for name, column in card.table().items()})
        return paint(self, card, place)

    monkeypatch.setattr(FilmPlots, "_painted", painted)
    run_for(window, qtbot, 12)
    part_of(window, SelectionController).select(Selection.discs([17, 20], 225))
    window.commands.run("view.follow")
    present = window.session.status().time
    on_screen = tuple(card.key() for card in window.plots.cards if card.isVisible() and card.head.fold.isChecked())

    def fill(dialog: FilmDialog) -> None:
        assert dialog.follow.value == Follow((17,))  # as the window does now
        assert dialog.follow.what.itemText(3) == "Selection, 2 discs"
        assert dialog.spec.plots == on_screen, "the plots that are watched"
        only(dialog.plots, "contacts", "coarsening")
        assert dialog.spec.plots == ("contacts", "coarsening")
        enter(dialog.times.start, 0.0)  # from the past that is kept
        enter(dialog.times.end, present)
        enter(dialog.times.speed, 10.0 * present / 4.0)

    film(window, tmp_path / "film.mp4", monkeypatch, fill)
    images = finished(window, qtbot, tmp_path / "film.mp4")
    assert len(images) in (4, 5)  # the fields show few digits
    layout = FilmLayout.of(SIZE, 1, 2)
    for place in layout.plots:
        assert np.abs(images[1][place.area] - images[-1][place.area]).max() > 60
    # a film of the present alone: what it draws is what the window draws of the same moment
    drawn.clear()
    film(window, tmp_path / "now.gif", monkeypatch, lambda dialog: enter(dialog.times.end, dialog.times.start.value))
    assert len(finished(window, qtbot, tmp_path / "now.gif")) == 1
    live = {card.key(): card for card in window.plots.cards}
    qtbot.waitUntil(lambda: window.plots._latest[0].time == present, timeout=PATIENCE)
    for key, shown in zip(("contacts", "coarsening"), drawn[-2:], strict=True):
        live[key].draw_all()
        expected = live[key].table()
        assert expected.keys() == shown.keys()
        for name, column in expected.items():
            assert_array_equal(column, shown[name], err_msg=name)
    assert window.session.status().time == present

    drawn.clear()
    window.session.compare({"aggregation.method": "time-stepping"})
    qtbot.waitUntil(lambda: len(window.canvases.canvases) == 2 and window.canvases.ready, timeout=PATIENCE)
    qtbot.waitUntil(lambda: len(window.plots.runs) == 2, timeout=PATIENCE)

    def fill_again(dialog: FilmDialog) -> None:
        only(dialog.plots, "coarsening")
        dialog.follow.what.setFocus()
        QTest.keyClick(dialog.follow.what, Qt.Key.Key_Home)
        assert dialog.follow.value is None
        dialog.plots_at.setFocus()
        QTest.keyClick(dialog.plots_at, Qt.Key.Key_Down)
        assert dialog.spec.plots_at == "below"
        enter(dialog.times.speed, 1.0)
        enter(dialog.times.end, dialog.times.start.value + 0.2)

    film(window, tmp_path / "two.mp4", monkeypatch, fill_again)
    images = finished(window, qtbot, tmp_path / "two.mp4")
    assert len(images) in (2, 3)
    names = " ".join(drawn[-1])
    assert "ED" in names
    assert "TS" in names
    for place in (*FilmLayout.of(SIZE, 2, 1, "below").pictures, *FilmLayout.of(SIZE, 2, 1, "below").names):
        assert np.ptp(images[0][place.area]) > 100
    window.commands.run("view.fit")


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


@pytest.mark.slow
def test_a_film_with_plots_is_given_up_with_a_click_and_by_closing(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()

    def fill(dialog: FilmDialog) -> None:
        only(dialog.plots, "contacts")
        enter(dialog.times.end, 1e4)
        enter(dialog.times.speed, 1.0)

    film(held, folder / "a.mp4", monkeypatch, fill)
    card = part_of(held, FilmFiles).films.card
    assert card is not None
    qtbot.waitUntil(lambda: card.bar.value() > 2, timeout=PATIENCE)
    qtbot.mouseClick(card.cancel_button, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.waitUntil(lambda: not part_of(held, FilmFiles).films.busy, timeout=PATIENCE)
    assert list(folder.iterdir()) == []

    film(held, folder / "b.mp4", monkeypatch, fill)
    part_of(held, FilmFiles).films.close()
    assert not threading_films()
    assert list(folder.iterdir()) == []
