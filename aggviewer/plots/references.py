"""Curves of earlier runs that stay in the plots as references: plain numbers, few, with a name and a colour. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST = 5
"""References at a time: as many as there are colours."""
_POINTS = 240  # of a curve, at most
_EDGES = 1000  # of a histogram, at most
_DIGITS = 7
LONGEST = 120
"""Characters of a name."""

Floats = NDArray[np.float64]


class Points(NamedTuple):
    """A curve, as quantities.

    Parameters
    ----------
    x, y : (K,); x (K + 1,) for the edges of a histogram.
    error : (K,), standard errors of y, where the curve is the mean of several.
    """

    x: Floats
    y: Floats
    error: Floats | None = None


Curves = Mapping[str, Points]
"""Key of a series to what it shows."""


@dataclass
class Reference:
    """What is kept of a run.

    Parameters
    ----------
    name : which run that was.
    slot : 0 … 4, its colour and dashes.
    curves : by plot, `Plot.kept_as`.
    """

    name: str
    slot: int
    curves: dict[str, Curves] = field(default_factory=dict)


def thinned(x: Floats, y: Floats, error: Floats | None = None) -> Points | None:
    """At most 240 points of a curve, first and last among them, with seven digits; None for nothing, and for a
    histogram of more than 1000 bars."""
    if len(x) == len(y) + 1:
        if len(x) > _EDGES or not len(y):
            return None
    elif not len(y):
        return None
    elif len(y) > _POINTS:
        kept = np.unique(np.linspace(0, len(y) - 1, _POINTS).astype(np.intp))
        x, y, error = x[kept], y[kept], None if error is None else error[kept]
    return Points(_rounded(x), _rounded(y), None if error is None else _rounded(error))


def _rounded(values: Floats) -> Floats:
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values.tolist()])


class References:
    """The references of a system, in the order in which they were kept."""

    def __init__(self) -> None:
        self._kept: list[Reference] = []

    def __iter__(self) -> Iterator[Reference]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, plot: str) -> list[tuple[Reference, Curves]]:
        """Those with curves for this plot."""
        return [(one, one.curves[plot]) for one in self._kept if plot in one.curves]

    def has_room(self, name: str) -> bool:
        """Whether curves of this name can be kept."""
        return len(self._kept) < MOST or any(one.name == name[:LONGEST] for one in self._kept)

    def keep(self, name: str, plot: str, curves: Curves) -> Reference | None:
        """Keep curves of a run for this plot, beside those of the same name for other plots.

        Returns
        -------
        The reference; None where there is nothing to keep, or no room for one more.
        """
        small = {field: points for field, one in curves.items() if (points := thinned(*one)) is not None}
        if not small:
            return None
        name = name[:LONGEST]
        found = next((one for one in self._kept if one.name == name), None)
        if found is None:
            free = sorted(set(range(MOST)) - {one.slot for one in self._kept})
            if not free:
                return None
            found = Reference(name, free[0])
            self._kept.append(found)
        found.curves[plot] = small
        return found

    def remove(self, name: str) -> None:
        """Let go of the reference of this name."""
        self._kept = [one for one in self._kept if one.name != name]

    # as plain numbers

    def to_plain(self) -> list[dict[str, Any]]:
        """Names, strings and lists of numbers, for the settings."""
        return [
            {
                "name": one.name,
                "slot": one.slot,
                "curves": {
                    plot: {
                        field: [_plain(part) for part in points if part is not None] for field, points in curves.items()
                    }
                    for plot, curves in one.curves.items()
                },
            }
            for one in self._kept
        ]

    def take_plain(self, plain: object) -> None:
        """Go on with what `to_plain` has made. What cannot be read of it is left out."""
        self._kept = []
        for one in plain if isinstance(plain, list) else []:
            if not isinstance(one, dict):
                continue
            name, slot, curves = one.get("name"), one.get("slot"), one.get("curves")
            taken = {kept.slot for kept in self._kept} | {kept.name for kept in self._kept}
            if not (isinstance(name, str) and 0 < len(name) <= LONGEST and isinstance(slot, int)):
                continue
            if slot not in range(MOST) or slot in taken or name in taken or not isinstance(curves, dict):
                continue
            read = {str(plot): found for plot, fields in curves.items() if (found := _read(fields))}
            if read:
                self._kept.append(Reference(name, slot, read))


def _plain(values: Floats) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]


def _read(fields: object) -> Curves:
    """The curves of one plot, without those that are none."""
    found: dict[str, Points] = {}
    for name, parts in fields.items() if isinstance(fields, dict) else []:
        try:
            read = [np.array([np.nan if value is None else float(value) for value in values]) for values in parts]
            x, y, *errors = read
        except (TypeError, ValueError):
            continue
        error = errors[0] if errors else None
        fits = len(errors) < 2 and len(x) - len(y) in (0, 1) and (error is None or len(error) == len(y))
        if fits and (points := thinned(x, y, error)) is not None:
            found[str(name)] = points
    return found
