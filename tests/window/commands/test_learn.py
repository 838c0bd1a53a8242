"""The manual: where its pages are, when they are built, and that a page is opened without a network."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PyQt6.QtCore import QObject, QUrl, pyqtSlot
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from aggviewer.widgets.part import Context
from aggviewer.window.commands import help as learn
from aggviewer.window.commands.help import Manual, ManualFiles
from aggviewer.window.main_window import MainWindow

PROJECT = Path(__file__).parents[3]


def write(path: Path, age: float = 0.0) -> None:
    """A file that was changed so many seconds ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("page")
    os.utime(path, (path.stat().st_mtime - age,) * 2)


def test_an_installation_has_its_pages_and_a_checkout_builds_them(tmp_path: Path) -> None:
    files = ManualFiles(tmp_path / "installed", tmp_path / "checkout")
    assert files.folder is None
    assert not files.can_build
    write(files.checkout / "docs" / "conf.py", age=20.0)
    write(files.checkout / "docs" / "index.md", age=20.0)
    assert files.can_build
    write(files.built / "index.html", age=30.0)  # not changed by the last build
    write(files.built / "objects.inv", age=10.0)
    assert (files.folder, files.outdated) == (files.built, False)
    write(files.checkout / "docs" / "index.md")
    assert files.outdated
    write(files.installed / "index.html", age=50.0)
    assert (files.folder, files.outdated) == (files.installed, False)


class Browser(QObject):
    """Takes the pages that would be opened."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.opened: list[str] = []

    @pyqtSlot(QUrl)
    def open(self, url: QUrl) -> None:
        """Instead of a browser."""
        self.opened.append(url.toLocalFile())


def test_a_page_is_opened_from_this_machine(
    shared_window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(shared_window)
    QDesktopServices.setUrlHandler("file", browser, "open")
    write(tmp_path / "manual" / "index.html")
    context: Context = shared_window.context
    monkeypatch.setattr(learn, "manual_files", lambda: ManualFiles(tmp_path / "manual", tmp_path))
    manual = Manual(context)
    commands = {command.id: command for command in manual.commands()}
    assert commands["help.manual"].reason is not None
    assert commands["help.manual"].reason() == ""
    commands["help.manual"].run()
    commands["help.glossary"].run()
    assert browser.opened == [str(tmp_path / "manual" / page) for page in ("index.html", "glossary.html")]
    (tmp_path / "manual" / "index.html").unlink()
    assert "has no manual" in commands["help.manual"].reason()
    QDesktopServices.unsetUrlHandler("file")
    manual.close()
