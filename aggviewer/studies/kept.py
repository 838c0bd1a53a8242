"""The studies of a person: a folder each in the user's data folder, with what was asked for and what came of it.

No Qt.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import platformdirs
import tomli_w

from engine.errors import InputError
from engine.files.atomic import replacing
from engine.study import Study, load_study
from engine.study.store import NAME

_ASKED, _RESULTS, _OPEN = "study.toml", "results", "unfinished"


@dataclass(frozen=True)
class KeptStudy:
    """One of them. folder : where it lies."""

    folder: Path

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
        """The path of the report; the file is there once the study has ended."""
        return self.results / "report.html"

    @property
    def began(self) -> bool:
        """Whether there may be rows."""
        return (self.results / NAME).is_file()

    @property
    def unfinished(self) -> bool:
        """Whether it is to continue: neither through nor stopped for good."""
        return (self.folder / _OPEN).exists()

    def set_unfinished(self, value: bool) -> None:
        """Whether it is to continue."""
        if value:
            (self.folder / _OPEN).touch()
        else:
            (self.folder / _OPEN).unlink(missing_ok=True)

    def read(self) -> Study:
        """The study. InputError if its file is no longer a study."""
        return load_study(self.file)

    def write(self, tables: Mapping[str, Any]) -> None:
        """Put down what is asked for."""
        with replacing(self.file) as partial:
            partial.write_text(tomli_w.dumps(tables), encoding="utf-8")


class Kept:
    """All of them. root : where they lie, None for the user's data folder."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or Path(platformdirs.user_data_dir("aggviewer", appauthor=False)) / "studies"

    def new(self, tables: Mapping[str, Any]) -> KeptStudy:
        """A folder for a study that begins. InputError if there is no room for it."""
        stem = f"{datetime.now():%Y-%m-%d %H.%M.%S} {os.getpid()}"
        folder, number = self._root / stem, 2
        try:
            while folder.exists():
                folder, number = self._root / f"{stem} ({number})", number + 1
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
        found = [KeptStudy(folder) for folder in self._root.iterdir() if (folder / _ASKED).is_file()]
        return sorted(found, key=lambda one: one.folder.name, reverse=True)
