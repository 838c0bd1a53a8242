"""Further results of a run of hard discs: cooling relative to Haff's law, separations at impact."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs.fields import GasHistory
from engine.hard_discs.pressure import Stretch, haffs_law
from engine.simulation import History

if TYPE_CHECKING:
    from engine.capabilities import CollisionCounting
    from engine.hard_discs.measures import GasMeasures

CLUSTERED = 1.2
"""T over Haff's law above which discs count as clustered; before, the law holds to a few percent."""

EARLY = 20.0
"""Collisions per disc up to which Haff's law is expected to hold for nearly elastic, dilute discs."""

NEAR = 256
"""Range, in units in the last place on both sides, in which separations at impact are listed one by one."""

_POINTS = 200  # of the curve of the cooling


def reduced_rate(measures: GasMeasures, radii: NDArray[np.float64], masses: NDArray[np.float64]) -> float | None:
    """ω ⟨σ⟩ √(⟨m⟩ / kT), a number without a unit; None if the temperature is not constant. radii, masses : (N,)."""
    if measures.energy_drift is None or not measures.temperature > 0.0:
        return None
    return measures.collision_rate * 2.0 * float(radii.mean()) * sqrt(float(masses.mean()) / measures.temperature)


def cooling(history: History, stretches: Sequence[Stretch], count: int, dimensions: int = 2) -> dict[str, Any]:
    """The temperature relative to Haff's law, ready for JSON; values are None if the law does not hold.

    Returns
    -------
    ``temperature_over_haff`` at the end; ``over_haff_after_20``, after `EARLY` collisions per disc, None before that;
    ``temperature_after_20``, the temperature then over that at the start; ``clustering_onset``, collisions per disc
    after which the ratio stays above `CLUSTERED`, None if it is not above at the end; ``cooling``, the ratio over the
    collisions per disc C.
    """
    names = ("temperature_over_haff", "over_haff_after_20", "temperature_after_20", "clustering_onset", "cooling")
    nothing = dict.fromkeys(names)
    law = haffs_law(stretches, history.time, dimensions)[1]
    if law is None or not isinstance(history, GasHistory):
        return nothing
    known = np.isfinite(law) & (law > 0.0)
    if not known.any():
        return nothing
    energy = history.thermal_energy[known]
    ratio = energy / law[known]
    each = 2.0 * history.collisions[known] / count
    below = np.flatnonzero(ratio <= CLUSTERED)
    last = int(below[-1]) if len(below) else -1
    kept = np.unique(np.linspace(0, len(each) - 1, min(len(each), _POINTS)).round().astype(np.int64))
    return {
        "temperature_over_haff": float(ratio[-1]),
        "over_haff_after_20": float(np.interp(EARLY, each, ratio)) if each[-1] >= EARLY else None,
        "temperature_after_20": float(np.interp(EARLY, each, energy) / energy[0]) if each[-1] >= EARLY else None,
        "clustering_onset": float(each[last + 1]) if last + 1 < len(each) else None,
        "cooling": {"collisions_per_disc": each[kept].tolist(), "over_haff": ratio[kept].tolist()},
    }


def impacts(counts: CollisionCounting) -> dict[str, Any]:
    """Separations |r_ij| - σ at the impacts, in units in the last place of σ, ready for JSON; None if they were not
    counted.

    Returns
    -------
    ``overlapping_impacts``, the share of those below 0; ``impact_separations``, ``ulps`` from -`NEAR` to `NEAR` with
    the ``share`` of the impacts at each.
    """
    edges, found = counts.impact_histogram()
    total = int(found.sum())
    if not total:
        return {"overlapping_impacts": None, "impact_separations": None}
    middle = 0.5 * (edges[1:] + edges[:-1])
    near = np.abs(middle) <= NEAR
    return {
        "overlapping_impacts": float(found[middle < 0.0].sum() / total),
        "impact_separations": {"ulps": middle[near].tolist(), "share": (found[near] / total).tolist()},
    }
