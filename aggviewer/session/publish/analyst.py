"""The thread that measures: indicators of the newest state, at its own cadence, without holding up the picture."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.engine_face import EngineFace
from aggviewer.session.gas import GasAnalysis, GasFacts, GasSample
from aggviewer.session.packing import PackingFacts, PackingSample, measure_packing
from aggviewer.session.saved.packing_pool import PackingPool
from engine.fields import Field
from engine.simulation import Frame

if TYPE_CHECKING:
    from engine.simulation import History

INTERVAL = 0.15
"""Seconds between two analyses, at least."""

DUTY = 0.3
"""Share of its time that the thread may work: after an analysis of d seconds it rests d / DUTY - d at least."""


@dataclass
class _Sample:
    """A copy of a state, the analyst's own."""

    system: SystemInfo
    time: float
    positions: NDArray[np.float64]
    cluster: NDArray[np.int32]
    history: History | None
    gas: GasSample | None = None  # of discs that bounce
    packing: PackingSample | None = None  # of discs that jam
    field: Field | None = None  # to be measured too
    frame: Frame | None = None  # where there is such a field


class Analyst:
    """Takes a copy of a state when it is ready for one, measures it, and keeps the newest result.

    The simulation's thread asks `ready` and calls `offer`; the reader polls `take`. A state that is offered while the
    analyst is busy is refused, not queued.
    """

    def __init__(
        self,
        engine: EngineFace,
        on_error: Callable[[Exception], None],
        on_measured: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.perf_counter,
        pool: PackingPool | None = None,
    ) -> None:
        self._engine = engine
        self._pool = pool or PackingPool()
        self._on_error = on_error
        self._on_measured = on_measured
        self._clock = clock
        self._changed = threading.Condition()
        self._sample: _Sample | None = None
        self._busy = False
        self._closing = False
        self._not_before = 0.0
        self._result: Analysis | None = None
        self._fresh = False
        self._measured: tuple[SystemInfo, str, NDArray[Any]] | None = None
        self._gas = GasAnalysis(engine)
        self._thread = threading.Thread(target=self._loop, name="aggviewer-analyst", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """True when a state would be taken now."""
        return not self._busy and self._clock() >= self._not_before

    def offer(
        self,
        system: SystemInfo,
        frame: Frame,
        history: Callable[[], History | None],
        field: Field | None = None,
        facts: Callable[[], GasFacts] | None = None,
        jamming: Callable[[], PackingFacts] | None = None,
    ) -> bool:
        """Copy `frame` and start measuring it; False when the analyst is not ready.

        `history` is called only if it is; `field`: of the colours, measured too where that takes long, for
        `measured`; `facts`: for discs that bounce, called as `history` is; `jamming`: the same for discs that jam.
        """
        if not self.ready:
            return False
        last = self._sample
        if last is not None and last.system is system:  # the thread is idle: its buffers are free
            np.copyto(last.positions, frame.positions)
            np.copyto(last.cluster, frame.cluster)
            sample = _Sample(system, frame.time, last.positions, last.cluster, history())
        else:
            sample = _Sample(system, frame.time, frame.positions.copy(), frame.cluster.copy(), history())
        if field is not None and field.measure is not None and field.values(frame, system) is None:
            sample.field, sample.frame = field, Frame.empty(0)
            sample.frame.take(frame)
        if facts is not None:
            sample.gas = GasSample.of(frame, facts())
        if jamming is not None:
            sample.packing = PackingSample.of(frame, jamming())
        with self._changed:
            self._sample = sample
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

    def measured(self, system: SystemInfo, field: Field) -> NDArray[Any] | None:
        """The values of each disc, (N,), of a field that takes long, as last measured in this system; None before."""
        known = self._measured
        return known[2] if known is not None and known[0] is system and known[1] == field.name else None

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
                sample = self._sample
            assert sample is not None
            started = self._clock()
            try:
                self._measure(sample)
            except Exception as error:
                self._on_error(error)
            took = self._clock() - started
            self._not_before = started + max(INTERVAL, took / DUTY)
            self._busy = False
            if sample.field is not None:
                self._on_measured()

    def _measure(self, sample: _Sample) -> None:
        system, face = sample.system, self._engine
        if sample.field is not None and sample.frame is not None:
            self._measured = (system, sample.field.name, face.measure(sample.field, sample.frame, system))
        if sample.gas is not None:
            self._result = self._gas.measure(system, sample.gas, cast("History", sample.history))
            self._fresh = True
            return
        if sample.packing is not None:
            self._result = measure_packing(face, system, sample.packing, cast("History", sample.history), self._pool)
            self._fresh = True
            return
        indicators = face.analyse(sample.positions, system.radii, system.box, system.periodic, sample.cluster)
        self._result = Analysis(system, sample.time, indicators, sample.history)
        self._fresh = True
