"""What the plots draw, in units of R where it is a length. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class BoxCounts:
    """eps (K,): side of the boxes over R, n (K,): occupied boxes; fit: N = prefactor (eps/R)^-dimension, as
    (dimension, prefactor), None where less than two sizes lie in the range of the fit."""

    eps: NDArray[np.float64]
    n: NDArray[np.float64]
    fit: tuple[float, float] | None


@dataclass(frozen=True)
class PairCounts:
    """r (K,): distance over R; p (K,): P(r)."""

    r: NDArray[np.float64]
    p: NDArray[np.float64]


@dataclass(frozen=True)
class Contacts:
    """histogram (k,): discs with 0, 1, … neighbours; relative: N_c."""

    histogram: NDArray[np.int64]
    relative: float | None


@dataclass(frozen=True)
class Coarsening:
    """time, clusters, kinetic_energy (K,): since the start, or the first frame of a recording; now: the time up to
    which the last entry holds; count: N; stretches: the methods that have made it one after the other, each with the
    index of its first entry, empty where that is not known."""

    time: NDArray[np.float64]
    clusters: NDArray[np.int64]
    kinetic_energy: NDArray[np.float64]
    now: float
    count: int
    stretches: tuple[tuple[str, int], ...] = ()


Records = tuple[BoxCounts | None, PairCounts | None, Contacts | None, Coarsening | None]


def records(indicators: Any, history: Any, time: float, radius: float, count: int) -> Records:
    """Engine Indicators and History (either may be None) at the simulation time `time`, for `count` discs of mean
    `radius`; None for what is not there."""
    boxes = pairs = contacts = coarsening = None
    counting = getattr(indicators, "box_counting", None)
    if counting is not None:
        fit = indicators.fractal_fit
        boxes = BoxCounts(
            np.asarray(counting["eps"], np.float64) / radius,
            np.asarray(counting["n"], np.float64),
            None if fit is None else (fit.dimension, fit.prefactor * radius**-fit.dimension),
        )
    distribution = getattr(indicators, "pair_distribution", None)
    if distribution is not None:
        r = np.asarray(distribution["r"], np.float64) / radius
        pairs = PairCounts(r, np.asarray(distribution["p"], np.float64))
    histogram = getattr(indicators, "contacts_histogram", None)
    if histogram is not None:
        contacts = Contacts(np.asarray(histogram, np.int64), indicators.contacts_relative)
    if history is not None and len(history.time):
        coarsening = Coarsening(history.time, history.clusters, history.kinetic_energy, time, count, history.stretches)
    return boxes, pairs, contacts, coarsening
