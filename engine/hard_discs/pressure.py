"""The pressure of a gas during a run, from the momentum exchanged in collisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs.history import GasHistory

Floats = NDArray[np.float64]

_A_POINT = 5.0  # least number of collisions per disc in a piece of the history
_POINTS = 80  # most pieces
_FEWEST_PIECES, _MOST_PIECES = 5, 10  # least number of pieces for the error of a mean
_ALIKE = 2.0  # over √n: n pieces count as dependent if neighbours correlate more than this
_SCALED_BACK = 0.5  # rescaling the speeds of growing discs reduces the energy at least to this share


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
    Z = 1 + Σ Δp·r / (d N kT t), where d N kT / 2 is the kinetic energy times N / (N - 1), since the centre of mass of
    the discs is at rest. A piece has at least five collisions per disc, so that its Z is known to about 1/√(5 N).

    Growth heats the discs, and from time to time the engine rescales their speeds. Intervals of the history in which
    that happened are left out, since it is not known for how long the discs were hot.
    """
    met = 2.0 * history.collisions / count
    pieces = int(min((met[-1] - met[0]) / _A_POINT, _POINTS))
    if pieces < 1:
        return np.empty(0), np.empty(0)
    rows = np.unique(np.searchsorted(met, np.linspace(met[0], met[-1], pieces + 1)))
    rows = np.minimum(rows, len(met) - 1)
    energy, fraction = history.kinetic_energy, history.volume_fraction
    scaled_back = (energy[1:] < _SCALED_BACK * energy[:-1]) & (np.diff(fraction) > 0.0)
    warm = np.where(scaled_back, 0.0, 0.5 * (energy[1:] + energy[:-1]) * np.diff(history.time))
    carried = np.where(scaled_back, 0.0, np.diff(history.virial))
    warmth, virial, fraction = _between(rows, warm) * count / max(count - 1, 1), _between(rows, carried), fraction[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = 1.0 + virial / (2.0 * warmth)
    good = np.isfinite(z) & (z > 0.0)
    return 0.5 * (fraction[1:] + fraction[:-1])[good], z[good]


def _between(rows: NDArray[np.intp], steps: Floats) -> Floats:
    """The sums (K - 1,) of `steps` from each of K rows to the next. steps : changes from every row to the next."""
    return np.diff(np.concatenate(([0.0], np.cumsum(steps)))[rows])


def error_of_mean(history: GasHistory, count: int) -> float:
    """The standard error of Z as a mean over time, from the scatter of its means over pieces of the history; nan for
    fewer than five pieces, and if neighbouring ones are correlated, as in a melting crystal.

    The first piece is left out, because discs that start on a lattice have a different Z there, for every seed. The
    rest is divided into at most ten pieces.
    """
    _, pieces = pressure_in_pieces(history, count)
    if len(pieces) < _FEWEST_PIECES:
        return float("nan")
    later = pieces[1:]
    off = later - later.mean()
    squared = float(off @ off)
    if squared > 0.0 and float(off[:-1] @ off[1:]) / squared > _ALIKE / np.sqrt(len(later)):
        return float("nan")
    means = np.array([piece.mean() for piece in np.array_split(later, min(len(later), _MOST_PIECES))])
    return float(means.std(ddof=1) / np.sqrt(len(means) * len(pieces) / len(later)))
