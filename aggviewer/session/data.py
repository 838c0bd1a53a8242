"""What the session hands out: plain data, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # the engine is imported by the worker, after the window is up
    from engine.scenario import Scenario
    from engine.simulation import History

State = Literal["empty", "compiling", "loading", "running", "paused", "finished", "failed"]


@dataclass(frozen=True, eq=False)
class SystemInfo:
    """What stays the same as long as these discs are simulated, also where another method carries on with them; a new
    object for every start.

    scenario : as it was at the start; radii, masses : (N,) float64; box : (2,) float64, L_x and L_y; count : N.
    """

    scenario: Scenario
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: bool
    count: int


@dataclass(frozen=True)
class Analysis:
    """A state of discs as it was measured: what plots draw.

    Parameters
    ----------
    system, time : which discs, and the simulation time of the state.
    indicators : what was measured of the state, of a kind that depends on the system; None where nothing could be.
    history : since the start up to then, None where it is not known.
    data : whatever else the plots of this system draw, of its own kind.
    """

    system: SystemInfo
    time: float
    indicators: Any
    history: History | None
    data: Any = None


@dataclass(frozen=True)
class Preparation:
    """How far the compiling or loading of kernels is: `done` of `total`, at `what`."""

    done: int
    total: int
    what: str


@dataclass(frozen=True, eq=False)
class Timeline:
    """What can be looked at again: simulation times from `begin` to `end`, of which `shown` is on the screen.

    marks : (K,) times at which large clusters have merged; replay : a recording, else what is kept of a run, whose
    end is the present; backwards, loop : how a recording, or what was,
    is played.
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
    """path : the file; frames, size : what is in it so far, size in bytes; every : simulation time between frames;
    last : simulation time of the last frame."""

    path: Path
    frames: int
    size: int
    every: float
    last: float


@dataclass(frozen=True)
class LaneStatus:
    """Where one of the simulations side by side is; see `Status` and `engine.simulation.Progress`."""

    system: str = ""
    method: str = ""
    time: float = 0.0
    clusters: int = 0
    events: dict[str, int] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    finished: bool = False


@dataclass(frozen=True)
class Status:
    """Where the simulation is; in a comparison the first one, with the time that both have reached.

    system : of the scenario; time : simulation time; clusters : M; count : N; events : counts by kind;
    events_per_second : physical events (merges, collisions and walls) per second of wall time; speed : simulation
    time per second asked for, inf for no pace; fast : without a pace, frame by frame so that it is seen, else as fast
    as it can; speed_reached : measured over the last half second, 0 while nothing runs; slow : the engine does not keep
    up with `speed`; preparation : while kernels are compiled;
    lanes : every simulation, one, or two in a comparison; past : the time that is shown while it is not the
    present, else None; recording : what is being recorded.
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
    lanes: tuple[LaneStatus, ...] = ()
    past: float | None = None
    recording: RecordingStatus | None = None
    timeline: Timeline | None = None
