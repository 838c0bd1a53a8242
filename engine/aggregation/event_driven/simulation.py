"""Ballistic aggregation, event-driven and exact: the paper's appendix A, fast.

Clusters are rigid and only translate; each keeps its discs in its own frame and a box tree over them. Nothing is moved
between events. How the next event is found: `prediction`; what an event does: `events`; why it is laid out so and what
it costs: docs/event-driven.md.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.base import KEPT, Aggregating
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven import loop
from engine.aggregation.event_driven.measures import fill_frame, totals
from engine.aggregation.fields import FRAME_FIELDS
from engine.aggregation.recent import impacts_of
from engine.errors import InputError
from engine.geometry.box_tree import allocate_nodes
from engine.interrupts import HeldSignals
from engine.records import Record, unpadded, zeros
from engine.scenario import Scenario
from engine.simulation import Checkpoint, Frame, History, Progress, Stride
from engine.slices import Limits, WorkRate, in_slices
from engine.state import InitialState

_WORK = 5e6  # units a second, until it is known


class EventDriven(Aggregating):
    """Simulation (see `engine.simulation.Simulation`) of ballistic aggregation by exact events."""

    method = "event-driven"
    tunable: frozenset[str] = frozenset()

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

        time, past : of the simulation that this one carries on, if it does.
        """
        self._st = cl.allocate(self._begin(scenario, state, past), tuning or cl.Tuning())
        self._work_rate = WorkRate(_WORK)
        self._sim["time"] = time
        loop.start(self._st)
        self._initial_clusters = int(self._sim["clusters"])

    @property
    def _sim(self) -> Record:
        """What there is once, one row of `clusters.SIMULATION`; what is written into it is written into the arrays."""
        return self._st.sim[0]

    @property
    def time(self) -> float:
        """Simulation time reached."""
        return float(self._sim["time"])

    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        """Physical events are merges and wall reflections."""
        until_time = max(limits.until_time, self.time)
        goal = min(limits.until_clusters, self.count)

        def run(events: int, work: int) -> int:
            return int(loop.run(self._st, until_time, goal, events, work))

        status = in_slices(self._work_rate, limits, signals, run, self._counted, self._grow, loop.OUT_OF_WORK)
        if status == loop.NOTHING_MOVES and isfinite(until_time):
            self._sim["time"] = until_time
        return self._progress(status)

    def _counted(self) -> tuple[int, int]:
        """Work and physical events so far."""
        sim = self._sim
        return int(sim["work"]), int(sim["merges"] + sim["wall_events"])

    def _grow(self, status: int) -> bool:
        """Make room where a kernel has run out of it."""
        name = {loop.BUCKETS_FULL: "buckets", loop.WATCHES_FULL: "watches"}.get(status)
        if name is None:
            return False
        old = getattr(self._st, name)
        grown = zeros(2 * len(old), old.dtype)
        grown[: len(old)] = old
        changes: dict[str, Any] = {name: grown}
        self._st = self._st._replace(**changes)
        return True

    def _progress(self, status: int) -> Progress:
        sim = self._sim
        nothing = status == loop.NOTHING_MOVES
        clusters = int(sim["clusters"])
        counts = {name: int(sim[f"{name}_events"]) for name in ("wall", "horizon", "stale", "bound", "watch")}
        return Progress(
            time=self.time,
            clusters=clusters,
            events={"merge": int(sim["merges"])} | counts,
            steps={},
            finished=nothing or clusters == 1,
            reached=status != loop.OUT_OF_WORK,
        )

    def statistics(self) -> dict[str, int]:
        """How the work was spent, counted since the start.

        Walks down two trees, pairs of nodes visited, pairs of discs tested, trees and grids built, full registrations
        of big clusters; and big clusters now.
        """
        names = ("pair_walks", "node_visits", "disc_tests", "tree_builds", "grid_builds", "big_registrations")
        return {name: int(self._sim[name]) for name in names} | {"big_clusters": int(self._sim["bigs"])}

    def stride(self, frames: float = 1.0) -> Stride:
        """See `Simulation.stride`."""
        return self._stride(self.time, int(self._sim["clusters"]), float(self._sim["energy"]), frames)

    def frame(self, out: Frame | None = None) -> Frame:
        """The exact state at `time`; ballistic flight between events costs O(N) and changes nothing."""
        out = Frame.empty(self.count) if out is None else out
        out.lay_out(FRAME_FIELDS)
        fill_frame(self._st, out.positions, out.velocities, out.fields["cluster"], self._original)
        out.time = self.time
        out.clusters = int(self._sim["clusters"])
        out.kinetic_energy = float(self._sim["energy"])
        out.impacts = impacts_of(self._st.recent, self._st.recent_next, self._original, self.box, self.periodic)
        return out

    def settled(self) -> Frame:
        """See `Simulation.settled`: exact at any time."""
        return self.frame()

    def history(self) -> History:
        """One entry per merge, the first one for the start, after the past's. The arrays are copies."""
        log = self._st.log[: self._sim["merges"] + 1]
        clusters = self._initial_clusters - np.arange(len(log))
        own = History(log["time"].copy(), clusters, log["kinetic_energy"].copy())
        return self._with_past(own)

    def state(self) -> InitialState:
        """What another method needs to carry on from here."""
        frame = self.frame()
        return InitialState(
            frame.positions, frame.velocities, self.radii, self.masses, frame.cluster, self.box, self.periodic
        )

    def merges(self) -> NDArray[np.int32]:
        """The two discs in contact at each merge, (K, 2), in the order of events."""
        log = self._st.log[1 : self._sim["merges"] + 1]
        pairs: NDArray[np.int32] = self._original[np.stack([log["i"], log["j"]], axis=1)]
        return pairs

    def invariants(self) -> dict[str, float]:
        """Momentum error relative to the sum of |m v| at the start, impulses of the walls taken off; largest overlap
        of any two discs relative to the sum of their radii."""
        _, px, py, _ = totals(self._st)
        sim = self._sim
        return self._invariants(px, py, sim["impulse_x"], sim["impulse_y"], self.frame().positions)

    def set(self, key: str, value: Any) -> None:
        """The event-driven method has no parameter that may change while it runs: InputError."""
        raise InputError(f"{key} cannot change while the event-driven method runs", key)

    def checkpoint(self) -> Checkpoint:
        """All arrays but the scratch ones, copied."""
        arrays: dict[str, NDArray[Any]] = {
            name: unpadded(value) if name in cl.ROWS else value.copy()
            for name, value in self._st._asdict().items()
            if name not in cl.SCRATCH
        }
        arrays["initial_clusters"] = np.array(self._initial_clusters)
        return self._checkpoint(arrays)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> EventDriven:
        """The simulation that `checkpoint` was taken of; it goes on bit for bit."""
        a = checkpoint.arrays
        new = cls.__new__(cls)
        sim = a["sim"][0]
        new._restore(checkpoint, np.array([sim["box_x"], sim["box_y"]]), bool(sim["periodic"]))
        own = KEPT | {"initial_clusters"}
        fields: dict[str, Any] = {name: value.copy() for name, value in a.items() if name not in own}
        for name, dtype in cl.ROWS.items():
            fields[name] = allocate_nodes(new.count) if name == "nodes" else zeros(len(a[name]), dtype)
            fields[name][:] = a[name]
        fields |= cl.scratch(new.count)
        new._st = cl.Clusters(**fields)
        new._initial_clusters = int(a["initial_clusters"])
        new._work_rate = WorkRate(_WORK)
        return new
