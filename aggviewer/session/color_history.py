"""When clusters changed their colours. This history is kept with a run, so that a moment has the same colours live,
looking back, in films, in both pictures of a comparison, and in a reopened session. No Qt.

A change that is added at a moment applies from there on, up to the next moment that was shown before, if any. So a
moment that has been shown keeps its colours, in whatever order moments are shown.
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
    """A change of the colour of a cluster.

    Parameters
    ----------
    time, lane : when it begins.
    label : of the cluster.
    old, new : indices of the palette.
    share : of the new colour at `time`.
    lasts : the simulation time that the whole change takes; 0 for an immediate one.
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
        """The moment at which it begins."""
        return self.time, self.lane

    def share_at(self, time: float) -> float:
        """The share of the new colour at a later time."""
        return min(1.0, self.share + (time - self.time) / self.lasts) if self.lasts > 0.0 else 1.0


class ColorHistory:
    """The changes of colour of one run, or of two that are compared. Belongs to one thread.

    changes : in the order of time; looked : the times in each lane that have been shown, rising.
    """

    def __init__(
        self, changes: Iterable[Change] = (), looked: tuple[Sequence[float], Sequence[float]] = ((), ())
    ) -> None:
        self._looked = array("d", looked[0]), array("d", looked[1])
        self._changes: list[Change] = []  # in the order of their keys
        self._ends: list[Key | None] = []  # of each, the moment at which it ends; None for no end
        self._latest: dict[int, Change] = {}
        self.version = 0
        """Grows with every change."""
        for change in changes:
            self._add(change, None)

    @property
    def begun(self) -> bool:
        """Whether any moment has been shown."""
        return any(self._looked)

    def knows(self, time: float, lane: int) -> bool:
        """Whether exactly this moment has been shown before."""
        times = self._looked[lane]
        place = bisect_left(times, time)
        return place < len(times) and times[place] == time

    def at(self, time: float, lane: int) -> Mapping[int, Change]:
        """The changes in effect at a moment, by label. Do not modify it."""
        key = time, lane
        if self._next(key) is None and (not self._changes or self._changes[-1].key <= key):
            return self._latest
        return {
            change.label: change
            for change, end in zip(self._changes, self._ends, strict=True)
            if change.key <= key and (end is None or key < end)
        }

    def look(self, time: float, lane: int, changes: Iterable[Change]) -> None:
        """Add a moment that is shown for the first time, with the changes that begin there."""
        end, times = self._next((time, lane)), self._looked[lane]
        times.insert(bisect_right(times, time), time)
        for change in changes:
            self._add(change, end)

    def up_to(self, time: float) -> ColorHistory:
        """An independent copy with all moments shown up to a time."""
        first, second = (times[: bisect_right(times, time)] for times in self._looked)
        other = ColorHistory(looked=(first, second))
        for change, end in zip(self._changes, self._ends, strict=True):
            if change.time <= time:
                other._add(change, None if end is None or end[0] > time else end)
        return other

    def present(self) -> tuple[list[Change], tuple[list[float], list[float]]]:
        """What is needed to continue from the last moment of each lane: changes, and the last time shown in each
        lane."""
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
        """The first moment after this one that has been shown."""
        time, lane = key
        coming = []
        for number, times in enumerate(self._looked):
            place = bisect_right(times, time) if number <= lane else bisect_left(times, time)
            if place < len(times):
                coming.append((times[place], number))
        return min(coming, default=None)


def parted(histories: Histories, time: float) -> Histories:
    """Independent copies up to a time, for a run that continues from there."""
    return {name: history.up_to(time) for name, history in histories.items()}
