"""From the simulation to the window: puts coloured frames into a mailbox, and passes copies of states to the
analyst."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aggviewer.document.view import ViewModel, chosen_of
from aggviewer.session.color_history import Histories
from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.measuring import MeasuredState, Pooling, SystemAnalysis, Views
from aggviewer.session.notices import Notices
from aggviewer.session.publish.analyst import Analyst
from aggviewer.session.publish.coloring import Coloring, Colorist
from aggviewer.session.saved.packing_pool import PackingPool
from engine.capabilities import frame_with
from engine.fields import Reads, all_read
from engine.frame import Frame, discs_of
from engine.simulation import Simulation
from engine.state import Discs, InitialState

T = TypeVar("T")


@dataclass
class Shown:
    """One state ready to be drawn. The buffers belong to the reader as `FrameMailbox.take` says.

    Attributes
    ----------
    system, frame : which discs, and their state.
    scalar, coloring : (N,) float32, what the discs are coloured by, and how to read it.
    events : counts by kind so far.
    single : whether the user asked for the single event that has just happened.
    """

    system: SystemInfo
    frame: Frame
    scalar: NDArray[np.float32]
    coloring: Coloring
    events: dict[str, int] = field(default_factory=dict)
    single: bool = False

    @property
    def discs(self) -> Discs:
        """Radii before any disc has grown, masses, box and boundary in this state."""
        return discs_of(self.frame, self.system)


class FrameMailbox(Generic[T]):
    """Four reused buffers: one being written, one waiting, two that the reader may hold. The latest wins.

    The writer fills `back` and calls `publish`; the reader calls `take` and owns what it gets until it calls `take`
    again, or for longer where it says so. Neither ever waits for the other. One writer, one reader.

    arrived : called on the writer's thread by the first `publish` after a `take` that found nothing.
    """

    def __init__(self, arrived: Callable[[], None] = lambda: None) -> None:
        self._lock = threading.Lock()
        self._arrived = arrived
        self._missed = False  # the reader has found nothing since the last frame
        self._back: T | None = None
        self._waiting: T | None = None  # published and not taken yet
        self._held: list[T] = []  # by the reader
        self._free: list[T] = []

    def refill(self, make: Callable[[], T]) -> None:
        """Replace the buffers, for frames of another size. What waits is dropped; the reader keeps what it has."""
        back, *free = (make() for _ in range(4))
        with self._lock:
            self._back, self._free = back, free
            self._waiting, self._held = None, []

    @property
    def back(self) -> T:
        """The buffer to write into; the writer's alone until `publish`."""
        if self._back is None:
            raise RuntimeError("the mailbox has no buffers yet")
        return self._back

    @property
    def wanted(self) -> bool:
        """True when the reader has taken the last frame: only then is a new one worth its making."""
        return self._waiting is None

    def publish(self) -> None:
        """Make `back` the latest frame; an older one that nobody took is lost."""
        with self._lock:
            older = self._waiting
            self._waiting = self._back
            self._back = self._free.pop() if older is None else older
            missed, self._missed = self._missed, False
        if missed:
            self._arrived()

    def take(self, keep: T | None = None) -> T | None:
        """The latest frame, None when there is nothing new. keep : one that was taken earlier and stays the reader's;
        all others go back to the writer."""
        with self._lock:
            latest, self._waiting = self._waiting, None
            self._missed = latest is None
            if latest is not None:
                self._free += [one for one in self._held if one is not keep]
                self._held = [one for one in self._held if one is keep] + [latest]
            return latest


class Publisher:
    """Publishes the states of one simulation after another. Belongs to the simulation's thread.

    Parameters
    ----------
    mailbox, analyst : where coloured frames and copies of states go.
    view : what the discs are coloured by.
    analysis_of : gives a new analysis of the states of a system, by its name.
    view_of : gives what knows how its states are measured, another one where its plug-in was loaded again.
    lane : its number among lanes side by side.

    Attributes
    ----------
    analysis_due : a state waits for the analyst.
    wanted : what is read of a frame that is gone after a moment, beside what the colours stand for
        (`engine.fields.Field.reads`). Set from any thread.
    """

    def __init__(
        self,
        mailbox: FrameMailbox[Shown],
        analyst: Analyst,
        view: ViewModel,
        analysis_of: Callable[[str], SystemAnalysis],
        view_of: Callable[[str], object] = lambda system: None,
        lane: int = 0,
    ) -> None:
        self._lane = lane
        self.mailbox = mailbox
        self.analyst = analyst
        self.analysis_due = False
        self.wanted: Reads = None
        self._analysis_of = analysis_of
        self._view_of = view_of
        self._analyses: dict[str, tuple[object, SystemAnalysis]] = {}  # of the systems that have run here
        self._view = view
        # kept for runs that may come back, so that their colours keep their meaning
        self._colorists: WeakKeyDictionary[SystemInfo, Colorist] = WeakKeyDictionary()
        self._system: SystemInfo | None = None
        self._simulation: Simulation | None = None
        self._analysis = SystemAnalysis()
        self._past: Frame | None = None  # the earlier frame that is shown instead of the present
        self._ended = False  # what is shown is the last state
        self._before: Colorist | None = None  # of a recorded run that is shown before there is a simulation

    def adopt(self, simulation: Simulation, system: SystemInfo, colors: Histories | None = None) -> None:
        """Publish another simulation from now on. Other discs get buffers of their size, and colours from the start, or
        as they were when these discs were shown last; under another method the same discs keep both.

        colors : how the colours of its clusters have changed; new changes are added to it.
        """
        same, self._before = system is self._system, None
        self._simulation, self._system, self._past = simulation, system, None
        self._analysis = self._analysis_for(simulation.system)
        self._analysis.begin(simulation)
        colorist = self._colorists.setdefault(system, _colorist(system))
        colorist.follow({} if colors is None else colors, self._lane)
        if not same:
            self.mailbox.refill(lambda: _empty(system))
            self.analyst.hurry()

    def _analysis_for(self, name: str) -> SystemAnalysis:
        """The analysis of a system; another one where a plug-in has brought another view of it."""
        view, known = self._view_of(name), self._analyses.get(name)
        if known is None or known[0] is not view:
            known = self._analyses[name] = view, self._analysis_of(name)
        return known[1]

    def brancher(self, system: SystemInfo) -> Callable[[], SystemAnalysis]:
        """What gives an analysis of a system that remembers what was measured here; to be called on any thread."""
        return partial(self.analyst.branch, self._analyses[system.scenario.system][1])

    def show_still(self, state: InitialState, system: SystemInfo) -> None:
        """Publish a state of which no simulation has been made yet; it is not measured."""
        self.mailbox.refill(lambda: _empty(system))
        energy = 0.5 * float(np.sum(state.masses * np.square(state.velocities).sum(axis=1)))
        shown = self.mailbox.back
        shown.frame = Frame(0.0, state.positions, state.velocities, {"cluster": state.cluster}, system.count, energy)
        shown.scalar, shown.coloring = _colorist(system, apart=False).color(shown.frame, self._view.color_by)
        self.mailbox.publish()

    def begin_recorded(self, system: SystemInfo) -> None:
        """Frames of a recorded run of these discs come before there is a simulation; they are not measured."""
        self.mailbox.refill(lambda: _empty(system))
        self._before = _colorist(system, apart=False)

    def show_recorded(self, frame: Frame) -> None:
        """Publish a frame of a recorded run."""
        assert self._before is not None
        shown = self.mailbox.back
        shown.frame = frame
        shown.scalar, shown.coloring = self._before.color(frame, self._view.color_by)
        self.mailbox.publish()

    def drop(self) -> None:
        """Let go of the simulation, which cannot be used any more; what was published stays."""
        self._simulation = None
        self.analysis_due = False

    def publish(
        self,
        events: dict[str, int],
        *,
        ended: bool = False,
        analyse: bool = True,
        single: bool = False,
        passing: bool = False,
    ) -> None:
        """Write the present state into the mailbox and have it measured, at once or when the analyst has time.

        Parameters
        ----------
        events : counts by kind so far.
        ended : it is the last state.
        analyse : whether to have it measured.
        single : see `Shown`.
        passing : the next one follows at once, so that this one has only what is looked at now. All others have
            everything, so that they can be looked at in another way.
        """
        if self._simulation is not None:
            self._past, self._ended = None, ended
            shown, color_by = self.mailbox.back, self._view.color_by
            whole = not passing or (analyse and self.analyst.ready)  # who measures may read all
            frame_with(self._simulation, None if whole else self._reads(color_by), shown.frame)
            shown.events, shown.single = dict(events), single
            self._publish(shown.frame, analyse, color_by)

    def _reads(self, color_by: str) -> frozenset[str] | None:
        """What a frame has to have, see `wanted`."""
        assert self._system is not None  # it comes with the simulation
        fields = self._system.fields
        colored = (chosen_of(fields, color_by), *fields[:1])  # the first one where the chosen one is not known
        return all_read([self.wanted, *(field.reads for field in colored)])

    def show_past(self, frame: Frame) -> None:
        """Publish an earlier frame, and have it measured with the history up to it."""
        if self._simulation is not None:
            self._past, self._ended = frame, False
            self.mailbox.back.frame.take(frame)  # a copy: the buffer will be written to again
            self.mailbox.back.single = False
            self._publish(frame, True, self._view.color_by)

    def _publish(self, frame: Frame, analyse: bool, color_by: str) -> None:
        """Colour the frame that is in the buffer, and hand it over. color_by : as it was when the frame was made."""
        assert self._system is not None  # it comes with the simulation
        shown, measured = self.mailbox.back, partial(self.analyst.measured, self._system)
        shown.scalar, shown.coloring = self._colorists[self._system].color(frame, color_by, measured)
        if analyse:
            self.analysis_due = True
            if not frame.left_out:
                self.offer(frame)
        self.mailbox.publish()

    def offer(self, frame: Frame | None = None) -> None:
        """Have the state that is shown measured, if the analyst is ready. frame : that state, where it is at hand."""
        simulation, system = self._simulation, self._system
        if simulation is None or system is None:
            self.analysis_due = False
        elif self.analyst.ready:
            chosen = chosen_of(system.fields, self._view.color_by)
            past, analysis = self._past, self._analysis
            state = frame or past or simulation.frame()
            history = simulation.history if past is None else lambda: simulation.history().up_to(past.time)
            moment = MeasuredState(past is not None, self._ended)
            if self.analyst.offer(
                analysis, system, state, history, lambda: analysis.observe(simulation, state, moment), chosen
            ):
                self.analysis_due = False


def _colorist(system: SystemInfo, *, apart: bool = True) -> Colorist:
    """One with its own copy of `system`, so that it does not keep that alive."""
    return Colorist(system.fields, replace(system), apart=apart)


def _empty(system: SystemInfo) -> Shown:
    nothing = np.zeros(system.count, np.float32)
    return Shown(system, Frame.empty(system.count), nothing, Coloring("cluster", "", "", (0.0, 1.0)))


class Publishers:
    """A publisher for each lane, with a mailbox and an analyst of its own, made when it is first needed.

    Parameters
    ----------
    views : gives what knows how a system is measured; None measures nothing.
    view : what the discs are coloured by.
    notices : takes what goes wrong in a measurement.
    on_measured : called when a field that takes long has been measured.

    Attributes
    ----------
    pool : the jammed packings of all lanes.
    """

    def __init__(self, views: Views | None, view: ViewModel, notices: Notices, on_measured: Callable[[], None]) -> None:
        self._views = views
        self._view = view
        self._notices = notices
        self._on_measured = on_measured
        self.pool = PackingPool()
        self._wanted: frozenset[str] | None = None
        self._read: Reads = None
        self._arrived: Callable[[], None] = lambda: None
        self._publishers: list[Publisher] = []

    def publisher_of(self, lane: int) -> Publisher:
        """Where a lane is shown. On the simulation's thread."""
        while len(self._publishers) <= lane:
            analyst = Analyst(self._on_error, self._on_measured)
            made = Publisher(
                FrameMailbox(lambda: self._arrived()),
                analyst,
                self._view,
                self._analysis_of,
                self._view_of,
                len(self._publishers),
            )
            self._publishers.append(made)
            made.wanted = self._read
            analyst.want(self._wanted)
        return self._publishers[lane]

    def latest_frame(self, lane: int = 0, keep: Shown | None = None) -> Shown | None:
        """The newest frame of a lane, None when there is nothing new; its buffers stay valid until the next frame is
        taken, and those of `keep`, which was taken earlier, too."""
        return self._publishers[lane].mailbox.take(keep) if lane < len(self._publishers) else None

    def tell(self, arrived: Callable[[], None]) -> None:
        """Call this, on the simulation's thread, when there is a frame that `latest_frame` has been asked for in vain.
        From any thread."""
        self._arrived = arrived

    def latest_analysis(self, lane: int = 0) -> Analysis | None:
        """The newest indicators of a lane, None when there are no new ones."""
        return self._publishers[lane].analyst.take() if lane < len(self._publishers) else None

    def want(self, indicators: frozenset[str] | None) -> None:
        """Measure the indicators with these names, at once where the last state lacks one; None for all, as at the
        start. What is not measured can still be asked of an analysis, and takes its time then. From any thread."""
        self._wanted = indicators
        for publisher in list(self._publishers):
            publisher.analyst.want(indicators)

    def read(self, names: Reads) -> None:
        """What is read of frames from now on, see `Publisher.wanted`; None for all, as at the start. From any
        thread."""
        self._read = names
        for publisher in list(self._publishers):
            publisher.wanted = names

    def stop(self) -> None:
        """Tell the threads to end."""
        for publisher in list(self._publishers):
            publisher.analyst.stop()

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the threads; False where one takes longer than `patience` seconds."""
        self.stop()
        closed = [publisher.analyst.close(patience) for publisher in list(self._publishers)]
        return all(closed)

    def _view_of(self, system: str) -> object:
        return None if self._views is None else self._views(system)

    def _analysis_of(self, system: str) -> SystemAnalysis:
        analysis = SystemAnalysis() if self._views is None else self._views(system).analysis()
        if isinstance(analysis, Pooling):
            analysis.share(self.pool)
        return analysis

    def _on_error(self, error: Exception) -> None:
        self._notices.unexpected("The state could not be measured", error, "The simulation continues.")
