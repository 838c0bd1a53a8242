"""What a state of a gas of hard discs looks like: structure, speeds, fluctuations, spreading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.fluctuations import DensityFluctuations, density_fluctuations
from engine.analysis.pair_correlation import PairCorrelation, contact_compressibility, pair_correlation
from engine.analysis.speeds import Speeds, speeds
from engine.analysis.state import disc_state, plain_array
from engine.errors import InputError


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
        g, speed, cells = self.pair_correlation, self.speeds, self.fluctuations
        return {
            "volume_fraction": self.volume_fraction,
            "pair_correlation": None if g is None else {"r": g.r.tolist(), "g": g.g.tolist(), "diameter": g.diameter},
            "contact_compressibility": self.contact_compressibility,
            "contact_value": self.contact_value,
            "speeds": None
            if speed is None
            else {
                "temperature": speed.temperature,
                "edges": speed.edges.tolist(),
                "density": speed.density.tolist(),
                "sonine": speed.sonine,
                "mean_velocity": speed.mean_velocity.tolist(),
                "component_temperatures": speed.component_temperatures.tolist(),
                "component_kurtosis": speed.component_kurtosis.tolist(),
            },
            "fluctuations": None if cells is None else {"side": cells.side.tolist(), "ratio": cells.ratio.tolist()},
            "mean_square_displacement": self.mean_square_displacement,
        }


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
    state = disc_state(positions, radii, box, periodic=periodic)
    count = len(state.radii)
    velocities = plain_array(velocities, "velocities", (count, 2))
    masses = plain_array(masses, "masses", (count,))
    if not (masses > 0.0).all():
        raise InputError("masses must be positive", "masses")
    fraction = float(np.pi * np.square(state.radii).sum() / state.box.prod())
    z = contact_compressibility(state)
    start = None if start is None else plain_array(start, "start", (count, 2))
    crossed = None if images is None else plain_array(images, "images", (count, 2))
    spread = None
    if start is not None and (crossed is not None or not periodic):
        apart = state.positions - start if crossed is None else state.positions + crossed * state.box - start
        spread = float(np.square(apart).sum() / count)
    return GasIndicators(
        volume_fraction=fraction,
        pair_correlation=pair_correlation(state),
        contact_compressibility=z,
        contact_value=None if z is None else (z - 1.0) / (2.0 * fraction),
        speeds=speeds(velocities, masses, periodic=state.periodic),
        fluctuations=density_fluctuations(state),
        mean_square_displacement=spread,
    )
