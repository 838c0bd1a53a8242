"""A minimisation by itself, for tests: the iterations of the engine on discs and links alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping.arrays import BODY, GROUP, GROUP_LINK, SPACE_BODY, SPACE_GROUP_LINK
from engine.aggregation.time_stepping.arrow_hurwicz import CONVERGED, GOES_ON, STRIDE_RADII, begin, iterate
from engine.kernels import kernel
from engine.records import Records, along, columns


@dataclass(frozen=True)
class Coefficients:
    """α, β, γ, c of the scheme, all in units of the radius, and when it ends; see `[aggregation.damping]`."""

    alpha: float = 0.1
    beta: float = 0.05
    gamma: float = 0.1
    c: float = 0.6
    damped: bool = True
    adaptive: bool = True
    tolerance: float = 1e-3
    max_iterations: int = 5000


@dataclass(frozen=True)
class Minimum:
    """What `minimise` found.

    positions : (N, d); multipliers : (K,) λ, 1/2 at a contact that carries no force; residuals : (I,) max |φ| / s
    after each iteration; iterations, restarts; converged : False where the contacts had to be projected.
    """

    positions: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    residuals: NDArray[np.float64]
    iterations: int
    restarts: int
    converged: bool


@kernel
def _go(bodies: Records, links: Records, wake: NDArray[np.int32], groups: Records, first: bool) -> int:
    """`begin`, or `iterate`, for Python."""
    if first:
        begin(bodies, links, wake, groups[0])
        return GOES_ON
    return iterate(bodies, links, wake, groups[0])


def minimise(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    links: NDArray[np.int32],
    coefficients: Coefficients | None = None,
) -> Minimum:
    """Minimise the link energy of discs (N, 2), or spheres (N, 3), with radii (N,), all free to move, no walls; links
    (K, 2), K >= 1."""
    count, dimensions = positions.shape
    bodies = np.zeros(count, BODY if dimensions == 2 else SPACE_BODY)
    bodies["mobility"] = 1.0
    for low, high in zip(along("_low", dimensions), along("_high", dimensions), strict=True):
        bodies[low], bodies[high] = -np.inf, np.inf
    bodies["stride"] = STRIDE_RADII * radii
    joined = np.zeros(len(links), GROUP_LINK if dimensions == 2 else SPACE_GROUP_LINK)
    joined["a"], joined["b"] = i, j = links.T
    for axis, apart in zip(along("", dimensions), (positions[i] - positions[j]).T, strict=True):
        joined[axis] = apart
    joined["sigma2"] = (radii[i] + radii[j]) ** 2
    joined["per_s"] = 4.0 / joined["sigma2"]
    group, wake = np.zeros(1, GROUP), np.zeros(1, np.int32)
    group["bodies"], group["links"] = count, len(links)
    for name, value in asdict(coefficients or Coefficients()).items():
        group[name] = value
    status = _go(bodies, joined, wake, group, True)
    residuals = []
    while status == GOES_ON:
        status = _go(bodies, joined, wake, group, False)
        residuals.append(float(group["residual"][0]))
    return Minimum(
        positions + columns(bodies, *along("d", dimensions)),
        joined["multiplier"].copy(),
        np.array(residuals),
        int(group["iterations"][0]),
        int(group["restarts"][0]),
        bool(status == CONVERGED),
    )
