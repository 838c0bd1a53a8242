"""When clusters changed their colours. This history is kept with a run, so that a moment has the same colours live,
looking back, in films, in both pictures of a comparison, and in a reopened session. No Qt.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from math import inf
from typing import NamedTuple

Histories = dict[str, "ColorHistory"]
"""The history of each field whose values are labels of clusters, by its name."""


class Change(NamedTuple):
    """A change of the colour of a cluster.

    Parameters
    ----------
    time, lane : when, and in which of two runs side by side. It holds in both; at the same time lane 0 comes first.
    label : of the cluster.
    new : index of the palette.
    """

    time: float
    lane: int
    label: int
    new: int


class ColorHistory:
    """The changes of colour of one run, or of two that are compared. One thread adds changes, any thread may read.

    changes : in the order of time.
    """

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self.changes: tuple[Change, ...] = tuple(changes)

    def at(self, time: float, lane: float = inf) -> Mapping[int, int]:
        """The palette index of each label that does not have its usual one, at a moment.

        lane : without the changes that later lanes made at this time.
        """
        end = bisect_right(self.changes, (time, lane), key=lambda change: change[:2])
        return {change.label: change.new for change in self.changes[:end]}

    def add(self, changes: Iterable[Change]) -> None:
        """Add changes, which are not earlier than those before."""
        self.changes += tuple(changes)

    def up_to(self, time: float) -> ColorHistory:
        """An independent copy with the changes up to a time."""
        return ColorHistory(change for change in self.changes if change.time <= time)


def parted(histories: Histories, time: float) -> Histories:
    """Independent copies up to a time, for a run that continues from there."""
    return {name: history.up_to(time) for name, history in histories.items()}
