"""What each disc has that jams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.fields import CONTACTS, HEXATIC, HEXATIC_ANGLE, LOCAL_DENSITY, RADIUS, Field
from engine.simulation import Frame
from engine.state import Discs


def _rattlers(frame: Frame, discs: Discs) -> NDArray[np.bool_] | None:
    """Which discs are rattlers; None where the contacts are not known."""
    return None if frame.network is None else frame.network.rattlers


def _in_patches(frame: Frame, discs: Discs) -> NDArray[np.bool_] | None:
    """Which discs are in patches with self-stresses of their own; None where the packing has no such patch."""
    if frame.network is None or not frame.network.patches:
        return None
    found = np.zeros(len(frame.positions), bool)
    for patch in frame.network.patches:
        found[patch.discs] = True
    return found


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


FORCE = Field(
    "force", "Sum of forces", _force_sums, symbol="Σ f", unit="mean force", absent=0.0, needs="contacts with forces"
)

PRESSURE = Field(
    "pressure",
    "Pressure on the disc",
    _pressures,
    symbol="p",
    unit="mean force / length",
    absent=0.0,
    needs="contacts with forces",
)

RATTLERS = Field(
    "rattlers",
    "Rattlers",
    _rattlers,
    kind="category",
    classes=("held", "rattler"),
    absent=0.0,
    needs="contacts with forces",
)

SELF_STRESS = Field(
    "self_stress",
    "Extra self-stress",
    _in_patches,
    kind="category",
    classes=("no extra self-stress", "extra self-stress"),
    absent=0.0,
    needs="self-stresses",
)

FIELDS = (CONTACTS, FORCE, PRESSURE, RADIUS, RATTLERS, SELF_STRESS, LOCAL_DENSITY, HEXATIC, HEXATIC_ANGLE)
