"""Reading and writing large text files: going through lines quickly, and tables of numbers.

Only one block of a file is in memory at a time. Tables are parsed by numpy; if that fails, they are read again line by
line, so that the message can name the line.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError, either
from engine.files.checks import MAX_LINE, Location, size_of
from engine.files.columns import all_allowed, fault_of

_BLOCK = 1 << 22  # bytes that are read at once
_ROWS_PER_WRITE = 50_000

_QUOTED = str.maketrans({",": ";", '"': "'", "#": "№", "\n": " ", "\r": " "})

NumberedLines = Callable[[], Iterator[tuple[int, str]]]
"""Makes an iterator over numbered lines."""


def open_text(path: Path) -> BinaryIO:
    """Open a text file in binary mode. Raises InputError if it cannot be read, is empty or is not text."""
    size_of(path)
    try:
        file = path.open("rb")
        start = file.read(MAX_LINE)
        two_bytes = start.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        if two_bytes or b"\0" in start:
            file.close()
            encoding = " in UTF-8: it is in UTF-16; save it as UTF-8" if two_bytes else ""
            raise Location(path).fault(f"is not a text file{encoding}")
        file.seek(0)
    except OSError as error:
        raise Location(path).unreadable(error) from None
    return file


class LineScanner:
    """Goes through a file from its start, reading single lines or skipping many at once.

    Attributes
    ----------
    line : the number of the line that was read last, from 1.
    """

    def __init__(self, where: Location, file: BinaryIO) -> None:
        self.line = 0
        self._where = where
        self._file = file
        self._start = 0  # where the block begins in the file
        self._block = b""
        self._ends: NDArray[np.int64] = np.zeros(0, np.int64)  # where lines end in the block
        self._next = 0  # the index in `_ends` of the end of the next line
        self._at = 0  # where the next line begins in the block
        file.seek(0)

    @property
    def place(self) -> int:
        """The byte of the file at which the next line begins."""
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
        """Skip `count` lines. False if the file has fewer; a last line without a line end counts as one."""
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
        """Whether the end of the file is reached and its last line has no line end."""
        return bool(self._block) and self._at == len(self._block) and self._block[-1:] != b"\n"

    def _refill(self) -> bool:
        """Read the next block behind what is left of this one. False at the end of the file."""
        rest = self._block[self._at :]
        if len(rest) > MAX_LINE:
            self.line += 1
            self._too_long()
        try:
            more = self._file.read(_BLOCK)
        except OSError as error:
            raise self._where.unreadable(error) from None
        if not more:
            return False
        self._start += self._at
        self._block, self._at, self._next = rest + more, 0, 0
        self._ends = np.flatnonzero(np.frombuffer(self._block, np.uint8) == 10)
        return len(self._ends) > 0 or self._refill()

    def _too_long(self) -> None:
        raise self._where.line(self.line).error(f"longer than {MAX_LINE} characters")

    def _text(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8-sig" if self.line == 1 else "utf-8").rstrip("\r")
        except UnicodeDecodeError:
            raise self._where.line(self.line).error("not text in UTF-8") from None


def lines_from(where: Location, file: BinaryIO, place: int, line: int) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without line ends.

    Parameters
    ----------
    where : the file, for messages.
    file : the open file.
    place : the byte at which to begin.
    line : the number of the line that begins there.
    """
    try:
        file.seek(place)
        while raw := file.readline(MAX_LINE + 1):
            if len(raw) > MAX_LINE:
                raise where.line(line).error(f"longer than {MAX_LINE} characters")
            yield line, raw.decode("utf-8-sig" if line == 1 else "utf-8").rstrip("\r\n")
            line += 1
    except UnicodeDecodeError:
        raise where.line(line).error("not text in UTF-8") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise where.unreadable(error) from None


def read_table(
    where: Location, rows: NumberedLines, count: int, columns: dict[str, int], widths: tuple[int, ...]
) -> dict[str, NDArray[np.float64]]:
    """Read columns of numbers from the first `count` lines, by name, (count,) each.

    Parameters
    ----------
    where : the file, for messages.
    rows : makes an iterator over lines with their numbers.
    count : the number of lines to read.
    columns : for each name its place in a line, from 0.
    widths : how many words a line may have.

    Raises
    ------
    InputError
        There are too few lines, or a line has another number of words or a number that its column may not hold; it
        names the line and the column.
    """
    order = list(columns)
    places = [columns[name] for name in order]
    try:
        table = np.loadtxt(_full(rows, count, widths), usecols=places, comments=None, ndmin=2)
    except InputError:
        raise
    except (ValueError, OverflowError):
        _explain(where, rows, count, columns, widths)
    found = {name: np.ascontiguousarray(table[:, number]) for number, name in enumerate(order)}
    if not all(all_allowed(name, values) for name, values in found.items()):
        _explain(where, rows, count, columns, widths)
    return found


def _full(rows: NumberedLines, count: int, widths: tuple[int, ...]) -> Iterator[str]:
    """The first `count` lines. ValueError for one that loadtxt would skip or cut, or if there are too few."""
    seen = 0
    for _, line in islice(rows(), count):
        if len(line.split()) not in widths:
            raise ValueError
        seen += 1
        yield line
    if seen < count:
        raise ValueError


def _explain(
    where: Location, rows: NumberedLines, count: int, columns: dict[str, int], widths: tuple[int, ...]
) -> NoReturn:
    """Raise InputError for the first line that cannot be used."""
    seen = 0
    for number, line in islice(rows(), count):
        seen += 1
        words = line.split()
        if len(words) not in widths:
            raise where.line(number).error(f"{len(words)} values where {either(widths)} are needed")
        for name, place in columns.items():
            if fault := fault_of(name, words[place]):
                raise where.line(number).error(fault)
    if seen < count:
        raise where.fault(f"ends in the middle of a frame: {seen} of {count} discs")
    raise where.fault("cannot be read as a table of numbers")


def write_table(file: IO[str], columns: Sequence[NDArray[Any] | str], separator: str) -> None:
    """Write columns side by side, all digits of each number.

    Parameters
    ----------
    file : open for writing text.
    columns : arrays (N,); a text stands for a column that has this text in every line.
    separator : what stands between two columns.
    """
    count = len(next(column for column in columns if not isinstance(column, str)))
    for first in range(0, count, _ROWS_PER_WRITE):
        last = min(first + _ROWS_PER_WRITE, count)
        texts = [
            [column] * (last - first) if isinstance(column, str) else map(repr, column[first:last].tolist())
            for column in columns
        ]
        file.writelines(separator.join(row) + "\n" for row in zip(*texts, strict=True))


def cell_text(text: str) -> str:
    """A text for a CSV file without what would need quotation marks or begin a comment: commas become semicolons.

    numpy.genfromtxt knows no quotation marks.
    """
    return text.translate(_QUOTED)


def whole_number(word: str) -> int | None:
    """The number that a word of up to 18 decimal digits means; None for any other word."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 18 else None


def numbers_in(words: Iterable[str]) -> list[float]:
    """The finite numbers that these words mean; none if one of them is not a finite number."""
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return []
    return numbers if all(map(isfinite, numbers)) else []
