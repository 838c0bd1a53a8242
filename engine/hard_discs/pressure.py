"""The pressure of a gas during a run, from the momentum exchanged in collisions.

Z = 1 + Σ |Δp · r| / (d N kT t), where d N kT / 2 is the thermal energy times N / (N - 1): in a periodic box without the
motion of the centre of mass. It holds for each part of a run, so a mean over time may leave out the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.hard_discs.fields import GasHistory

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
