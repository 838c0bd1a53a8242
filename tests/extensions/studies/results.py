"""Small studies with rows that a test makes up, or that are run in the process of the test."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from aggviewer.extensions.studies.results import Results
from engine.study import Study
from engine.study.one_run import Row
from engine.study.quantities import CurveQuantity
from engine.study.store import Store

STUDY: dict[str, Any] = {
    "title": "Two volume fractions",
    "scenario": "lattice-100",
    "vary": [{"key": "discs.volume_fraction", "values": [0.1, 0.2]}],
    "seeds": {"first": 3, "count": 4},
    "measure": {"quantities": ["contacts_relative"], "curves": ["pair_distribution", "history.clusters"]},
}


def row(point: int, seed: int, value: float, **more: Any) -> Row:
    """A run that has succeeded, with one number and a curve y = value · x."""
    x = np.arange(1.0, 6.0)
    curves = {"pair_distribution": CurveQuantity(x, value * x, "r", "p")}
    return Row(point, seed, "done", numbers={"contacts_relative": value}, curves=curves, seconds=1.0, **more)


def failure(point: int, seed: int, why: str = "it broke") -> Row:
    """A run that has failed."""
    return Row(point, seed, "failed", error=why)


def store_rows(folder: Path, rows: Iterable[Row]) -> None:
    """Add rows to the file of a study, as its process does."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder)
    store.add(rows)
    store.close()


def results_of(folder: Path, rows: Iterable[Row], **changes: Any) -> Results:
    """What a window has read of these rows."""
    store_rows(folder, rows)
    results = Results(Study.from_values(STUDY | changes), folder)
    read_all(results)
    return results


def read_all(results: Results) -> None:
    """Take in all rows that have come."""
    assert results.read()
    while results.behind:
        results.read()
