"""States as CSV: a header line ``x,y,vx,vy,radius,cluster`` and one line per disc, with all digits of each number.

Spheres have ``x,y,z,vx,vy,vz,radius,cluster``: a file with z is three-dimensional.

Discs that turn have the columns of `engine.files.quantities` for this too: ``angle`` and ``spin``, in space
``omegax,omegay,omegaz`` and ``quati,quatj,quatk,quatw``.

Where some discs are marked as selected, a last column ``selected`` is 1 for them and 0 for the others.

When a file is read, x and y are required; the other columns are optional and may be in any order, their names in
capitals. Lines that begin with ``#`` are comments, and ``# box = 50 50 periodic`` (or ``walls``, or a word for each
axis, as in ``periodic walls``) gives the box; a notice names comments with another ``key =``. Files are written without
comments, so that every program can read them. Box, boundary, time and scenario go into a second file,
``NAME.csv-metadata.json``, as the W3C's "CSV on the Web" names it. That file need not be there when a state is read,
and a comment in the CSV overrides it.

Files from people and spreadsheets are converted to commas and decimal points (`CsvText`). The separator is a comma, a
semicolon, a tab or a bar. A first line such as ``sep=;`` (written by Excel) names it; else it is the one that splits
the header into names with x and y. Unless it is a comma, numbers may have decimal commas. A file with both points and
commas in its numbers is refused, since one of them may separate thousands.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain, islice, starmap, takewhile
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.errors import InputError
from engine.files.checks import Location, plain, size_of
from engine.files.columns import FrameColumns, all_allowed, columns_of, fault_of
from engine.files.formats import Format
from engine.files.frame import FileFrame
from engine.files.quantities import PARTS, QUANTITIES, fields_last
from engine.files.text import numbers_in, open_text, write_table
from engine.files.trajectory import SingleState
from engine.files.writing import replacing
from engine.version import __version__

_HELD = fields_last(one for one in QUANTITIES if one is PARTS.get(one.part) and one.part != "masses")

COLUMNS = tuple(column for one in _HELD for column in dict.fromkeys((*one.columns_in(2), *one.columns)))

_HEADER = "x,y,vx,vy,radius,cluster"

MAX_ROWS = 10_000_000

MAX_BYTES = MAX_ROWS * 256

_EDGE = 16_384  # bytes at the beginning and at the end of a file in which a comment with the box is looked for

_BOUNDARY = frozenset(("periodic", "walls"))

_BOX_COMMENT = re.compile(r"#+\s*box\s*(?:[=:]|(?=[\d.+-]))(.*)", re.IGNORECASE)

_KEY_COMMENT = re.compile(r"#+\s*([^\W\d][\w .-]{0,39}?)\s*=")


class CsvState(SingleState):
    """A CSV file, which is read when it is opened. Raises InputError, which names the line, if it cannot be used."""

    def __init__(self, path: Path) -> None:
        where = Location(path)
        try:
            size = size_of(path)
            if size > MAX_BYTES:
                raise where.fault(f"is too large ({size >> 20} MiB, at most {MAX_BYTES >> 20} MiB)")
            with _text(path) as file:
                text = _header(where, file)
                table = _table(where, text)
            columns = dict(zip(text.names, np.ascontiguousarray(table.T), strict=False))
            if table.shape[1] != len(text.names) or not all(starmap(all_allowed, columns.items())):
                _explain(where)
            dimensions = 3 if "z" in text.names else 2
            about = _About(path, dimensions)
        except OSError as error:
            raise where.unreadable(error) from None
        found = FrameColumns(
            columns, about.box, periodic=(*about.periodic, None)[:3], time=about.time, tilt=about.tilt,
            strain=about.strain, shear_rate=about.shear_rate,
        )  # fmt: skip
        super().__init__(path, found.frame(where, dimensions))
        if about.notice:
            self._tell(about.notice)


def write_csv(path: Path, frames: Sequence[FileFrame], times: bool = False) -> None:
    """Write the only frame of `frames` as CSV. The time goes into another file (`write_metadata`)."""
    columns = _columns(frames[0])
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(columns) + "\n")
        write_table(file, list(columns.values()), ",")


def _columns(frame: FileFrame) -> dict[str, NDArray[Any]]:
    """The columns of a CSV file, in their order. Discs without velocities rest, and without clusters each is one."""
    count = len(frame.positions)
    rest = dict.fromkeys(("vx", "vy", "vz")[: frame.dimensions], np.zeros(count))
    columns = rest | {"cluster": np.arange(count)} | columns_of(frame)
    return {name: columns[name] for name in COLUMNS if name in columns}


def write_metadata(path: Path, frames: Sequence[FileFrame]) -> None:
    """Write box, boundary, time and scenario into the file beside `path`; without a box, remove such a file."""
    (frame,) = frames
    if frame.box is None:  # metadata left by an earlier file of this name would be wrong
        metadata_path(path).unlink(missing_ok=True)
        return
    about: dict[str, Any] = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": path.name,
        "tableSchema": {
            "columns": [
                {"name": name, "datatype": "integer" if values.dtype.kind == "i" else "double"}
                for name, values in _columns(frame).items()
            ]
        },
        "aggviewer:box": frame.box.tolist(),
        "aggviewer:boundary": frame.around.boundary,
    }
    if frame.time is not None:
        about["aggviewer:time"] = frame.time
    if frame.strain or frame.shear_rate:
        about |= {"aggviewer:strain": frame.strain, "aggviewer:shear_rate": frame.shear_rate}
    if frame.scenario:  # with seed and method
        about |= {"aggviewer:version": __version__, "aggviewer:scenario": frame.scenario}
    with replacing(metadata_path(path)) as partial:
        partial.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def metadata_path(path: Path) -> Path:
    """The file beside a CSV file that holds box, boundary, time and scenario."""
    return path.with_name(path.name + "-metadata.json")


@contextmanager
def _text(path: Path) -> Iterator[TextIOWrapper]:
    """The file, open as text."""
    with open_text(path) as raw, TextIOWrapper(raw, encoding="utf-8-sig") as file:
        yield file


def _header(where: Location, file: TextIOWrapper) -> CsvText:
    """The file after its header, which is checked."""
    try:
        text = CsvText(where, file, ("x", "y"))
    except UnicodeDecodeError:
        raise where.fault("is not a text file in UTF-8") from None
    if text.header is None:
        raise where.fault(f"has no header; its first line must be {_HEADER}")
    _check_names(text.header, text.names)
    return text


def _table(where: Location, text: CsvText) -> NDArray[np.float64]:
    """The numbers below the header, (N, columns)."""
    rows = (row for _, row in text.rows())
    try:
        first = next(rows, None)
        if first is None:
            raise where.fault("has a header but no discs")
        bounded = islice(chain((first,), rows), MAX_ROWS + 1)
        table: NDArray[np.float64] = np.loadtxt(bounded, delimiter=",", comments=None, ndmin=2)
    except InputError:
        raise
    except ValueError:  # UnicodeDecodeError is one too
        _explain(where)
    if len(table) > MAX_ROWS:
        raise where.fault(f"has more than {MAX_ROWS} rows")
    return table


def _check_names(where: Location, names: list[str]) -> None:
    expected = f"columns are {', '.join(COLUMNS)}; x and y are required"
    missing = [name for name in ("x", "y") if name not in names]
    unknown = [name for name in names if name not in COLUMNS]
    if missing:
        raise where.error(f"the header has no column {missing[0]} ({expected})")
    if unknown:
        raise where.error(f'unknown column "{plain(unknown[0])}" ({expected})')
    if len(set(names)) < len(names):
        raise where.error("a column appears twice in the header")
    for one in _HELD:
        together = one.columns_in(3 if "z" in names else 2)
        if "z" not in names and (deep := [name for name in one.columns if name in names and name not in together]):
            raise where.error(f"{deep[0]} needs a column z")
        if 0 < sum(name in names for name in together) < len(together):
            raise where.error(f"{', '.join(together[:-1])} and {together[-1]} go together")


def _explain(where: Location) -> NoReturn:
    """Raise InputError for the first line that cannot be used. Slow: called only where reading has failed."""
    try:
        with _text(where.path) as file:
            text = _header(where, file)
            for number, row in text.rows():
                _explain_row(where.line(number), text, row)
    except UnicodeDecodeError:
        raise where.fault("is not a text file in UTF-8") from None
    raise where.fault("cannot be read as a table of numbers")


def _explain_row(where: Location, text: CsvText, row: str) -> None:
    names = text.names
    cells = [cell.strip().replace(".", text.decimal) for cell in row.split(",")]
    if len(cells) != len(names):
        commas = text.separators == "commas"
        between = "" if commas else f" with {text.separators} between them"
        hint = "; the file seems to be cut off" if len(cells) < len(names) else ""
        if commas and len(cells) > len(names):
            hint = "; if these are decimal commas, separate the columns with semicolons"
        raise where.error(f"{len(cells)} values for {len(names)} columns{between}{hint}")
    for name, cell in zip(names, cells, strict=True):
        if fault := fault_of(name, cell, text.decimal):
            raise where.error(fault)


class _About:
    """Box, boundary and time from comments in a CSV file, or else from the file beside it; None if neither has them.

    Attributes
    ----------
    box, time, strain, shear_rate : as in `FileFrame`; periodic : along each axis, None where nothing says it.
    tilt : how far the images above are ahead.
    notice : about comments of the form ``# key =`` that are not understood; "" for none.
    """

    def __init__(self, path: Path, dimensions: int) -> None:
        self._dimensions = dimensions
        self.box: NDArray[np.float64] | None = None
        self.periodic: tuple[bool | None, ...] = (None, None)
        self.time: float | None = None
        self.strain = self.shear_rate = self.tilt = 0.0
        unknown = []
        for line in _edge_lines(path):
            comment = line.strip(' \t";,|')  # a spreadsheet adds quotes, and empty cells after it
            found = _BOX_COMMENT.match(comment)
            if found and self.box is None:
                self.box, self.periodic = _box_comment(path, found.group(1), dimensions)
            elif not found and (other := _KEY_COMMENT.match(comment)):
                unknown.append(f'"# {plain(other.group(1))} = …"')
        if unknown:
            names = ", ".join(dict.fromkeys(unknown[:3]))
            self.notice = f'its comments {names} are not understood; the only one allowed is "# box = 50 50 walls"'
        else:
            self.notice = ""
        if self.box is None:
            self._read_beside(path)

    def _read_beside(self, path: Path) -> None:
        beside = metadata_path(path)
        if not beside.is_file() or beside.stat().st_size > 4 << 20:
            return
        try:
            about = json.loads(beside.read_text(encoding="utf-8"))
            box = np.array([float(side) for side in about["aggviewer:box"]])
            time = about.get("aggviewer:time")
            if box.shape != (self._dimensions,) or not (np.isfinite(box).all() and (box > 0.0).all()):
                raise ValueError
            if time is not None and not np.isfinite(float(time)):
                raise ValueError
            boundary = about.get("aggviewer:boundary", "walls")
            if not isinstance(boundary, str) and not set(boundary) <= _BOUNDARY:
                raise ValueError
            self.box, self.periodic = box, Periodic.of_boundary(boundary, self._dimensions)
            self.time = None if time is None else float(time)
            self.strain, self.shear_rate = (
                float(about.get(f"aggviewer:{name}", 0.0)) for name in ("strain", "shear_rate")
            )
            if not (np.isfinite(self.strain) and np.isfinite(self.shear_rate)):
                raise ValueError
            self.tilt = Periodic.of(True, len(box)).strained(self.strain, box).offset
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise InputError(
                f"{beside} does not give the box of {path.name}; remove or correct it", str(path)
            ) from None


def _edge_lines(path: Path) -> list[str]:
    """The lines at the beginning and at the end of a file, where a comment may give the box."""
    with path.open("rb") as file:
        head = file.read(_EDGE)
        file.seek(max(len(head), path.stat().st_size - _EDGE))
        return (head + b"\n" + file.read()).decode("utf-8-sig", errors="replace").splitlines()


def _box_comment(path: Path, text: str, dimensions: int) -> tuple[NDArray[np.float64], tuple[bool | None, ...]]:
    """The box and its boundary, from what follows ``# box =``."""
    words = re.sub(r"[;|×]|\bx\b|,(?=\s|$)", " ", text.casefold()).split()
    boundary = list(takewhile(_BOUNDARY.__contains__, reversed(words)))[::-1]
    box = np.array(numbers_in(words[: len(words) - len(boundary)]))
    if box.shape == (1,):
        box = np.repeat(box, dimensions)
    if box.shape != (dimensions,) or not (box > 0.0).all() or len(boundary) not in (0, 1, dimensions):
        shown = " ".join(["50"] * dimensions)
        raise Location(path).error(
            f'write the box as "# box = {shown} walls" or "# box = {shown} periodic", or with one of the two words for '
            "each axis, with decimal points"
        )
    if not boundary:
        return box, (None, None)
    return box, Periodic.of_boundary(boundary if len(boundary) > 1 else boundary[0], dimensions)


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


FORMAT = Format(
    name="CSV",
    label="Table",
    suffixes=(".csv",),
    reads=CsvState,
    writes=write_csv,
    one_frame=True,
    beside=write_metadata,
)
