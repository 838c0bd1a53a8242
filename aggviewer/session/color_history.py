"""When clusters went over to other colours: kept with a run, so that the same moment has the same colours again, live,
looking back, in films, in both pictures of a comparison, and in a session that is opened again. No Qt.

What is written down at a moment holds from there on, up to the next moment that was written down before, if any: a
moment that has been shown keeps its colours, in whichever order moments are looked at.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Key = tuple[float, int]
"""A moment in one of two lanes: simulation time, number of the lane. At the same time lane 0 comes first."""

Histories = dict[str, "ColorHistory"]
"""The history of each field whose values are labels of clusters, by its name."""


class Change(NamedTuple):
    """A cluster that goes over to another colour.

    Parameters
    ----------
    time, lane : since when this holds.
    label : of the cluster.
    old, new : indices of the palette.
    share : of the new colour at `time`.
    lasts : the simulation time that a change from nothing to all of it takes; 0 for at once.
    """

    time: float
    lane: int
    label: int
    old: int
    new: int
    share: float = 1.0
    lasts: float = 0.0

    @property
    def key(self) -> Key:
        """The moment since which it holds."""
        return self.time, self.lane

    def share_at(self, time: float) -> float:
        """The share of the new colour at a later time."""
        return min(1.0, self.share + (time - self.time) / self.lasts) if self.lasts > 0.0 else 1.0


class ColorHistory:
    """The changes of colour of one run, or of two that are compared. Belongs to one thread.

    changes : that hold, in their order; looked : the times in each lane that have been looked at, rising.
    """

    def __init__(
        self, changes: Iterable[Change] = (), looked: tuple[Sequence[float], Sequence[float]] = ((), ())
    ) -> None:
        self._looked = array("d", looked[0]), array("d", looked[1])
        self._changes: list[Change] = []  # in the order of their keys
        self._ends: list[Key | None] = []  # of each, the moment before which it holds; None for no end
        self._latest: dict[int, Change] = {}
        self.version = 0
        """Grows with every change."""
        for change in changes:
            self._add(change, None)

    @property
    def begun(self) -> bool:
        """Whether any moment has been looked at."""
        return any(self._looked)

    def knows(self, time: float, lane: int) -> bool:
        """Whether this very moment has been looked at."""
        times = self._looked[lane]
        place = bisect_left(times, time)
        return place < len(times) and times[place] == time

    def at(self, time: float, lane: int) -> Mapping[int, Change]:
        """By label, what holds at a moment. Not to be changed."""
        key = time, lane
        if self._next(key) is None and (not self._changes or self._changes[-1].key <= key):
            return self._latest
        return {
            change.label: change
            for change, end in zip(self._changes, self._ends, strict=True)
            if change.key <= key and (end is None or key < end)
        }

    def look(self, time: float, lane: int, changes: Iterable[Change]) -> None:
        """A moment is looked at for the first time, and these changes begin there."""
        end, times = self._next((time, lane)), self._looked[lane]
        times.insert(bisect_right(times, time), time)
        for change in changes:
            self._add(change, end)

    def up_to(self, time: float) -> ColorHistory:
        """A history of its own with what was looked at up to a time."""
        first, second = (times[: bisect_right(times, time)] for times in self._looked)
        other = ColorHistory(looked=(first, second))
        for change, end in zip(self._changes, self._ends, strict=True):
            if change.time <= time:
                other._add(change, None if end is None or end[0] > time else end)
        return other

    def present(self) -> tuple[list[Change], tuple[list[float], list[float]]]:
        """What is needed to go on from the last moment of each lane: changes, and when each lane was last looked at."""
        first, second = (times[-1:].tolist() for times in self._looked)
        since = min([*first, *second], default=0.0)
        kept: dict[object, Change] = {}  # before `since` the last one of each label is enough
        for change, end in zip(self._changes, self._ends, strict=True):
            if end is None or end >= (since, 0):
                place = change.label if change.time < since else change
                kept.pop(place, None)
                kept[place] = change
        return [*kept.values()], (first, second)

    def _add(self, change: Change, end: Key | None) -> None:
        place = bisect_right(self._changes, change.key, key=lambda one: one.key)
        self._changes.insert(place, change)
        self._ends.insert(place, end)
        if end is None:
            self._latest[change.label] = change
        self.version += 1

    def _next(self, key: Key) -> Key | None:
        """The first moment after this one that has been looked at."""
        time, lane = key
        coming = []
        for number, times in enumerate(self._looked):
            place = bisect_right(times, time) if number <= lane else bisect_left(times, time)
            if place < len(times):
                coming.append((times[place], number))
        return min(coming, default=None)


def parted(histories: Histories, time: float) -> Histories:
    """Histories of their own, for a run that goes on from a time: what comes later is not known to it."""
    return {name: history.up_to(time) for name, history in histories.items()}
