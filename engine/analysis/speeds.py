"""How fast the discs of a gas are, against Maxwell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel

_FASTEST, _INTERVALS = 5.0, 50  # of the histogram, in thermal speeds


@dataclass(frozen=True, eq=False)
class Speeds:
    """Velocities of a gas, those of its centre of mass taken away in a periodic box.

    temperature : T, mean of m v^2 / 2 (k_B = 1, two components); thermal_speed : sqrt(T / <m>).
    edges : (51,), speeds u = |v| sqrt(m / T) from 0 to 5; density : (50,), share of the discs per unit of u, so that
        Maxwell's is u exp(-u^2 / 2) whatever the masses.
    sonine : a_2 = <u^4> / (2 <u^2>^2) - 1, 0 for Maxwell's; mean_velocity : (2,), of the centre of mass;
    component_temperatures : (2,), mean of m v_x^2 and m v_y^2; component_kurtosis : (2,), <v^4> / <v^2>^2 - 3 with the
        masses weighed in, 0 for Maxwell's.
    """

    temperature: float
    thermal_speed: float
    edges: NDArray[np.float64]
    density: NDArray[np.float64]
    sonine: float
    mean_velocity: NDArray[np.float64]
    component_temperatures: NDArray[np.float64]
    component_kurtosis: NDArray[np.float64]


def speeds(velocities: NDArray[np.float64], masses: NDArray[np.float64], *, periodic: bool) -> Speeds | None:
    """`Speeds` of velocities (N, 2) and masses (N,). In a periodic box T = K / (N - 1) per disc without the motion of
    the whole, between walls K / N. None where nothing moves."""
    count = len(masses)
    total = float(masses.sum())
    drift = masses @ velocities / total
    seen = velocities - drift if periodic else velocities
    # in units of a power of two near the fastest one: no fourth power of a gas almost at rest is rounded to zero
    unit = float(np.ldexp(1.0, int(np.frexp(np.abs(seen).max(initial=0.0))[1])))
    seen = seen / unit
    degrees = max(count - 1, 1) if periodic else count
    second, fourth, both = _moments(seen, masses, np.zeros(2))
    temperature = float(second.sum()) / (2.0 * degrees)
    if not temperature > 0.0:
        return None
    edges = np.linspace(0.0, _FASTEST, _INTERVALS + 1)
    found = np.zeros(_INTERVALS, np.int64)
    _histogram(seen, masses, np.zeros(2), temperature, _INTERVALS / _FASTEST, found)
    mean = second / count
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = np.where(mean > 0.0, fourth / count / mean**2 - 3.0, 0.0)
    return Speeds(
        temperature * unit * unit,
        unit * float(np.sqrt(temperature * count / total)),
        edges,
        found / (count * np.diff(edges)),
        float(both / count / (2.0 * mean.sum() ** 2) - 1.0),
        drift,
        second / degrees * unit * unit,
        kurtosis,
    )


@kernel
def _moments(
    velocities: NDArray[np.float64], masses: NDArray[np.float64], frame: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Sums over the discs of m v_a^2 and (m v_a^2)^2, each (2,), and of (m v^2)^2, of velocities less `frame`."""
    second, fourth, both = np.zeros(2), np.zeros(2), 0.0
    for i in range(len(masses)):
        x = masses[i] * (velocities[i, 0] - frame[0]) ** 2
        y = masses[i] * (velocities[i, 1] - frame[1]) ** 2
        second[0] += x
        second[1] += y
        fourth[0] += x * x
        fourth[1] += y * y
        both += (x + y) * (x + y)
    return second, fourth, both


@kernel
def _histogram(
    velocities: NDArray[np.float64],
    masses: NDArray[np.float64],
    frame: NDArray[np.float64],
    temperature: float,
    per_unit: float,
    found: NDArray[np.int64],
) -> None:
    """Discs by u = |v| sqrt(m / T); those beyond the last interval are left out."""
    for i in range(len(masses)):
        vx, vy = velocities[i, 0] - frame[0], velocities[i, 1] - frame[1]
        place = int(np.sqrt(masses[i] * (vx * vx + vy * vy) / temperature) * per_unit)
        if place < len(found):
            found[place] += 1
