"""Discs of several kinds, ``[[discs.kinds]]``: their radii, masses and shares, from the scenario or from a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.arrays import Floats, Longs
from engine.errors import HEAVIEST, LIGHTEST, MAX_SIDE, MIN_SIDE, InputError, typed_path
from engine.scenario.section import Section
from engine.words import typeset

KEY = "discs.kinds"
_ALLOWED = {
    "radius": (MIN_SIDE, MAX_SIDE),
    "mass": (LIGHTEST, HEAVIEST),
    "share": (0.0, MAX_SIDE),
}
_COLUMNS = "radius, mass and share"


class DiscKind(Section):
    """A kind of disc. mass : None where it follows from the radius; share : of the discs, or their number."""

    radius: float
    mass: float | None = None
    share: float = 1.0

    def __repr__(self) -> str:
        """Its table as Python, which scripts can give to a scenario."""
        return repr(self.model_dump(exclude_none=True))

    def __str__(self) -> str:
        """Its radius, which tells it from others in a line of text."""
        return typeset(self.radius, ".6g")


class Kinds(NamedTuple):
    """The kinds of a scenario. radius, share : (K,); mass : (K,), None where masses follow from radii."""

    radius: Floats
    mass: Floats | None
    share: Floats

    def numbers(self, count: int) -> Longs:
        """How many of `count` discs are of each kind, (K,), as the shares say; what rounding leaves goes to the largest
        remainders, the first of equal ones."""
        exact = self.share * (count / self.share.sum())
        numbers: Longs = np.floor(exact * (1.0 + 1e-12)).astype(np.int64)
        rest = np.argsort(-(exact - numbers), kind="stable")
        numbers[rest[: count - int(numbers.sum())]] += 1
        return numbers


def read_kinds(value: Any) -> Any:
    """What a scenario gives as kinds, with each table as a `DiscKind`; what is neither a list nor text stays as it is.
    Raises InputError for what is not allowed."""
    if not isinstance(value, list | tuple):
        return value
    rows = [one.model_dump(exclude_none=True) if isinstance(one, DiscKind) else one for one in value]
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise InputError(f"{KEY} must be tables with {_COLUMNS}, not {row!r:.40}", KEY)
        _check_names(row, KEY)
        if "radius" not in row:
            raise InputError(f"kind {number} in {KEY} needs a radius", KEY)
        for name, one in row.items():
            if isinstance(one, bool) or not isinstance(one, int | float):
                raise InputError(f"{name} of kind {number} in {KEY} must be a number, not {one!r:.40}", KEY)
    masses = [number for number, row in enumerate(rows, start=1) if "mass" in row]
    if 0 < len(masses) < len(rows):
        raise InputError(f"{KEY} must give the mass of every kind or of none, not only of kind {masses[0]}", KEY)
    if rows:
        columns = {name: np.array([row.get(name, 1.0) for row in rows], np.float64) for name in _ALLOWED}
        _check(columns, KEY, "kind")
    return tuple(DiscKind(**{name: float(one) for name, one in row.items()}) for row in rows)


def kinds_of(kinds: tuple[DiscKind, ...] | str) -> Kinds | None:
    """The kinds of a scenario, of its tables or of the file with this path; None without any. Raises InputError for a
    file that cannot be used."""
    if isinstance(kinds, str):
        path = typed_path(kinds) if kinds else None
        return None if path is None else _from_file(path, path.stat().st_mtime_ns if path.is_file() else 0)
    if not kinds:
        return None
    masses = [one.mass for one in kinds if one.mass is not None]
    return Kinds(
        np.array([one.radius for one in kinds]),
        np.array(masses) if masses else None,
        np.array([one.share for one in kinds]),
    )


@lru_cache(maxsize=4)
def _from_file(path: Path, _changed: int) -> Kinds:
    """The kinds in a table with a header, its columns apart by commas or spaces."""
    where = f"{path}, the file of {KEY},"
    try:
        lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        reason = "is not a text" if isinstance(error, UnicodeDecodeError) else f"cannot be read: {error.strerror}"
        raise InputError(f"{where} {reason}", KEY) from None
    mark = "," if lines and "," in lines[0] else None
    names = [name.strip() for name in lines[0].lstrip("# ").split(mark)] if lines else []
    _check_names(names, where)
    if "radius" not in names or len(lines) < 2:
        raise InputError(f"{where} needs a header with radius, perhaps mass and share, and a row for each kind", KEY)
    try:
        values = np.loadtxt(lines[1:], np.float64, delimiter=mark, ndmin=2)
    except ValueError as error:
        raise InputError(f"{where} must have numbers below its header: {error}", KEY) from None
    if values.shape[1] != len(names):
        raise InputError(f"{where} has {len(names)} names in its header and {values.shape[1]} numbers in a row", KEY)
    columns = dict(zip(names, values.T, strict=True)) | ({} if "share" in names else {"share": np.ones(len(values))})
    _check(columns, where, "row")
    return Kinds(columns["radius"], columns.get("mass"), columns["share"])


def _check_names(names: Any, where: str) -> None:
    for name in names:
        if name not in _ALLOWED:
            raise InputError(f"{where} has {name!r:.40}, which is not a column; there are {_COLUMNS}", KEY)


def _check(columns: Mapping[str, Floats], where: str, what: str) -> None:
    """Raise InputError for values that are out of range. what : an entry of a column."""
    for name, values in columns.items():
        low, high = _ALLOWED[name]
        bad = ~((values >= low) & (values <= high))
        if bad.any():
            at = int(bad.argmax())
            allowed = f"must be from {low:g} to {high:g}, not {values[at]:g}"
            raise InputError(f"{name} of {what} {at + 1} in {where} {allowed}", KEY)
    if not columns["share"].sum() > 0.0:
        raise InputError(f"the shares in {where} must sum to more than 0", KEY)
