"""Ballistic aggregation, event-driven and exact: the paper's appendix A, fast.

Clusters are rigid and only translate; each keeps its discs in its own frame, with a box tree over them. Nothing is
moved between events. For finding the next event see `prediction`, for events `events`, for design and cost
docs/event-driven.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.base import Aggregating
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven import loop
from engine.aggregation.event_driven.all_pairs import AllPairs
from engine.aggregation.event_driven.loop import fill_frame
from engine.aggregation.event_driven.saved import arrays_of, restored
from engine.aggregation.section import Aggregation
from engine.frame import Frame
from engine.records import Records
from engine.scenario import Scenario
from engine.simulation import History
from engine.state import InitialState

SearchEvents = Callable[[cl.ClusterArrays, float, int, int, int], int]
"""Finds and processes events in order, up to limits: see `loop.run`."""

SEARCHES: dict[str, Callable[[int, int], SearchEvents]] = {
    "trees": lambda count, dimensions: loop.run,
    "all-pairs": AllPairs,
}
"""The searches for the next event, by the value of ``aggregation.event_driven.search``; each is called with the numbers
of discs and of dimensions."""


class EventDriven(Aggregating):
    """Simulation (see `engine.simulation.Simulation`) of ballistic aggregation by exact events."""

    method = "event-driven"
    work_guess = 5e6
    counters = (
        {
            "merge": "merges",
            "wall": "wall_events",
            "horizon": "horizon_events",
            "stale": "stale_events",
            "bound": "bound_events",
            "watch": "watch_events",
        },
        {},
    )
    room: ClassVar = {loop.BUCKETS_FULL: ("buckets",), loop.WATCHES_FULL: ("watches",)}

    def __init__(
        self,
        scenario: Scenario,
        state: InitialState,
        tuning: cl.Tuning | None = None,
        *,
        time: float = 0.0,
        past: History | None = None,
    ) -> None:
        """Start from `state`; discs with the same cluster number are joined and share their mean velocity.

        time, past : of the simulation that this one continues, if any.
        """
        tuning = tuning or cl.TUNING[len(state.box)]
        self._st = cl.allocate(self._begin(scenario, state, time, past), tuning)
        self._sim["time"] = time
        loop.start(self._st)

    @property
    def time(self) -> float:
        """Simulation time reached."""
        return float(self._sim["time"])

    @cached_property
    def _search(self) -> SearchEvents:
        return SEARCHES[self.scenario.section(Aggregation).event_driven.search](self.count, len(self.box))

    def _run(self, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
        return int(self._search(self._st, until_time, until_clusters, max_events, max_work))

    def _stand_still(self, until_time: float) -> None:
        self._sim["time"] = until_time

    def _fill_frame(self, out: Frame) -> None:
        fill_frame(
            self._st,
            out.positions,
            out.velocities,
            out.fields["cluster"],
            out.fields["last_merge"],
            self._original,
            self._last_merges(),
        )

    def _last_merges(self) -> NDArray[np.float64]:
        """The time of the last merge of each cluster by its name, (N,), from the list of all merges."""
        known, last = self._merged
        log = self._st.log[known + 1 : self._sim["merges"] + 1]
        # merges are in order of time, so the last one of a cluster remains
        last[self._st.label[log["i"]]] = log["time"]
        self._merged = known + len(log), last
        return last

    @cached_property
    def _merged(self) -> tuple[int, NDArray[np.float64]]:
        """How many merges have been processed, and the resulting times of each cluster."""
        return 0, np.full(self.count, self._st.log[0]["time"])

    def statistics(self) -> dict[str, int]:
        """Statistics of the work since the start.

        Walks down two trees, pairs of nodes visited, pairs of discs tested, trees and grids built, full registrations
        of big clusters; and big clusters now.
        """
        names = ("pair_walks", "node_visits", "disc_tests", "tree_builds", "grid_builds", "big_registrations")
        return {name: int(self._sim[name]) for name in names} | {"big_clusters": int(self._sim["bigs"])}

    def history(self) -> History:
        """One entry per merge, the first one for the start, after the past's. The arrays are copies."""
        merges = int(self._sim["merges"])
        log = self._st.log[: merges + 1]
        clusters = int(self._sim["clusters"]) + merges - np.arange(merges + 1)
        return self._history(log["time"], clusters, log["kinetic_energy"])

    def _own_merges(self) -> Records:
        log: Records = self._st.log[1 : self._sim["merges"] + 1]
        return log

    def _pack(self) -> dict[str, NDArray[Any]]:
        by_trees = self.scenario.section(Aggregation).event_driven.search == "trees"
        return arrays_of(self._st, by_trees=by_trees)

    @staticmethod
    def _unpack(arrays: Mapping[str, NDArray[Any]], scenario: Scenario) -> cl.ClusterArrays:
        return restored(arrays, scenario.dimensions)
