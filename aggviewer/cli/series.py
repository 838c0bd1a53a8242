"""The course of a run: the columns of its history and, for discs that join, relative contacts at some of the merges."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.files.writing import replacing
from engine.simulation import History
from engine.system import system_of

if TYPE_CHECKING:
    from engine.simulation import Progress, Simulation

_ROWS = 5_000  # rows of the history; more are thinned out, evenly in log M
_SAMPLES = 100  # of the contacts, evenly in log M from N to 1
_FEW_SAMPLES = 25  # for many discs, since one sample takes as long as many merges
_MANY_DISCS = 200_000
_CONTACTS, _CONTACTS_AT = "contacts_relative", 3  # a column in addition to those of the history, and its position


def series_of(simulation: Simulation) -> Series:
    """The quantities that are recorded while a simulation runs."""
    return SampledSeries(simulation) if system_of(simulation.scenario).joins else Series(simulation)


class Series:
    """The history of a simulation, which has all quantities."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    @property
    def next_time(self) -> float:
        """No sample is due at a time."""
        return math.inf

    @property
    def next_clusters(self) -> int:
        """No sample is due at a number of clusters."""
        return 1

    def look(self, reached: Progress) -> None:
        """Take a sample if one is due."""

    def write(self, path: Path) -> None:
        """Write ``time,clusters,kinetic_energy,contacts_relative`` (empty), and what else the history has, by time."""
        history = self._simulation.history()
        columns = {name: getattr(history, name).tolist() for name in history.columns()}
        names = list(columns)
        names.insert(_CONTACTS_AT, _CONTACTS)
        columns[_CONTACTS] = [math.nan] * len(history.time)
        _write(path, names, zip(*(columns[name] for name in names), strict=True))


class SampledSeries(Series):
    """Of discs that join, with their contacts at some of the merges.

    N_c changes at merges, so samples are taken at given numbers of clusters: `next_clusters` is the M of the next one.
    """

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation)
        count = simulation.count
        number = _SAMPLES if count <= _MANY_DISCS else _FEW_SAMPLES
        self._due = sorted({round(m) for m in np.geomspace(1, count, number)} - {count})
        self._rows: list[tuple[float, int, float, float]] = []
        self._frame = simulation.frame()
        self._take()

    @property
    def next_clusters(self) -> int:
        """The number of clusters at which the next sample is due."""
        return self._due[-1] if self._due else 1

    def look(self, reached: Progress) -> None:
        """Take a sample if one is due."""
        if self._due and reached.clusters <= self._due[-1]:
            while self._due and reached.clusters <= self._due[-1]:
                self._due.pop()
            self._take()

    def write(self, path: Path) -> None:
        """Write ``time,clusters,kinetic_energy,contacts_relative``, by time; contacts only where they were sampled."""
        self._take()
        rows = {row[:3]: row[3] for row in self._rows}
        history = self._simulation.history()
        for k in _spread(len(history.time), _ROWS):
            rows.setdefault(
                (float(history.time[k]), int(history.clusters[k]), float(history.kinetic_energy[k])), math.nan
            )
        ordered = sorted(rows, key=lambda row: (row[0], -row[1]))
        _write(path, [*History.columns(), _CONTACTS], ((*key, rows[key]) for key in ordered))

    def _take(self) -> None:
        from engine.analysis import contacts

        simulation = self._simulation
        frame = simulation.frame(self._frame)
        found = contacts(frame.positions, simulation.radii, simulation.box, periodic=simulation.periodic)
        self._rows.append((frame.time, frame.clusters, frame.kinetic_energy, float(found.relative)))


def _write(path: Path, names: Iterable[str], rows: Iterable[tuple[float, ...]]) -> None:
    """A CSV file; nan stays empty."""
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(names) + "\n")
        for row in rows:
            file.write(",".join("" if value != value else repr(value) for value in row) + "\n")


def _spread(length: int, most: int) -> list[int]:
    """Indices of at most about `most` of `length` merges, evenly spaced in the log of the number of later merges."""
    if length <= most:
        return list(range(length))
    left = np.unique(np.round(np.geomspace(1, length, most)).astype(np.int64))
    return [int(length - m) for m in left[::-1]]
