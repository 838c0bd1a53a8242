"""The scale of an axis: from quantities to coordinates. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

FLOOR = -30.0
"""The coordinate of 0 on a logarithmic axis, if it must be shown."""


@dataclass(frozen=True)
class AxisScale:
    """The scale of one axis. logarithmic : whether log10 of a quantity is shown."""

    logarithmic: bool = False

    def show(self, values: ArrayLike) -> Floats:
        """Quantities as coordinates; nan if the logarithm is undefined."""
        given = np.asarray(values, np.float64)
        if not self.logarithmic:
            return given
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(given > 0.0, np.log10(np.where(given > 0.0, given, 1.0)), np.nan)

    def quantity(self, shown: float) -> float:
        """The quantity at a coordinate."""
        return float(10.0**shown) if self.logarithmic else shown

    def coordinate(self, quantity: float) -> float:
        """The coordinate of a quantity; one without a logarithm is far below all others."""
        if not self.logarithmic:
            return quantity
        return float(np.log10(quantity)) if quantity > 0.0 else FLOOR


Scales = tuple[AxisScale, AxisScale]
