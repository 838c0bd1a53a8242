"""*Learn*: opens the manual in the browser, offline.

Sphinx builds the manual from docs/. The wheel contains it; in a checkout it is built when first opened,
and again after its pages have changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from PyQt6.QtCore import QProcess, QUrl
from PyQt6.QtGui import QDesktopServices

from aggviewer.session import Notice
from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.part import Context, Part

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
        """The build folder of a checkout."""
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
        """One command for each page in `_PAGES`."""
        for position, (page, title) in enumerate(PAGES.items()):
            yield Command(
                "help.manual" if page == "index" else f"help.{page}",
                title,
                partial(self.open, page),
                tooltip=_TIPS[page],
                icon="mdi6.book-open-page-variant-outline" if page == "index" else "",
                menu=Place("Learn", 4, position),
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
