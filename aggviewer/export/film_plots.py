"""The interface between a film and what draws its plots."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, TimeoutError
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aggviewer.export.film_layout import FilmArea
from aggviewer.export.sources import Cancelled
from aggviewer.latest_job import CancelledError
from aggviewer.session.data import Analysis

Pixels = NDArray[np.uint8]

_POLL = 0.05  # seconds between checks for cancellation


class FilmPlotDrawer(Protocol):
    """Draws plots of measured states. Its methods are called on the film's thread and return at once, so that the
    picture is painted while plots are drawn on their own thread.

    Attributes
    ----------
    wanted : names of the indicators that they need; None for all.
    """

    @property
    def wanted(self) -> frozenset[str] | None: ...

    def allow_for(self, analysis: Analysis, run: int) -> None:
        """Let the axes make room for a state."""
        ...

    def draw(self, analyses: Sequence[Analysis], places: Sequence[FilmArea]) -> Future[list[Pixels]]:
        """Start drawing images of all plots, in the sizes of their areas, with a measured state of each run."""
        ...


def result_of(drawing: Future[list[Pixels]], cancelled: Cancelled) -> list[Pixels]:
    """Wait for the images. Raises CancelledError if the film is cancelled."""
    while True:
        try:
            return drawing.result(_POLL)
        except TimeoutError:
            if cancelled():
                drawing.cancel()
                raise CancelledError from None
