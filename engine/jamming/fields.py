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

FIELDS = (CONTACTS, RADIUS, RATTLERS, SELF_STRESS, LOCAL_DENSITY, HEXATIC, HEXATIC_ANGLE)
