"""What the session hands out: plain data, and signals of its changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from psygnal import Signal

from engine.fields import Field
from engine.system import System, find

if TYPE_CHECKING:
    from engine.merges import MergeLog
    from engine.scenario import Scenario
    from engine.simulation import History
    from engine.state import Discs

State = Literal["empty", "compiling", "loading", "running", "paused", "finished", "failed"]


@dataclass(frozen=True, eq=False)
class SystemInfo:
    """What stays the same as long as these discs are simulated, also where another method carries on with them; a new
    object for every start.

    Parameters
    ----------
    scenario : as it was at the start.
    radii, masses : (N,).
    box, periodic : (2,), L_x and L_y, and whether it has no walls.
    count : N.
    """

    scenario: Scenario
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: bool
    count: int

    @property
    def kind(self) -> System | None:
        """The system of the scenario; None for one that the program does not know."""
        return find(self.scenario.system)

    @property
    def fields(self) -> tuple[Field, ...]:
        """What each disc has; the first is what they are coloured by where nothing else is chosen."""
        return () if self.kind is None else self.kind.fields

    @classmethod
    def of(cls, scenario: Scenario, discs: Discs) -> SystemInfo:
        """The account of discs that begin under this scenario."""
        return cls(scenario, discs.radii, discs.masses, discs.box, discs.periodic, len(discs.radii))


@dataclass(frozen=True)
class Analysis:
    """A state of discs as it was measured: what plots draw.

    Parameters
    ----------
    system, time : which discs, and the simulation time of the state.
    indicators : what was measured of the state, of a kind that depends on the system; None where nothing could be.
    history : since the start up to then, None where it is not known.
    data : whatever else the plots of this system draw, of its own kind.
    measured : the names of the indicators that take no time to be asked for, None where none does.
    radius : the mean radius ⟨R⟩ of the discs at that time, the unit of length of the plots; None for that of `system`.
    """

    system: SystemInfo
    time: float
    indicators: Any
    history: History | None
    data: Any = None
    measured: frozenset[str] | None = None
    radius: float | None = None

    @property
    def mean_radius(self) -> float:
        """⟨R⟩ at that time."""
        return float(np.mean(self.system.radii)) if self.radius is None else self.radius

    def has(self, names: frozenset[str] | None) -> bool:
        """Whether these indicators, all for None, can be asked for without a measurement."""
        return self.measured is None or (names is not None and names <= self.measured)


@dataclass(frozen=True)
class Preparation:
    """How far the compiling or loading of kernels is: `done` of `total`, at `what`."""

    done: int
    total: int
    what: str


@dataclass(frozen=True, eq=False)
class Timeline:
    """What can be looked at again.

    Parameters
    ----------
    begin, end, shown : simulation times, and the one on the screen. The end of a run is its present.
    marks : (K,), times at which large clusters have merged.
    replay : whether it is a recording, else what is kept of a run.
    backwards, loop : how it is played.
    """

    begin: float
    end: float
    shown: float
    marks: NDArray[np.float64]
    replay: bool = False
    backwards: bool = False
    loop: bool = False


@dataclass(frozen=True)
class RecordingStatus:
    """What is in a recording so far.

    Parameters
    ----------
    path, size : the file and its bytes.
    frames, every, last : how many frames, the simulation time between them, and that of the last one.
    """

    path: Path
    frames: int
    size: int
    every: float
    last: float


@dataclass(frozen=True, eq=False)
class MergesFound:
    """The record of merges of what runs in a lane.

    Parameters
    ----------
    lane, lanes : which one, and how many run side by side.
    system : of its discs.
    log : a copy of the record; None where what runs has none.
    """

    lane: int
    lanes: int
    system: SystemInfo
    log: MergeLog | None


@dataclass(frozen=True)
class Throw:
    """A disc that is moved by hand: the arguments of `engine.throw`."""

    disc: int
    position: tuple[float, float] | None
    velocity: tuple[float, float] | None


@dataclass(frozen=True)
class LaneStatus:
    """Where one of the simulations side by side is; see `Status` and `engine.simulation.Progress`.

    `has_merges` : whether it keeps a record of its merges (`engine.capabilities.merging`).
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
    """Where the simulation is; in a comparison the first one, with the time that both have reached.

    Parameters
    ----------
    state : what it does.
    system, time, clusters, count, events : its name, simulation time, M, N, and counts by kind.
    events_per_second : physical events (merges, collisions and walls) per second of wall time.
    speed, fast : simulation time per second asked for; inf for no pace, then frame by frame where it is `fast`, so
        that it is seen, else as fast as it can.
    speed_reached, slow : measured over the last half second, 0 while nothing runs; whether that is less than asked for.
    preparation : while kernels are compiled.
    recorded, held : whether a recorded run is shown, until the simulation itself is there; whether it is held.
    lanes : every simulation, one, or two in a comparison.
    past : the time that is shown while it is not the present, else None.
    recording, timeline : what is being recorded, and what can be looked at again.
    """

    state: State = "empty"
    system: str = ""
    time: float = 0.0
    clusters: int = 0
    count: int = 0
    events: dict[str, int] = field(default_factory=dict)
    events_per_second: float = 0.0
    speed: float = inf
    fast: bool = False
    speed_reached: float = 0.0
    slow: bool = False
    preparation: Preparation | None = None
    recorded: bool = False
    held: bool = False
    lanes: tuple[LaneStatus, ...] = ()
    past: float | None = None
    recording: RecordingStatus | None = None
    timeline: Timeline | None = None


class SessionSignals:
    """Signals, emitted on the thread of the simulation: a listener that belongs to another one queues them.

    Attributes
    ----------
    scenario_changed : of lane 0, with its Scenario: what runs, or what waits for the kernels.
    lanes_changed : the Scenarios side by side, one, or two in a comparison.
    system_changed : the SystemInfo of lane 0: other discs.
    state_changed : the State, a str.
    step_traced, step_refused : the TracedStep that was asked for, or the reason why there is none.
    merges_found : the MergesFound that was asked for.
    file_opened, file_refused : the Path of a file that was opened, or could not be opened.
    file_written : the Path of a session or a recording that was written.
    resumed : the SessionState of a session that was opened, which says how it was shown.
    scenario : the one of `scenario_changed`, None where there is nothing yet.
    """

    scenario_changed = Signal(object)
    lanes_changed = Signal(object)
    system_changed = Signal(SystemInfo)
    state_changed = Signal(str)
    step_traced = Signal(object)
    step_refused = Signal(str)
    merges_found = Signal(object)
    file_opened = Signal(Path)
    file_refused = Signal(Path)
    file_written = Signal(Path)
    resumed = Signal(object)

    scenario: Scenario | None = None
