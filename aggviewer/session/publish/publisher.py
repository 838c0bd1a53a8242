"""From the simulation to those who look: a coloured frame into the mailbox, a copy to the analyst."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from aggviewer.session.data import Analysis, SystemInfo
from aggviewer.session.engine_face import Engine
from aggviewer.session.fields import chosen_of, fields_of
from aggviewer.session.measuring import Moment, Pooling, SystemAnalysis, Views
from aggviewer.session.notices import Notices
from aggviewer.session.publish.analyst import Analyst
from aggviewer.session.publish.coloring import Coloring, Colorist
from aggviewer.session.publish.mailbox import FrameMailbox
from aggviewer.session.publish.shown import Shown
from aggviewer.session.saved.packing_pool import PackingPool
from aggviewer.session.view import ViewModel
from engine.simulation import Frame, Simulation
from engine.state import InitialState


class Publisher:
    """Publishes the states of one simulation after another. Belongs to the simulation's thread."""

    def __init__(
        self,
        mailbox: FrameMailbox[Shown],
        analyst: Analyst,
        view: ViewModel,
        analysis_of: Callable[[str], SystemAnalysis],
    ) -> None:
        """analysis_of : a new analysis of the states of a system, by its name."""
        self.mailbox = mailbox
        self.analyst = analyst
        self._analysis_of = analysis_of
        self._analyses: dict[str, SystemAnalysis] = {}  # of the systems that have run here
        self._analysis = SystemAnalysis()
        self._view = view
        self._colorist: Colorist | None = None
        # kept for runs that may come back, so that their colours keep their meaning
        self._colorists: WeakKeyDictionary[SystemInfo, Colorist] = WeakKeyDictionary()
        self._simulation: Simulation | None = None
        self._system: SystemInfo | None = None
        self._past: Frame | None = None  # what is shown while it is not the present
        self._ended = False  # what is shown is the end
        self.analysis_due = False

    def adopt(self, simulation: Simulation, system: SystemInfo) -> None:
        """Another simulation from now on. With other discs there are buffers of its size, and colours from the start
        or as they were when these discs were shown last; under another method the same discs keep both."""
        same = system is self._system
        self._simulation, self._system, self._past = simulation, system, None
        if simulation.system not in self._analyses:
            self._analyses[simulation.system] = self._analysis_of(simulation.system)
        self._analysis = self._analyses[simulation.system]
        self._analysis.begin(simulation)
        if same:
            return
        self._colorist = self._colorists.setdefault(system, _colorist(system))
        self.mailbox.refill(lambda: _empty(system))
        self.analyst.hurry()

    def show_still(self, state: InitialState, system: SystemInfo) -> None:
        """Publish a state that no simulation has been made of yet; it is not measured."""
        self.mailbox.refill(lambda: _empty(system))
        energy = 0.5 * float(np.sum(state.masses * np.square(state.velocities).sum(axis=1)))
        shown = self.mailbox.back
        shown.frame = Frame(0.0, state.positions, state.velocities, {"cluster": state.cluster}, system.count, energy)
        shown.scalar, shown.coloring = _colorist(system, apart=False).color(shown.frame, self._view.color_by)
        self.mailbox.publish()

    def drop(self) -> None:
        """The simulation cannot be used any more; what was published stays."""
        self._simulation = None
        self.analysis_due = False

    @property
    def wanted(self) -> bool:
        """True when the last frame was taken."""
        return self.mailbox.wanted

    @property
    def analyst_ready(self) -> bool:
        """True when a state would be measured at once."""
        return self.analyst.ready

    def publish(
        self, events: dict[str, int], *, ended: bool = False, analyse: bool = True, single: bool = False
    ) -> None:
        """Write the present state into the mailbox and have it measured, now or when the analyst has time. ended : it
        is the last one; single : see `Shown`."""
        simulation, system = self._simulation, self._system
        if simulation is None or system is None:
            return
        self._past, self._ended = None, ended
        shown = self.mailbox.back
        simulation.frame(shown.frame)
        self._color(shown, shown.frame, system)
        shown.events, shown.single = dict(events), single
        if analyse:
            self.analysis_due = True
            self.offer(shown.frame)
        self.mailbox.publish()

    def show_past(self, frame: Frame) -> None:
        """Publish a frame of before, and have it measured with the history up to it."""
        simulation, system = self._simulation, self._system
        if simulation is None or system is None:
            return
        shown = self.mailbox.back
        shown.frame.take(frame)  # the buffer will be written to again, the frame of before must not
        self._color(shown, frame, system)
        shown.single = False
        self._past, self._ended = frame, False
        self.analysis_due = True
        self.offer(frame)
        self.mailbox.publish()

    def _color(self, shown: Shown, frame: Frame, system: SystemInfo) -> None:
        assert self._colorist is not None  # there is one with every simulation
        measured = partial(self.analyst.measured, system)
        shown.scalar, shown.coloring = self._colorist.color(frame, self._view.color_by, measured)

    def offer(self, frame: Frame | None = None) -> None:
        """Have the present state measured, if the analyst is ready."""
        simulation, system = self._simulation, self._system
        if simulation is None or system is None:
            self.analysis_due = False
        elif self.analyst.ready:
            field = chosen_of(fields_of(simulation.system), self._view.color_by)
            past, analysis = self._past, self._analysis
            state = frame or past or simulation.frame()
            history = simulation.history if past is None else lambda: simulation.history().up_to(past.time)
            moment = Moment(past is not None, self._ended)
            if self.analyst.offer(
                analysis, system, state, history, lambda: analysis.observe(simulation, state, moment), field
            ):
                self.analysis_due = False


def _colorist(system: SystemInfo, *, apart: bool = True) -> Colorist:
    """One of its own copy of the discs, so that it does not keep `system` alive."""
    return Colorist(fields_of(system.scenario.system), replace(system), apart=apart)


def _empty(system: SystemInfo) -> Shown:
    nothing = np.zeros(system.count, np.float32)
    return Shown(system, Frame.empty(system.count), nothing, Coloring("cluster", "", "", (0.0, 1.0)))


class Publishers:
    """A publisher for each lane, with a mailbox and an analyst of its own, made when it is first needed.

    views : who knows how the discs of a system are measured; pool : the jammed packings of all lanes; on_measured :
    called when a field that takes long has been measured.
    """

    def __init__(
        self, engine: Engine, views: Views, view: ViewModel, notices: Notices, on_measured: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._views = views
        self._view = view
        self._notices = notices
        self._on_measured = on_measured
        self.pool = PackingPool()  # of all lanes
        self._publishers: list[Publisher] = []

    def publisher_of(self, lane: int) -> Publisher:
        """Where a lane is shown. On the simulation's thread."""
        while len(self._publishers) <= lane:
            analyst = Analyst(self._engine, self._on_error, self._on_measured)
            self._publishers.append(Publisher(FrameMailbox(), analyst, self._view, self._analysis_of))
        return self._publishers[lane]

    def latest_frame(self, lane: int) -> Shown | None:
        """The newest frame of a lane, None when there is nothing new."""
        return self._publishers[lane].mailbox.take() if lane < len(self._publishers) else None

    def latest_analysis(self, lane: int) -> Analysis | None:
        """The newest indicators of a lane, None when there are no new ones."""
        return self._publishers[lane].analyst.take() if lane < len(self._publishers) else None

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the threads; False where one takes longer than `patience` seconds."""
        closed = [publisher.analyst.close(patience) for publisher in list(self._publishers)]
        return all(closed)

    def _analysis_of(self, system: str) -> SystemAnalysis:
        analysis = self._views(system).analysis()
        if isinstance(analysis, Pooling):
            analysis.share(self.pool)
        return analysis

    def _on_error(self, error: Exception) -> None:
        self._notices.unexpected("The state could not be measured", error, "The simulation goes on.")
