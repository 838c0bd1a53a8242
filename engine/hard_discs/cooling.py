"""Conservation of energy, and the constants of Haff's law of cooling in each stretch of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs.fields import GasHistory
from engine.hard_discs.pressure import Counted, memory, z_between
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.theory import FLUID_TO, haff, mixture_collision_rate
from engine.state import volume_fraction

NO_LAW = -1.0
"""Stands for the restitution if Haff's law does not hold: with gravity, growth or inelastic walls."""

_SETTLED = 10.0  # collisions per disc after which an elastic gas is in equilibrium
_PRECISE = 100_000  # number of collisions from which a measured rate is more accurate than Enskog's


class Stretch(NamedTuple):
    """A part of a run with one restitution.

    time : its beginning; restitution : `NO_LAW` if Haff's law does not hold; energy : thermal, at its beginning (see
        `GasHistory`); rate : collisions per disc and time in an equilibrium gas with that energy, 0 if unknown.
    """

    time: float
    restitution: float
    energy: float
    rate: float


def conserves_energy(hard: HardDiscs, periodic: bool) -> bool:
    """Whether kinetic plus potential energy is constant: discs do not grow, and they and the walls are elastic."""
    return hard.restitution == 1.0 and _discs_alone_lose_energy(hard, periodic)


def law_restitution(hard: HardDiscs, periodic: bool) -> float:
    """The restitution in Haff's law with these settings, `NO_LAW` if it does not hold."""
    return hard.restitution if _discs_alone_lose_energy(hard, periodic) and not any(hard.gravity) else NO_LAW


def _discs_alone_lose_energy(hard: HardDiscs, periodic: bool) -> bool:
    """Whether only collisions between discs can change the energy: they do not grow, and walls are elastic."""
    return hard.growth_rate == 0.0 and (periodic or hard.wall_restitution == 1.0)


def next_stretch(stretches: list[Stretch], new: Stretch) -> list[Stretch]:
    """`stretches` with `new` at the end, without those of length 0 (from dragging a control)."""
    last = stretches[-1]
    if new.time > last.time:
        return [*stretches, new]
    before = stretches[:-1]
    if before and before[-1].restitution == new.restitution:
        return before
    return [*before, new._replace(rate=last.rate)]  # the last one has the rate measured before it


def settled(
    history: GasHistory, count: int, dimensions: int, since: float = 0.0, before: float = 0.0
) -> tuple[float, int]:
    """The collision rate of an elastic gas in equilibrium, measured in the second half of a part of its history.

    Parameters
    ----------
    history
        Up to now.
    count
        Number of discs.
    dimensions
        2 for discs, 3 for spheres.
    since
        When the part begins; it ends with the history.
    before
        Collisions per disc in the same conditions before that.

    Returns
    -------
    The rate ω and the number of collisions in that half, which is 0 if discs may remember there where they were placed
    (`pressure.memory`); (0, 0) if the gas has not reached equilibrium.
    """
    time, collisions = history.time, history.collisions
    rows = np.flatnonzero(time >= since)
    if len(rows) < 3 or 2.0 * (collisions[rows[-1]] - collisions[rows[0]]) < _SETTLED * count:
        return 0.0, 0
    first, last = rows[0], rows[-1]
    half = rows[int(np.searchsorted(time[rows], 0.5 * (time[first] + time[last])))]
    passed, counted = float(time[last] - time[half]), int(collisions[last] - collisions[half])
    if not passed > 0.0:
        return 0.0, 0
    z = float(z_between(Counted(collisions, history.virial, history.heat), count, [half, last])[0])
    met = before + 2.0 * float(collisions[half] - collisions[first]) / count
    remembers = met < memory(float(history.volume_fraction[last]), z, dimensions)
    return 2.0 * counted / (count * passed), 0 if remembers else counted


def first_rate(
    radii: NDArray[np.float64],
    masses: NDArray[np.float64],
    box: NDArray[np.float64],
    temperature: float,
    settled_before: tuple[float, int],
) -> float:
    """The collision rate ω₀ of Haff's law, 0 if unknown.

    Enskog's if the discs (N,) are a fluid; that measured before in the elastic gas, `settled_before` (see `settled`),
    if they are denser or if it is more precise.
    """
    measured, counted = settled_before
    fluid = volume_fraction(radii, box) <= FLUID_TO[len(box)]
    if counted >= _PRECISE or not fluid:
        return measured
    return mixture_collision_rate(radii, masses, float(box.prod()), temperature, len(box))


def haffs_law(
    stretches: Sequence[Stretch], t: NDArray[np.float64], dimensions: int = 2
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Haff's law E = E₀ / (1 + t/τ)², once for each part of a run with the same restitution.

    Parameters
    ----------
    stretches : these parts, in order.
    t : (K,), rising times.
    dimensions : 2 for discs, 3 for spheres.

    Returns
    -------
    The index of the part of each time, and the thermal energy by its law; NaN where there is no law, None if there
    never is one or if no energy is ever lost.
    """
    number = np.searchsorted([one.time for one in stretches], t, side="right") - 1
    law = np.full(len(t), np.nan)
    for k, one in enumerate(stretches):
        held = number == k
        if one.restitution == 1.0:
            law[held] = one.energy
        elif one.restitution >= 0.0 and one.rate > 0.0:
            law[held] = haff(t[held] - one.time, one.restitution, one.rate, one.energy, dimensions)
    says = any(0.0 <= one.restitution < 1.0 and one.rate > 0.0 for one in stretches)
    return number.astype(np.int64), law if says else None
