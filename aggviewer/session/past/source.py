"""Things that can be played: existing frames with random access."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

F_co = TypeVar("F_co", covariant=True)


class Source(Protocol[F_co]):
    """Random access to existing frames: a run's past, a file, a bundled run, or the story of a time step. A live run is
    not a source; only its past is."""

    @property
    def times(self) -> NDArray[np.float64]:
        """(K,), ascending, K >= 1: the times of the frames, or their numbers if there are no times. They are the stops
        of a player (`aggviewer.session.past.player.Player`)."""
        ...

    def at(self, index: int) -> F_co:
        """Frame `index`, 0 <= index < K, in any order. InputError if it cannot be read."""
        ...
