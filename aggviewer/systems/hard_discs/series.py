"""What the plots of discs that bounce draw, in units of the mean diameter σ where it is a length. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import GasData
from engine.hard_discs.cooling import Stretch, conserves_energy
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.theory import haff
from engine.simulation import GasHistory

_A_POINT = 5.0  # collisions per disc that a point of the trail of Z is made of, at least
_POINTS = 80  # of the trail, at most


@dataclass(frozen=True)
class Decay:
    """time, energy (K,): kinetic energy since the start, over that of the start (over the largest where it started at
    rest), also at the moments at which the restitution was changed; haff (K,): Haff's law, anew from each of these, NaN
    where it says nothing, None where it never says anything; stretch (K,): number of the law that holds; drift:
    relative error of the energy where it is conserved, else None."""

    time: NDArray[np.float64]
    energy: NDArray[np.float64]
    haff: NDArray[np.float64] | None
    stretch: NDArray[np.int64]
    drift: float | None


@dataclass(frozen=True)
class SpeedCounts:
    """edges (K + 1,), density (K,): of |v| over the thermal speed; temperature; sonine: a₂."""

    edges: NDArray[np.float64]
    density: NDArray[np.float64]
    temperature: float
    sonine: float


@dataclass(frozen=True)
class StateTrail:
    """fraction, z (K,): V_f and Z, the last pair for now, those before it where the discs have grown."""

    fraction: NDArray[np.float64]
    z: NDArray[np.float64]


@dataclass(frozen=True)
class Correlation:
    """r (K,) over σ, g (K,); contact: g(σ⁺), None where it is not known."""

    r: NDArray[np.float64]
    g: NDArray[np.float64]
    contact: float | None


@dataclass(frozen=True)
class Separations:
    """edges (K + 1,): of |r_ij| - σ_ij at the impact, in units of the last place of σ_ij; counts (K,)."""

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class Fluctuations:
    """side (K,): of the cells over σ; ratio (K,): variance over mean of the number of discs in them."""

    side: NDArray[np.float64]
    ratio: NDArray[np.float64]


@dataclass(frozen=True)
class Spreading:
    """time, squared (K,): ⟨Δr²⟩ over σ²; ballistic: speed² over σ² at the start, ⟨v²⟩ t² is its beginning; diffusion: D
    over σ², from the last half, None before it is long enough."""

    time: NDArray[np.float64]
    squared: NDArray[np.float64]
    ballistic: float
    diffusion: float | None


GasRecords = tuple[
    Decay | None,
    SpeedCounts | None,
    StateTrail | None,
    Correlation | None,
    Fluctuations | None,
    Spreading | None,
    Separations | None,
]


def gas_records(gas: GasData, time: float, radius: float) -> GasRecords:
    """Of discs of mean `radius` at the simulation time `time`; None for what is not there."""
    seen = gas.indicators
    diameter = 2.0 * radius
    speeds, pairs, cells = seen.speeds, seen.pair_correlation, seen.fluctuations
    return (
        decay(gas, time),
        None if speeds is None else SpeedCounts(speeds.edges, speeds.density, speeds.temperature, speeds.sonine),
        state_trail(gas),
        None if pairs is None else Correlation(pairs.r / pairs.diameter, pairs.g, seen.contact_value),
        None if cells is None else Fluctuations(cells.side / diameter, cells.ratio),
        spreading(gas, diameter),
        None if gas.impacts is None or not gas.impacts[1].any() else Separations(*gas.impacts),
    )


def decay(gas: GasData, time: float) -> Decay | None:
    """Energy over time, with Haff's law where that is what to expect: discs lose energy in collisions with each other
    and in no other way."""
    history, discs = gas.history, gas.scenario.section(HardDiscs)
    if not len(history.time):
        return None
    end = max(time, float(history.time[-1]))
    begun = [one for one in gas.stretches if one.time <= end]
    t = np.concatenate([history.time, [one.time for one in begun[1:]], [end]])
    energy = np.concatenate([history.kinetic_energy, [one.energy for one in begun[1:]], history.kinetic_energy[-1:]])
    order = np.argsort(t[:-1], kind="stable")  # the last one holds now
    t[:-1], energy[:-1] = t[:-1][order], energy[:-1][order]
    scale = float(energy[0]) or float(energy.max())
    if not scale > 0.0:
        return None
    stretch, law = haffs_law(begun, t)
    conserved = conserves_energy(discs, gas.periodic) and not any(discs.gravity)  # of kinetic energy alone
    drift = getattr(gas.measures, "energy_drift", None) if conserved else None
    return Decay(t, energy / scale, None if law is None else law / scale, stretch, drift)


def haffs_law(
    stretches: Sequence[Stretch], t: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """The number of the stretch that holds at each of the times t (K,), in order, and the energy by Haff's law that
    began with it; NaN where there is no law, None where there never is one or where nothing is ever lost."""
    number = np.searchsorted([one.time for one in stretches], t, side="right") - 1
    law = np.full(len(t), np.nan)
    for k, one in enumerate(stretches):
        held = number == k
        if one.restitution == 1.0:
            law[held] = one.energy
        elif one.restitution >= 0.0 and one.rate > 0.0:
            law[held] = haff(t[held] - one.time, one.restitution, one.rate, one.energy)
    says = any(0.0 <= one.restitution < 1.0 and one.rate > 0.0 for one in stretches)
    return number.astype(np.int64), law if says else None


def state_trail(gas: GasData) -> StateTrail | None:
    """Z over V_f: what was measured, and the way there where discs grow. Only in a periodic box: pressure is that of
    the bulk there."""
    history = gas.history
    fraction, z = np.empty(0), np.empty(0)
    if gas.periodic and isinstance(history, GasHistory) and np.ptp(history.volume_fraction) > 0.0:
        fraction, z = growing_pressure(history, gas.count)
    now = getattr(gas.measures, "compressibility", None)
    # the mean since the start says nothing of discs that have grown meanwhile
    if not len(z) and now is not None and np.isfinite(now) and now > 0.0:
        fraction, z = np.append(fraction, gas.measures.volume_fraction), np.append(z, now)
    return StateTrail(fraction, z) if len(z) else None


def growing_pressure(history: GasHistory, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """V_f and Z = 1 + ΣΔp·r / (2 N kT t) of pieces of a history, N kT being K N/(N - 1) without the motion of the
    whole.

    A piece has five collisions per disc at least, so that its Z is known to about 1/√(5 N).
    """
    met = 2.0 * history.collisions / count
    pieces = int(min((met[-1] - met[0]) / _A_POINT, _POINTS))
    if pieces < 1:
        return np.empty(0), np.empty(0)
    rows = np.unique(np.searchsorted(met, np.linspace(met[0], met[-1], pieces + 1)))
    rows = np.minimum(rows, len(met) - 1)
    t, energy, virial, fraction = (
        column[rows] for column in (history.time, history.kinetic_energy, history.virial, history.volume_fraction)
    )
    warmth = 0.5 * (energy[1:] + energy[:-1]) * np.diff(t) * count / max(count - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = 1.0 + np.diff(virial) / (2.0 * warmth)
    good = np.isfinite(z) & (z > 0.0)
    return 0.5 * (fraction[1:] + fraction[:-1])[good], z[good]


def spreading(gas: GasData, diameter: float) -> Spreading | None:
    """Mean square displacement with what it begins and ends like."""
    time, squared = gas.displacement
    moved = (time > 0.0) & (squared > 0.0)
    if not moved.any():
        return None
    t, s = time[moved], squared[moved] / diameter**2
    late = t >= 0.5 * t[-1]
    diffusion = None
    if late.sum() >= 5:
        slope = float(np.polyfit(t[late], s[late], 1)[0])
        diffusion = slope / 4.0 if slope > 0.0 else None
    return Spreading(t, s, gas.start_speed_squared / diameter**2, diffusion)
