"""The data that the session provides: plain values, and signals about changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from psygnal import Signal

from aggviewer.session.averaging import AveragesSoFar
from engine.boundary import Periodic
from engine.fields import Field, fields_in
from engine.system import System, find

if TYPE_CHECKING:
    from engine.analysis import Average
    from engine.merges import MergeLog
    from engine.scenario import Scenario
    from engine.simulation import History
    from engine.state import Discs

RunState = Literal["empty", "compiling", "loading", "running", "paused", "finished", "failed"]
"""What a run does (`Run.state`), or what the window hears of it (`Runner.state`).

- "empty": nothing was started yet.
- "running": it advances, or what has happened is played. After *Pause* it is "paused"; when all its simulations or the
  recording have come to their end, "finished". Playing what has happened, or a change that leaves work to do, leads
  from there to "running" and "paused" again.
- "failed": a simulation has raised an exception, and all are gone. Only another start leads on.
- "loading": another run is being built, or copied for a lesson; "compiling": its kernels are compiled or loaded
  (`Runner.preparation`). If that fails, the state is again that of `Run.state`, which has not changed meanwhile.

What a person asked for last is kept apart from this, in `Run.should_run`: the next run begins with it.
"""


@dataclass(frozen=True, eq=False)
class DiscSet:
    """What stays constant for a set of discs, even if another method continues with them. Every start creates a new
    object.

    Parameters
    ----------
    scenario : as it was at the start.
    radii, masses : (N,).
    box, periodic : (d,), its sides, d = 2 or 3, and along which axes it is periodic, or one truth value for all.
    count : N.
    """

    scenario: Scenario
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: Periodic
    count: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "periodic", Periodic.of(self.periodic, len(self.box)))

    @property
    def system(self) -> System | None:
        """The system of the scenario; None if it is unknown."""
        return find(self.scenario.system)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of each disc that have a meaning in this box; the first is the default for colouring."""
        return () if self.system is None else fields_in(self.system.all_fields, len(self.box))

    @classmethod
    def of(cls, scenario: Scenario, discs: Discs) -> DiscSet:
        """The object for discs that start with this scenario."""
        return cls(scenario, discs.radii, discs.masses, discs.box, discs.periodic, len(discs.radii))


@dataclass(frozen=True)
class Analysis:
    """A measured state of discs, the input of plots.

    Parameters
    ----------
    disc_set, time : the discs, and the simulation time of the state.
    indicators : the measured indicators, whose type depends on the system; None if nothing could be measured.
    history : from the start up to this time, None if unknown.
    data : further data for the plots of this system, of its own type.
    measured : names of the indicators that are already available, None for all.
    radius : the mean radius ⟨R⟩ at that time, the plots' unit of length; None for that of `disc_set`.
    problems : a sentence for each indicator that has failed, by its name.
    averaged : the averages over the run up to now.
    means : those that take the place of what was measured, by the name of the indicator (`over_time`); None where a
        single state is shown.
    general : the indicators that every system has, with those of plug-ins (`StateIndicators`); None if unknown.
    recorded : the numbers that plug-ins record over time, (K,) each by name, and the times of the states that were
        measured, as ``time``; empty without any.
    part : for which plots it is. A measurement may take seconds; meanwhile those that need none (`Plot.counts`) get
        ``counts`` of later states, with history and data alone, and what is measured then is for the others.
    """

    disc_set: DiscSet
    time: float
    indicators: Any
    history: History | None
    data: Any = None
    measured: frozenset[str] | None = None
    radius: float | None = None
    problems: Mapping[str, str] = field(default_factory=dict)
    general: Any = None
    recorded: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    averaged: AveragesSoFar = field(default_factory=AveragesSoFar)
    means: Mapping[str, Average] | None = None
    part: Literal["all", "counts", "measured"] = "all"

    @property
    def mean_radius(self) -> float:
        """The mean radius ⟨R⟩ of the discs at that time."""
        return float(np.mean(self.disc_set.radii)) if self.radius is None else self.radius

    def over_time(self, names: frozenset[str]) -> Analysis:
        """The averages of these indicators instead of a state; the time is that of the last state in them."""
        found = {name: one for name, one in self.averaged.averages.items() if name in names}
        time = max((one.last for one in found.values()), default=self.time)
        values = SimpleNamespace(**{name: found[name].value if name in found else None for name in names})
        return replace(self, indicators=values, means=found, time=time)

    def error(self, name: str, part: str = "") -> Any:
        """The standard errors of a part of an indicator that is averaged, a number or (K,); None if they are not known,
        and for a single state."""
        average = None if self.means is None else self.means.get(name)
        return None if average is None else average.error(part)

    def has(self, names: frozenset[str] | None) -> bool:
        """Whether these indicators (None: all) are available without a measurement."""
        return self.measured is None or (names is not None and names <= self.measured)


@dataclass(frozen=True)
class Preparation:
    """Progress of compiling or loading kernels: `done` of `total`, at `what`."""

    done: int
    total: int
    what: str


@dataclass(frozen=True, eq=False)
class Timeline:
    """The times that can be shown again.

    Parameters
    ----------
    begin, end, shown_time : first and last simulation time, and the one on the screen. The end of a run is its present.
    marks : (K,), times at which large clusters merged.
    replay : True for a recording, False for the stored past of a run.
    backwards, loop : the way it is played.
    """

    begin: float
    end: float
    shown_time: float
    marks: NDArray[np.float64]
    replay: bool = False
    backwards: bool = False
    loop: bool = False


@dataclass(frozen=True)
class RecordingStatus:
    """The state of a recording in progress.

    Parameters
    ----------
    path, size : the file and its size in bytes.
    frames, every, last : number of frames, simulation time between them, and time of the last.
    """

    path: Path
    frames: int
    size: int
    every: float
    last: float


@dataclass(frozen=True, eq=False)
class MergesFound:
    """The record of merges of a lane's run.

    Parameters
    ----------
    lane, lanes : the number of the lane, and of lanes side by side.
    disc_set : of its discs.
    log : a copy of the record; None if the run has none.
    """

    lane: int
    lanes: int
    disc_set: DiscSet
    log: MergeLog | None


@dataclass(frozen=True)
class LaneStatus:
    """The progress of one of the simulations; see `Status` and `engine.simulation.Progress`.

    `has_merges` : whether it records its merges (`engine.capabilities.merging`).
    """

    system: str = ""
    method: str = ""
    time: float = 0.0
    clusters: int = 0
    events: dict[str, int] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    finished: bool = False
    has_merges: bool = False


@dataclass(frozen=True)
class Status:
    """The status of the simulation; in a comparison, of the first one, with the time reached by both.

    Parameters
    ----------
    state : what it is doing.
    system, time, clusters, count, events : its name, simulation time, M, N, and counts by kind.
    events_per_second : physical events (merges, collisions and walls) per second of wall time.
    speed, every_frame : requested simulation time per second; inf for no set pace. It then shows every frame if
        `every_frame`, or else runs as fast as it can.
    speed_reached, slow : speed over the last half second, 0 while nothing runs; whether it is less than requested.
    preparation : progress while kernels are compiled.
    stand_in : whether a recorded run is shown until the simulation is ready.
    lanes : one simulation, or two in a comparison; none before the first is ready.
    past : the past time being shown, None at the present.
    recording, timeline : the recording in progress, and the times that can be shown again.
    """

    state: RunState = "empty"
    system: str = ""
    time: float = 0.0
    clusters: int = 0
    count: int = 0
    events: dict[str, int] = field(default_factory=dict)
    events_per_second: float = 0.0
    speed: float = inf
    every_frame: bool = False
    speed_reached: float = 0.0
    slow: bool = False
    preparation: Preparation | None = None
    stand_in: bool = False
    lanes: tuple[LaneStatus, ...] = ()
    past: float | None = None
    recording: RecordingStatus | None = None
    timeline: Timeline | None = None

    @property
    def plays_recording(self) -> bool:
        """Whether a recording is shown, behind which there is no simulation."""
        return self.timeline is not None and self.timeline.replay


class SessionSignals:
    """Signals, emitted on the simulation's thread; listeners on other threads must queue them.

    Attributes
    ----------
    scenario_changed : with the Scenario of lane 0, which is running or waiting for its kernels.
    lanes_changed : with the Scenarios of all lanes, one or two.
    discs_changed : with the DiscSet of lane 0, when other discs take the place of the present ones.
    state_changed : with the RunState, a str.
    merges_found : with the requested MergesFound.
    frame_arrived : with the number of a lane, when a frame arrives after `Publishers.latest_frame` found none.
    file_opened, file_refused : with the Path of a file that was, or could not be, opened.
    file_written : with the Path of a session or recording that was written.
    opens : with the Scenario of what was opened, before it replaces the run; not of a session, which is resumed.
    resumed : with the SessionState of an opened session, including its view.
    scenario : the last of `scenario_changed`, None before the first.
    """

    scenario_changed = Signal(object)
    lanes_changed = Signal(object)
    discs_changed = Signal(DiscSet)
    state_changed = Signal(str)
    merges_found = Signal(object)
    frame_arrived = Signal(int)
    file_opened = Signal(Path)
    file_refused = Signal(Path)
    file_written = Signal(Path)
    opens = Signal(object)
    resumed = Signal(object)

    scenario: Scenario | None = None
