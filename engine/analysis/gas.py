"""Indicators of a gas of hard discs: speeds, density fluctuations, displacement and diffusion, structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.distances import PairCorrelation
from engine.analysis.fluctuations import DensityFluctuations, density_fluctuations
from engine.analysis.profiles import Profile
from engine.analysis.sample import EarlierState, Sample
from engine.analysis.state import mean_velocity, power_of_two, without_drift
from engine.analysis.structure import HEIGHT_PROFILE, RADIAL_PROFILE, STRUCTURE_FACTOR
from engine.analysis.structure_factor import StructureFactor
from engine.analysis.velocities import MOTION, VelocityCorrelation
from engine.arrays import Floats, Ints, Longs
from engine.boundary import Periodic
from engine.indicators import ANY, Averaging, Indicator, as_json, measure, plain, unsaid
from engine.kernels import kernel

_FEWEST = 5  # points of a fit
_LATER = 0.5  # fraction of the time from which the displacement is fitted by default
_FASTEST, _INTERVALS = 5.0, 50  # of the histogram of speeds, in thermal speeds


@dataclass(frozen=True, eq=False)
class Speeds:
    """The velocities of a gas, relative to its flow; along periodic axes relative to the centre of mass.

    Attributes
    ----------
    temperature : T, mean of m v^2 / d (k_B = 1, d components).
    thermal_speed : sqrt(T / <m>).
    edges : (51,), speeds u = |v| sqrt(m / T) from 0 to 5.
    density : (50,), share of the discs per unit of u; Maxwell's is u exp(-u^2 / 2) whatever the masses, of spheres
        sqrt(2 / pi) u^2 exp(-u^2 / 2).
    sonine : a_2 = d <u^4> / ((d + 2) <u^2>^2) - 1, 0 for Maxwell's.
    mean_velocity : (d,), of the centre of mass.
    component_temperatures : (d,), mean of m v_x^2, m v_y^2, ….
    component_kurtosis : (d,), <(m v_x^2)^2> / <m v_x^2>^2 - 3 and the same of the others, 0 for Maxwell's.
    """

    temperature: float
    thermal_speed: float
    edges: Floats
    density: Floats
    sonine: float
    mean_velocity: Floats
    component_temperatures: Floats
    component_kurtosis: Floats


@dataclass(frozen=True, eq=False)
class GasIndicators:
    """The indicators of a state of a gas. None: the quantity is not defined for this state.

    Attributes
    ----------
    volume_fraction : phi, of the present radii.
    pair_correlation : g(r).
    contact_compressibility : Z from the gaps between neighbours, extrapolated to contact; None between walls, and if
        discs have gathered.
    contact_value, contact_value_error : g(sigma+) = (Z - 1) / (2 phi), of spheres (Z - 1) / (4 phi), and its standard
        error; None if Z is.
    speeds : their distribution and moments, compared with Maxwell's.
    fluctuations : of the number of discs in cells.
    mean_square_displacement : mean of |X(t) - X(0)|^2, along periodic axes relative to the centre of mass; in a flow
        d / (d - 1) times that across it; None without the start, or without the images where an axis is periodic.
    structure_factor : S(k).
    radial_profile, height_profile : density and speed against the distance from the centre of the box, and against y.
    velocity_correlation : C(r).
    velocity_autocorrelation : None without the velocities at the start.
    """

    volume_fraction: float
    pair_correlation: PairCorrelation | None
    contact_compressibility: float | None
    contact_value: float | None
    contact_value_error: float | None
    speeds: Speeds | None
    fluctuations: DensityFluctuations | None
    mean_square_displacement: float | None
    structure_factor: StructureFactor | None
    radial_profile: Profile | None
    height_profile: Profile | None
    velocity_correlation: VelocityCorrelation | None
    velocity_autocorrelation: float | None

    def to_dict(self) -> dict[str, Any]:
        """Values by name, with plain lists, numbers and None, ready for JSON."""
        return as_json(vars(self), _MEASURED)


def speeds(velocities: Floats, masses: Floats, *, periodic: Periodic | bool) -> Speeds | None:
    """Temperature and distribution of speeds of velocities (N, d) and masses (N,). None if nothing moves.

    With the kinetic energy K, the temperature is T = 2 K / f. Each axis has N of the f degrees of freedom between
    walls, and N - 1 where it is periodic, with K relative to the centre of mass.
    """
    drift, around = mean_velocity(velocities, masses), Periodic.of(periodic, velocities.shape[1])
    return _speeds_of(without_drift(velocities, masses, periodic=around), drift, masses, around)


def _speeds_of(seen: Floats, drift: Floats, masses: Floats, periodic: Periodic) -> Speeds | None:
    """As `speeds`, for velocities from which the drift has been subtracted."""
    count = len(masses)
    total = float(masses.sum())
    unit = power_of_two(seen)
    seen = seen / unit
    degrees = np.where(periodic, max(count - 1, 1), count)
    second, fourth, both = _moments(seen, masses)
    dimensions = len(second)
    temperature = float(second.sum()) / float(degrees.sum())
    if not temperature > 0.0:
        return None
    edges = np.linspace(0.0, _FASTEST, _INTERVALS + 1)
    found = np.zeros(_INTERVALS, np.int64)
    _histogram(seen, masses, temperature, _INTERVALS / _FASTEST, found)
    mean = second / count
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = np.where(mean > 0.0, fourth / count / mean**2 - 3.0, 0.0)
    return Speeds(
        temperature * unit * unit,
        unit * float(np.sqrt(temperature * count / total)),
        edges,
        found / (count * np.diff(edges)),
        float(both / count / ((dimensions + 2.0) / dimensions * mean.sum() ** 2) - 1.0),
        drift,
        second / degrees * unit * unit,
        kurtosis,
    )


@kernel
def _moments(velocities: Floats, masses: Floats) -> tuple[Floats, Floats, float]:
    """Sums over the discs of m v_a^2 and (m v_a^2)^2, each (d,), and of (m v^2)^2."""
    axes = velocities.shape[1]
    second, fourth, both = np.zeros(axes), np.zeros(axes), 0.0
    for i in range(len(masses)):
        whole = 0.0
        for axis in range(axes):
            part = masses[i] * velocities[i, axis] ** 2
            second[axis] += part
            fourth[axis] += part * part
            whole += part
        both += whole * whole
    return second, fourth, both


@kernel
def _histogram(velocities: Floats, masses: Floats, temperature: float, per_unit: float, found: Longs) -> None:
    """Histogram of u = |v| sqrt(m / T); values beyond the last interval are left out."""
    for i in range(len(masses)):
        squared = 0.0
        for axis in range(velocities.shape[1]):
            squared += velocities[i, axis] * velocities[i, axis]
        place = int(np.sqrt(masses[i] * squared / temperature) * per_unit)
        if place < len(found):
            found[place] += 1


def _contact_compressibility(sample: Sample) -> float | None:
    found = sample.contact_pressure
    return None if found is None else found.z


def _contact_value(sample: Sample) -> float | None:
    found = sample.contact_pressure
    return None if found is None else (found.z - 1.0) / _over_contact_value(sample)


def _contact_value_error(sample: Sample) -> float | None:
    found = sample.contact_pressure
    return None if found is None else found.error / _over_contact_value(sample)


def _over_contact_value(sample: Sample) -> float:
    """(Z - 1) / g(sigma+)."""
    return float(2.0 ** (sample.dimensions - 1)) * sample.volume_fraction


def _speeds(sample: Sample) -> Speeds | None:
    assert sample.masses is not None
    return _speeds_of(sample.relative_velocities, sample.drift, sample.masses, sample.periodic)


def _speeds_in_json(found: Speeds) -> dict[str, Any]:
    values: dict[str, Any] = plain(found)
    del values["thermal_speed"]  # follows from the temperature and the masses
    return values


def _mean_square_displacement(sample: Sample) -> float | None:
    if sample.start is None or (sample.periodic.any and (sample.images is None or sample.masses is None)):
        return None
    apart = sample.unwrapped - sample.start
    if sample.masses is not None:
        apart = without_drift(apart, sample.masses, periodic=sample.periodic)
    return _mean_square(apart, sample.flows)


def _mean_square(apart: Floats, flows: bool) -> float:
    """The mean square of displacements (N, d). A flow separates discs along x: then it is that across the flow, as
    if it were the same along each axis."""
    if not flows:
        return float(np.square(apart).sum() / len(apart))
    axes = float(apart.shape[1])
    return float(np.square(apart[:, 1:]).sum() / len(apart)) * axes / (axes - 1.0)


def _displacement_between(now: EarlierState, then: EarlierState) -> float | None:
    if now.positions is None or then.positions is None:
        return None
    return _mean_square(now.positions - then.positions, now.flows or then.flows)


GAS = (
    Indicator(
        "volume_fraction",
        "volume fraction",
        lambda sample: sample.volume_fraction,
        "φ",
        in_words=unsaid,
        dimensions=ANY,
    ),
    Indicator(
        "pair_correlation",
        "pair correlation",
        lambda sample: sample.pair_correlation,
        "g(r)",
        dimensions=ANY,
        averaging=Averaging(("g",), "r"),
    ),
    Indicator(
        "contact_compressibility",
        "compressibility from neighbours",
        _contact_compressibility,
        "Z",
        in_words=unsaid,
        dimensions=ANY,
    ),
    Indicator("contact_value", "pair correlation at contact", _contact_value, "g(σ⁺)", in_words=unsaid, dimensions=ANY),
    Indicator(
        "contact_value_error",
        "standard error of g(σ⁺)",
        _contact_value_error,
        in_words=unsaid,
        dimensions=ANY,
        averaging=None,
    ),
    Indicator(
        "speeds",
        "speeds",
        _speeds,
        to_json=_speeds_in_json,
        needs=("velocities", "masses"),
        dimensions=ANY,
        averaging=Averaging(
            ("density", "temperature", "sonine", "mean_velocity", "component_temperatures", "component_kurtosis"),
            "edges",
        ),
    ),
    Indicator(
        "fluctuations",
        "density fluctuations",
        lambda sample: density_fluctuations(sample.state),
        dimensions=ANY,
        averaging=Averaging(("ratio",), "side"),
    ),
    Indicator(
        "mean_square_displacement",
        "mean square displacement",
        _mean_square_displacement,
        "⟨Δr²⟩",
        in_words=unsaid,
        since_start=True,
        dimensions=ANY,
        averaging=Averaging(between=_displacement_between),
    ),
)
"""Of discs that bounce."""

_MEASURED = (*GAS, STRUCTURE_FACTOR, RADIAL_PROFILE, HEIGHT_PROFILE, *MOTION)


def analyse_gas(
    positions: Floats,
    velocities: Floats,
    radii: Floats,
    masses: Floats,
    box: Floats,
    *,
    periodic: Periodic | bool,
    images: Ints | None = None,
    start: Floats | None = None,
    start_velocities: Floats | None = None,
) -> GasIndicators:
    """Measure a state of a gas. O(N), one core; the compiled parts run without the interpreter lock.

    Parameters
    ----------
    positions : (N, 2) centres inside the box, N >= 1.
    velocities : (N, 2).
    radii : (N,), > 0, at this time.
    masses : (N,), > 0.
    box : (2,), side lengths.
    periodic : along which axes; distances are to the nearest image there.
    images : (N, 2) integers, how often each disc has crossed the box: its unwrapped position is X = positions + images
        * box. Without them there is no mean square displacement where an axis is periodic.
    start : (N, 2), X at the start; without it there is no mean square displacement.
    start_velocities : (N, 2), at the start; without them there is no autocorrelation.

    Raises
    ------
    InputError : an array has the wrong shape, is empty, or holds values that are not finite or not positive.
    """
    sample = Sample(
        positions,
        radii,
        box,
        periodic=periodic,
        velocities=velocities,
        masses=masses,
        images=images,
        start=start,
        start_velocities=start_velocities,
    )
    return GasIndicators(**measure(sample, _MEASURED))


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
