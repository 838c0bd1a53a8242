"""When clusters merge in a film of a run up to its end: which pace shows it, and where in the film it is seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aggviewer.export.spec import Moments
from aggviewer.style.numbers import count
from engine.simulation import History

_EARLY = 0.25  # share of the time in which half of the merges happen, at most, where the logarithm of time passes


@dataclass(frozen=True, eq=False)
class Growth:
    """The merges of a run up to its end.

    Parameters
    ----------
    times : (K,), of the merges, ascending.
    end : the time at which nothing more happens.
    flight : see `aggviewer.export.spec.FilmSpec.moments`.
    """

    times: NDArray[np.float64]
    end: float
    flight: float = 1.0

    def early(self, start: float, end: float) -> bool:
        """Whether most merges between two times happen soon after the first one, so that the logarithm of time shows
        them better than time."""
        inside = self._between(start, end)
        return len(inside) > 0 and float(np.median(inside)) - start < _EARLY * (end - start)

    def frames(self, moments: Moments) -> NDArray[np.intp]:
        """The frames of a film in which merges are first seen, one for each merge in its range, ascending."""
        values = moments.values
        return np.searchsorted(values, self._between(float(values[0]), float(values[-1])), side="left")

    def words(self, moments: Moments, fps: float) -> str:
        """Where in a film the merges are seen."""
        seen = self.frames(moments)
        if not len(seen):
            return "No merges"
        half, most = (seen[int(np.ceil(share * len(seen))) - 1] / fps for share in (0.5, 0.9))
        many = f"{count(len(seen))} merge" + ("s" if len(seen) > 1 else "")
        return f"{many}: half in the first {half:.1f} s, 90 % in the first {most:.1f} s of {len(moments) / fps:.1f} s"

    def _between(self, start: float, end: float) -> NDArray[np.float64]:
        return self.times[(self.times > start) & (self.times <= end)]


def merge_times(history: History) -> NDArray[np.float64]:
    """(K,), the times at which two clusters merged, each once, ascending."""
    return np.repeat(history.time[1:], np.maximum(-np.diff(history.clusters), 0))
