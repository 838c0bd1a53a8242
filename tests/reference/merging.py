"""Which clusters became which, from a list of merges: sets of discs, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cluster:
    """A cluster: its discs, when it came to be, and the two that it was before; none for one of the beginning."""

    discs: frozenset[int]
    time: float
    parts: tuple[Cluster, ...] = ()


def clusters_of(leaves: Sequence[int], merges: Sequence[tuple[float, int, int]], since: float = 0.0) -> list[Cluster]:
    """All clusters that there have been: those of the beginning by their lowest discs, then one for each merge.

    leaves : a number for each disc, the same for discs of one cluster; merges : time and two discs of each.
    """
    made = [
        Cluster(frozenset(disc for disc, other in enumerate(leaves) if other == number), since)
        for number in dict.fromkeys(leaves)
    ]
    now = set(made)
    for time, i, j in merges:
        one = next(cluster for cluster in now if i in cluster.discs)
        two = next(cluster for cluster in now if j in cluster.discs)
        assert one is not two
        new = Cluster(one.discs | two.discs, time, (one, two))
        now = (now - {one, two}) | {new}
        made.append(new)
    return made
