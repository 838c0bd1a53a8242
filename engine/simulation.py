"""What every simulation can do, the protocol `Simulation`, and what it gives: progress, history, checkpoints; and how
far a run goes from one displayed frame to the next, for `Simulation.stride`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from math import inf, sqrt
from typing import Annotated, Any, Protocol, Self, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Longs
from engine.boundary import Periodic
from engine.frame import Frame
from engine.records import copied
from engine.scenario import Scenario
from engine.state import InitialState

PHYSICAL = ("merge", "collision", "wall", "program")
"""The kinds of events that happen to discs. All other kinds are internal to an algorithm."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come after a call of `advance`.

    Parameters
    ----------
    time : the simulation time reached.
    clusters : the number of clusters M.
    events : the number of events of each kind since the start: physical ones (`PHYSICAL`), then internal ones.
    steps : the number of steps of each kind, for methods that step in time.
    finished : whether nothing will happen any more (M = 1, at rest, collapsed, jammed).
    reached : whether the limit that was asked for is reached (time, clusters or events). It is not where the budget is
        spent or the work was interrupted.
    stop_reason : one sentence on why the run has finished, where that is not obvious.
    """

    time: float
    clusters: int
    events: dict[str, int]
    steps: dict[str, int]
    finished: bool
    reached: bool
    stop_reason: str = ""

    @property
    def happened(self) -> int:
        """The number of physical events since the start."""
        return sum(self.events.get(kind, 0) for kind in PHYSICAL)


@dataclass(frozen=True)
class Stride:
    """How far a run may go: to the limit that is reached first. `Simulation.stride` gives that of the next displayed
    frame.

    Parameters
    ----------
    time : simulation time.
    clusters : the number of clusters left, 0 for no limit.
    events : the number of physical events since the start, None for no limit.
    """

    time: float = inf
    clusters: int = 0
    events: int | None = None

    def met(self, progress: Progress) -> bool:
        """Whether a run has reached one of the limits."""
        enough = self.events is not None and progress.happened >= self.events
        return progress.time >= self.time or progress.clusters <= self.clusters or enough


@dataclass(frozen=True)
class Column:
    """Label, symbol and unit of a column of a history (unit "" for a pure number)."""

    label: str
    symbol: str = ""
    unit: str = ""


@dataclass(frozen=True)
class History:
    """What happened so far: an entry for the start, and one per merge (event-driven) or step (time-stepping).

    Its columns are (K,) arrays of float64 or int64, annotated with label, symbol and unit (`Column`). Systems add
    columns in subclasses.

    Parameters
    ----------
    time, clusters, kinetic_energy : at each entry.
    stretches : the methods that computed the run one after the other, each with the index of its first entry; empty if
        that is not known.
    """

    time: Annotated[Floats, Column("Time", "t", "time")]
    clusters: Annotated[Longs, Column("Clusters", "M")]
    kinetic_energy: Annotated[Floats, Column("Kinetic energy", "E", "mass·length²/time²")]
    stretches: tuple[tuple[str, int], ...] = field(default=(), kw_only=True)

    @classmethod
    def columns(cls) -> dict[str, Column]:
        """The columns by their names in files, in the order of files."""
        hints = get_type_hints(cls, include_extras=True)
        told = {part.name: get_args(hints[part.name])[1:] for part in fields(cls)}
        return {name: more[0] for name, more in told.items() if more and isinstance(more[0], Column)}

    def up_to(self, time: float) -> History:
        """The history as it was at a simulation time: the rows up to it, that time included; views of these arrays."""
        end = int(np.searchsorted(self.time, time, side="right"))
        arrays = {name: getattr(self, name)[:end] for name in self.columns()}
        return replace(self, **arrays, stretches=tuple(one for one in self.stretches if one[1] < end))

    def followed_by(self, later: History) -> History:
        """This history with that of the method that carried on the run appended."""
        return History(
            np.concatenate([self.time, later.time]),
            np.concatenate([self.clusters, later.clusters]),
            np.concatenate([self.kinetic_energy, later.kinetic_energy]),
            stretches=self.stretches + tuple((method, first + len(self.time)) for method, first in later.stretches),
        )


@dataclass
class Checkpoint:
    """An exact copy of a simulation's state. A run that is restored from it continues bit for bit.

    Parameters
    ----------
    system, method : the names of both.
    scenario : complete TOML text.
    arrays : the state, plain or structured arrays by name.
    """

    system: str
    method: str
    scenario: str
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def own_copy(self) -> Checkpoint:
        """A copy in arrays of its own, of a checkpoint that was lent (`engine.capabilities.Lending`)."""
        return replace(self, arrays={name: copied(array) for name, array in self.arrays.items()})


class Simulation(Protocol):
    """A simulation. Only one thread at a time may call it.

    Attributes
    ----------
    system, method : the names of the system and of the method.
    scenario : what is simulated.
    count : the number of discs N.
    box : (d,) float64, the sides of the box.
    periodic : along which axes the box is periodic; along the others it has walls.
    radii, masses : (N,) float64.
    tunable : the dotted keys of the scenario that `set` takes while it runs.
    """

    system: str
    method: str
    scenario: Scenario
    count: int
    box: NDArray[np.float64]
    periodic: Periodic
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    tunable: frozenset[str]

    @property
    def time(self) -> float:
        """Simulation time reached."""
        ...

    def advance(
        self,
        until_time: float = inf,
        budget: float = inf,
        *,
        until_clusters: int = 1,
        max_events: int | None = None,
    ) -> Progress:
        """Run up to the limit that is reached first. How a run is divided into calls never changes its results.

        Parameters
        ----------
        until_time : simulation time.
        budget : about how many seconds of work, at least 0.
        until_clusters : the number of clusters left.
        max_events : the number of physical events of this call, at least 0; None for no limit.

        Raises
        ------
        InputError
            An argument is not allowed, such as NaN or a negative budget.
        KeyboardInterrupt
            Ctrl-C, within 0.2 s. Time, frame and history are consistent then, and the simulation can continue.
        """
        ...

    def run(
        self,
        until_time: float | None = None,
        *,
        until_clusters: int | None = None,
        until_events: int | None = None,
        callback: Callable[[Self], Any] | None = None,
        progress: bool = True,
    ) -> Progress:
        """Run up to the limit that is reached first, or to the end, with a progress bar: `advance` for people.

        Parameters
        ----------
        until_time : simulation time; of discs that jam, the number of iterations.
        until_clusters : the number of clusters left.
        until_events : the number of physical events since the start.
        callback : called with the simulation about 20 times a second, between two slices of work. It may look at the
            simulation and draw it, but not advance it. Where it returns True the run ends.
        progress : whether a bar is shown, in a notebook or on a terminal; elsewhere there is none anyway.

        Raises
        ------
        InputError
            An argument is not allowed, or nothing would ever end the run.
        KeyboardInterrupt
            Ctrl-C, or *Interrupt* of a notebook, within 0.2 s. See `advance`.
        """
        ...

    def stride(self, frames: float = 1.0) -> Stride:
        """How far the run may go until it has to be displayed again, so that a person can follow what happens.

        frames : how many such steps together, above 0; it need not be a whole number.
        """
        ...

    def frame(self, out: Frame | None = None) -> Frame:
        """All discs at the time that is reached: positions (N, d), cluster labels (N,), and what else they have.

        out : a frame of this simulation whose arrays are written and which is returned; None for new arrays.
        """
        ...

    def settled(self) -> Frame:
        """The latest state in which nothing overlaps: now, or the end of the last whole step where there are steps."""
        ...

    def history(self) -> History:
        """What was counted and measured since the start, a row for each merge, step or iteration: arrays (K,) by time,
        which are copies."""
        ...

    def state(self) -> InitialState:
        """The discs now, as the initial state for another method that continues from it."""
        ...

    def invariants(self) -> dict[str, float]:
        """Compute, in O(N), the relative error of the momentum (walls accounted for) and the largest overlap.

        Their keys are ``momentum_error`` and ``max_overlap``.
        """
        ...

    def set(self, key: str, value: Any) -> None:
        """Change a parameter while it runs, from the time that is reached on.

        Parameters
        ----------
        key : the dotted name of one of `tunable`, such as ``"hard_discs.restitution"``.
        value : as in the scenario, in its unit and range.

        Raises
        ------
        InputError
            The key cannot change during a run, or the value is out of range. Nothing has changed then.
        """
        ...

    def checkpoint(self) -> Checkpoint:
        """An exact copy of the state, from which `engine.restore` continues bit for bit. Its arrays belong to the
        caller."""
        ...


# A frame adds a share of what is left or of what has passed, so that a person sees how a run of any size goes on.
# Growth and cooling are followed on a logarithmic axis of time, so a frame adds a share of the time that has passed. At
# the start, the time in which a disc flies its own radius is added to that, so that the share is not 0.
_MERGED = 0.02  # share of the clusters left that merge in a frame
_LONGER = 0.05  # share of the time passed that a frame adds
_COLLIDED = 0.1  # collisions per disc in a frame
_MORE = 0.01  # share of the collisions so far that a frame adds to these


def later(time: float, radius: float, speed: float, frames: float) -> float:
    """The time after `frames` frames.

    Parameters
    ----------
    time : the time now.
    radius, speed : typical values of the discs now; the speed is 0 where nothing moves.
    frames : the number of frames, which need not be whole.
    """
    scale = radius / speed if speed > 0.0 else inf
    return time + _LONGER * frames * (time + scale)


def fewer(clusters: int, frames: float) -> int:
    """The number of clusters left after `frames` frames: at least one fewer than now, but never below 1."""
    return max(1, clusters - max(1, int(_MERGED * frames * (clusters - 1))))


def further(collisions: int, discs: int, frames: float) -> int:
    """The number of collisions after `frames` frames: at least one more than now."""
    return collisions + max(1, int(frames * (_COLLIDED * discs + _MORE * collisions)))


def root_mean_square(kinetic_energy: float, mass: float) -> float:
    """The root mean square speed of discs with this kinetic energy and this mass, each summed over all discs."""
    return sqrt(max(0.0, 2.0 * kinetic_energy / mass))
