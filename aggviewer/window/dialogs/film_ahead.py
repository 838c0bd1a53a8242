"""Simulates a run to its end while a film of it is asked for, to know when that is and when its clusters merge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

import engine
from aggviewer.export.growth import Growth, merge_times
from aggviewer.export.sources import LaneToFilm, SimulationSource, first_flight_time
from aggviewer.session.notices import log
from aggviewer.widgets.gui_job import GuiJob


class FilmAhead(QObject):
    """``changed`` when the merges of the run are known.

    Attributes
    ----------
    growth : the merges, None before.
    busy : whether the run is being simulated.
    """

    changed = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._job = GuiJob("end of the run", parent=self)
        self._lanes: Sequence[LaneToFilm] = ()
        self._asked = False
        self.busy = False
        self.growth: Growth | None = None

    def begin(self, lanes: Sequence[LaneToFilm]) -> None:
        """Forget what was known; look ahead in these lanes from now on."""
        self._lanes, self.growth, self._asked, self.busy = lanes, None, False, False

    def find(self) -> None:
        """Start to simulate, once."""
        if self._lanes and not self._asked:
            self._asked = self.busy = True
            work = partial(growth_of, self._lanes, lambda: self._job.cancelled)
            self._job.submit(work, self._take, self._fail)

    def end(self) -> None:
        """Stop simulating."""
        self._lanes, self.busy = (), False
        self._job.cancel()

    def close(self) -> None:
        """End the thread."""
        self._job.close()

    def _take(self, growth: Growth) -> None:
        self.growth, self.busy = growth, False
        self.changed.emit()

    def _fail(self, error: Exception) -> None:
        """The film itself says what is wrong."""
        log.info("the end of a run could not be found for a film: %s", error)
        self.busy = False
        self.changed.emit()


def growth_of(lanes: Sequence[LaneToFilm], cancelled: Callable[[], bool]) -> Growth:
    """The merges of runs side by side, up to the end of the last one. On any thread."""
    times, ends, flight = [], [], 1.0
    for number, lane in enumerate(lanes):
        assert lane.checkpoint is not None
        source = SimulationSource(engine.restore(lane.checkpoint), lane.past)
        if number == 0:
            flight = first_flight_time(source)
        ended = source.at_end(cancelled)
        times.append(merge_times(ended.history()))
        ends.append(ended.time)
    return Growth(np.sort(np.concatenate(times)), max(ends), flight)
