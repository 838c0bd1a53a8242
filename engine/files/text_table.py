"""Tables of numbers in text: fast where all is right, with the line where it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.limits import plain

_ROWS_PER_WRITE = 50_000

Rows = Callable[[], Iterator[tuple[int, str]]]


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
