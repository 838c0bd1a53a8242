"""Forces and gaps of several packings taken together: one of a thousand discs tells exponents to a tenth only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.packing import NOTHING, Samples, plain_densities
from engine.analysis.power_laws import Density


@dataclass(frozen=True, eq=False)
class PooledPackings:
    """packings : how many; extended_forces, buckler_forces, gaps : as of one packing (`PackingIndicators`), of all
    values together, None where there are none; samples : the values.

    Forces are over the mean force of their own packing, gaps over its mean diameter.
    """

    packings: int
    extended_forces: Density | None
    buckler_forces: Density | None
    gaps: Density | None
    samples: Samples

    def to_dict(self) -> dict[str, Any]:
        """The same names but for the samples, ready for JSON."""
        return {"packings": self.packings} | plain_densities(self.extended_forces, self.buckler_forces, self.gaps)


def pool_packings(samples: Sequence[Samples]) -> PooledPackings:
    """The distributions of all values of these packings, which should differ in nothing but chance. The estimator and
    its range are those of one packing, so that the standard errors shrink with the root of the number of values."""
    pooled = Samples(
        np.concatenate([NOTHING, *(one.extended for one in samples)]),
        np.concatenate([NOTHING, *(one.bucklers for one in samples)]),
        np.concatenate([NOTHING, *(one.gaps for one in samples)]),
    )
    return PooledPackings(len(samples), *pooled.densities(), pooled)
