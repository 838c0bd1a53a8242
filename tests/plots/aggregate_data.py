"""Made-up data of discs that stick, and the discs of a system of any kind. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from aggviewer.session.data import Analysis, DiscSet
from aggviewer.systems.aggregation.analysis import AggregateData, Minimisations, Rotation, SizesAt
from engine.aggregation.time_stepping.simulation import Convergence
from engine.analysis import Indicators
from engine.scenario import Scenario
from engine.simulation import History

NOTHING = SimpleNamespace(**dict.fromkeys(field.name for field in fields(Indicators)))
TOLERANCE = 1e-3


def system_of(scenario: Scenario, count: int, radius: float) -> DiscSet:
    """Equal discs in a box of 20 times 20, or spheres in one of 20 times 20 times 20."""
    periodic = scenario.box.boundary == "periodic"
    box = np.full(scenario.dimensions, 20.0)
    return DiscSet(scenario, np.full(count, radius), np.ones(count), box, periodic, count)


def history(power: float = -0.8) -> History:
    """M falls as a power of time, in whole numbers."""
    time = np.geomspace(0.1, 100.0, 200)
    clusters = np.rint(400.0 * np.minimum(1.0, time**power)).astype(np.int64)
    return History(time, clusters, 3.0 * (clusters / 400) ** 1.5)


def merging(count: int, entries: int) -> History:
    """One cluster less at each entry, from t = 0 to 10."""
    clusters = count - np.arange(entries)
    return History(np.linspace(0.0, 10.0, entries), clusters, 3.0 * (clusters / count) ** 1.5)


SWITCHED = replace(merging(400, 60), stretches=(("event-driven", 0), ("time-stepping", 20), ("event-driven", 45)))
"""Of a run whose method was switched twice."""


def aggregate(
    indicators: Any = None,
    history: Any = None,
    time: float = 0.0,
    *,
    count: int = 400,
    radius: float = 0.25,
    convergence: Any = None,
    tolerance: float = TOLERANCE,
    sizes: tuple[SizesAt, ...] = (),
    rotation: Rotation | None = None,
    dimensions: int = 2,
) -> Analysis:
    """A measured state of discs that stick; without indicators nothing was measured of it."""
    system = system_of(Scenario().with_values({"dimensions": dimensions}), count, radius)
    steps = None if convergence is None else Minimisations.of(convergence, tolerance)
    return Analysis(system, time, indicators or NOTHING, history, AggregateData(steps, sizes, rotation))


def steps_of(iterations: Any, failed: Any = None, residual: Any = None) -> Convergence:
    """Time steps with these iterations, groups that did not converge, and residuals; step k is at (k + 1/4, 10 k)."""
    count = len(iterations)
    numbers, ones = np.arange(count), np.ones(count, np.int64)
    failed = np.zeros(count, np.int64) if failed is None else np.asarray(failed, np.int64)
    residual = np.full(count, 0.5 * TOLERANCE) if residual is None else np.asarray(residual)
    places = np.column_stack([numbers + 0.25, 10.0 * numbers])
    return Convergence(0.1 * (numbers + 1), np.asarray(iterations, np.int64), residual, failed, ones, ones, places)


def failures(count: int, numbers: Sequence[int]) -> np.ndarray:
    """(count,), 1 for these steps."""
    found = np.zeros(count, np.int64)
    found[list(numbers)] = 1
    return found
