"""What follows from the collisions and the energy of a gas during a run: its pressure, and Haff's law of cooling.

Z = 1 + Σ |Δp · r| / (d N kT t), where d N kT / 2 is the thermal energy times N / (N - 1): in a periodic box without the
motion of the centre of mass. It holds for each part of a run, so a mean over time may leave out the beginning. The
constants of Haff's law are those of each stretch of a run; at restitution 1 energy is conserved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import Periodic
from engine.hard_discs.fields import GasHistory
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.theory import FLUID_TO, haff, mixture_collision_rate
from engine.state import volume_fraction

_A_POINT = 5.0  # least number of collisions per disc in a piece of a path
_POINTS = 80  # most pieces
_A_PIECE = 2.0  # least number of collisions per disc in a piece of a mean; shorter ones depend on each other
_FEWEST_PIECES, _MOST_PIECES = 8, 20  # for the error of a mean
_ALIKE = 2.0  # over √n: n pieces count as dependent if neighbours correlate more than this
_AT_LEAST = 3.0  # collisions per disc in which speeds become those of Maxwell


@dataclass(frozen=True)
class MeanPressure:
    """Z as a mean over time.

    z : nan for a gas at rest, and without any time; error : its standard error, nan if it is not known; left_out :
    collisions per disc at the beginning that do not count.
    """

    z: float
    error: float = nan
    left_out: float = 0.0


@dataclass(frozen=True)
class Counted:
    """What a gas has counted at some moments, each (K,) and rising: pair collisions, Σ |Δp · r| over them, and the
    integral of the thermal energy over time."""

    collisions: NDArray[np.int64]
    virial: Floats
    heat: Floats


def mean_pressure(
    counted: Counted, count: int, fraction: float | None, dimensions: int, before: float = 0.0
) -> MeanPressure:
    """Z as a mean over all that has been counted except the time in which discs forget where they were placed.

    Parameters
    ----------
    counted : since the beginning of the measurement, the first entry, up to now, the last one; at least two entries.
    count : N.
    fraction : the volume fraction, None if it has changed: then all of it counts, and there is no error.
    dimensions : 2 for discs, 3 for spheres.
    before : collisions per disc in the same conditions before that.

    Notes
    -----
    A crystal that melts has another Z for as long as most discs stay beside the same neighbours, and shows no trend
    at first. So what is left out does not follow from the values of Z but from `memory`. A shorter run has a mean over
    its last 16 collisions per disc (or its later half), without an error.

    The error is that of a mean over at most 20 pieces of equal length, widened by √((n - 1) / (n - 3)) for n pieces,
    so that Z is off by 1.0 times the error (root mean square) whatever their number. It is nan for fewer than 8 pieces,
    each of at least two collisions per disc, and if neighbouring pieces are correlated, as where a gas still flows.
    """
    met = 2.0 * (counted.collisions - counted.collisions[0]) / count
    end, last = float(met[-1]), len(met) - 1
    if fraction is None:
        return MeanPressure(float(z_between(counted, count, [0, last])[0]))

    def from_here(least: float) -> int:
        """The first entry after so many collisions per disc that is not the last one."""
        return min(int(np.searchsorted(met, least)), last - 1)

    later = float(z_between(counted, count, [from_here(0.5 * end), last])[0])
    forgotten = max(_AT_LEAST, memory(fraction, later, dimensions)) - before
    enough = _A_PIECE * _FEWEST_PIECES
    first = from_here(min(forgotten, max(0.5 * end, end - enough)))
    z, left_out = float(z_between(counted, count, [first, last])[0]), float(met[first])
    if not isfinite(z) or left_out < forgotten or end - left_out < enough:
        return MeanPressure(z, nan, left_out)
    pieces = min(int((end - left_out) / _A_PIECE), _POINTS)
    rows = first + np.searchsorted(met[first:], np.linspace(left_out, end, pieces + 1))
    return MeanPressure(z, _error(z_between(counted, count, np.unique(np.minimum(rows, last)))), left_out)


def memory(fraction: float, z: float, dimensions: int) -> float:
    """Collisions of a disc in which it diffuses as far as to its neighbours, n^(-1/d) for n discs per volume.

    With Enskog's rates of collision and diffusion in a fluid of equal discs (Chapman and Cowling 1970, §16.2; Gass 1971
    in the plane), 4 φ g² and, of spheres, (16 π / 9) (6 φ / π)^(4/3) g². The value at contact g follows from Z.
    """
    g = max(z - 1.0, 0.0) / (2.0 ** (dimensions - 1) * fraction)
    if dimensions > 2:
        return float(16.0 * pi / 9.0 * (6.0 * fraction / pi) ** (4.0 / 3.0) * g * g)
    return 4.0 * fraction * g * g


def pressure_in_pieces(history: GasHistory, count: int) -> tuple[Floats, Floats]:
    """V_f and Z of pieces of a history.

    Parameters
    ----------
    history : of a gas in a periodic box.
    count : N.

    Returns
    -------
    V_f and Z, (K,) each, in the middle of the pieces; empty for too few collisions.

    Notes
    -----
    A piece has at least five collisions per disc, so that its Z is known to about 1/√(5 N).
    """
    met = 2.0 * history.collisions / count
    pieces = int(min((met[-1] - met[0]) / _A_POINT, _POINTS))
    if pieces < 1:
        return np.empty(0), np.empty(0)
    rows = np.unique(np.searchsorted(met, np.linspace(met[0], met[-1], pieces + 1)))
    rows = np.minimum(rows, len(met) - 1)
    z = z_between(Counted(history.collisions, history.virial, history.heat), count, rows)
    fraction = history.volume_fraction[rows]
    good = np.isfinite(z) & (z > 0.0)
    return 0.5 * (fraction[1:] + fraction[:-1])[good], z[good]


def z_between(counted: Counted, count: int, rows: Sequence[int] | NDArray[np.intp]) -> Floats:
    """Z from each of K rows to the next, (K - 1,); not finite where no time or no motion lies between them."""
    heat = np.diff(counted.heat[rows]) * count / max(count - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1.0 + np.diff(counted.virial[rows]) / (2.0 * heat))


def _error(pieces: Floats) -> float:
    """The standard error of the mean of pieces (K,); nan where it is not known (see `mean_pressure`)."""
    if len(pieces) < _FEWEST_PIECES:
        return nan
    off = pieces - pieces.mean()
    squared = float(off @ off)
    if squared > 0.0 and float(off[:-1] @ off[1:]) / squared > _ALIKE / sqrt(len(pieces)):
        return nan
    means = np.array([piece.mean() for piece in np.array_split(pieces, min(len(pieces), _MOST_PIECES))])
    return float(means.std(ddof=1) / sqrt(len(means))) * sqrt((len(means) - 1) / (len(means) - 3))


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


def conserves_energy(hard: HardDiscs, periodic: Periodic) -> bool:
    """Whether kinetic plus potential energy is constant: discs do not grow, and they and the walls are elastic."""
    return hard.restitution == 1.0 and _discs_alone_lose_energy(hard, periodic)


def law_restitution(hard: HardDiscs, periodic: Periodic) -> float:
    """The restitution in Haff's law with these settings, `NO_LAW` if it does not hold."""
    return hard.restitution if _discs_alone_lose_energy(hard, periodic) and not any(hard.gravity) else NO_LAW


def _discs_alone_lose_energy(hard: HardDiscs, periodic: Periodic) -> bool:
    """Whether only collisions between discs can change the energy: they do not grow, and walls are elastic."""
    return hard.growth_rate == 0.0 and (periodic.all or hard.wall_restitution == 1.0)


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
