"""Plays through stops on an axis: times of frames, ticks of a time step, events of a ball."""

from __future__ import annotations

from math import inf, isinf

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Player:
    """A position on an axis, which moves with the clock of whoever drives it: the simulation's thread, a timer, a loop.
    It has neither a thread nor a timer, and shows nothing.

    Parameters
    ----------
    stops : (K,), rising, K >= 1: the positions at which there is something to see, in any unit (time, frame, tick).
    pace : units per second of the clock; inf for one stop at each tick.
    longest : seconds that one tick counts at most. The rest of a stall is dropped, so that the picture never jumps.

    Attributes
    ----------
    position : where it is, from the first stop to the last one.
    playing : whether a tick moves it.
    backwards : towards the first stop.
    loop : whether it begins again at an end; else it stays there and stops playing.
    played : units that were played so far, in either direction.
    """

    def __init__(self, stops: ArrayLike = (0.0,), pace: float = 1.0, *, longest: float = inf) -> None:
        self.stops: NDArray[np.float64] = np.asarray(stops, np.float64)
        self.pace = pace
        self.longest = longest
        self.position = float(self.stops[0])
        self.playing = False
        self.backwards = False
        self.loop = False
        self.played = 0.0
        self._last = 0.0

    def take(self, stops: ArrayLike) -> None:
        """Other stops; the position stays where it is, or at the end that is nearest to it."""
        self.stops = np.asarray(stops, np.float64)
        self.position = self._inside(self.position)

    @property
    def index(self) -> int:
        """The stop at the position, or the last one before it."""
        return max(0, int(np.searchsorted(self.stops, self.position, side="right")) - 1)

    @property
    def at_end(self) -> bool:
        """Whether nothing is left to play in its direction."""
        return not self.loop and self.position == self.stops[0 if self.backwards else -1]

    def start(self, now: float) -> None:
        """Play from the time `now` of the clock on."""
        self.playing, self._last = True, now

    def hold(self) -> None:
        """Stay where it is."""
        self.playing = False

    def tick(self, now: float) -> float:
        """The position at the time `now` of the clock."""
        elapsed, self._last = min(max(0.0, now - self._last), self.longest), now
        if not self.playing:
            return self.position
        way = -1 if self.backwards else 1
        if isinf(self.pace):
            before = self.position
            self.step(way)
            self.played += abs(self.position - before)
        else:
            self.played += self.pace * elapsed
            self.position = self._inside(self._wrapped(self.position + way * self.pace * elapsed))
        self.playing = not self.at_end
        return self.position

    def seek(self, position: float) -> None:
        """Go to the stop at this position, or to the last one before it; to the first one where there is none."""
        self.position = self._inside(position)
        self.position = float(self.stops[self.index])

    def step(self, stops: int = 1) -> None:
        """On by so many stops, back where it is negative; beyond an end only in a loop."""
        index, count = self.index + stops, len(self.stops)
        self.position = float(self.stops[index % count if self.loop else min(max(index, 0), count - 1)])

    def rewind(self) -> None:
        """To where playing begins in its direction."""
        self.position = float(self.stops[-1 if self.backwards else 0])

    def _inside(self, position: float) -> float:
        return min(max(position, float(self.stops[0])), float(self.stops[-1]))

    def _wrapped(self, position: float) -> float:
        """In a loop, what is beyond one end comes in at the other."""
        begin, end = float(self.stops[0]), float(self.stops[-1])
        if not self.loop or begin <= position <= end or begin == end:
            return position
        return begin + (position - begin) % (end - begin)
