"""How a run went: clusters and kinetic energy at the merges, relative contacts at some of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.files.atomic import replacing
from engine.simulation import GasHistory, JammingHistory

if TYPE_CHECKING:
    from engine.simulation import Simulation

_ROWS = 5_000  # of the history; more are thinned, evenly in log M
_SAMPLES = 100  # of the contacts, evenly in log M from N to 1
_FEW_SAMPLES = 25  # for many discs, where one sample takes as long as many merges
_MANY_DISCS = 200_000


def series_of(simulation: Simulation) -> AnySeries:
    """The samples that fit to a simulation."""
    kinds: dict[str, type[AnySeries]] = {"hard-discs": GasSeries, "jamming": JammingSeries}
    return kinds.get(simulation.system, Series)(simulation)


class Series:
    """Takes samples of a simulation while it runs.

    N_c changes at merges, so samples follow the number of clusters: `next_clusters` is the M of the next one.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
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

    def sample(self, clusters: int) -> None:
        """Take a sample if one is due at `clusters`."""
        if self._due and clusters <= self._due[-1]:
            while self._due and clusters <= self._due[-1]:
                self._due.pop()
            self._take()

    def write(self, path: Path) -> None:
        """Write ``time,clusters,kinetic_energy,contacts_relative``, by time; contacts stand where sampled."""
        self._take()
        rows = {row[:3]: row[3] for row in self._rows}
        history = self._simulation.history()
        for k in _spread(len(history.time), _ROWS):
            rows.setdefault(
                (float(history.time[k]), int(history.clusters[k]), float(history.kinetic_energy[k])), float("nan")
            )
        with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
            file.write("time,clusters,kinetic_energy,contacts_relative\n")
            for key in sorted(rows, key=lambda row: (row[0], -row[1])):
                contacts = rows[key]
                file.write(f"{key[0]!r},{key[1]},{key[2]!r},{'' if np.isnan(contacts) else repr(contacts)}\n")

    def _take(self) -> None:
        from engine.analysis import contacts

        simulation = self._simulation
        frame = simulation.frame(self._frame)
        found = contacts(frame.positions, simulation.radii, simulation.box, periodic=simulation.periodic)
        self._rows.append((frame.time, frame.clusters, frame.kinetic_energy, float(found.relative)))


class GasSeries:
    """Has what `Series` has. Discs that bounce: no clusters change, and everything is in the history."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    @property
    def next_clusters(self) -> int:
        """None is due."""
        return 1

    def sample(self, clusters: int) -> None:
        """Nothing to do."""

    def write(self, path: Path) -> None:
        """Write ``time,clusters,kinetic_energy,contacts_relative`` (empty) and
        ``collisions,virial,volume_fraction``, by time."""
        history = self._simulation.history()
        assert isinstance(history, GasHistory)
        columns = (history.time, history.clusters, history.kinetic_energy)
        more = (history.collisions, history.virial, history.volume_fraction)
        with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
            file.write("time,clusters,kinetic_energy,contacts_relative,collisions,virial,volume_fraction\n")
            for row in zip(*(column.tolist() for column in (*columns, *more)), strict=True):
                file.write(f"{row[0]!r},{row[1]},{row[2]!r},,{row[3]},{row[4]!r},{row[5]!r}\n")


class JammingSeries(GasSeries):
    """Of discs that jam: everything is in the history too."""

    def write(self, path: Path) -> None:
        """Write ``time,clusters,kinetic_energy,contacts_relative`` (empty) and the columns of the history, a row for
        each program."""
        history = self._simulation.history()
        assert isinstance(history, JammingHistory)
        columns = {name: values.tolist() for name, values in vars(history).items() if isinstance(values, np.ndarray)}
        names = list(columns)
        names.insert(3, "contacts_relative")
        columns["contacts_relative"] = [np.nan] * len(history.time)
        with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
            file.write(",".join(names) + "\n")
            for row in zip(*(columns[name] for name in names), strict=True):
                file.write(",".join("" if value != value else repr(value) for value in row) + "\n")


AnySeries = Series | GasSeries


def _spread(length: int, most: int) -> list[int]:
    """Indices of at most about `most` of `length` merges, evenly in the logarithm of the merges still to come."""
    if length <= most:
        return list(range(length))
    left = np.unique(np.round(np.geomspace(1, length, most)).astype(np.int64))
    return [int(length - m) for m in left[::-1]]
