"""Thermal motion: the diffusion coefficient from the mean square displacement, and velocities without a common drift.

In a periodic box the centre of mass moves freely; all that is thermal is relative to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.state import relative_to
from engine.arrays import Floats

_FEWEST = 5  # points of a fit
_LATER = 0.5  # fraction of the time from which the displacement is fitted by default


@dataclass(frozen=True)
class Diffusion:
    """<dr^2> = offset + 2 d D t in d dimensions, fitted by least squares over low <= t <= high. The points of one run
    are correlated, so their scatter about the line gives no valid error of D; several seeds do.

    Attributes
    ----------
    coefficient : D, the slope over twice the number of dimensions.
    offset : <dr^2> of the line at t = 0; not 0, because discs fly straight at first.
    low, high : fit range.
    count : points in it.
    """

    coefficient: float
    offset: float
    low: float
    high: float
    count: int


def diffusion(
    time: Floats, squared: Floats, within: tuple[float, float] | None = None, dimensions: int = 2
) -> Diffusion | None:
    """D from mean square displacements.

    Parameters
    ----------
    time, squared : (K,), times since the start and the mean square displacements then.
    within : the range of times to fit; None for the later half.
    dimensions : d, 2 for discs and 3 for spheres.

    Returns
    -------
    None if the range has fewer than five points.
    """
    low, high = (_LATER * float(time.max(initial=0.0)), np.inf) if within is None else within
    taken = (time >= low * (1.0 - 1e-9)) & (time <= high * (1.0 + 1e-9)) & np.isfinite(squared)
    count = int(np.count_nonzero(taken))
    if count < _FEWEST:
        return None
    t, s = time[taken], squared[taken]
    dt = t - t.mean()
    spread = float(dt @ dt)
    if not spread > 0.0:
        return None
    slope = float(dt @ s) / spread
    offset = float(s.mean()) - slope * float(t.mean())
    return Diffusion(slope / (2.0 * dimensions), offset, float(t.min()), float(t.max()), count)


def mean_velocity(velocities: Floats, masses: Floats) -> Floats:
    """The velocity of the centre of mass, (d,).

    A product of a million numbers with ``@`` wakes the threads of the linear algebra library, which then busy-wait for
    more: 7.5 ms of a second processor for 3 ms of work. `einsum` does not.
    """
    momentum = [np.einsum("i,i->", masses, velocities[:, axis]) for axis in range(velocities.shape[1])]
    return np.array(momentum) / float(masses.sum())


def without_drift(velocities: Floats, masses: Floats, *, periodic: bool) -> Floats:
    """Velocities (N, d), or displacements, in a periodic box relative to those of the centre of mass.

    Between walls they stay as they are: walls stop a common motion, so none is left to be taken away.
    """
    return relative_to(velocities, mean_velocity(velocities, masses)) if periodic else velocities


def power_of_two(velocities: Floats) -> float:
    """A power of two near the largest component of velocities, (N, d): in this unit no square or fourth power
    underflows."""
    fastest = max(float(velocities.max(initial=0.0)), -float(velocities.min(initial=0.0)))
    return float(np.ldexp(1.0, int(np.frexp(fastest)[1])))
