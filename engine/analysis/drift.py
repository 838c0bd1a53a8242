"""Velocities relative to the centre of mass, which moves freely in a periodic box: all that is thermal."""

from __future__ import annotations

import numpy as np

from engine.analysis.state import Floats, relative_to


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
    """A power of two near the largest component: in this unit no square or fourth power underflows."""
    fastest = max(float(velocities.max(initial=0.0)), -float(velocities.min(initial=0.0)))
    return float(np.ldexp(1.0, int(np.frexp(fastest)[1])))
