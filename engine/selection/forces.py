"""Quantities of discs in a packing that follow from the forces at their contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.fields import Field

if TYPE_CHECKING:
    from engine.simulation import Frame
    from engine.state import Discs
    from engine.system import System


def _force_sums(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
    """The sum of the forces on each disc, over the mean force; None where the contacts are not known."""
    network = frame.network
    if network is None:
        return None
    ends = network.pairs.ravel()
    forces = np.repeat(network.forces, 2)[ends >= 0]
    return np.bincount(ends[ends >= 0], forces, minlength=len(frame.positions)).astype(np.float64)


def _pressures(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
    """The pressure on each disc, Σ f R / (2 π R²): half the trace of its stress, over the area of the disc."""
    sums = _force_sums(frame, discs)
    return None if sums is None else sums / (2.0 * np.pi * discs.radii * frame.radius_factor)


FORCE = Field("force", "Sum of forces", _force_sums, "Σ f", "mean force", needs="contacts with forces")

PRESSURE = Field(
    "pressure", "Pressure on the disc", _pressures, "p", "mean force / length", needs="contacts with forces"
)


def fields_with_forces(system: System) -> tuple[Field, ...]:
    """The fields of a system, and those that follow from forces where its frames have some."""
    return (*system.fields, FORCE, PRESSURE) if system.has_forces else system.fields
