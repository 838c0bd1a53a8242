"""What the plots of discs that jam draw. Forces are over their mean, gaps and displacements over the mean diameter σ.
No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import JammingData
from engine.jamming.section import Jamming
from engine.simulation import JammingHistory, self_stresses_in_words

if TYPE_CHECKING:
    from engine.analysis import Density, PackingIndicators, PooledPackings

Floats = NDArray[np.float64]
NOTHING: Floats = np.empty(0)


@dataclass(frozen=True)
class Programs:
    """One entry per program, (K,): number; inflation: √Γ - 1; displacement: max |s| of discs that are no rattlers;
    isostatic_gap, NaN where there is none; then the tolerances of the first two; why: what makes the last gap more than
    0, in words."""

    number: Floats
    inflation: Floats
    displacement: Floats
    isostatic_gap: Floats
    tolerance_inflation: float
    tolerance_displacement: float
    why: str = ""


@dataclass(frozen=True)
class Sampled:
    """A density with the values (n,) behind it; None where there are none."""

    density: Density | None
    values: Floats


@dataclass(frozen=True)
class Laws:
    """Forces of extended contacts and of those of bucklers, discs that three contacts hold, or gaps alone. own : of the
    packing that is shown; pooled : of all packings of its settings; packings : how many those are; ended : no program
    is left to be solved, else there are no power laws of its own."""

    own: tuple[Sampled, ...]
    pooled: tuple[Sampled, ...]
    packings: int
    ended: bool


@dataclass(frozen=True)
class DiscContacts:
    """discs (k,): with 0, 1, … contacts that carry a force; rattlers: how many of them are; mean: contacts per disc
    that is none, None where all are."""

    discs: NDArray[np.int64]
    rattlers: int
    mean: float | None


@dataclass(frozen=True)
class Filling:
    """number, fraction (K,): volume fraction after each program; the first is the start."""

    number: Floats
    fraction: Floats


JammingRecords = tuple[Programs | None, Laws | None, Laws | None, DiscContacts | None, Filling | None]


def jamming_records(data: JammingData) -> JammingRecords:
    """Convergence, forces, gaps, contacts per disc, volume fraction; None for what is not there."""
    history, found = data.history, data.indicators
    steps = filling = None
    if isinstance(history, JammingHistory):
        steps, filling = programs(history, data.scenario.section(Jamming)), filled(history)
        if steps is not None and data.ended and found is not None and found.isostatic_gap is not None:
            # the last program's forces have been balanced since: contacts are those of the packing
            steps.isostatic_gap[-1] = found.isostatic_gap
            if found.isostatic_gap > 0:
                steps = replace(steps, why=self_stresses_in_words(data.patches))
    # before the end small forces and gaps are those of a chain under way: no power law
    own, pooled = _laws(found, fitted=data.ended), _laws(data.pooled)
    packings = data.pooled.packings if data.pooled is not None else 0
    forces, gaps = (Laws(own[k], pooled[k], packings, data.ended) for k in (slice(2), slice(2, None)))
    contacts = None if found is None else disc_contacts(found.contacts_histogram, found.rattlers)
    return steps, forces, gaps, contacts, filling


def _laws(found: PackingIndicators | PooledPackings | None, *, fitted: bool = True) -> tuple[Sampled, ...]:
    """Forces of extended contacts and of bucklers, gaps."""
    if found is None:
        return (Sampled(None, NOTHING),) * 3
    values = found.samples
    parts = (
        (found.extended_forces, values.extended),
        (found.buckler_forces, values.bucklers),
        (found.gaps, values.gaps),
    )
    return tuple(
        Sampled(density if fitted or density is None else replace(density, fit=None), some) for density, some in parts
    )


def programs(history: JammingHistory, limits: Jamming) -> Programs | None:
    """How far each program has still come; None before the first."""
    if len(history.time) < 2:
        return None
    return Programs(
        history.time[1:],
        history.inflation[1:],
        history.displacement[1:],
        np.where(history.contacts[1:] > 0, history.isostatic_gap[1:], np.nan),
        limits.tolerance_inflation,
        limits.tolerance_displacement,
    )


def filled(history: JammingHistory) -> Filling | None:
    """The volume fraction from the start on; None where it is not known."""
    known = np.isfinite(history.volume_fraction)
    return Filling(history.time[known], history.volume_fraction[known]) if known.any() else None


def disc_contacts(histogram: NDArray[np.int64], rattlers: int) -> DiscContacts | None:
    """histogram (k,): discs with 0, 1, … contacts. None before there are contacts."""
    if len(histogram) < 2 or not histogram[1:].any():
        return None
    stable = int(histogram.sum()) - rattlers
    contacts = float(histogram @ np.arange(len(histogram)))
    return DiscContacts(histogram, rattlers, contacts / stable if stable else None)
