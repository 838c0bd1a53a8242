"""What each disc has that jams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.fields import CONTACTS, Field
from engine.scales import Span
from engine.simulation import Frame
from engine.state import Discs


def _relative_radii(frame: Frame, discs: Discs) -> NDArray[np.float64]:
    """The radii over their mean, so that discs keep their colour while they grow."""
    radii = discs.radii
    return radii / radii.mean() if len(radii) else radii


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


RADIUS = Field("radius", "Radius over the mean", _relative_radii, symbol="R / ⟨R⟩", scale=Span)

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

FIELDS = (CONTACTS, RADIUS, RATTLERS, SELF_STRESS)
