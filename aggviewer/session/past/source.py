"""What can be played: frames that are there already, each of which can be had at any time."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.frame import Frame


class Source(Protocol):
    """Random access to the frames of something that has been: what a run keeps, a file, a run that comes with the
    program. A run that goes on is no source: only its past is one."""

    @property
    def times(self) -> NDArray[np.float64]:
        """(K,), rising, K >= 1: the times of the frames, or their numbers where there are no times."""
        ...

    def at(self, index: int) -> Frame:
        """Frame `index`, 0 <= index < K, after any other one. InputError where it cannot be read."""
        ...
