"""Measuring discs: the interface between session and systems, and the thread that measures indicators of the newest
state at its own pace, without delaying the picture."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aggviewer.latest_job import LatestJob
from aggviewer.session.averaging import RunningAverages
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.session.measured_rows import MeasuredRows
from engine.fields import Field
from engine.frame import Frame, discs_of
from engine.indicators import Measurable, Problems, as_json, measure, recorded, registered
from engine.system import system

if TYPE_CHECKING:
    from engine.analysis import Sample
    from engine.simulation import History, Simulation
    from engine.state import Discs


@dataclass(frozen=True)
class MeasuredState:
    """The kind of state measured. past : an earlier one, for which the simulation has no details; ended : the last
    one."""

    past: bool = False
    ended: bool = False


@dataclass
class StateCopy:
    """A copy of a state, owned by the analyst.

    Parameters
    ----------
    disc_set : the discs.
    positions : (N, d), centres.
    radius_factor : factor of the radii of `discs`, which grow in some systems.
    history : from the start up to this state.
    observed : the result of `SystemAnalysis.observe`.
    wanted_indicators : names of the indicators in use, None for all.
    own : the discs of the state itself (`engine.frame.discs_of`); None for those of `disc_set`.
    past : whether it is an earlier state of a run that has gone on.
    strain, shear_rate : as in a frame.
    """

    disc_set: DiscSet
    time: float
    positions: NDArray[np.float64]
    radius_factor: float
    history: History | None
    observed: Any
    wanted_indicators: frozenset[str] | None = None
    own: Discs | None = None
    past: bool = False
    strain: float = 0.0
    shear_rate: float = 0.0

    @staticmethod
    def of(
        disc_set: DiscSet, frame: Frame, history: History | None, observed: Any, wanted: frozenset[str] | None = None
    ) -> StateCopy:
        """A copy of a frame of these discs."""
        return StateCopy(
            disc_set, frame.time, frame.positions.copy(), frame.radius_factor, history, observed, wanted, frame.discs,
            strain=frame.strain, shear_rate=frame.shear_rate,
        )  # fmt: skip

    @property
    def discs(self) -> Discs:
        """Masses, box and boundary of the state, and its radii before any growth."""
        return self.disc_set if self.own is None else self.own

    @property
    def radii(self) -> NDArray[np.float64]:
        """The present radii, (N,)."""
        return self.discs.radii * self.radius_factor

    def sample(self, **parts: Any) -> Sample:
        """The state in the engine's form. parts : what it contains besides positions, radii, masses and box."""
        from engine.analysis import Sample  # takes a while, and nothing before the first measurement needs it

        discs = self.discs
        return Sample(
            self.positions, self.radii, discs.box, periodic=discs.periodic.strained(self.strain, discs.box),
            masses=discs.masses, shear_rate=self.shear_rate, strain=self.strain, **parts,
        )  # fmt: skip

    def analysis(
        self,
        indicators: Any,
        data: Any = None,
        measured: frozenset[str] | None = None,
        general: StateIndicators | None = None,
    ) -> Analysis:
        """The analysis with the measured values. general : those that every system has, by default `indicators`."""
        radius = float(np.mean(self.radii)) if len(self.positions) else 0.0
        if general is None and isinstance(indicators, StateIndicators):
            general = indicators
        problems = {} if general is None else general.problems
        return Analysis(self.disc_set, self.time, indicators, self.history, data, measured, radius, problems, general)


class StateIndicators:
    """The indicators of a state as attributes: those of its system, and those of plug-ins. Each is measured once, at
    first use, and is None if undefined.

    Parameters
    ----------
    of : the name of the system.
    state : returns the state, which is released once everything is measured.

    Attributes
    ----------
    problems : a sentence for each indicator that failed, whose value is None, by its name.
    """

    def __init__(self, of: str, state: Callable[[], Measurable]) -> None:
        self._state = state
        self._indicators = (*system(of).indicators(), *registered())
        self._values: dict[str, Any] = {}
        self.problems = Problems()

    def measure(self, names: frozenset[str] | None) -> frozenset[str] | None:
        """Measure these now (None: all); others are measured at first use. Returns `names`, which are then
        available."""
        new = [one for one in self._indicators if one.name not in self._values]
        due = [one for one in new if names is None or one.name in names]
        if due:
            found = measure(self._state(), due, self.problems)
            self._values |= {one.name: found.get(one.name) for one in due}
        return names

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in {one.name for one in self._indicators}:
            raise AttributeError(f"this system has no indicator {name}")
        return self.value(name)

    def value(self, name: str) -> Any:
        """The value of an indicator, None if it is undefined or there is none of this name."""
        self.measure(frozenset({name}))
        return self._values.get(name)

    def to_dict(self) -> dict[str, Any]:
        """All indicators as plain lists, numbers and None, ready for JSON."""
        self.measure(None)
        return as_json(self._values, self._indicators, self.problems)


class SystemAnalysis:
    """Base class: measures the discs of one system. Each lane has its own, which may remember earlier states."""

    def begin(self, simulation: Simulation) -> None:
        """Measure this simulation from now on. On its thread."""

    def observe(self, simulation: Simulation, frame: Frame, measured: MeasuredState) -> Any:
        """Copy what is needed besides the positions; do not keep the buffers of `frame`. Runs on the simulation's
        thread and must be quick."""
        return {"velocities": frame.velocities.copy(), "cluster": frame.cluster.copy()} if registered() else None

    def count(self, simulation: Simulation, measured: MeasuredState) -> Any:
        """The data (`Analysis.data`) of plots that show only what the simulation has counted (`Plot.counts`). Runs on
        the simulation's thread, perhaps while `measure` runs on another, and must be quick."""
        return None

    def measure(self, state: StateCopy) -> Analysis:
        """Measure the wanted values of a state; others may follow at first use, as in `StateIndicators`. Runs on the
        analyst's thread and may be slow."""
        kind, parts = state.disc_set.system, state.observed
        if kind is None or not isinstance(parts, dict):
            return state.analysis(None)
        found = StateIndicators(kind.name, lambda: state.sample(joins=kind.joins, **parts))
        return state.analysis(found, measured=found.measure(state.wanted_indicators))

    def measure_all(self, state: StateCopy) -> Analysis:
        """The result of `measure`, with the numbers that plug-ins record over time (`Indicator.in_history`)."""
        names = tuple(one.name for one in recorded())
        if not names:
            return self.measure(state)
        if state.wanted_indicators is not None:
            state = replace(state, wanted_indicators=state.wanted_indicators | set(names))
        found = self.measure(state)
        by_discs = vars(self).setdefault(
            "_recorded", WeakKeyDictionary()
        )  # plug-ins derive classes with their own init
        rows: MeasuredRows = by_discs.setdefault(state.disc_set, MeasuredRows())
        values = [None if found.general is None else found.general.value(name) for name in names]
        rows.remember(state.time, *(np.nan if value is None else value for value in values), past=state.past)
        columns = rows.up_to(state.time)
        return found if columns is None else replace(found, recorded=dict(zip(("time", *names), columns, strict=True)))

    def sample(self, state: StateCopy) -> Sample:
        """A state as a sample of the engine, to be averaged over time. Runs on the analyst's thread."""
        return state.sample()

    def branch(self) -> SystemAnalysis:
        """A copy that remembers the same, and from now on goes its own way."""
        return deepcopy(self)


class MeasuringView(Protocol):
    """The view of a system, as far as the session needs it."""

    def analysis(self) -> SystemAnalysis:
        """A new analysis, for one lane."""
        ...


MeasuringViewOf = Callable[[str], MeasuringView]
"""The view of a system, by its name."""


INTERVAL = 0.15
"""Least time between two analyses in seconds."""

DUTY = 0.3
"""Largest share of time that the thread works: after an analysis of d seconds it rests at least d / DUTY - d."""


COUNTS_INTERVAL = 0.25
"""Least time in seconds between two states of which only the counts are kept."""

COUNTS_DUTY = 0.1
"""Largest share of the simulation's time that is spent on these."""


class Analyst:
    """Copies a state when ready, measures it, and keeps the newest result. Meanwhile it keeps what the simulation has
    counted up to later states.

    The simulation's thread checks `ready` and calls `offer`; the reader polls `take`, and calls `want` with the
    indicators it needs. States offered while the analyst is busy are rejected, not queued.

    Parameters
    ----------
    on_error : called on the analyst's thread with an exception of a measurement.
    on_measured : called there when a slow field has been measured.
    on_problem : called there with a sentence about an indicator that has failed, once for each.
    clock : wall time in seconds.

    Attributes
    ----------
    averages : over the run, of which each result has those up to then.
    """

    def __init__(
        self,
        on_error: Callable[[Exception], None],
        on_measured: Callable[[], None] = lambda: None,
        on_problem: Callable[[str], None] = lambda problem: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._on_error = on_error
        self._on_measured = on_measured
        self._on_problem = on_problem
        self._reported: set[str] = set()  # the names of indicators that have failed
        self._clock = clock
        self.averages = RunningAverages()
        self._changed = threading.Lock()
        self._measuring = threading.Lock()
        self._state: StateCopy | None = None
        self._analysis = SystemAnalysis()
        self._wanted: frozenset[str] | None = None
        self._covered: frozenset[str] | None = frozenset()  # indicators measured of the last state, None for all
        self._busy = False
        self._not_before = 0.0
        self._result: Analysis | None = None
        self._fresh = False
        # numbers of states, in the order in which they were offered
        self._number = self._number_of_state = self._number_of_result = 0
        self._newest_counts: tuple[int, Analysis] | None = None  # the newest counts, with the number of their state
        self._counts_fresh = False
        self._count_not_before = 0.0
        self._due: tuple[Field, Frame] | None = None  # a field to be measured, and a copy of the state
        self._measured: tuple[DiscSet, str, NDArray[Any] | None] | None = None
        self._job = LatestJob("aggviewer-analyst")

    @property
    def ready(self) -> bool:
        """Whether a state would be accepted now."""
        return not self._busy and self._clock() >= self._not_before

    def offer(
        self,
        analysis: SystemAnalysis,
        disc_set: DiscSet,
        frame: Frame,
        history: Callable[[], History | None],
        observe: Callable[[], Any] = lambda: None,
        field: Field | None = None,
        *,
        past: bool = False,
    ) -> bool:
        """Copy a state and measure it; False if the analyst is not ready.

        Parameters
        ----------
        analysis : measures it.
        disc_set, frame : the discs and their state.
        history : returns the history so far; called only if the analyst is ready.
        observe : returns further data for the analysis; also called only then.
        field : the field that colours the discs; also measured if it is slow, for `measured`.
        past : see `StateCopy`.
        """
        if not self.ready:
            return False
        state = replace(StateCopy.of(disc_set, frame, history(), observe()), past=past)
        due: tuple[Field, Frame] | None = None
        if field is not None and field.measure is not None and field.values(frame, discs_of(frame, disc_set)) is None:
            copy = Frame.empty(0)
            copy.take(frame)
            due = field, copy
        with self._changed:
            self._state, self._analysis, self._due = state, analysis, due
            self._number += 1
            self._number_of_state = self._number
            self._busy = True
        self._job.submit(partial(self._measure, offered=True), failed=self._on_error)
        return True

    def count(self, counts: Callable[[], Analysis]) -> None:
        """Keep the counts of a state that is not measured, if the last ones are old enough. On the simulation's thread.

        counts : makes them; called only if they are due.
        """
        started = self._clock()
        if started < self._count_not_before:
            return
        made = counts()
        with self._changed:
            self._number += 1
            self._newest_counts, self._counts_fresh = (self._number, made), True
        self._count_not_before = started + max(COUNTS_INTERVAL, (self._clock() - started) / COUNTS_DUTY)

    def want(self, names: frozenset[str] | None) -> None:
        """Measure these indicators from now on (None: all). If the last measured state lacks one, it is measured again
        at once, even while paused. From any thread."""
        with self._changed:
            self._wanted = names
            again = self._state is not None and not _within(names, self._covered)
            if again:
                self._not_before = 0.0
        if again:
            self._job.submit(partial(self._measure, offered=False), failed=self._on_error, key="again")

    def average(self, simulation: Simulation, copied: Callable[[], tuple[SystemAnalysis, StateCopy]]) -> None:
        """Take the present state for the averages if it is due. On the simulation's thread.

        copied : returns what measures the state, and a copy of it.
        """

        def taken() -> Callable[[], Sample]:
            analysis, state = copied()
            return lambda: analysis.sample(state)

        self.averages.take(simulation, taken, self._submit_average)

    def average_frame(self, of: str, shown: int, copied: Callable[[int], tuple[SystemAnalysis, StateCopy]]) -> None:
        """Take the next frame of a recording for the averages, up to the one that is shown, and show them. On the
        simulation's thread.

        of : the system; copied : reads a frame, and returns what measures it, and a copy of it.
        """

        def taken(number: int) -> tuple[float, Callable[[], Sample]]:
            analysis, state = copied(number)
            return state.time, lambda: analysis.sample(state)

        def submit(add: Callable[[], None]) -> None:
            self._submit_average(add)
            self.show_averages()

        self.averages.take_frame(of, shown, taken, submit)

    def _submit_average(self, add: Callable[[], None]) -> None:
        self._job.submit(add, failed=self._on_error, key=add)  # each of them is made

    def show_averages(self) -> None:
        """Give the last result again with the averages up to now, as when other ones are wanted. On any thread."""

        def again() -> None:
            averages = self.averages.so_far()
            with self._changed:
                if self._result is not None:
                    self._result, self._fresh = replace(self._result, averaged=averages), True

        self._job.submit(again, failed=self._on_error, key="averages")

    def branch(self, analysis: SystemAnalysis) -> SystemAnalysis:
        """An independent copy of `analysis`; waits for a measurement in progress. Any thread."""
        with self._measuring:
            return analysis.branch()

    def hurry(self) -> None:
        """Do not rest before the next measurement, so that another system is measured at once."""
        with self._changed:
            self._not_before = 0.0
            if not self._busy:
                self._state = None

    def take(self) -> Analysis | None:
        """The newest indicators; None if they were taken before."""
        with self._changed:
            if not self._fresh or self._result is None:
                return None
            self._fresh = False
            overtaken = self._newest_counts is not None and self._newest_counts[0] > self._number_of_result
            return replace(self._result, part="measured") if overtaken else self._result

    def take_counts(self) -> Analysis | None:
        """The newest counts, None if they were already taken or a later state has been measured."""
        with self._changed:
            if not self._counts_fresh or self._newest_counts is None:
                return None
            self._counts_fresh = False
            return self._newest_counts[1] if self._newest_counts[0] > self._number_of_result else None

    def measured(self, disc_set: DiscSet, field: Field) -> NDArray[Any] | None:
        """The values of a slow field, (N,), last measured in this system; None before."""
        known = self._measured
        return known[2] if known is not None and known[0] is disc_set and known[1] == field.name else None

    def stop(self) -> None:
        """Stop measuring."""
        self._job.close(0.0)

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the thread; False if it is still measuring after `patience` seconds (None: wait)."""
        return self._job.close(patience)

    def _measure(self, *, offered: bool) -> None:
        """Measure the last state. offered : True for a new state, False if an old one lacks something wanted."""
        with self._changed:
            if self._state is None or (not offered and _within(self._wanted, self._covered)):
                return
            self._covered = self._wanted
            state, analysis = replace(self._state, wanted_indicators=self._wanted), self._analysis
            number = self._number_of_state
            due = self._due if offered else None
        started = self._clock()
        try:
            if due is not None:
                field, frame = due
                assert field.measure is not None  # only such a field can be due
                self._measured = (state.disc_set, field.name, field.measure(frame, state.discs))
            with self._measuring:
                result = analysis.measure_all(state)
            result = replace(result, averaged=self.averages.so_far())
            with self._changed:
                self._result, self._number_of_result, self._fresh = result, number, True
            self._tell_problems(result)
        finally:
            took = self._clock() - started
            self._not_before = started + max(INTERVAL, took / DUTY)
            if offered:
                self._busy = False
            if due is not None:
                self._on_measured()

    def _tell_problems(self, result: Analysis) -> None:
        for name, problem in result.problems.items():
            if name not in self._reported:
                self._reported.add(name)
                self._on_problem(problem)


def _within(names: frozenset[str] | None, others: frozenset[str] | None) -> bool:
    """Whether the second set of names contains the first; None stands for all names."""
    return others is None or (names is not None and names <= others)
