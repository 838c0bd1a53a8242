"""A field for the name of a file that is to be written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from aggviewer.widgets import file_dialogs

_WIDTH = 160  # pixels of the line, at least


class FileField(QWidget):
    """A line with a path, and a button that chooses one; ``changed`` after either.

    title : of the dialog that the button shows.
    """

    changed = pyqtSignal()

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._formats: Mapping[str, str] = {}
        self._suffix = ""
        self._folder = Path.home()
        self.line = QLineEdit()
        self.line.setAccessibleName("File")
        self.line.setMinimumWidth(_WIDTH)
        self.button = QPushButton("Browse…")
        self.button.setAutoDefault(False)
        self.setFocusProxy(self.line)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)
        self.line.textChanged.connect(lambda _text: self.changed.emit())
        self.button.clicked.connect(lambda: self._browse())

    def begin(self, path: Path, formats: Mapping[str, str]) -> None:
        """Propose a path. formats : the endings that it may have, with words for them."""
        self._formats, self._suffix, self._folder = formats, path.suffix.lower(), path.parent
        self.line.setText(str(path))

    @property
    def path(self) -> Path | None:
        """The path; None where the line is empty. An ending that is missing is added; a name without a folder is in the
        folder of the first path."""
        text = self.line.text().strip()
        if not text:
            return None
        path = self._folder / Path(text).expanduser()
        return path if path.suffix.lower() in self._formats else path.with_name(path.name + self._suffix)

    def set_suffix(self, suffix: str) -> None:
        """Give the path the ending of another format."""
        path, before, self._suffix = self.path, self._suffix, suffix
        if path is not None and path.suffix.lower() != suffix:
            stem = path.name[: len(path.name) - len(before)] if path.suffix.lower() == before else path.name
            self.line.setText(str(path.with_name(stem + suffix)))

    def _browse(self) -> None:
        path = self.path or self._folder / f"untitled{self._suffix}"
        filters = {f"{words} (*{suffix})": suffix for suffix, words in self._formats.items()}
        chosen = file_dialogs.ask_save(self, path, self._title, ";;".join(sorted(filters, key=self._chosen_first)))
        if chosen is not None:
            self.line.setText(str(chosen))

    def _chosen_first(self, name_filter: str) -> bool:
        return f"(*{self._suffix})" not in name_filter
