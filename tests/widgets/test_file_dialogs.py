"""Qt's own file dialog, which is there where the desktop has none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QFileDialog, QLineEdit, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.widgets.file_dialogs import ask_open, ask_save
from tests.waiting import PATIENCE

NAMES = ("a.csv", "a run with a long name, of the kind that people give.csv")


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """A window that asks."""
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    return widget


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files."""
    for name in NAMES:
        (tmp_path / name).write_bytes(b"0" * 123_456)
    return tmp_path


def answered(ask: Callable[[], Path | None], answer: Callable[[QFileDialog, QTreeView], None]) -> Path | None:
    """What is chosen where a person does `answer` in the dialog, as soon as it lists all files."""
    problems: list[BaseException] = []

    def look(left: int = PATIENCE // 20) -> None:
        dialog = QApplication.activeModalWidget()
        files = None if dialog is None else dialog.findChild(QTreeView, "treeView")
        model = None if files is None else files.model()
        if files is None or model is None or model.rowCount(files.rootIndex()) < len(NAMES):
            assert left, "the dialog shows no files"
            QTimer.singleShot(20, lambda: look(left - 1))
            return
        assert isinstance(dialog, QFileDialog)
        try:
            answer(dialog, files)
        except BaseException as problem:
            problems.append(problem)
            dialog.reject()

    QTimer.singleShot(0, look)
    chosen = ask()
    if problems:
        raise problems[0]
    return chosen


def enter(dialog: QFileDialog, name: str) -> None:
    """Type a name and press Enter."""
    line = dialog.findChild(QLineEdit)
    assert line is not None
    line.setText(name)
    dialog.accept()


def test_a_file_is_chosen_in_columns_that_show_all(window: QWidget, folder: Path) -> None:
    def choose(dialog: QFileDialog, files: QTreeView) -> None:
        head = files.header()
        assert head is not None
        shown = [column for column in range(head.count()) if not head.isSectionHidden(column)]
        assert len(shown) == 3
        model, root = files.model(), files.rootIndex()
        assert model is not None
        for column in shown:
            texts = [model.index(row, column, root).data() for row in range(model.rowCount(root))]
            assert all(files.fontMetrics().horizontalAdvance(text) < head.sectionSize(column) for text in texts), texts
        assert Path.home() in {Path(url.toLocalFile()) for url in dialog.sidebarUrls()}
        enter(dialog, NAMES[0])

    assert answered(lambda: ask_open(window, folder, "Open", "Tables (*.csv)"), choose) == folder / NAMES[0]
    assert answered(lambda: ask_open(window, folder, "Open", "Tables (*.csv)"), lambda d, _: d.reject()) is None


def test_a_proposed_name_is_taken_and_gets_its_ending(window: QWidget, folder: Path) -> None:
    def ask() -> Path | None:
        return ask_save(window, folder / "new.csv", "Save", "Tables (*.csv)")

    assert answered(ask, lambda dialog, _: dialog.accept()) == folder / "new.csv"
    assert answered(ask, lambda dialog, _: enter(dialog, "other")) == folder / "other.csv"
