"""The menus *Learn* and *Help*: the manual in the browser, offline, the command palette, the sheet of keys, and
information about the program.

Sphinx builds the manual from docs/. The wheel contains it; in a checkout it is built when first opened, and again
after its pages have changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib import metadata, resources
from importlib.util import find_spec
from itertools import combinations, pairwise
from pathlib import Path

from PyQt6.QtCore import QProcess, Qt, QUrl
from PyQt6.QtGui import QDesktopServices, QFontDatabase
from PyQt6.QtWidgets import (
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from aggviewer.session import Notice
from aggviewer.widgets.command import Command, CommandSet, Place
from aggviewer.widgets.form_dialog import FittingDialog
from aggviewer.widgets.part import Context, Part
from aggviewer.widgets.screen import copy_text, first_fitting
from aggviewer.window.commands.palette import CommandPalette
from engine.plugins import known
from engine.words import body_names


class HelpCommands(Part):
    """The palette, the sheet of keys, and the dialogs of the Help menu."""

    def __init__(self, context: Context) -> None:
        self._commands, self._window = context.commands, context.window
        self._palette = CommandPalette(self._commands, self._window)

    def commands(self) -> Iterator[Command]:
        """The commands of the Help menu."""
        yield Command(
            "help.palette",
            "Commands…",
            self._palette.open,
            ("Ctrl+Shift+P",),
            "Find a command by its name",
            menu=Place("Help", 1, 1),
        )
        yield Command(
            "help.keys",
            "Keys",
            lambda: KeySheet(self._commands, self._window).open(),
            ("?", "F1"),
            "All keyboard shortcuts on one sheet",
            menu=Place("Help", 1, 2),
            words="shortcuts keyboard mouse drag rotate turn move manual",
        )
        yield Command(
            "help.system",
            "System information…",
            lambda: SystemInformation(self._window).open(),
            tooltip="Versions, graphics and folders, for a bug report",
            menu=Place("Help", 2, 2),
        )
        yield Command("help.about", "About aggviewer…", lambda: show_about(self._window), menu=Place("Help", 2, 3))


class SystemInformation(FittingDialog):
    """The output of ``aggviewer doctor``, ready to copy into a bug report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("System information", parent)
        self.text = QPlainTextEdit("Collecting …")
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        if copy is not None:
            copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        self.column.addWidget(self.text)
        self.add_foot(buttons)
        self.resize(640, 480)
        self._process = QProcess(self)
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(lambda _error: self.text.setPlainText(self._process.errorString()))
        self._process.start(sys.executable, ["-m", "aggviewer", "doctor"])

    def done(self, result: int) -> None:
        """Stop waiting for information that is no longer needed."""
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(1000)
        super().done(result)

    def _on_finished(self) -> None:
        told = bytes(self._process.readAll().data()).decode("utf-8", "replace").strip()
        here = [f"  {plug_in.name}  {plug_in.words}" for plug_in in known()]  # what another process does not know
        self.text.setPlainText("\n".join([told, "plug_ins of this window", *(here or ["  none"])]))

    def _copy(self) -> None:
        copy_text(self.text.toPlainText())


def show_about(parent: QWidget) -> None:
    """Show name, version, purpose and licence of the program."""
    try:
        version = metadata.version("aggviewer")
    except metadata.PackageNotFoundError:
        version = "not installed"
    box = QMessageBox(parent)
    box.setWindowTitle("About aggviewer")
    box.setTextFormat(Qt.TextFormat.RichText)
    box.setText(f"<b>aggviewer</b> {version}")
    box.setInformativeText(
        "<p>Simulates hard discs and spheres that stick, bounce or jam.</p>"
        "<p>Free software under the GNU General Public License, version 3 or later.</p>"
    )
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


PAGES = {"index": "Manual", "tutorial": "The first ten minutes", "how-to": "How-to guide", "glossary": "Glossary"}
"""The pages that have their own command, with their titles."""

_TIPS = {
    "index": "Open the manual in your browser. Works offline",
    "tutorial": "A guided tour: run, change the physics, compare, jam, make a film",
    "how-to": "Short recipes, one for each task",
    "glossary": "Terms and symbols explained",
}
_WORDS = {"index": "help documentation docs book", "tutorial": "tutorial guided tour help begin", "glossary": "terms"}
_TIME = "This takes about ten seconds, the first time only."


@dataclass(frozen=True)
class ManualFiles:
    """Location of the manual.

    Parameters
    ----------
    installed
        The folder with the built pages in a wheel.
    checkout
        The source folder.
    """

    installed: Path
    checkout: Path

    @property
    def folder(self) -> Path | None:
        """The folder with the built pages; None if they have to be built."""
        for folder in (self.installed, self.built):
            if (folder / "index.html").is_file():
                return folder
        return None

    @property
    def built(self) -> Path:
        """The folder into which the manual of a checkout is built."""
        return self.checkout / "build" / "docs"

    @property
    def can_build(self) -> bool:
        """Whether the pages can be built here."""
        return (self.checkout / "docs" / "conf.py").is_file() and _has_sphinx()

    @property
    def outdated(self) -> bool:
        """Whether pages of a checkout have changed since they were built."""
        if self.folder != self.built:
            return False
        inventory = self.built / "objects.inv"  # Sphinx writes it last
        changed = max(path.stat().st_mtime for path in (self.checkout / "docs").rglob("*") if path.is_file())
        return not inventory.is_file() or inventory.stat().st_mtime < changed

    def build_arguments(self) -> list[str]:
        """Arguments for Python that build the pages."""
        docs, trees = self.checkout / "docs", self.checkout / "build" / "doctrees"
        return ["-m", "sphinx", "-q", "-d", str(trees), str(docs), str(self.built)]


@cache
def _has_sphinx() -> bool:
    """Whether Sphinx is installed. This is asked whenever commands are updated, and looking for it takes a while."""
    return find_spec("sphinx") is not None


def manual_files() -> ManualFiles:
    """Find the manual of this installation."""
    package = Path(str(resources.files("resources")))
    return ManualFiles(package / "manual", package.parent)


class Manual(Part):
    """Opens pages of the manual."""

    def __init__(self, context: Context) -> None:
        self._files, self._notify = manual_files(), context.notify
        self._process = QProcess(context.window)
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._process.finished.connect(lambda *_: self._on_built())
        self._page = ""  # which is opened when the manual is built

    def commands(self) -> Iterator[Command]:
        """One command for each page in `PAGES`."""
        for position, (page, title) in enumerate(PAGES.items()):
            yield Command(
                "help.manual" if page == "index" else f"help.{page}",
                title,
                partial(self.open, page),
                tooltip=_TIPS[page],
                icon="mdi6.book-open-page-variant-outline" if page == "index" else "",
                menu=Place("Learn", 4, position),
                also=Place("Help", 1, 0) if page == "index" else None,
                reason=self._why_not,
                words=_WORDS.get(page, ""),
            )

    def _why_not(self) -> str:
        if self._files.can_build or self._files.folder is not None:
            return ""
        return "This installation has no manual: run make docs before pip install"

    def open(self, page: str) -> None:
        """Show a page in the browser."""
        self._page = page
        if self._process.state() != QProcess.ProcessState.NotRunning:
            return
        if self._files.can_build and (self._files.folder is None or self._files.outdated):
            self._notify(Notice("info", "Preparing the manual", _TIME, about="manual"))
            self._process.start(sys.executable, self._files.build_arguments())
        else:
            self._show()

    def _on_built(self) -> None:
        if self._files.folder is None:
            said = bytes(self._process.readAll().data()).decode("utf-8", "replace").strip().splitlines()
            self._notify(Notice("error", "The manual could not be built", said[-1] if said else "", about="manual"))
        else:
            self._show()

    def _show(self) -> None:
        folder = self._files.folder
        assert folder is not None
        path = folder / f"{self._page}.html"
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._notify(Notice("warning", "No browser could be opened", f"Open {path} yourself", about="manual"))

    def close(self) -> None:
        """Do not wait for a build."""
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(1000)


GROUPS = {
    "run": "Run",
    "method": "Method",
    "edit": "Edit",
    "view": "View",
    "plots": "Plots",
    "measure": "Measure",
    "file": "File",
    "lesson": "Learn",
    "help": "Help",
}

_MOUSE = (
    ("Drag", "Move the picture; turn the box of spheres"),
    ("Shift+drag", "Move the picture of spheres; so does the middle button"),
    ("Ctrl+drag", "Turn the box of spheres freely, even where gravity stays vertical"),
    ("Drag a {disc}", "Move or throw it, in a paused gas or aggregation (select a sphere first)"),
    ("Wheel", "Zoom"),
    ("Double-click", "Fit the box, or centre a sphere"),
    ("Click", "Select a {disc}"),
    ("Shift+click", "Select a cluster"),
    ("Ctrl+click", "Add to the selection, or remove"),
    ("Alt+drag", "Select a box of {discs}"),
    ("Right-click", "Menu for the {disc} or the picture"),
)

_COLUMNS = (3, 2, 1)  # as many as have room side by side
_HEADING = 1.6  # lines that a heading takes, with the gap above it


class KeySheet(FittingDialog):
    """All keys, grouped like the menus, in columns that fit a small screen."""

    def __init__(self, commands: CommandSet, parent: QWidget | None = None) -> None:
        super().__init__("Keyboard shortcuts", parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pages = (self._page(commands, count) for count in _COLUMNS)
        self.column.addWidget(first_fitting(pages, lambda page: page.sizeHint().width(), self.room_across))

    def _page(self, commands: CommandSet, count: int) -> QWidget:
        """A page with all keys in so many columns."""
        page = QWidget()
        columns = QHBoxLayout(page)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(24)
        groups = [(title, _rows_of(commands, group)) for group, title in GROUPS.items()]
        fill = body_names(commands.dimensions).fill
        mouse = [([fill(key)], fill(text)) for key, text in _MOUSE]
        groups.append(("Mouse, in the picture", mouse))
        groups = [(title, rows) for title, rows in groups if rows]
        for first, last in pairwise(_cuts([len(rows) + _HEADING for _, rows in groups], count)):
            column = QVBoxLayout()
            column.setSpacing(12)
            columns.addLayout(column)
            for title, rows in groups[first:last]:
                column.addLayout(self._rows(title, rows))
            column.addStretch(1)
        return page

    def _rows(self, title: str, rows: list[tuple[list[str], str]]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        heading = QLabel(title)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        grid.addWidget(heading, 0, 0, 1, 2)
        for row, (keys, text) in enumerate(rows, start=1):
            caps = QHBoxLayout()
            caps.setSpacing(4)
            for key in keys:
                cap = QLabel(key)
                cap.setObjectName("sheetKey")
                caps.addWidget(cap)
            caps.addStretch(1)
            grid.addLayout(caps, row, 0, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(QLabel(text), row, 1)
        grid.setColumnStretch(1, 1)
        return grid


def _cuts(heights: list[float], count: int) -> tuple[int, ...]:
    """Split the groups into columns in order, keeping the tallest column as short as possible."""
    places = combinations(range(1, len(heights)), min(count, len(heights)) - 1)
    ways = [(0, *inner, len(heights)) for inner in places]
    return min(ways, key=lambda cuts: max(sum(heights[a:b]) for a, b in pairwise(cuts)))


def _rows_of(commands: CommandSet, group: str) -> list[tuple[list[str], str]]:
    """The keys and names of a group's available commands that have a key."""
    there = [c for c in commands if _group_of(c) == group and commands.action(c.id).isVisible()]
    told = [(commands.shown_keys(c), c.title or c.text) for c in there]
    return [(keys, name.replace("…", "").replace("&", "")) for keys, name in told if keys]


def _group_of(command: Command) -> str:
    """The group of a command: the part of its id before the dot, or else its menu."""
    group = command.id.split(".")[0]
    if group in GROUPS or command.menu is None:
        return group if group in GROUPS else "view"
    menu = command.menu.path.split("/")[0].lower()
    return menu if menu in GROUPS else "view"
