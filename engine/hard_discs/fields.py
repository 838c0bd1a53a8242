"""What frames and histories of a gas of hard discs hold: quantities of each disc, which pictures show, and columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Longs
from engine.fields import ARRANGEMENT, DIRECTION, SPEED, Field, said
from engine.frame import Frame
from engine.scales import Cooling, Steps, Waiting
from engine.simulation import Column, History
from engine.state import Discs


@dataclass(frozen=True)
class GasHistory(History):
    """Rows at equal numbers of collisions; where they become too many, every second one is dropped.

    collisions : (K,) int64, pair collisions so far; virial : (K,) float64, Σ |Δp · r_ij| over them; volume_fraction :
    (K,) float64; thermal_energy : (K,) float64, the kinetic energy, in a periodic box of the motion relative to the
    centre of mass; heat : (K,) float64, its integral over time.
    """

    collisions: Annotated[Longs, Column("Collisions", "C")]
    virial: Annotated[Floats, Column("Virial", "Σ |Δp · r_ij|", "mass·length²/time")]
    volume_fraction: Annotated[Floats, Column("Volume fraction", "V_f")]
    thermal_energy: Annotated[Floats, Column("Thermal energy", "E_th", "mass·length²/time²")]
    heat: Annotated[Floats, Column("Thermal energy over time", "∫ E_th dt", "mass·length²/time")]


def thermal_energy(history: History) -> Floats:
    """(K,), what Haff's law is about: the kinetic energy relative to the centre of mass in a periodic box, or all of it
    where no more is known, as in a recording."""
    return history.thermal_energy if isinstance(history, GasHistory) else history.kinetic_energy


def frame_fields(dimensions: int) -> dict[str, np.dtype[Any]]:
    """What a frame holds of each disc, or of each sphere where there are three dimensions.

    collisions : so far, with discs and walls; last_contact : the time of the last one, -inf for none; images : how
    often it has crossed the periodic box along each axis, so that positions + images * box is its unwrapped path.
    """
    return {
        "collisions": np.dtype(np.int32),
        "last_contact": np.dtype(np.float64),
        "images": np.dtype((np.int32, (dimensions,))),
    }


def _since_contact(frame: Frame, discs: Discs) -> NDArray[np.float64] | None:
    """Time since the last contact of each disc, (N,); since t = 0 where there was none."""
    last = frame.fields.get("last_contact")
    return None if last is None else _since(last, frame.time)


def _since(last: NDArray[np.float64], time: float) -> NDArray[np.float64]:
    """Time since the last contact of discs, (N,), from the times of these contacts, -inf for none."""
    since: NDArray[np.float64] = time - np.where(np.isfinite(last), last, min(time, 0.0))
    return since


def _of_disc(frame: Frame, discs: Discs, disc: int) -> float | None:
    """Time since the last contact of one disc."""
    last = frame.fields.get("last_contact")
    return None if last is None else float(_since(last[disc : disc + 1], frame.time)[0])


COLLISIONS = Field(
    "collisions",
    "Collisions",
    said("collisions"),
    kind="integer",
    scale=Steps,
    needs="collisions of each disc",
    meaning="Its number of collisions, with {discs} and walls",
)

SINCE_CONTACT = Field(
    "since_contact",
    "Time since contact",
    _since_contact,
    unit="time",
    scale=Waiting,
    one=_of_disc,
    needs="times of last contacts",
    meaning="The time since its last collision, or since the start if it had none",
)

FIELDS = (replace(SPEED, scale=Cooling), DIRECTION, COLLISIONS, SINCE_CONTACT, *ARRANGEMENT)
