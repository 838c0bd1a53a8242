"""The thread that measures: indicators of the newest state, at its own cadence, without holding up the picture."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aggviewer.latest_job import LatestJob
from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.measuring import StateCopy, SystemAnalysis
from engine.fields import Field
from engine.frame import Frame, discs_of

if TYPE_CHECKING:
    from engine.simulation import History

INTERVAL = 0.15
"""Seconds between two analyses, at least."""

DUTY = 0.3
"""Share of its time that the thread may work: after an analysis of d seconds it rests d / DUTY - d at least."""


class Analyst:
    """Takes a copy of a state when it is ready for one, measures it, and keeps the newest result.

    The simulation's thread asks `ready` and calls `offer`; the reader polls `take`, and says by `want` what it looks
    at. A state that is offered while the analyst is busy is refused, not queued.

    Parameters
    ----------
    on_error : called on the analyst's thread with whatever a measurement raises.
    on_measured : called there when a field that takes long has been measured.
    clock : wall time in seconds.
    """

    def __init__(
        self,
        on_error: Callable[[Exception], None],
        on_measured: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._on_error = on_error
        self._on_measured = on_measured
        self._clock = clock
        self._changed = threading.Lock()
        self._measuring = threading.Lock()
        self._sample: StateCopy | None = None
        self._analysis = SystemAnalysis()
        self._wanted: frozenset[str] | None = None
        self._covered: frozenset[str] | None = frozenset()  # of the last sample: what has been measured, None for all
        self._busy = False
        self._not_before = 0.0
        self._result: Analysis | None = None
        self._fresh = False
        self._due: tuple[Field, Frame] | None = None  # a field to be measured, and a copy of the state
        self._measured: tuple[SystemInfo, str, NDArray[Any]] | None = None
        self._job = LatestJob("aggviewer-analyst")

    @property
    def ready(self) -> bool:
        """True when a state would be taken now."""
        return not self._busy and self._clock() >= self._not_before

    def offer(
        self,
        analysis: SystemAnalysis,
        system: SystemInfo,
        frame: Frame,
        history: Callable[[], History | None],
        observe: Callable[[], Any] = lambda: None,
        field: Field | None = None,
    ) -> bool:
        """Copy a state and have it measured; False when the analyst is not ready.

        Parameters
        ----------
        analysis : measures it.
        system, frame : the discs and their state.
        history : gives what has happened so far; called only if the analyst is ready.
        observe : gives what else the analysis needs; called only then, too.
        field : what the discs are coloured by; measured as well where that takes long, for `measured`.
        """
        if not self.ready:
            return False
        sample = StateCopy.of(system, frame, history(), observe())
        due: tuple[Field, Frame] | None = None
        if field is not None and field.measure is not None and field.values(frame, discs_of(frame, system)) is None:
            copy = Frame.empty(0)
            copy.take(frame)
            due = field, copy
        with self._changed:
            self._sample, self._analysis, self._due = sample, analysis, due
            self._busy = True
        self._job.submit(partial(self._measure, offered=True), failed=self._on_error)
        return True

    def want(self, names: frozenset[str] | None) -> None:
        """Measure these indicators from now on, all for None. Where the state that was measured last lacks one of them
        it is measured again at once, so that it is there also while nothing runs. From any thread."""
        with self._changed:
            self._wanted = names
            again = self._sample is not None and not _within(names, self._covered)
            if again:
                self._not_before = 0.0
        if again:
            self._job.submit(partial(self._measure, offered=False), failed=self._on_error, key="again")

    def branch(self, analysis: SystemAnalysis) -> SystemAnalysis:
        """Another analysis that remembers what `analysis` has seen; waits while something is measured. Any thread."""
        with self._measuring:
            return analysis.branch()

    def hurry(self) -> None:
        """Skip the pause that is due: another system is to be measured at once."""
        with self._changed:
            self._not_before = 0.0
            if not self._busy:
                self._sample = None

    def take(self) -> Analysis | None:
        """The newest indicators, None when they were taken already."""
        if not self._fresh:
            return None
        self._fresh = False
        return self._result

    def measured(self, system: SystemInfo, field: Field) -> NDArray[Any] | None:
        """The values of each disc, (N,), of a field that takes long, as last measured in this system; None before."""
        known = self._measured
        return known[2] if known is not None and known[0] is system and known[1] == field.name else None

    def stop(self) -> None:
        """Measure nothing more."""
        self._job.close(0.0)

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the thread; False where it measures for longer than `patience` seconds (None: waits)."""
        return self._job.close(patience)

    def _measure(self, *, offered: bool) -> None:
        """Measure the last sample. offered : it has just come; else it lacks something that is wanted."""
        with self._changed:
            if self._sample is None or (not offered and _within(self._wanted, self._covered)):
                return
            self._covered = self._wanted
            sample, analysis = replace(self._sample, wanted=self._wanted), self._analysis
            due = self._due if offered else None
        started = self._clock()
        try:
            if due is not None:
                field, state = due
                assert field.measure is not None  # else it is not due
                self._measured = (sample.system, field.name, field.measure(state, sample.discs))
            with self._measuring:
                self._result = analysis.measure(sample)
            self._fresh = True
        finally:
            took = self._clock() - started
            self._not_before = started + max(INTERVAL, took / DUTY)
            if offered:
                self._busy = False
            if due is not None:
                self._on_measured()


def _within(names: frozenset[str] | None, others: frozenset[str] | None) -> bool:
    """Whether all of the first are among the second; None is all that there are."""
    return others is None or (names is not None and names <= others)
