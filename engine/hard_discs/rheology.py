"""Measurements of gases in a shear flow: stress, viscosity and temperature.

The flow has the velocity γ̇ (y - L_y/2) along x, and c is the velocity of a disc relative to it. The stress is

    σ_ab = -(1/V) (Σ m c_a c_b + (1/t) Σ Δp_a r_b),

with the first sum over the discs, averaged over the time t, and the second over the collisions in that time, each of
which transfers the momentum Δp over the distance r between the two discs. The viscosity is σ_xy / γ̇.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import AXES
from engine.hard_discs.fields import GasHistory
from engine.hard_discs.pressure import error_of_pieces
from engine.hard_discs.theory import FLUID_TO, enskog_rate, enskog_viscosity
from engine.simulation import Column

_PIECES = 20  # of a measurement, for its errors
_FEWEST_ROWS = 4  # of the history in a piece
_LATER = 0.5  # of a measurement: in the first half the flow settles after the start or a change


@dataclass(frozen=True)
class FlowHistory(GasHistory):
    """The history of discs in a shear flow; its energies are those of velocities relative to the flow.

    strain : (K,), how far the images above the box are displaced, over its height; virial_xx, … : (K,), Σ Δp_a r_b over
    the collisions so far; flight_xx, … : (K,), Σ m c_a c_b at that moment.
    """

    strain: Annotated[Floats, Column("Strain", "γ")]
    virial_xx: Annotated[Floats, Column("Virial xx", "Σ Δp_x x", "mass·length²/time")]
    virial_yy: Annotated[Floats, Column("Virial yy", "Σ Δp_y y", "mass·length²/time")]
    virial_zz: Annotated[Floats, Column("Virial zz", "Σ Δp_z z", "mass·length²/time")]
    virial_xy: Annotated[Floats, Column("Virial xy", "Σ Δp_x y", "mass·length²/time")]
    flight_xx: Annotated[Floats, Column("Flight xx", "Σ m c_x²", "mass·length²/time²")]
    flight_yy: Annotated[Floats, Column("Flight yy", "Σ m c_y²", "mass·length²/time²")]
    flight_zz: Annotated[Floats, Column("Flight zz", "Σ m c_z²", "mass·length²/time²")]
    flight_xy: Annotated[Floats, Column("Flight xy", "Σ m c_x c_y", "mass·length²/time²")]


FLOW_COLUMNS = tuple(name for name in FlowHistory.__annotations__)
"""The columns that only discs in a flow have."""


@dataclass(frozen=True)
class MeanWithError:
    """A mean over a measurement and its standard error, nan where that is not known."""

    mean: float
    error: float


@dataclass(frozen=True)
class Rheology:
    """The results of a measurement of a flow; kT is in units of mass times speed squared.

    since : when the measurement began, of which the later half counts; rate : γ̇; strain : γ at its end; stress : σ_xx,
    σ_yy, σ_xy, and σ_zz in space, by name; viscosity : η = σ_xy / γ̇; reduced_viscosity : η σ^(d-1) / √(m kT) with the
    mean diameter σ, a number; temperature : kT of the velocities relative to the flow; enskog : the reduced viscosity
    of Enskog's theory for elastic discs of small γ̇, None where that is not known; steady_temperature : kT at which, in
    that theory, inelastic collisions dissipate what the flow supplies, None for elastic discs.
    """

    since: float
    rate: float
    strain: float
    stress: dict[str, MeanWithError]
    viscosity: MeanWithError
    reduced_viscosity: MeanWithError
    temperature: MeanWithError
    enskog: float | None
    steady_temperature: float | None

    def in_json(self) -> dict[str, Any]:
        """Ready for JSON: errors that are not known are None."""
        values = {"viscosity": self.viscosity, "reduced_viscosity": self.reduced_viscosity}
        values |= {"temperature": self.temperature} | {f"stress_{axes}": one for axes, one in self.stress.items()}
        found: dict[str, Any] = {"rate": self.rate, "strain": self.strain}
        for name, value in values.items():
            found |= {name: _number(value.mean), f"{name}_error": _number(value.error)}
        return found | {"enskog_viscosity": self.enskog, "steady_temperature": self.steady_temperature}


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


@dataclass(frozen=True)
class FlowingDiscs:
    """What is needed of the discs to measure a flow.

    count : N; diameter, mass : their means; size : area or volume of the box; dimensions : 2 or 3; fraction : of the
    volume; restitution : of two of them; equal : whether all are alike, as the theory assumes.
    """

    count: int
    diameter: float
    mass: float
    size: float
    dimensions: int
    fraction: float
    restitution: float
    equal: bool

    @property
    def half_freedom(self) -> float:
        """Half the degrees of freedom, thermal energy over kT: the total momentum is constant."""
        return 0.5 * self.dimensions * max(self.count - 1, 1)

    @property
    def fluid(self) -> bool:
        """Whether the theory applies: all are alike, and the volume fraction is that of a fluid."""
        return self.equal and self.fraction <= FLUID_TO[self.dimensions]

    @property
    def enskog(self) -> float | None:
        """The reduced viscosity of Enskog's theory; None where that is not known."""
        return float(enskog_viscosity(self.fraction, self.dimensions)) if self.fluid else None


def rheology(history: FlowHistory, discs: FlowingDiscs, since: float) -> Rheology | None:
    """Measure the flow over the later half of a history from the time `since` on; None without a flow, or before there
    are enough collisions."""
    rows = np.flatnonzero(history.time >= since)
    rows = rows[int(_LATER * len(rows)) :]
    if len(rows) < 2 or not history.time[rows[-1]] > history.time[rows[0]]:
        return None
    passed = float(history.time[rows[-1]] - history.time[rows[0]])
    rate = float(history.strain[rows[-1]] - history.strain[rows[0]]) / passed
    if rate == 0.0:
        return None
    pieces = max(1, min(_PIECES, (len(rows) - 1) // _FEWEST_ROWS))
    ends = rows[np.unique(np.linspace(0, len(rows) - 1, pieces + 1).round().astype(np.intp))]
    time = np.diff(history.time[ends])
    names = [a + a for a in AXES[: discs.dimensions]] + ["xy"]
    sums = {name: -_transferred(history, name, ends) / discs.size for name in names}
    freedom = discs.half_freedom
    warm = _integrals(history.time, history.thermal_energy / freedom, ends)
    speeds = _integrals(history.time, np.sqrt(discs.mass * history.thermal_energy / freedom), ends)
    viscosity = sums["xy"] / rate
    reduced = discs.diameter ** (discs.dimensions - 1)
    return Rheology(
        since,
        rate,
        float(history.strain[rows[-1]]),
        {name: _ratio(values, time) for name, values in sums.items()},
        _ratio(viscosity, time),
        _ratio(reduced * viscosity, speeds),
        _ratio(warm, time),
        discs.enskog,
        steady_temperature(discs, rate),
    )


@dataclass(frozen=True)
class ViscosityPieces:
    """The reduced viscosity over the strain of a flow, K values each.

    strain : γ at the end of each piece; piece : of that piece alone; mean : over the later half of all up to there.
    """

    strain: Floats
    piece: Floats
    mean: Floats


def viscosity_in_pieces(history: FlowHistory, discs: FlowingDiscs, since: float, pieces: int = 40) -> ViscosityPieces:
    """The viscosity of a history from the time `since` on, in pieces of equal numbers of rows; the last `mean` is that
    of `rheology`."""
    rows = np.flatnonzero(history.time >= since)
    ends = rows[np.unique(np.linspace(0, max(len(rows) - 1, 0), pieces + 1).astype(np.intp))] if len(rows) else rows
    if len(ends) < 2:
        return ViscosityPieces(np.empty(0), np.empty(0), np.empty(0))
    speed = np.sqrt(discs.mass * history.thermal_energy / discs.half_freedom)

    def between(first: NDArray[np.intp], last: NDArray[np.intp]) -> Floats:
        """The reduced viscosity between rows, (K,) each."""
        each = np.stack([first, last], axis=1).ravel()
        stress = -_transferred(history, "xy", each)[::2] / discs.size
        passed = (history.time[last] - history.time[first]) * discs.diameter ** (discs.dimensions - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            rate = (history.strain[last] - history.strain[first]) / passed
            return np.asarray(stress / (rate * _integrals(history.time, speed, each)[::2]))

    places = np.searchsorted(rows, ends)[1:]
    later = rows[(_LATER * (places + 1)).astype(np.intp)]
    later = np.minimum(later, ends[1:] - 1)
    return ViscosityPieces(history.strain[ends[1:]], between(ends[:-1], ends[1:]), between(later, ends[1:]))


def steady_temperature(discs: FlowingDiscs, rate: float) -> float | None:
    """kT where η γ̇² = ½ n kT (1 - ε²) ω, with Enskog's η and ω; None for elastic discs, and where neither is known."""
    loss, viscosity = 1.0 - discs.restitution**2, discs.enskog
    if loss == 0.0 or viscosity is None:
        return None
    met = float(enskog_rate(discs.fraction, discs.dimensions))
    density = discs.count * discs.diameter**discs.dimensions / discs.size
    return 2.0 * discs.mass * (discs.diameter * rate) ** 2 * viscosity / (density * loss * met)


def _transferred(history: FlowHistory, name: str, ends: NDArray[np.intp]) -> Floats:
    """The integral over time of Σ m c_a c_b, and Σ Δp_a r_b, between K rows, (K - 1,)."""
    flight, virial = getattr(history, f"flight_{name}"), getattr(history, f"virial_{name}")
    return np.asarray(_integrals(history.time, flight, ends) + np.diff(virial[ends]))


def _integrals(time: Floats, values: Floats, ends: NDArray[np.intp]) -> Floats:
    """The integrals of values (M,) over time (M,) between K rows, by trapezia, (K - 1,)."""
    sums = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(time))])
    return np.asarray(np.diff(sums[ends]))


def _ratio(values: Floats, weights: Floats) -> MeanWithError:
    """Σ values / Σ weights of pieces, (K,) each, and its error from the pieces."""
    whole = float(weights.sum())
    if not whole > 0.0:
        return MeanWithError(nan, nan)
    return MeanWithError(float(values.sum()) / whole, error_of_pieces(values / np.where(weights > 0.0, weights, nan)))
