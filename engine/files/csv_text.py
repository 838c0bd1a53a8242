"""Reading CSV text of people and spreadsheets: its header, and its rows converted to commas and decimal points.

The separator is a comma, a semicolon, a tab or a bar. A first line such as ``sep=;`` (written by Excel) names it; else
it is the one that splits the header into names with x and y. Unless it is a comma, numbers may have decimal commas. A
file with both points and commas in its numbers is refused, since one of them may separate thousands.
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
_BLANK = " \r\n\v\f"  # without the tab, which is a separator
_ANNOUNCED = re.compile(r'"?sep=(.)"?', re.IGNORECASE)


class CsvText:
    """The header of an open CSV file, and then its rows.

    Parameters
    ----------
    where : the file, for messages.
    file : open for reading text, at its start.
    needed : the names that the header must have; used to find the separator.

    Attributes
    ----------
    names : the names of the columns, in lower case; empty columns at the end are left out.
    header : the line of the header, None for a file without one.
    decimal : the decimal mark of the rows so far.

    Raises
    ------
    InputError
        A line is too long, or ``sep=`` is not followed by a separator.
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
                    raise where.line(number).error("sep= must be followed by a comma, a semicolon, a tab or a bar")
                continue
            self.header = where.line(number)
            if not self._separator:
                fitting = (one for one in SEPARATORS if set(needed) <= set(_names(line, one)))
                self._separator = next(fitting, ",")
            self.names = _names(line, self._separator)
            break

    @property
    def separators(self) -> str:
        """The separators of columns, as a word for messages."""
        return SEPARATORS[self._separator]

    def rows(self) -> Iterator[tuple[int, str]]:
        """The rows below the header, each with its line number, as text with commas and decimal points.

        Raises InputError if the meaning of a comma is not clear.
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
                        f"the decimal mark in {found} is ambiguous: write all numbers with decimal points, or all "
                        "with decimal commas, and do not separate thousands"
                    )
                if "," in marks:
                    self.decimal = ","
                row = row.replace(",", ".").replace(separator, ",")
            yield number, row

    def _plain(self, number: int, line: str) -> str:
        """A line without quotes, and without empty cells after the last column."""
        where = self._where.line(number)
        try:
            cells = next(csv.reader([line], delimiter=self._separator, skipinitialspace=True), [])
        except csv.Error:
            raise where.error("the line is not valid CSV") from None
        for cell in cells:
            if self._separator in cell:
                raise where.error(
                    f'"{plain(cell)}" is not a number: write decimal points and do not separate thousands, or '
                    "separate the columns with semicolons"
                )
        while len(cells) > len(self.names) and not cells[-1].strip():
            cells.pop()
        return self._separator.join(cells)


def _names(header: str, separator: str) -> list[str]:
    """The names of the columns, in lower case, without empty ones at the end."""
    names = [name.strip(' \t"\ufeff').casefold() for name in header.split(separator)]
    while names and not names[-1]:
        names.pop()
    return names


def _lines(where: Location, file: IO[str]) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, without comments, empty lines and line ends. Raises InputError for a line that is
    too long."""
    number = 0
    while line := file.readline(_MAX_LINE):
        number += 1
        if len(line) == _MAX_LINE:
            raise where.line(number).error(f"longer than {_MAX_LINE} characters")
        text = line.partition("#")[0].strip(_BLANK)
        if text.strip('"\t '):  # a spreadsheet may quote a comment
            yield number, text
