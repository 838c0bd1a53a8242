"""The rows of a running study in an SQLite file, in which a row is stored completely or not at all.

With SQLite, rows that were added before survive a killed process or a full disk.
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.study.one_run import Row
from engine.study.quantities import CurveQuantity

NAME = "runs.sqlite"
_FORMAT = 1
_PATIENCE = 30.0  # seconds to wait for other processes that are reading the file
_TABLES = """
    CREATE TABLE IF NOT EXISTS runs (
        point INTEGER NOT NULL, seed INTEGER NOT NULL, status TEXT NOT NULL, error TEXT NOT NULL,
        numbers TEXT NOT NULL, stop_reason TEXT NOT NULL, seconds REAL NOT NULL, host TEXT NOT NULL,
        curves BLOB, final BLOB, PRIMARY KEY (point, seed)
    );
"""  # with a rowid, which grows with each row that is added: `Arrivals` asks for those after the last one
_COLUMNS = "point, seed, status, error, numbers, stop_reason, seconds, host"


class StoreError(InputError):
    """Rows or tables cannot be written: the disk is full, or the folder no longer exists."""


class Store:
    """Rows by point and seed.

    Parameters
    ----------
    folder : the folder of the file; None keeps the rows in memory.
    to_read : the file is there, nothing is added to it, and another process may be adding rows.

    Raises
    ------
    InputError
        The file is there and is none of these, or is not there and was to be read.
    """

    def __init__(self, folder: Path | None, *, to_read: bool = False) -> None:
        self._path = None if folder is None else folder / NAME
        self._file = 0
        mode = "ro" if to_read else "rwc"
        place = ":memory:" if self._path is None else f"{self._path.resolve().as_uri()}?mode={mode}"
        with self._with_messages():
            self._db = sqlite3.connect(place, uri=True, isolation_level=None, timeout=_PATIENCE)
        try:
            with self._with_messages():
                self._begin(to_read)
        except BaseException:
            self._db.close()
            raise

    def _begin(self, to_read: bool) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version not in (0, _FORMAT):
            raise InputError(f"{self._path} was written by another version of this program", str(self._path))
        if not to_read:
            self._db.execute("PRAGMA journal_mode = WAL")  # others may read while rows are added
            self._db.execute(f"PRAGMA user_version = {_FORMAT}")
            self._db.executescript(_TABLES)
        if self._path is not None:
            self._file = self._path.stat().st_ino

    @contextmanager
    def _with_messages(self) -> Iterator[None]:
        """Raise errors of SQLite in the block as an InputError that names the file."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise InputError(f"{self._path} cannot be used: {error}", str(self._path)) from None

    def close(self) -> None:
        """Close the file; added rows stay."""
        self._db.close()

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows, all of them or none; one that is there already is replaced. `StoreError` if they cannot be
        written."""
        found = [_packed(row) for row in rows]
        try:
            self._check_place()
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", found)
            self._db.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise StoreError(f"{self._path} cannot be written: {_reason(error)}", str(self._path)) from None

    def done(self) -> Iterator[tuple[int, int]]:
        """Point and seed of all runs that have not failed."""
        with self._with_messages():
            yield from self._db.execute("SELECT point, seed FROM runs WHERE status = 'done'")

    def counts(self) -> dict[str, int]:
        """How many rows there are of each status."""
        with self._with_messages():
            return dict(self._db.execute("SELECT status, COUNT(*) FROM runs GROUP BY status"))

    def rows(self) -> Iterator[Row]:
        """All rows by point and seed, without curves and final states."""
        with self._with_messages():
            for values in self._db.execute(f"SELECT {_COLUMNS} FROM runs ORDER BY point, seed"):
                yield _row(values)

    def curves(self, points: Collection[int] | None = None) -> Iterator[tuple[int, int, dict[str, CurveQuantity]]]:
        """Point, seed and curves of all rows that have any, or of those of some points."""
        chosen = "" if points is None else f"AND point IN ({', '.join('?' * len(points))})"
        query = f"SELECT point, seed, curves FROM runs WHERE curves IS NOT NULL {chosen} ORDER BY point, seed"
        with self._with_messages():
            for point, seed, blob in self._db.execute(query, tuple(points or ())):
                yield point, seed, _curves(blob)

    def axes_of(self, name: str) -> str:
        """What is on the x axis of a curve of this name, "" if no run has one."""
        for _, _, found in self.curves():
            if name in found:
                return found[name].x_name
        return ""

    def finals(self, seed: int | None = None) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Point, seed and final state of all rows, or of those of one seed, that have one."""
        query = "SELECT point, seed, final FROM runs WHERE final IS NOT NULL AND (? IS NULL OR seed = ?)"
        with self._with_messages():
            for point, found, blob in self._db.execute(query + " ORDER BY point, seed", (seed, seed)):
                yield point, found, _arrays(blob)

    def _check_place(self) -> None:
        """Raise OSError if the file no longer exists: SQLite would continue writing into nothing."""
        if self._path is not None and self._path.stat().st_ino != self._file:
            raise OSError("it has been replaced by another file")


def reading(folder: Path) -> closing[Store]:
    """The rows of a study that another process may be adding to."""
    return closing(Store(folder, to_read=True))


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class Arrivals:
    """The rows of a study in the order in which another process adds them, each once. It never waits and never writes.

    A row that replaces a failed one comes again.

    Parameters
    ----------
    folder : of the study; its file may come later.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._db: sqlite3.Connection | None = None
        self._last = 0

    def take(self, most: int = 50) -> list[Row]:
        """The next rows, at most so many, without curves and final states; none if there is nothing to read yet."""
        query = f"SELECT rowid, {_COLUMNS} FROM runs WHERE rowid > ? ORDER BY rowid LIMIT ?"
        try:
            if self._db is None:
                if not self._path.is_file():
                    return []
                self._db = sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro", uri=True, timeout=0.0)
            found = self._db.execute(query, (self._last, most)).fetchall()
        except (sqlite3.Error, OSError):  # it is just being created, is locked for a moment, or cannot be read
            return []
        if found:
            self._last = found[-1][0]
        return [_row(values[1:]) for values in found]

    def final(self, point: int, seed: int) -> dict[str, Any] | None:
        """The final state of a row, None if it was not kept."""
        if self._db is None:
            return None
        try:
            found = self._db.execute("SELECT final FROM runs WHERE point = ? AND seed = ?", (point, seed)).fetchone()
        except sqlite3.Error:
            return None
        return None if found is None or found[0] is None else _arrays(found[0])

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()
            self._db = None


def _packed(row: Row) -> tuple[Any, ...]:
    curves = None
    if row.curves:
        arrays: dict[str, Any] = {}
        for name, one in row.curves.items():
            arrays |= {f"{name}|x|{one.x_name}": one.x, f"{name}|y|{one.y_name}": one.y}
        curves = _blob(arrays)
    return (
        row.point, row.seed, row.status, row.error, json.dumps(row.numbers, allow_nan=False), row.stop_reason,
        row.seconds, row.host, curves, None if row.final is None else _blob(row.final),
    )  # fmt: skip


def _row(values: tuple[Any, ...]) -> Row:
    point, seed, status, error, numbers, stop_reason, seconds, host = values
    return Row(point, seed, status, error, json.loads(numbers), stop_reason, seconds=seconds, host=host)


def _blob(arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _arrays(blob: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(blob), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _curves(blob: bytes) -> dict[str, CurveQuantity]:
    parts: dict[str, dict[str, Any]] = {}
    for key, array in _arrays(blob).items():
        name, axis, called = key.split("|")
        parts.setdefault(name, {}).update({axis: array, f"{axis}_name": called})
    return {name: CurveQuantity(**part) for name, part in parts.items()}
