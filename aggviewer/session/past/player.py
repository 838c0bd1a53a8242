"""What can be played (existing frames with random access), and the player that passes through its stops: times of
frames, ticks of a time step, or events of a bouncing ball."""

from __future__ import annotations

from math import inf, isinf
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

F_co = TypeVar("F_co", covariant=True)


class Source(Protocol[F_co]):
    """Random access to existing frames: a run's past, a file, a bundled run, or the story of a time step. A live run is
    not a source; only its past is."""

    @property
    def times(self) -> NDArray[np.float64]:
        """(K,), ascending, K >= 1: the times of the frames, or their numbers if there are no times. They are the stops
        of a player (`aggviewer.session.past.player.Player`)."""
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
