"""Every dialog fits on every screen: its contents scroll, its buttons are always visible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import starmap
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QRect, QSize
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.canvas.camera import Camera
from aggviewer.document.document import Document
from aggviewer.export.kinds import EXPORTS, ExportContents, ExportItem, ExportPlot
from aggviewer.extensions.export_dialogs.export_dialog import ExportDialog
from aggviewer.extensions.export_dialogs.film_dialog import FilmDialog
from aggviewer.extensions.export_dialogs.film_files import RecordDialog
from aggviewer.extensions.export_dialogs.film_times import FilmOffer
from aggviewer.extensions.studies.dialog import StudyDialog
from aggviewer.extensions.studies.keeping import PointsDialog
from aggviewer.plots.fit_range import RangeDialog
from aggviewer.session import Status
from aggviewer.systems.aggregation.coarsening import CoarseningPlot
from aggviewer.widgets import screen
from aggviewer.widgets.command import Command, CommandSet
from aggviewer.widgets.file_dialogs import FileChooser
from aggviewer.widgets.form_dialog import FittingDialog
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.window.commands.help import KeySheet, SystemInformation
from aggviewer.window.preferences import PreferencesDialog
from aggviewer.window.settings import WindowSettings
from engine.errors import InputError
from engine.scenario import load_scenario
from tests.plots.panels import plot_of, shown_panel
from tests.waiting import laid_out

PLOTS = {str(k): f"Plot number {k} with a long name" for k in range(12)}

SMALL, LARGE = QRect(64, 28, 800, 500), QRect(0, 0, 1920, 1080)
"""Screens: at twice the usual size, beside a panel of the desktop; and one with room for everything."""


def _no_room(_numbers: bool) -> NoReturn:
    raise InputError("there is no room for a figure of so many plots on a page as wide as this")


def _export(parent: QWidget, _qtbot: QtBot) -> QDialog:
    """With all that it can have open."""
    plots = {
        key: ExportPlot(title, True, lambda: None, lambda: None, lambda: True, _no_room, lambda: {"x": []})
        for key, title in PLOTS.items()
    }
    kind = EXPORTS.parts[-1]
    contents, job = ExportContents(plots=plots), GuiJob("pages", parent=parent)
    dialog = ExportDialog(EXPORTS.parts, contents, kind, {}, lambda _kind: Path.home(), job, parent)
    dialog.page.fold.setChecked(True)
    return dialog


def _range(parent: QWidget, qtbot: QtBot) -> QDialog:
    card = plot_of(shown_panel(qtbot, "aggregation"), CoarseningPlot)
    return RangeDialog(card.view, card.title, parent)


def _film(parent: QWidget, _qtbot: QtBot) -> QDialog:
    offer = FilmOffer(
        np.full(100, 0.2),
        Camera(),
        (900, 700),
        12.5,
        past=np.linspace(0.0, 1.0, 500),
        again=100.0,
        end="one cluster is left",
        plots=tuple(starmap(ExportItem, PLOTS.items())),
    )
    return FilmDialog(offer, Path("film.mp4"), parent=parent)


def _study(parent: QWidget, _qtbot: QtBot) -> QDialog:
    dialog = StudyDialog(load_scenario("lattice-400"), "400 discs", lambda plan: None, parent)
    dialog.close_estimate()
    return dialog


_LONG = "of the commands with a long name"


def _keys(parent: QWidget, _qtbot: QtBot) -> QDialog:
    commands = CommandSet(parent)
    for group in ("run", "file", "view"):
        commands.add(
            *(
                Command(f"{group}.{k}", f"{group}, number {k} {_LONG}", lambda: None, (f"{group[0]},{k}",))
                for k in range(30)
            )
        )
    return KeySheet(commands, parent)


def _preferences(parent: QWidget, _qtbot: QtBot) -> QDialog:
    settings = WindowSettings(Path("window.ini"))  # nothing is set, so nothing is written
    settings.follow(Document())
    return PreferencesDialog(settings, FileChooser(parent, settings, lambda use: None), parent)


DIALOGS: dict[str, Callable[[QWidget, QtBot], QDialog]] = {
    "ExportDialog": _export,
    "FilmDialog": _film,
    "RecordDialog": lambda parent, _: RecordDialog(Status("paused", count=10**6), 0.1, Path("run.gsd"), parent),
    "StudyDialog": _study,
    "PointsDialog": lambda parent, _: PointsDialog({k: f"V_f = 0.{k} (n = 5)" for k in range(60)}, 0, parent),
    "KeySheet": _keys,
    "PreferencesDialog": _preferences,
    "RangeDialog": _range,
    "SystemInformation": lambda parent, _: SystemInformation(parent),
}


@pytest.fixture
def parent(qtbot: QtBot) -> Iterator[QWidget]:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.resize(700, 500)
    widget.show()
    yield widget
    for dialog in widget.findChildren(QDialog):
        dialog.done(0)


def cut_off(dialog: QDialog) -> list[str]:
    """The words of labels and buttons that are not seen whole."""
    shown = [one for one in dialog.findChildren(QLabel) if one.isVisible() and one.text()]
    low = [one.text() for one in shown if one.wordWrap() and one.heightForWidth(one.width()) > one.height() + 1]
    narrow = [one.text() for one in shown if not one.wordWrap() and one.sizeHint().width() > one.width() + 1]
    buttons = [one for one in dialog.findChildren(QPushButton) if one.isVisible()]
    return low + narrow + [one.text() for one in buttons if one.sizeHint().width() > one.width() + 1]


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_fits_on_the_screen_with_all_its_words_and_its_buttons_are_seen(
    name: str, parent: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for there in (SMALL, LARGE):
        monkeypatch.setattr(screen, "available", lambda _widget, there=there: there)
        dialog = DIALOGS[name](parent, qtbot)
        assert isinstance(dialog, FittingDialog)
        dialog.show()
        laid_out(dialog)
        room = there.size().shrunkBy(screen.FRAME)
        assert fits(dialog.size(), room), dialog.size()
        assert fits(dialog.minimumSizeHint(), room)
        for box in dialog.findChildren(QDialogButtonBox):
            for button in box.buttons():
                place = QRect(button.mapTo(dialog, QPoint(0, 0)), button.size())
                assert dialog.rect().contains(place), button.text()
                assert button.isVisible()
                assert not dialog.content.isAncestorOf(button), "it does not scroll away"
        assert not dialog.scrolls[0], "nothing is cut off on the right"
        assert dialog.scrolls == (False, False) or there is SMALL or name == "KeySheet", "there is room for everything"
        assert cut_off(dialog) == []


def test_a_dialog_grows_for_what_it_has_to_say_below_its_contents(parent: QWidget, qtbot: QtBot) -> None:
    dialog = _film(parent, qtbot)
    assert isinstance(dialog, FilmDialog)
    dialog.show()
    laid_out(dialog)
    before = dialog.height()
    dialog.show_problem("the width must be even")
    laid_out(dialog)
    assert dialog.height() > before
    assert dialog.scrolls == (False, False)


def fits(size: QSize, room: QSize) -> bool:
    return size.width() <= room.width() and size.height() <= room.height()


def test_all_dialogs_of_the_program_are_tested_here() -> None:
    """Qt's own boxes, with a line or two, are the only others."""

    def heirs(kind: type) -> Iterator[type]:
        for heir in kind.__subclasses__():
            yield heir
            yield from heirs(heir)

    made = {one.__name__ for one in heirs(QDialog) if one.__module__.startswith("aggviewer")}
    assert made - {"FittingDialog", "FormDialog", "FileDialog"} == DIALOGS.keys()
