"""Large text files: one fast pass that finds where frames begin, the lines of a frame, and tables of numbers.

Nothing of a file stays in memory but one block and what the caller keeps. Tables are read fast where all is right, and
the message names the line where it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.limits import MAX_LINE, plain, size_of

_BLOCK = 1 << 22  # bytes that are read at once
_ROWS_PER_WRITE = 50_000

Rows = Callable[[], Iterator[tuple[int, str]]]
"""Makes an iterator over numbered lines."""


def open_text(path: Path) -> BinaryIO:
    """The file, open; InputError where it is not one, is empty or begins with what no text has."""
    size_of(path)
    try:
        file = path.open("rb")
        if b"\0" in file.read(MAX_LINE):
            file.close()
            raise InputError(f"{path} is not a text file", str(path))
        file.seek(0)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", str(path)) from None
    return file


class LineScanner:
    """Goes through a file from its start, by lines or over many lines at once.

    place : byte at which the next line begins; line : number of the line read last, from 1.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.line = 0
        self._path = path
        self._file = file
        self._start = 0  # of the block in the file
        self._block = b""
        self._ends: NDArray[np.int64] = np.zeros(0, np.int64)  # places of the line ends in the block
        self._next = 0  # the first of them that is not passed
        self._at = 0  # in the block
        file.seek(0)

    @property
    def place(self) -> int:
        return self._start + self._at

    def read(self) -> str | None:
        """The next line without its end, None at the end of the file."""
        if self._next == len(self._ends) and not self._refill():
            if self._at == len(self._block):
                return None
            end = len(self._block)  # the last line has no end
        else:
            end = int(self._ends[self._next])
            self._next += 1
        self.line += 1
        raw = self._block[self._at : end]
        self._at = min(end + 1, len(self._block))
        if len(raw) > MAX_LINE:
            self._too_long()
        return self._text(raw)

    def skip(self, count: int) -> bool:
        """Pass over lines; False where the file ends before `count` of them. A last line without an end counts."""
        left = count
        while left:
            have = len(self._ends) - self._next
            if have:
                step = min(have, left)
                self._next += step
                self._at = int(self._ends[self._next - 1]) + 1
                self.line += step
                left -= step
            elif not self._refill():
                if left == 1 and self._at < len(self._block):
                    self._at = len(self._block)
                    self.line += 1
                    return True
                return False
        return True

    @property
    def open_ended(self) -> bool:
        """Whether what was read last was the end of a file whose last line has no end."""
        return bool(self._block) and self._at == len(self._block) and self._block[-1:] != b"\n"

    def _refill(self) -> bool:
        """Read on by a block, keeping what is not used yet; False at the end of the file."""
        rest = self._block[self._at :]
        if len(rest) > MAX_LINE:
            self.line += 1
            self._too_long()
        try:
            more = self._file.read(_BLOCK)
        except OSError as error:
            raise InputError(f"{self._path} cannot be read: {error.strerror or error}", str(self._path)) from None
        if not more:
            return False
        self._start += self._at
        self._block, self._at, self._next = rest + more, 0, 0
        self._ends = np.flatnonzero(np.frombuffer(self._block, np.uint8) == 10)
        return len(self._ends) > 0 or self._refill()

    def _too_long(self) -> None:
        raise InputError(f"{self._path}, line {self.line}: longer than {MAX_LINE} characters", str(self._path))

    def _text(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8-sig" if self.line == 1 else "utf-8").rstrip("\r")
        except UnicodeDecodeError:
            raise InputError(f"{self._path}, line {self.line}: not text in UTF-8", str(self._path)) from None


def lines_from(path: Path, file: BinaryIO, place: int, line: int) -> Iterator[tuple[int, str]]:
    """Numbered lines from a place on, of which the first has the number `line`; without their ends."""
    try:
        file.seek(place)
        while raw := file.readline(MAX_LINE + 1):
            if len(raw) > MAX_LINE:
                raise InputError(f"{path}, line {line}: longer than {MAX_LINE} characters", str(path))
            yield line, raw.decode("utf-8-sig" if line == 1 else "utf-8").rstrip("\r\n")
            line += 1
    except UnicodeDecodeError:
        raise InputError(f"{path}, line {line}: not text in UTF-8", str(path)) from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be read: {error}", str(path)) from None


def read_table(
    path: Path, rows: Rows, count: int, columns: dict[str, int], width: int
) -> dict[str, NDArray[np.float64]]:
    """Columns of numbers, (count,) each, by name.

    rows : makes an iterator over numbered lines; columns : name to place in a line, from 0; width : words a line has
    at least. Raises InputError with the line that has too few words or a word that is no number.
    """
    order = list(columns)
    places = [columns[name] for name in order]
    try:
        table = np.loadtxt(_full(rows, count), usecols=places, comments=None, ndmin=2)
    except InputError:
        raise
    except (ValueError, OverflowError):
        _explain(path, rows, count, columns, width)
    return {name: np.ascontiguousarray(table[:, number]) for number, name in enumerate(order)}


def _full(rows: Rows, count: int) -> Iterator[str]:
    """The lines; ValueError for an empty one, which loadtxt would pass over, and where there are too few."""
    seen = 0
    for _, line in islice(rows(), count):
        if not line.strip():
            raise ValueError
        seen += 1
        yield line
    if seen < count:
        raise ValueError


def _explain(path: Path, rows: Rows, count: int, columns: dict[str, int], width: int) -> NoReturn:
    seen = 0
    for number, line in islice(rows(), count):
        seen += 1
        words = line.split()
        if len(words) < width:
            raise InputError(f"{path}, line {number}: {len(words)} values where {width} are needed", str(path))
        for name, place in columns.items():
            try:
                float(words[place])
            except ValueError:
                raise InputError(
                    f'{path}, line {number}: {name} must be a number, not "{plain(words[place])}"', str(path)
                ) from None
    if seen < count:
        raise InputError(f"{path} ends in the middle of a frame: {seen} of {count} discs", str(path))
    raise InputError(f"{path} cannot be read as a table of numbers", str(path))


def write_table(file: IO[str], columns: Sequence[NDArray[Any] | str], separator: str) -> None:
    """Write columns (N,) side by side, numbers so that they read back bit by bit; a text stands in each line."""
    count = len(next(column for column in columns if not isinstance(column, str)))
    for first in range(0, count, _ROWS_PER_WRITE):
        last = min(first + _ROWS_PER_WRITE, count)
        texts = [
            [column] * (last - first) if isinstance(column, str) else map(repr, column[first:last].tolist())
            for column in columns
        ]
        file.writelines(separator.join(row) + "\n" for row in zip(*texts, strict=True))


def whole_number(word: str) -> int | None:
    """A word of plain digits as a number, else None; long ones are none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 18 else None
