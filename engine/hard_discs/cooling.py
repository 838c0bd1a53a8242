"""What energy does: where it is conserved, and where Haff's law of cooling begins, in stretches of a run with the same
restitution."""

from __future__ import annotations

from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs.section import HardDiscs
from engine.hard_discs.theory import mixture_collision_rate

NO_LAW = -1.0
"""Stands in the place of the restitution where energy does not follow Haff's law: with gravity, growth, lossy walls."""

_FLUID_TO = 0.70  # volume fraction up to which Enskog's rate is known within a percent or two
_SETTLED = 10.0  # collisions per disc after which an elastic gas is in equilibrium
_PRECISE = 100_000  # collisions from which a measured rate is better than Enskog's


class Stretch(NamedTuple):
    """From `time` on discs collide with `restitution` (`NO_LAW` where no law holds). energy : kinetic, at that time;
    rate : collisions per disc and time of a gas in equilibrium with that energy, 0 where it is not known."""

    time: float
    restitution: float
    energy: float
    rate: float


def conserves_energy(hard: HardDiscs, periodic: bool) -> bool:
    """Whether kinetic and potential energy together stay what they are: discs, and walls where there are any, give all
    of it back at an impact, and nothing grows into the others. Gravity only turns one into the other."""
    return hard.restitution == 1.0 and _discs_alone_lose_energy(hard, periodic)


def law_restitution(hard: HardDiscs, periodic: bool) -> float:
    """The restitution that Haff's law has with these settings, `NO_LAW` where there is no such law."""
    return hard.restitution if _discs_alone_lose_energy(hard, periodic) and not any(hard.gravity) else NO_LAW


def _discs_alone_lose_energy(hard: HardDiscs, periodic: bool) -> bool:
    """Whether nothing but collisions between discs changes their energy: no growth, no walls that keep some of it."""
    return hard.growth_rate == 0.0 and (periodic or hard.wall_restitution == 1.0)


def next_stretch(stretches: list[Stretch], new: Stretch) -> list[Stretch]:
    """`stretches` with `new` at their end. One that has no length goes: a control was dragged meanwhile."""
    last = stretches[-1]
    if new.time > last.time:
        return [*stretches, new]
    before = stretches[:-1]
    if before and before[-1].restitution == new.restitution:
        return before
    return [*before, new._replace(rate=last.rate)]  # the last one knows what was measured before it


def settled(time: NDArray[np.float64], collisions: NDArray[np.int64], count: int, since: float) -> tuple[float, int]:
    """Collisions per disc and time in the second half of what an elastic gas of `count` discs has done from `since` to
    the end of its history, time and collisions (K,), and how many they were; (0, 0) where it has hardly come into
    equilibrium."""
    rows = np.flatnonzero(time >= since)
    if len(rows) < 3 or 2.0 * (collisions[rows[-1]] - collisions[rows[0]]) < _SETTLED * count:
        return 0.0, 0
    first, last = rows[0], rows[-1]
    half = rows[int(np.searchsorted(time[rows], 0.5 * (time[first] + time[last])))]
    passed, counted = float(time[last] - time[half]), int(collisions[last] - collisions[half])
    return (2.0 * counted / (count * passed), counted) if passed > 0.0 else (0.0, 0)


def first_rate(
    radii: NDArray[np.float64],
    masses: NDArray[np.float64],
    area: float,
    temperature: float,
    settled_before: tuple[float, int],
) -> float:
    """The collision rate with which Haff's law begins, 0 where nothing is known of it.

    Enskog's, as long as the discs (N,) are a fluid; what was measured in the elastic gas before (see `settled`) where
    that is more precise.
    """
    measured, counted = settled_before
    fluid = pi * float(np.square(radii).sum()) / area <= _FLUID_TO
    if counted >= _PRECISE or not fluid:
        return measured
    return mixture_collision_rate(radii, masses, area, temperature)


STRETCH = np.dtype([(name, "f8") for name in Stretch._fields], align=True)
"""A `Stretch` in a checkpoint."""


def to_array(stretches: list[Stretch]) -> NDArray[Any]:
    """(S,), for a checkpoint."""
    return np.array(stretches, STRETCH)


def from_array(rows: NDArray[Any]) -> list[Stretch]:
    """The stretches that `to_array` was given."""
    return [Stretch(*row) for row in rows.tolist()]
