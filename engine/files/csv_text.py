"""The text of CSV files as people and spreadsheets write it: its header and its rows, with commas and decimal points.

The separator is a comma, a semicolon, a tab or a bar: that of a first line ``sep=;``, as Excel writes it, or the one
that splits the header into names with x and y. Where it is no comma, numbers may have decimal commas. A file in which
points and commas both stand in numbers is refused: one of them may separate thousands.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import IO

from engine.files.limits import plain
from engine.files.location import Location

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_MAX_LINE = 4096
_BLANK = " \r\n\v\f"  # no tab: it separates
_ANNOUNCED = re.compile(r'"?sep=(.)"?', re.IGNORECASE)


class CsvText:
    """The header of an open CSV file, and then its rows.

    Parameters
    ----------
    where : the file, for messages.
    file : open for reading text, at its start.
    known : the names of the columns that may stand in the header.
    needed : those of them by which the separator is found.

    Attributes
    ----------
    names : the names of the columns, in small letters; empty columns at the end are left out.
    header : the line of the header, None for a file without one.
    decimal : the decimal mark of the rows so far.

    Raises
    ------
    InputError
        A line is too long, or ``sep=`` names no separator.
    """

    def __init__(self, where: Location, file: IO[str], needed: tuple[str, ...]) -> None:
        self._where = where
        self._lines = _lines(where, file)
        self._separator = ""
        self.names: list[str] = []
        self.header: Location | None = None
        self.decimal = "."
        for number, line in self._lines:
            announced = _ANNOUNCED.fullmatch(line)
            if announced and not self._separator:
                self._separator = announced.group(1)
                if self._separator not in SEPARATORS:
                    raise where.line(number).error("behind sep= must be a comma, a semicolon, a tab or a bar")
                continue
            self.header = where.line(number)
            if not self._separator:
                fitting = (one for one in SEPARATORS if set(needed) <= set(_names(line, one)))
                self._separator = next(fitting, ",")
            self.names = _names(line, self._separator)
            break

    @property
    def separators(self) -> str:
        """What stands between columns, in a word."""
        return SEPARATORS[self._separator]

    def rows(self) -> Iterator[tuple[int, str]]:
        """The lines below the header with their numbers, as text with commas between numbers with decimal points.

        Raises InputError where it cannot be told what a comma means.
        """
        separator = self._separator
        marks: dict[str, str] = {}  # points and commas so far, each with the first number that has one
        for number, line in self._lines:
            row = line
            if '"' in row or row.endswith(separator):
                row = self._plain(number, row)
            if not row.strip(separator):
                continue
            if separator != ",":
                for mark in ".,":
                    if mark in row and mark not in marks:
                        marks[mark] = next(cell for cell in row.split(separator) if mark in cell).strip()
                if len(marks) > 1:
                    found = " and ".join(f'"{plain(cell)}"' for cell in dict.fromkeys(marks.values()))
                    raise self._where.line(number).error(
                        f"in {found} it cannot be told which is the decimal mark: write all numbers with points or all "
                        "with commas, and none between thousands"
                    )
                if "," in marks:
                    self.decimal = ","
                row = row.replace(",", ".").replace(separator, ",")
            yield number, row

    def _plain(self, number: int, line: str) -> str:
        """A line without quotes, and without empty cells behind the last column."""
        where = self._where.line(number)
        try:
            cells = next(csv.reader([line], delimiter=self._separator, skipinitialspace=True), [])
        except csv.Error:
            raise where.error("it cannot be read as CSV") from None
        for cell in cells:
            if self._separator in cell:
                raise where.error(
                    f'"{plain(cell)}" is no number: write numbers with a decimal point and without a mark between '
                    "thousands, or put semicolons between the columns"
                )
        while len(cells) > len(self.names) and not cells[-1].strip():
            cells.pop()
        return self._separator.join(cells)


def _names(header: str, separator: str) -> list[str]:
    """The names of the columns, in small letters, without empty ones at the end."""
    names = [name.strip(' \t"\ufeff').casefold() for name in header.split(separator)]
    while names and not names[-1]:
        names.pop()
    return names


def _lines(where: Location, file: IO[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments and line ends, but for empty ones. Raises InputError for an overlong line."""
    number = 0
    while line := file.readline(_MAX_LINE):
        number += 1
        if len(line) == _MAX_LINE:
            raise where.line(number).error(f"longer than {_MAX_LINE} characters")
        text = line.partition("#")[0].strip(_BLANK)
        if text.strip('"\t '):  # a spreadsheet puts a comment into quotes
            yield number, text
