"""The user's studies: one folder each in the user's data folder, with the study and its results.

No Qt.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs
import tomli_w

from aggviewer.numbered import name_with, next_number, oldest_first
from engine.errors import InputError
from engine.files.writing import replacing
from engine.study import Study, load_study
from engine.study.store import NAME

_ASKED, _RESULTS, _OPEN = "study.toml", "results", "unfinished"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d\.\d\d")


@dataclass(frozen=True)
class KeptStudy:
    """One study. folder : its folder."""

    folder: Path

    @property
    def moment(self) -> str:
        """The date and time at which it was made, such as ``2026-11-28 17:43``."""
        found = _MOMENT.search(self.folder.name)
        return self.folder.name if found is None else found[0].replace(".", ":")

    @property
    def file(self) -> Path:
        """The TOML of the study, as ``aggviewer study`` reads it."""
        return self.folder / _ASKED

    @property
    def results(self) -> Path:
        """The folder of its rows, tables and report."""
        return self.folder / _RESULTS

    @property
    def report(self) -> Path:
        """The path of the report; the file exists once the study has ended."""
        return self.results / "report.html"

    @property
    def began(self) -> bool:
        """Whether there may be results."""
        return (self.results / NAME).is_file()

    @property
    def unfinished(self) -> bool:
        """Whether it can be continued: neither finished nor stopped for good."""
        return (self.folder / _OPEN).exists()

    def set_unfinished(self, value: bool) -> None:
        """Set whether it can be continued."""
        if value:
            (self.folder / _OPEN).touch()
        else:
            (self.folder / _OPEN).unlink(missing_ok=True)

    def read(self) -> Study:
        """The study. InputError if its file is no longer a study."""
        return load_study(self.file)

    def write(self, tables: Mapping[str, Any]) -> None:
        """Write the study."""
        with replacing(self.file) as partial:
            partial.write_text(tomli_w.dumps(tables), encoding="utf-8")


class Kept:
    """All studies. root : their folder, None for that in the user's data folder."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or Path(platformdirs.user_data_dir("aggviewer", appauthor=False)) / "studies"

    def new(self, tables: Mapping[str, Any]) -> KeptStudy:
        """Make a folder for a new study. InputError if it cannot be written."""
        folder = self._root
        try:
            stem = f"{datetime.now():%Y-%m-%d %H.%M.%S} {os.getpid()}"
            folder = self._root / name_with(next_number(self._root), stem)
            folder.mkdir(parents=True)
            found = KeptStudy(folder)
            found.write(tables)
            found.set_unfinished(True)
        except OSError as error:
            raise InputError(f"{folder} cannot be written: {error.strerror or error}", str(folder)) from None
        return found

    def all(self) -> list[KeptStudy]:
        """All studies that are kept, the newest first."""
        if not self._root.is_dir():
            return []
        found = (folder for folder in self._root.iterdir() if (folder / _ASKED).is_file())
        return [KeptStudy(folder) for folder in reversed(oldest_first(found))]
