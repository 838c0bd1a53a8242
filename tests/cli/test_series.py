"""The columns and rows of series.csv, of runs whose history is written out by hand."""

from __future__ import annotations

import csv
from math import nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from aggviewer.cli.output import SampledSeries, Series
from engine.hard_discs.fields import GasHistory
from engine.simulation import History

TIME = np.array([0.0, 0.1, 1.0 / 3.0])


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def test_a_gas_has_the_columns_of_its_history_and_no_contacts(tmp_path: Path) -> None:
    history = GasHistory(
        time=TIME,
        clusters=np.array([5, 5, 5]),
        kinetic_energy=np.array([2.5, nan, 2.0 / 3.0]),
        collisions=np.array([0, 4, 8]),
        virial=np.array([0.0, 1.25, 2.75]),
        volume_fraction=np.full(3, 0.3),
        thermal_energy=np.array([2.0, 1.5, 0.5]),
        heat=np.array([0.0, 0.175, 0.4]),
    )
    simulation: Any = SimpleNamespace(history=lambda: history)
    Series(simulation).write(tmp_path / "series.csv")
    names, *rows = rows_of(tmp_path / "series.csv")
    assert names == [
        "time",
        "clusters",
        "kinetic_energy",
        "contacts_relative",
        "collisions",
        "virial",
        "volume_fraction",
        "thermal_energy",
        "heat",
    ]
    assert rows[1] == ["0.1", "5", "", "", "4", "1.25", "0.3", "1.5", "0.175"]
    assert [float(row[0]) for row in rows] == TIME.tolist(), "all digits"
    assert float(rows[2][2]) == 2.0 / 3.0


class ThreeMerges:
    """Four discs of which two pairs merge at the same time, and all of them later."""

    count, periodic = 4, False
    radii, box = np.full(4, 0.5), np.array([9.0, 9.0])

    def __init__(self) -> None:
        self.now = 0

    def history(self) -> History:
        rows = slice(0, self.now + 1)
        time, clusters = np.array([0.0, 1.5, 1.5, 4.0]), np.array([4, 3, 2, 1])
        return History(time[rows], clusters[rows], np.array([8.0, 6.0, 4.0, 1.0])[rows])

    def frame(self, into: object = None) -> Any:
        history = self.history()
        positions = np.array([[1.0, 1.0], [2.0 if self.now else 3.0, 1.0], [5.0, 5.0], [7.0, 7.0]])
        return SimpleNamespace(
            time=float(history.time[-1]), clusters=int(history.clusters[-1]), positions=positions,
            kinetic_energy=float(history.kinetic_energy[-1]),
        )  # fmt: skip


def test_discs_that_join_have_contacts_where_they_were_sampled(tmp_path: Path) -> None:
    simulation: Any = ThreeMerges()
    series = SampledSeries(simulation)
    assert series.next_clusters == 3
    simulation.now = 1
    series.look(SimpleNamespace(clusters=3))  # type: ignore[arg-type]
    assert series.next_clusters == 2
    simulation.now = 3
    series.write(tmp_path / "series.csv")
    names, *rows = rows_of(tmp_path / "series.csv")
    assert names == ["time", "clusters", "kinetic_energy", "contacts_relative"]
    # two merges at one time stand in their order; N_c = (1 + contacts of a disc) / 6
    lone, pair = repr(1.0 / 6.0), repr(1.5 / 6.0)
    assert rows == [
        ["0.0", "4", "8.0", lone],
        ["1.5", "3", "6.0", pair],
        ["1.5", "2", "4.0", ""],
        ["4.0", "1", "1.0", pair],
    ]
