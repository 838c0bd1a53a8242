"""What every simulation of the program can do: the protocol between the engine and whoever looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Annotated, Any, Protocol, get_args, get_type_hints

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.scenario import Scenario
from engine.state import InitialState

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PHYSICAL = ("merge", "collision", "wall", "program")
"""The kinds of events that happen to the discs; the others are bookkeeping."""


@dataclass(frozen=True)
class Impacts:
    """The newest collisions or merges, oldest first.

    time : (K,) float64; pairs : (K, 2) int32, the two discs, the second -1 for a wall; points : (K, 2) float64, where
    they touched, None where that follows from the frame: the two have flown freely since.
    """

    time: NDArray[np.float64]
    pairs: NDArray[np.int32]
    points: NDArray[np.float64] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.time.nbytes + self.pairs.nbytes + (0 if self.points is None else self.points.nbytes)


@dataclass(frozen=True, eq=False)
class Remark:
    """What is to be said of a state, and of which discs: text, one sentence; discs (k,) int32."""

    text: str
    discs: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class StressPatch:
    """Contacts of a packing that have self-stresses of their own, beyond the one that holds the packing.

    contacts : (k,) int64, their numbers, ascending; discs : (n,) int64, ascending; states : how many independent
    self-stresses; hexagons : discs whose six neighbours in the patch are as large and touch each other in turn.
    """

    contacts: NDArray[np.int64]
    discs: NDArray[np.int64]
    states: int
    hexagons: int


def self_stresses_in_words(patches: tuple[StressPatch, ...]) -> str:
    """``3 extra self-stresses in 3 hexagons of touching discs``; "" without patches."""
    if not patches:
        return ""
    states = sum(patch.states for patch in patches)
    hexagons = sum(patch.hexagons for patch in patches if patch.states == patch.hexagons)
    others = [len(patch.discs) for patch in patches if patch.states != patch.hexagons]
    places = []
    if hexagons:
        places.append("a hexagon" if hexagons == 1 else f"{hexagons} hexagons")
    if len(others) == 1:
        places.append(f"a patch of {others[0]}")
    elif others:
        places.append(f"{len(others)} patches")
    stresses = "1 extra self-stress" if states == 1 else f"{states} extra self-stresses"
    return f"{stresses} in {' and '.join(places)}{' of' if hexagons or len(others) > 1 else ''} touching discs"


@dataclass(frozen=True)
class Network:
    """The contacts of a packing and the forces they carry, as the last program has found them.

    pairs : (K, 2) int32, the two discs, the second -1 for a wall; forces : (K,) float64, known up to a
    common factor, so shown relative to their mean; vectors : (K, 2) float64, unit vectors from the first to the second
    disc along the nearest image, or to the wall; rattlers : (N,) bool; patches : where a jammed packing has further
    self-stresses.
    """

    pairs: NDArray[np.int32]
    forces: NDArray[np.float64]
    vectors: NDArray[np.float64]
    rattlers: NDArray[np.bool_]
    patches: tuple[StressPatch, ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        own = self.pairs.nbytes + self.forces.nbytes + self.vectors.nbytes + self.rattlers.nbytes
        return own + sum(patch.contacts.nbytes + patch.discs.nbytes for patch in self.patches)


@dataclass
class Frame:
    """A consistent state at one simulation time. The buffers may be reused: copy what is to be kept.

    positions : (N, 2) float64, inside the box; velocities : (N, 2) float64.
    fields : what else the simulation says of each disc, arrays with one entry per disc by name. What the names mean is
    said by `engine.fields`, and by the fields of each system.
    clusters : how many clusters there are, of single discs too.
    radius_factor : the radii now over those of the simulation's `radii`, other than 1 where discs grow.

    impacts : the newest collisions, or the newest merges and wall reflections, None where there are none of either.
    remark : what is to be said of this state and of some of its discs, None for nothing.

    Of discs that jam, `time` is the number of programs solved, nothing has a velocity, every disc is a cluster of its
    own, and network : the contacts of the last program (None elsewhere and before the first one).
    """

    time: float
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    fields: dict[str, NDArray[Any]]
    clusters: int
    kinetic_energy: float
    radius_factor: float = 1.0
    impacts: Impacts | None = None
    remark: Remark | None = None
    network: Network | None = None

    @staticmethod
    def empty(count: int) -> Frame:
        """A frame with buffers for `count` discs."""
        return Frame(0.0, np.zeros((count, 2)), np.zeros((count, 2)), {}, count, 0.0)

    @property
    def cluster(self) -> NDArray[np.int32]:
        """The cluster of each disc, (N,) int32, named by one of its discs; at a merge the name of the larger cluster
        (by mass) stays, so that colours do not flicker. Where discs do not join each is a cluster of its own: an
        array that is made for the occasion."""
        found = self.fields.get("cluster")
        return np.arange(len(self.positions), dtype=np.int32) if found is None else found

    def lay_out(self, fields: Mapping[str, DTypeLike]) -> None:
        """Have exactly these fields, each with an entry of that type for every disc, ``(np.int32, (2,))`` for two
        numbers. Buffers that fit are kept as they are; new ones are 0."""
        shaped = {name: np.zeros(0, kind) for name, kind in fields.items()}
        count = len(self.positions)
        self.fields = {
            name: mine
            if (mine := self.fields.get(name)) is not None
            and mine.dtype == wanted.dtype
            and mine.shape == (count, *wanted.shape[1:])
            else np.zeros((count, *wanted.shape[1:]), wanted.dtype)
            for name, wanted in shaped.items()
        }

    def take(self, other: Frame) -> None:
        """Become a copy of `other`, in the same buffers where they fit."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(value, np.ndarray):
                setattr(self, name, _copied(value, mine))
            elif isinstance(value, dict):
                setattr(self, name, {key: _copied(one, mine.get(key)) for key, one in value.items()})
            else:
                setattr(self, name, value)

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        parts = (*vars(self).values(), *self.fields.values())
        return sum(value.nbytes for value in parts if isinstance(value, np.ndarray | Network | Impacts))


def _copied(value: NDArray[Any], place: NDArray[Any] | None) -> NDArray[Any]:
    """A copy of `value`, in `place` where it fits."""
    if place is None or place.shape != value.shape or place.dtype != value.dtype or not place.flags.writeable:
        return value.copy()
    np.copyto(place, value)
    return place


@dataclass(frozen=True)
class Progress:
    """Where a slice of work has ended.

    time : simulation time reached; clusters : M; events : counts by kind since the start (physical kinds
    ``merge``, ``collision`` or ``program``, and ``wall``, then bookkeeping); steps : counts by kind for methods that
    step in time; finished : nothing will happen any more (M = 1, at rest, collapsed, jammed); reached : the slice
    stopped at what was asked for (time, clusters or events), not because its budget was spent or it was interrupted;
    stop_reason : one sentence on why it has finished, where that is not plain.
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
        """Physical events so far."""
        return sum(self.events.get(kind, 0) for kind in PHYSICAL)


@dataclass(frozen=True)
class Stride:
    """How far a run may go from one frame to the next, so that it is seen as it happens: up to whichever comes first.

    time : simulation time; clusters : so many are left, 0 for any number; events : physical events since the start,
    None for any number.
    """

    time: float = inf
    clusters: int = 0
    events: int | None = None

    def met(self, progress: Progress) -> bool:
        """Whether a run has come so far."""
        enough = self.events is not None and progress.happened >= self.events
        return progress.time >= self.time or progress.clusters <= self.clusters or enough


@dataclass(frozen=True)
class Column:
    """What people are told about a column of a history: label, symbol and unit ("" for a pure number)."""

    label: str
    symbol: str = ""
    unit: str = ""


@dataclass(frozen=True)
class History:
    """What happened so far, one entry per merge (event-driven) or step (time-stepping), first entry: the start.

    Its columns are (K,) arrays of float64 or int64, annotated with what people are told of them (`Column`).

    stretches : the methods that have made it one after the other, each with the index of its first entry; empty where
    that is not known.
    """

    time: Annotated[Floats, Column("Time", "t", "time")]
    clusters: Annotated[Integers, Column("Clusters", "M")]
    kinetic_energy: Annotated[Floats, Column("Kinetic energy", "E", "mass·length²/time²")]
    stretches: tuple[tuple[str, int], ...] = field(default=(), kw_only=True)

    @classmethod
    def columns(cls) -> dict[str, Column]:
        """Its columns by their names in files, in the order of files."""
        hints = get_type_hints(cls, include_extras=True)
        told = {part.name: get_args(hints[part.name])[1:] for part in fields(cls)}
        return {name: more[0] for name, more in told.items() if more and isinstance(more[0], Column)}

    def up_to(self, time: float) -> History:
        """The part that was over at `time`."""
        end = int(np.searchsorted(self.time, time, side="right"))
        arrays = {name: getattr(self, name)[:end] for name in self.columns()}
        return replace(self, **arrays, stretches=tuple(one for one in self.stretches if one[1] < end))

    def followed_by(self, later: History) -> History:
        """The history of a run that was carried on with another method."""
        return History(
            np.concatenate([self.time, later.time]),
            np.concatenate([self.clusters, later.clusters]),
            np.concatenate([self.kinetic_energy, later.kinetic_energy]),
            stretches=self.stretches + tuple((method, first + len(self.time)) for method, first in later.stretches),
        )


@dataclass
class Checkpoint:
    """An exact state: plain arrays and a scenario text, never code. A restored run goes on bit for bit."""

    system: str
    method: str
    scenario: str  # TOML, complete
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)


class Simulation(Protocol):
    """A running system. One thread at a time may call it."""

    system: str
    method: str
    scenario: Scenario
    count: int
    box: NDArray[np.float64]
    periodic: bool
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    tunable: frozenset[str]  # dotted scenario keys that `set` takes while it runs

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
        """Run until `until_time`, until `until_clusters` are left, for `max_events` physical events, or for about
        `budget` seconds of work, whichever comes first. Where it is cut never changes the result.

        InputError for a time that is no number, a budget or a number of events below 0, and anything else that is no
        limit. Ctrl-C acts within 0.2 s: KeyboardInterrupt is raised when time, frame and history agree, and the
        simulation can go on from there."""
        ...

    def stride(self, frames: float = 1.0) -> Stride:
        """How far it may go from where it is until it has to be shown again, for a person who is to see what happens;
        `frames` : the same for so many frames together."""
        ...

    def frame(self, out: Frame | None = None) -> Frame:
        """The state at `time`, written into `out` where one is given."""
        ...

    def settled(self) -> Frame:
        """The newest state in which nothing overlaps: at `time`, or at the last whole step of a method with steps."""
        ...

    def history(self) -> History:
        """Time, number of clusters and kinetic energy since the start."""
        ...

    def state(self) -> InitialState:
        """What another method needs to carry on from here."""
        ...

    def invariants(self) -> dict[str, float]:
        """``momentum_error`` (relative, walls accounted for), ``max_overlap``: computed now, O(N)."""
        ...

    def set(self, key: str, value: Any) -> None:
        """Change one of `tunable`; raises InputError for any other key or a value out of range."""
        ...

    def checkpoint(self) -> Checkpoint:
        """An exact copy of the state."""
        ...
