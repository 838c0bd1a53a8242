"""What a state of a gas of hard discs looks like: structure, speeds, fluctuations, spreading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.fluctuations import DensityFluctuations, density_fluctuations
from engine.analysis.pair_correlation import PairCorrelation, pair_correlation
from engine.analysis.sample import Sample
from engine.analysis.speeds import Speeds, speeds
from engine.indicators import Indicator, as_json, measure, plain, unsaid


@dataclass(frozen=True, eq=False)
class GasIndicators:
    """None: the quantity has no meaning for this state.

    volume_fraction : phi, of the present radii; pair_correlation : g(r); contact_compressibility : Z from neighbours,
    extrapolated to contact; contact_value : g(sigma+) = (Z - 1) / (2 phi); speeds : against Maxwell's;
    fluctuations : numbers in cells; mean_square_displacement : mean of |X(t) - X(0)|^2, without images nor start None.
    """

    volume_fraction: float
    pair_correlation: PairCorrelation | None
    contact_compressibility: float | None
    contact_value: float | None
    speeds: Speeds | None
    fluctuations: DensityFluctuations | None
    mean_square_displacement: float | None

    def to_dict(self) -> dict[str, Any]:
        """The same names with plain lists, numbers and None, ready for JSON."""
        return as_json(vars(self), GAS)


def _contact_value(sample: Sample) -> float | None:
    z = sample.compressibility
    return None if z is None else (z - 1.0) / (2.0 * sample.volume_fraction)


def _speeds(sample: Sample) -> Speeds | None:
    assert sample.velocities is not None
    assert sample.masses is not None
    return speeds(sample.velocities, sample.masses, periodic=sample.periodic)


def _speeds_in_json(found: Speeds) -> dict[str, Any]:
    values: dict[str, Any] = plain(found)
    del values["thermal_speed"]  # it follows from the temperature and the masses
    return values


def _mean_square_displacement(sample: Sample) -> float | None:
    if sample.start is None or (sample.images is None and sample.periodic):
        return None
    apart = sample.positions - sample.start
    if sample.images is not None:
        apart = sample.positions + sample.images * sample.box - sample.start
    return float(np.square(apart).sum() / sample.count)


GAS = (
    Indicator("volume_fraction", "volume fraction", lambda sample: sample.volume_fraction, "φ", in_words=unsaid),
    Indicator("pair_correlation", "pair correlation", lambda sample: pair_correlation(sample.state), "g(r)"),
    Indicator(
        "contact_compressibility",
        "compressibility from neighbours",
        lambda sample: sample.compressibility,
        "Z",
        in_words=unsaid,
    ),
    Indicator("contact_value", "pair correlation at contact", _contact_value, "g(σ⁺)", in_words=unsaid),
    Indicator("speeds", "speeds", _speeds, to_json=_speeds_in_json, needs=("velocities", "masses")),
    Indicator("fluctuations", "density fluctuations", lambda sample: density_fluctuations(sample.state)),
    Indicator(
        "mean_square_displacement", "mean square displacement", _mean_square_displacement, "⟨Δr²⟩", in_words=unsaid
    ),
)
"""Of discs that bounce."""


def analyse_gas(
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    radii: NDArray[np.float64],
    masses: NDArray[np.float64],
    box: NDArray[np.float64],
    *,
    periodic: bool,
    images: NDArray[np.int32] | None = None,
    start: NDArray[np.float64] | None = None,
) -> GasIndicators:
    """Measure a state of a gas. O(N), one core; the compiled parts run without the interpreter lock.

    Parameters
    ----------
    positions : (N, 2) centres inside the box, N >= 1; velocities : (N, 2); radii : (N,), > 0, at this time;
    masses : (N,), > 0; box : (2,), side lengths; periodic : distances are to the nearest image;
    images : (N, 2) integers, how often each disc has crossed the box, so that X = positions + images * box is where it
        has got to; start : (N, 2), X at the start. Without `start` there is no mean square displacement, and in a
        periodic box none without `images`.

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
    )
    return GasIndicators(**measure(sample, GAS))
