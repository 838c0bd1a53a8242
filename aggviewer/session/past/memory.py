"""The past of a run in memory, and what shows it and all else that can be played.

The memory belongs to the simulation's thread. What can be played are existing frames with random access; the player
passes through its stops: times of frames, ticks of a time step, or events of a bouncing ball.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import inf, isinf
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.frame import Frame
from engine.simulation import Stride
from engine.state import cluster_sizes

USUAL_BUDGET = 256 << 20
"""Default number of bytes for the past."""

MOST_TIMES = 200
"""Most marks on a timeline; the largest are chosen."""

MOST_FRAMES = 4000
"""Most frames kept; more could not be told apart on a timeline."""

_LARGE = 0.05  # share of all discs by which the largest cluster grows in a merge that is worth a mark
_BYTES_PER_DISC = 36  # memory of a frame per disc: position, velocity, cluster
_COVERS = 180.0  # seconds of wall time that should fit into the budget
_FINEST = 1.0 / 20.0  # least seconds of wall time between two frames that are kept only because time has passed
_THINNED = 0.125  # share of the frames dropped if there are too many
# Numbers of displayed frames: with room for _PLENTY every frame is kept, with less room at least one in _SPARSE, unless
# a run of _ENOUGH frames would then not fit
_PLENTY, _ENOUGH, _SPARSE = 8000.0, 400.0, 4.0
# Without a pace a run of many discs may need less time for the work between two displayed frames than for copying one:
# fewer are kept then, down to one in _FEWEST of the usual ones, so that copying takes this share of the time
_SHARE, _FEWEST = 0.25, 4.0


class KeptFrames:
    """Frames of all lanes at common times. If there are too many they are thinned, not cut off: they stay spread over
    the logarithm of time, over merges, and over the last moments. The first and last frame are always kept.

    Parameters
    ----------
    budget : most bytes to use.

    Attributes
    ----------
    next_due : how far the run may go until the next frame is due; None for no limit.
    """

    def __init__(self, budget: int = USUAL_BUDGET) -> None:
        self.budget = budget
        self.next_due: Stride | None = None
        self._frames: list[tuple[Frame, ...]] = []
        self._times: list[float] = []
        self._largest: list[int] = []  # discs in the largest cluster of the first lane, for each frame
        self._stamps: list[float] = []  # times at which a person has moved a disc
        self._bytes = 0
        self._kept_at = -np.inf
        self._wider = 1.0  # how many times further apart frames are kept, because keeping them takes long

    def set_budget(self, budget: int) -> None:
        """Set the most bytes for frames."""
        self.budget = budget
        self.fit()

    @property
    def times(self) -> NDArray[np.float64]:
        """Simulation times of the frames, (K,), ascending."""
        return np.array(self._times)

    def frames_of(self, lane: int) -> tuple[Frame, ...]:
        """The frames of one lane, which never change again."""
        return tuple(frames[lane] for frames in self._frames)

    @property
    def clusters(self) -> NDArray[np.int64]:
        """Total number of clusters in all lanes, (K,)."""
        return np.array([sum(frame.clusters for frame in frames) for frames in self._frames], np.int64)

    @property
    def span(self) -> tuple[float, float] | None:
        """The first and last time, None if there are no frames."""
        return (self._times[0], self._times[-1]) if self._times else None

    @property
    def nbytes(self) -> int:
        """Bytes used by the frames."""
        return self._bytes

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times at which the largest cluster grew by a large share of all discs, or the user moved a disc: (k,),
        ascending."""
        count = len(self._frames[0][0].cluster) if self._frames else 0
        merges = large_merges(self.times, np.array(self._largest, np.int64), count)
        return np.union1d(merges, self._stamps) if self._stamps else merges

    def mark_moved(self, time: float) -> None:
        """Remember the time of the newest frame, at which the user moved a disc, for `marks`."""
        self._stamps.append(time)

    def due(self, now: float, discs: int) -> bool:
        """Whether a frame is due at wall time `now`, for this total number of discs."""
        return now - self._kept_at >= max(_FINEST, _COVERS / self._capacity(discs))

    def frames_apart(self, discs: int, now: float, took: float) -> float:
        """Number of displayed frames (`engine.simulation.Simulation.stride`) per stored one; smaller frames are stored
        more often.

        discs : total number of them; now : wall time; took : seconds of wall time to copy the frame that is about to
        be kept.
        """
        capacity = self._capacity(discs)
        usual = max(min(max(1.0, _PLENTY / capacity), _SPARSE), _ENOUGH / capacity)
        if usual <= 1.0:
            return usual
        since = max(now - self._kept_at, 1e-9)
        self._wider = min(_FEWEST, max(1.0, self._wider * took / (_SHARE * since)))
        return self._wider * usual

    def _capacity(self, discs: int) -> float:
        return max(1.0, self.budget / (_BYTES_PER_DISC * max(discs, 1)))

    def keep(self, now: float, frames: Sequence[Frame], next_due: Stride | None = None) -> None:
        """Store these frames, taking ownership. Frames at later times are dropped, as after a restart from an earlier
        time. next_due : see the attribute."""
        time, self.next_due = time_of(frames), next_due
        while self._times and self._times[-1] >= time:
            self._drop(len(self._times) - 1)
        self._stamps = [one for one in self._stamps if one <= time]
        self._frames.append(tuple(frames))
        self._times.append(time)
        self._largest.append(largest_cluster(frames[0].cluster))
        self._bytes += _bytes_of(frames)
        self._kept_at = now
        self.fit()

    def fit(self) -> None:
        """Drop frames that are close to others until few enough are left; the newest is always kept."""
        while len(self._times) > 1 and (self._bytes > self.budget or len(self._times) > MOST_FRAMES):
            self._drop_all(self._spare(_THINNED))

    def thin(self) -> bool:
        """Drop half of the frames, except the first and last; False if no others are left."""
        if len(self._times) <= 2:
            return False
        self._drop_all(self._spare(0.5))
        return True

    def _drop_all(self, indices: list[int]) -> None:
        for index in sorted(indices, reverse=True):
            self._drop(index)

    def _spare(self, share: float) -> list[int]:
        """Choose about this share of the frames to drop: the least important ones, no two of them neighbours, and the
        first only if just the last is left besides."""
        count = len(self._times)
        if count <= 2:
            return [0]
        place = _spread(self.times, self.clusters)
        gap = place[2:] - place[:-2]  # the gap left by dropping each frame
        spare: list[int] = []
        taken = np.zeros(count, bool)
        for index in (1 + np.argsort(gap, kind="stable")).tolist():
            if len(spare) >= max(1, int(share * count)):
                break
            if not (taken[index - 1] or taken[index + 1]):
                taken[index] = True
                spare.append(index)
        return spare

    def at(self, index: int) -> tuple[Frame, ...]:
        """The frames of all lanes at the common time with this index (method of
        `aggviewer.session.past.memory.Source`)."""
        return self._frames[index]

    def at_time(self, time: float) -> tuple[Frame, ...] | None:
        """The frames at `time` or the last before it, else the first. None if there are no frames."""
        if not self._times:
            return None
        return self._frames[max(0, bisect_right(self._times, time) - 1)]

    def copy(self) -> KeptFrames:
        """A copy of the list, sharing the frames, for another run that continues from here."""
        other = KeptFrames(self.budget)
        other._frames, other._times, other._largest = list(self._frames), list(self._times), list(self._largest)
        other._bytes, other._kept_at, other._stamps = self._bytes, self._kept_at, list(self._stamps)
        return other

    def _drop(self, index: int) -> None:
        self._bytes -= _bytes_of(self._frames.pop(index))
        self._times.pop(index)
        self._largest.pop(index)


def time_of(frames: Sequence[Frame]) -> float:
    """The simulation time of frames side by side; a lane that has ended stays behind."""
    return max(frame.time for frame in frames)


def large_merges(times: NDArray[np.float64], largest: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Times of frames at which the largest cluster, of sizes (K,), has grown by a large share of all discs."""
    grown = np.diff(largest, prepend=largest[:1])
    found = np.flatnonzero(grown >= max(2.0, _LARGE * count))
    if len(found) > MOST_TIMES:
        found = np.sort(found[np.argsort(grown[found])[-MOST_TIMES:]])
    return times[found]


def largest_cluster(cluster: NDArray[np.int32]) -> int:
    """Number of discs in the largest cluster, for labels (N,) >= 0."""
    small = int(cluster.max()) < 8 * len(cluster)
    return int((np.bincount(cluster) if small else cluster_sizes(cluster)).max())


def _spread(times: NDArray[np.float64], clusters: NDArray[np.int64]) -> NDArray[np.float64]:
    """An ascending coordinate of the frames, (K,), over which kept frames should be evenly spread. The logarithm of
    time, the merges and the logarithm of the age each make up a third of it. K >= 3."""
    since = times - times[0]
    ago = times[-1] - times
    last = np.log(np.maximum(ago, ago[-2])) if ago[-2] > 0.0 else np.zeros(len(times))
    parts = (np.log(np.maximum(since, since[1])), -clusters.astype(np.float64), -last)
    total = np.zeros(len(times))
    for part in parts:
        length = part[-1] - part[0]
        if length > 0.0:
            total += (part - part[0]) / length
    return total


def _bytes_of(frames: Sequence[Frame]) -> int:
    return sum(frame.nbytes for frame in frames)


F_co = TypeVar("F_co", covariant=True)


class Source(Protocol[F_co]):
    """Random access to existing frames: a run's past, a file, a bundled run, or the story of a time step. A live run is
    not a source; only its past is."""

    @property
    def times(self) -> NDArray[np.float64]:
        """(K,), ascending, K >= 1: the times of the frames, or their numbers if there are no times. They are the stops
        of a player (`aggviewer.session.past.memory.Player`)."""
        ...

    def at(self, index: int) -> F_co:
        """Frame `index`, 0 <= index < K, in any order. InputError if it cannot be read."""
        ...


class Player:
    """A position on an axis, moved by the clock of its caller: the simulation's thread, a timer or a loop. It has no
    thread or timer and displays nothing.

    Parameters
    ----------
    stops : (K,), ascending, K >= 1: positions with something to show, in any unit (time, frame, tick).
    pace : units per second of the clock; inf for one stop per tick.
    longest : most seconds that one tick may advance. The rest of a stall is dropped, so that the picture never jumps.

    Attributes
    ----------
    position : the present position, from the first to the last stop.
    playing : whether a tick moves it.
    backwards : whether it moves towards the first stop.
    loop : whether it starts again at an end instead of stopping there.
    distance_played : units played so far, in either direction.
    """

    def __init__(self, stops: ArrayLike = (0.0,), pace: float = 1.0, *, longest: float = inf) -> None:
        self.stops: NDArray[np.float64] = np.asarray(stops, np.float64)
        self.pace = pace
        self.longest = longest
        self.position = float(self.stops[0])
        self.playing = False
        self.backwards = False
        self.loop = False
        self.distance_played = 0.0
        self._last = 0.0

    def set_stops(self, stops: ArrayLike) -> None:
        """Use other stops; the position stays, or moves to the nearest end."""
        self.stops = np.asarray(stops, np.float64)
        self.position = self._inside(self.position)

    @property
    def index(self) -> int:
        """The stop at the position, or the last one before it."""
        return max(0, int(np.searchsorted(self.stops, self.position, side="right")) - 1)

    @property
    def at_end(self) -> bool:
        """Whether there is nothing left to play in this direction."""
        return not self.loop and self.position == self.stops[0 if self.backwards else -1]

    def start(self, now: float) -> None:
        """Start playing at clock time `now`."""
        self.playing, self._last = True, now

    def hold(self) -> None:
        """Pause."""
        self.playing = False

    def tick(self, now: float) -> float:
        """Advance to clock time `now`, and return the position."""
        elapsed, self._last = min(max(0.0, now - self._last), self.longest), now
        if not self.playing:
            return self.position
        way = -1 if self.backwards else 1
        if isinf(self.pace):
            before = self.position
            self.step(way)
            self.distance_played += abs(self.position - before)
        else:
            self.distance_played += self.pace * elapsed
            self.position = self._inside(self._wrapped(self.position + way * self.pace * elapsed))
        self.playing = not self.at_end
        return self.position

    def seek(self, position: float) -> None:
        """Go to the stop at this position or the last before it, else to the first."""
        self.position = self._inside(position)
        self.position = float(self.stops[self.index])

    def step(self, stops: int = 1) -> None:
        """Move by this many stops, backwards if negative; past an end only in a loop."""
        index, count = self.index + stops, len(self.stops)
        self.position = float(self.stops[index % count if self.loop else min(max(index, 0), count - 1)])

    def rewind(self) -> None:
        """Go to the starting point for the present direction."""
        self.position = float(self.stops[-1 if self.backwards else 0])

    def _inside(self, position: float) -> float:
        return min(max(position, float(self.stops[0])), float(self.stops[-1]))

    def _wrapped(self, position: float) -> float:
        """In a loop, wrap around at the ends."""
        begin, end = float(self.stops[0]), float(self.stops[-1])
        if not self.loop or begin <= position <= end or begin == end:
            return position
        return begin + (position - begin) % (end - begin)
