"""From the simulation to the window: puts coloured frames into a mailbox, and passes copies of states to the
analyst.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from time import monotonic, sleep
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aggviewer.document.view import ViewModel, chosen_of
from aggviewer.session.analyst import Analyst, MeasuredState, MeasuringViewOf, StateCopy, SystemAnalysis
from aggviewer.session.coloring import Coloring, Colorist
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.session.notices import Notice, Notices
from engine.frame import Frame, FrameDiscs, discs_of
from engine.simulation import History, Simulation
from engine.state import Discs, InitialState

T = TypeVar("T")

_POLL = 0.01  # seconds between two looks whether a frame was taken


@dataclass
class Shown:
    """A state ready to be drawn. For ownership of the buffers see `FrameMailbox.take`.

    Attributes
    ----------
    disc_set, frame : the discs and their state.
    scalar, coloring : (N,) float32, the value that colours each disc, and its meaning.
    events : counts by kind so far.
    one_event : whether the user asked for the single event that has just happened.
    """

    disc_set: DiscSet
    frame: Frame
    scalar: NDArray[np.float32]
    coloring: Coloring
    events: dict[str, int] = field(default_factory=dict)
    one_event: bool = False

    @property
    def discs(self) -> Discs:
        """Radii before any growth, masses, box and boundary of this state."""
        return discs_of(self.frame, self.disc_set)


class FrameMailbox(Generic[T]):
    """Four reused buffers: one being written, one waiting, two that the reader may hold. The latest wins.

    The writer fills `back` and calls `publish`; the reader calls `take` and owns the frame until its next `take`, or
    longer with `keep`. Neither waits for the other. There is one writer and one reader.

    Parameters
    ----------
    arrived : called on the writer's thread by the first `publish` after a `take` that found nothing.

    Attributes
    ----------
    taken : number of frames that the reader has taken.
    """

    def __init__(self, arrived: Callable[[], None] = lambda: None) -> None:
        self._lock = threading.Lock()
        self._arrived = arrived
        self._missed = False  # the reader has found nothing since the last frame
        self._back: T | None = None
        self._waiting: T | None = None  # published and not taken yet
        self._held: list[T] = []  # buffers that the reader holds
        self._free: list[T] = []
        self.taken = 0

    def refill(self, make: Callable[[], T]) -> None:
        """Replace the buffers for frames of another size. A waiting frame is dropped; the reader keeps its frames."""
        back, *free = (make() for _ in range(4))
        with self._lock:
            self._back, self._free = back, free
            self._waiting, self._held = None, []

    @property
    def back(self) -> T:
        """The buffer to write into, owned by the writer until `publish`."""
        if self._back is None:
            raise RuntimeError("the mailbox has no buffers yet")
        return self._back

    @property
    def frame_taken(self) -> bool:
        """Whether the reader has taken the last frame; only then is it worth making a new one."""
        return self._waiting is None

    def publish(self) -> None:
        """Make `back` the latest frame; an older one that was not taken is lost."""
        with self._lock:
            older = self._waiting
            self._waiting = self._back
            self._back = self._free.pop() if older is None else older
            missed, self._missed = self._missed, False
        if missed:
            self._arrived()

    def wait_taken(self, count: int, patience: float) -> None:
        """Wait until the reader has taken so many frames, for at most `patience` seconds. On any thread."""
        end = monotonic() + patience
        while self.taken < count and monotonic() < end:
            sleep(_POLL)

    def take(self, keep: T | None = None) -> T | None:
        """The latest frame, None if there is nothing new. keep : an earlier frame that the reader keeps; all others
        return to the writer."""
        with self._lock:
            latest, self._waiting = self._waiting, None
            self._missed = latest is None
            if latest is not None:
                self.taken += 1
                self._free += [one for one in self._held if one is not keep]
                self._held = [one for one in self._held if one is keep] + [latest]
            return latest


class Publisher:
    """Publishes the states of one simulation after another. Belongs to the simulation's thread.

    Parameters
    ----------
    mailbox, analyst : receive coloured frames and copies of states.
    view : selects the field that colours the discs.
    analysis_of : creates an analysis for a system, by its name.
    lane : the number of the lane.

    Attributes
    ----------
    lane : see the parameters.
    analysis_due : whether a state is waiting for the analyst.
    """

    def __init__(
        self,
        mailbox: FrameMailbox[Shown],
        analyst: Analyst,
        view: ViewModel,
        analysis_of: Callable[[str], SystemAnalysis],
        lane: int = 0,
    ) -> None:
        self.lane = lane
        self.mailbox = mailbox
        self.analyst = analyst
        self.analysis_due = False
        self._analysis_of = analysis_of
        self._analyses: dict[str, SystemAnalysis] = {}  # by the name of the system
        self._view = view
        # kept for runs that may come back, so that their colours keep their meaning
        self._colorists: WeakKeyDictionary[DiscSet, Colorist] = WeakKeyDictionary()
        self._disc_set: DiscSet | None = None
        self._simulation: Simulation | None = None
        self._analysis = SystemAnalysis()
        self._past: Frame | None = None  # the earlier frame that is shown instead of the present one
        self._ended = False  # whether the state shown is the last one of the run
        self._measures = True

    def adopt(self, simulation: Simulation, disc_set: DiscSet, *, kernels: bool = True) -> None:
        """Publish another simulation from now on. New discs get new buffers and colours, or the colours from when they
        were last shown; with another method the same discs keep both.

        kernels : False for what is shown until kernels are loaded: it is coloured without them, and not measured.
        """
        same, self._measures = disc_set is self._disc_set, kernels
        self.analyst.averages.begin("It began again when the run was changed." if same else "")
        self._simulation, self._disc_set, self._past = simulation, disc_set, None
        if kernels:
            self._analysis = self._analysis_for(simulation.system)
            self._analysis.begin(simulation)
        self._colorists.setdefault(disc_set, _colorist(disc_set, kernels=kernels))
        if not same:
            self.mailbox.refill(lambda: _empty(disc_set))
            self.analyst.hurry()

    def _analysis_for(self, name: str) -> SystemAnalysis:
        """The analysis of a system, made when the first such simulation comes."""
        if name not in self._analyses:
            self._analyses[name] = self._analysis_of(name)
        return self._analyses[name]

    def brancher(self, disc_set: DiscSet) -> Callable[[], SystemAnalysis]:
        """A function that returns an analysis with the memory of this one; any thread may call it."""
        return partial(self.analyst.branch, self._analyses[disc_set.scenario.system])

    def show_still(self, state: InitialState, disc_set: DiscSet) -> None:
        """Publish a state before its simulation exists; it is not measured."""
        self.mailbox.refill(lambda: _empty(disc_set))
        energy = 0.5 * float(np.sum(state.masses * np.square(state.velocities).sum(axis=1)))
        shown = self.mailbox.back
        discs = FrameDiscs(disc_set.radii, disc_set.masses, disc_set.box, disc_set.periodic, disc_set.scenario)
        fields = {"cluster": state.cluster}
        shown.frame = Frame(0.0, state.positions, state.velocities, fields, disc_set.count, energy, discs=discs)
        shown.scalar, shown.coloring = _colorist(disc_set, kernels=False).color(shown.frame, self._view.color_by)
        self.mailbox.publish()

    def drop(self) -> None:
        """Release the simulation, which can no longer be used; published frames stay."""
        self._simulation = None
        self.analysis_due = False

    def publish(
        self, events: dict[str, int], *, ended: bool = False, analyse: bool = True, one_event: bool = False
    ) -> None:
        """Put the present state into the mailbox, and measure it at once or when the analyst is ready.

        Parameters
        ----------
        events : counts by kind so far.
        ended : whether it is the last state.
        analyse : whether to measure it.
        one_event : see `Shown`.
        """
        if self._simulation is not None:
            self._past, self._ended = None, ended
            shown = self.mailbox.back
            self._simulation.frame(shown.frame)
            shown.events, shown.one_event = dict(events), one_event
            self._publish(shown.frame, analyse)

    def show_past(self, frame: Frame) -> None:
        """Publish an earlier frame, and measure it with the history up to it."""
        if self._simulation is not None:
            self._past, self._ended = frame, False
            self.mailbox.back.frame.take(frame)  # a copy: the buffer will be written to again
            self.mailbox.back.one_event = False
            self._publish(frame, True)

    def _publish(self, frame: Frame, analyse: bool) -> None:
        """Colour the frame in the buffer, and publish it."""
        assert self._disc_set is not None  # set together with the simulation
        shown, measured = self.mailbox.back, partial(self.analyst.measured, self._disc_set)
        shown.scalar, shown.coloring = self._colorists[self._disc_set].color(frame, self._view.color_by, measured)
        if analyse and self._measures:
            self.analysis_due = True
            self.offer(frame)
        self.mailbox.publish()

    def offer(self, frame: Frame | None = None) -> None:
        """Measure the state shown, if the analyst is ready. frame : that state, if available."""
        simulation, disc_set = self._simulation, self._disc_set
        if simulation is None or disc_set is None:
            self.analysis_due = False
        elif self.analyst.ready:
            chosen = chosen_of(disc_set.fields, self._view.color_by)
            past, analysis = self._past, self._analysis
            state, measured = frame or past or simulation.frame(), self._measured_state
            if self.analyst.offer(
                analysis,
                disc_set,
                state,
                lambda: self._history(simulation),
                lambda: analysis.observe(simulation, state, measured),
                chosen,
                past=measured.past,
            ):
                self.analysis_due = False
        else:
            self._count(simulation.time if frame is None else frame.time)

    @property
    def next_average(self) -> float:
        """The simulation time at which the next state is to be averaged; inf for never."""
        simulation = self._simulation
        return inf if simulation is None or not self._measures else self.analyst.averages.due(simulation)

    def take_average(self) -> None:
        """Take the present state of the simulation for the averages if it is due."""
        simulation, disc_set, analysis = self._simulation, self._disc_set, self._analysis
        if simulation is None or disc_set is None or simulation.time < self.next_average:
            return

        def copied() -> tuple[SystemAnalysis, StateCopy]:
            frame = simulation.frame()
            observed = analysis.observe(simulation, frame, MeasuredState())
            return analysis, StateCopy.of(disc_set, frame, None, observed)

        self.analyst.average(simulation, copied)

    def frame_due(self, shown: int) -> bool:
        """Whether a frame of a recording, up to the one of number `shown`, is to be averaged."""
        return self._measures and self.analyst.averages.next_frame(shown) is not None

    def take_frame(self, shown: int, frame_at: Callable[[int], Frame]) -> None:
        """Take the next frame of a recording for the averages if one is due. shown : the number of the one that is
        shown; frame_at : reads a frame."""
        simulation, disc_set, analysis = self._simulation, self._disc_set, self._analysis
        if simulation is None or disc_set is None or not self.frame_due(shown):
            return

        def copied(number: int) -> tuple[SystemAnalysis, StateCopy]:
            frame = frame_at(number)
            observed = analysis.observe(simulation, frame, MeasuredState())
            return analysis, StateCopy.of(disc_set, frame, None, observed)

        self.analyst.average_frame(disc_set.scenario.system, shown, copied)

    def _count(self, time: float) -> None:
        """Give the analyst what the simulation has counted up to the state shown, since the other indicators may take
        longer.

        time : of that state, unless an earlier one is shown.
        """
        simulation, disc_set, past = self._simulation, self._disc_set, self._past
        if simulation is None or disc_set is None:
            return

        def counts() -> Analysis:
            data = self._analysis.count(simulation, self._measured_state)
            at = time if past is None else past.time
            return Analysis(disc_set, at, None, self._history(simulation), data, frozenset(), part="counts")

        self.analyst.count(counts)

    @property
    def _measured_state(self) -> MeasuredState:
        return MeasuredState(self._past is not None, self._ended)

    def _history(self, simulation: Simulation) -> History | None:
        """The history up to the state shown."""
        return simulation.history() if self._past is None else simulation.history().up_to(self._past.time)


def _colorist(disc_set: DiscSet, *, kernels: bool = True) -> Colorist:
    """A colorist with its own copy of `disc_set`, so that it does not keep that object alive."""
    return Colorist(disc_set.fields, replace(disc_set), kernels=kernels)


def _empty(disc_set: DiscSet) -> Shown:
    nothing = np.zeros(disc_set.count, np.float32)
    return Shown(
        disc_set, Frame.empty(disc_set.count, len(disc_set.box)), nothing, Coloring("cluster", "", "", (0.0, 1.0))
    )


class Publishers:
    """One publisher per lane, with its own mailbox and analyst, created when first needed.

    Parameters
    ----------
    measuring_view_of : returns the view of a system, which measures it; None to measure nothing.
    view : selects the field that colours the discs.
    notices : receives errors of measurements.
    on_measured : called when a slow field has been measured.
    arrived(lane) : called on the simulation's thread when a frame arrives after `latest_frame` found none.
    wake : lets that thread look for what is due, when other averages are wanted.
    """

    def __init__(
        self,
        measuring_view_of: MeasuringViewOf | None,
        view: ViewModel,
        notices: Notices,
        on_measured: Callable[[], None],
        arrived: Callable[[int], None],
        wake: Callable[[], None],
    ) -> None:
        self._measuring_view_of = measuring_view_of
        self._view = view
        self._notices = notices
        self._on_measured = on_measured
        self._wanted: frozenset[str] | None = None
        self._averaged: frozenset[str] = frozenset()
        self._arrived, self._wake = arrived, wake
        self._publishers: list[Publisher] = []

    def publisher_of(self, lane: int) -> Publisher:
        """The publisher of a lane. On the simulation's thread."""
        while len(self._publishers) <= lane:
            analyst = Analyst(self._on_error, self._on_measured, self._on_problem)
            made = Publisher(
                FrameMailbox(partial(self._arrived, len(self._publishers))),
                analyst,
                self._view,
                self._analysis_of,
                len(self._publishers),
            )
            self._publishers.append(made)
            analyst.want(self._wanted)
            analyst.averages.want(self._averaged)
        return self._publishers[lane]

    def latest_frame(self, lane: int = 0, keep: Shown | None = None) -> Shown | None:
        """The newest frame of a lane, None if there is nothing new. Its buffers stay valid until the next frame is
        taken; so do those of `keep`, taken earlier."""
        return self._publishers[lane].mailbox.take(keep) if lane < len(self._publishers) else None

    def latest_analysis(self, lane: int = 0) -> Analysis | None:
        """The newest indicators of a lane, None if there are no new ones."""
        return self._publishers[lane].analyst.take() if lane < len(self._publishers) else None

    def latest_counts(self, lane: int = 0) -> Analysis | None:
        """What a lane has counted up to a later state than that of the indicators, None if there is nothing new."""
        return self._publishers[lane].analyst.take_counts() if lane < len(self._publishers) else None

    def want(self, indicators: frozenset[str] | None) -> None:
        """Measure the indicators with these names (None: all, the default), at once if the last state lacks one. Others
        can still be read from an analysis, which then measures them. From any thread."""
        self._wanted = indicators
        for publisher in list(self._publishers):
            publisher.analyst.want(indicators)

    def average(self, indicators: frozenset[str]) -> None:
        """Average the indicators with these names over the run, from now on those that are new. From any thread."""
        self._averaged = indicators
        for publisher in list(self._publishers):
            publisher.analyst.averages.want(indicators)
            publisher.analyst.show_averages()
        self._wake()

    def average_again(self, indicators: frozenset[str]) -> None:
        """Let the averages of these indicators begin again. From any thread."""
        for publisher in list(self._publishers):
            publisher.analyst.averages.again(indicators)
            publisher.analyst.show_averages()
        self._wake()

    def stop(self) -> None:
        """Ask the threads of the analysts to end."""
        for publisher in list(self._publishers):
            publisher.analyst.stop()

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the threads; False if one takes longer than `patience` seconds."""
        self.stop()
        closed = [publisher.analyst.close(patience) for publisher in list(self._publishers)]
        return all(closed)

    def _analysis_of(self, system: str) -> SystemAnalysis:
        return SystemAnalysis() if self._measuring_view_of is None else self._measuring_view_of(system).analysis()

    def _on_error(self, error: Exception) -> None:
        self._notices.unexpected("The state could not be measured", error, "The simulation continues.")

    def _on_problem(self, problem: str) -> None:
        text = f"{problem[:1].upper()}{problem[1:]}"
        self._notices.send(Notice("warning", "An indicator has failed", text, expert=True))
