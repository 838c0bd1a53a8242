"""What a film asks of those who draw the plots beside its picture."""

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

_POLL = 0.05  # seconds between two looks at whether anybody still wants the film


class FilmPlotDrawer(Protocol):
    """Draws plots of measured states. Its methods are called on the film's thread and return at once, so that the
    picture is painted while plots are drawn on the thread that they belong to.

    Attributes
    ----------
    wanted : names of the indicators that they need; None for all.
    """

    @property
    def wanted(self) -> frozenset[str] | None: ...

    def allow_for(self, analysis: Analysis, run: int) -> None:
        """Have room on the axes for a state that is to come, or has been."""
        ...

    def draw(self, analyses: Sequence[Analysis], places: Sequence[FilmArea]) -> Future[list[Pixels]]:
        """Images of all plots, each as large as its place, with a measured state of each run."""
        ...


def result_of(drawing: Future[list[Pixels]], cancelled: Cancelled) -> list[Pixels]:
    """Wait for the images. Raises CancelledError where nobody wants the film any more."""
    while True:
        try:
            return drawing.result(_POLL)
        except TimeoutError:
            if cancelled():
                drawing.cancel()
                raise CancelledError from None
