"""The thread that measures: indicators of the newest state, at its own cadence, without holding up the picture."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.engine_face import EngineFace
from aggviewer.session.measuring import Sample, SystemAnalysis

if TYPE_CHECKING:
    from engine.simulation import Frame, History

INTERVAL = 0.15
"""Seconds between two analyses, at least."""

DUTY = 0.3
"""Share of its time that the thread may work: after an analysis of d seconds it rests d / DUTY - d at least."""


class Analyst:
    """Takes a copy of a state when it is ready for one, measures it, and keeps the newest result.

    The simulation's thread asks `ready` and calls `offer`; the reader polls `take`. A state that is offered while the
    analyst is busy is refused, not queued.
    """

    def __init__(
        self,
        engine: EngineFace,
        on_error: Callable[[Exception], None],
        on_contacts: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._engine = engine
        self._on_error = on_error
        self._on_contacts = on_contacts
        self._clock = clock
        self._changed = threading.Condition()
        self._sample: Sample | None = None
        self._analysis = SystemAnalysis()
        self._busy = False
        self._closing = False
        self._not_before = 0.0
        self._result: Analysis | None = None
        self._fresh = False
        self._contacts: tuple[SystemInfo, NDArray[np.int32]] | None = None
        self._thread = threading.Thread(target=self._loop, name="aggviewer-analyst", daemon=True)
        self._thread.start()

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
        contacts: bool = False,
    ) -> bool:
        """Copy `frame` and have `analysis` measure it; False when the analyst is not ready.

        `history` and `observe`, which gives what else the analysis needs, are called only if it is; `contacts`: count
        those of each disc too, for `contacts_of`.
        """
        if not self.ready:
            return False
        last = self._sample
        if last is not None and last.system is system:  # the thread is idle: its buffers are free
            np.copyto(last.positions, frame.positions)
            positions = last.positions
        else:
            positions = frame.positions.copy()
        sample = Sample(system, frame.time, positions, frame.radius_factor, history(), observe(), contacts)
        with self._changed:
            self._sample, self._analysis = sample, analysis
            self._busy = True
            self._changed.notify()
        return True

    def hurry(self) -> None:
        """Forget the rest that is due: another system is worth measuring at once."""
        self._not_before = 0.0

    def take(self) -> Analysis | None:
        """The newest indicators, None when they were taken already."""
        if not self._fresh:
            return None
        self._fresh = False
        return self._result

    def contacts_of(self, system: SystemInfo) -> NDArray[np.int32] | None:
        """Contacts of each disc, (N,), as last counted in this system; None before."""
        counted = self._contacts
        return counted[1] if counted is not None and counted[0] is system else None

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the thread; False where it measures for longer than `patience` seconds (None: waits)."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._busy or self._closing)
                if self._closing:
                    return
                sample, analysis = self._sample, self._analysis
            assert sample is not None
            started = self._clock()
            try:
                if sample.contacts:
                    self._count_contacts(sample)
                self._result = analysis.measure(sample)
                self._fresh = True
            except Exception as error:
                self._on_error(error)
            took = self._clock() - started
            self._not_before = started + max(INTERVAL, took / DUTY)
            self._busy = False
            if sample.contacts:
                self._on_contacts()

    def _count_contacts(self, sample: Sample) -> None:
        system = sample.system
        counts = self._engine.contact_counts(sample.positions, sample.radii, system.box, system.periodic)
        self._contacts = (system, counts)
