"""What can be played: frames that are there already, each of which can be had at any time."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

F_co = TypeVar("F_co", covariant=True)


class Source(Protocol[F_co]):
    """Random access to the frames of something that has been: what a run keeps, a file, a run that comes with the
    program, the story of a time step. A run that goes on is no source: only its past is one."""

    @property
    def times(self) -> NDArray[np.float64]:
        """(K,), rising, K >= 1: the times of the frames, or their numbers where there are no times; the stops of a
        player (`aggviewer.session.past.player.Player`)."""
        ...

    def at(self, index: int) -> F_co:
        """Frame `index`, 0 <= index < K, after any other one. InputError where it cannot be read."""
        ...
