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
from engine.aggregation.event_driven.recent import impacts_of
from engine.aggregation.fields import FRAME_FIELDS
from engine.errors import InputError
from engine.geometry.box_tree import allocate_nodes
from engine.interrupts import HeldSignals
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
        self._st.sf[cl.NOW] = time
        loop.start(self._st)
        self._initial_clusters = int(self._st.si[cl.M])

    @property
    def time(self) -> float:
        """Simulation time reached."""
        return float(self._st.sf[cl.NOW])

    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        """Physical events are merges and wall reflections."""
        until_time = max(limits.until_time, self.time)
        goal = min(limits.until_clusters, self.count)

        def run(events: int, work: int) -> int:
            return int(loop.run(self._st, until_time, goal, events, work))

        status = in_slices(self._work_rate, limits, signals, run, self._counted, self._grow, loop.OUT_OF_WORK)
        if status == loop.NOTHING_MOVES and isfinite(until_time):
            self._st.sf[cl.NOW] = until_time
        return self._progress(status)

    def _counted(self) -> tuple[int, int]:
        """Work and physical events so far."""
        si = self._st.si
        return int(si[cl.WORK]), int(si[cl.MERGES] + si[cl.WALL_EVENTS])

    def _grow(self, status: int) -> bool:
        """Make room where a kernel has run out of it."""
        name = {loop.BUCKETS_FULL: "bucket", loop.WATCH_FULL: "watch"}.get(status)
        if name is None:
            return False
        old = getattr(self._st, name)
        grown = cl.aligned(2 * len(old), old.shape[1], np.int32)
        grown[: len(old)] = old
        self._st = self._st._replace(**{name: grown})
        return True

    def _progress(self, status: int) -> Progress:
        si = self._st.si
        nothing = status == loop.NOTHING_MOVES
        counts = {
            "merge": int(si[cl.MERGES]),
            "wall": int(si[cl.WALL_EVENTS]),
            "horizon": int(si[cl.HORIZON_EVENTS]),
            "stale": int(si[cl.STALE_EVENTS]),
            "bound": int(si[cl.CHECK_EVENTS]),
            "watch": int(si[cl.WATCH_EVENTS]),
        }
        return Progress(
            time=self.time,
            clusters=int(si[cl.M]),
            events=counts,
            steps={},
            finished=nothing or int(si[cl.M]) == 1,
            reached=status != loop.OUT_OF_WORK,
        )

    def statistics(self) -> dict[str, int]:
        """How the work was spent, counted since the start: walks of tree pairs, node pairs visited, disc pairs
        tested, trees and grids built, full registrations of big clusters, big clusters now."""
        si = self._st.si
        names = {
            "pair_walks": cl.PAIR_WALKS,
            "node_visits": cl.NODE_VISITS,
            "disc_tests": cl.DISC_TESTS,
            "tree_builds": cl.TREE_BUILDS,
            "grid_builds": cl.GRID_BUILDS,
            "big_registrations": cl.FULL_BIG,
            "big_clusters": cl.BIGS,
        }
        return {name: int(si[k]) for name, k in names.items()}

    def stride(self, frames: float = 1.0) -> Stride:
        """See `Simulation.stride`."""
        return self._stride(self.time, int(self._st.si[cl.M]), float(self._st.sf[cl.ENERGY]), frames)

    def frame(self, out: Frame | None = None) -> Frame:
        """The exact state at `time`; ballistic flight between events costs O(N) and changes nothing."""
        out = Frame.empty(self.count) if out is None else out
        out.lay_out(FRAME_FIELDS)
        fill_frame(self._st, out.positions, out.velocities, out.fields["cluster"], self._original)
        out.time = self.time
        out.clusters = int(self._st.si[cl.M])
        out.kinetic_energy = float(self._st.sf[cl.ENERGY])
        out.impacts = impacts_of(self._st.recent_f, self._st.recent_i, self._original, self.box, self.periodic)
        return out

    def settled(self) -> Frame:
        """See `Simulation.settled`: exact at any time."""
        return self.frame()

    def history(self) -> History:
        """One entry per merge, the first one for the start, after the past's. The arrays are copies."""
        k = int(self._st.si[cl.MERGES]) + 1
        log = self._st.log_f[:k].copy()
        own = History(log[:, 0], self._initial_clusters - np.arange(k), log[:, 1])
        return self._with_past(own)

    def state(self) -> InitialState:
        """What another method needs to carry on from here."""
        frame = self.frame()
        return InitialState(
            frame.positions, frame.velocities, self.radii, self.masses, frame.cluster, self.box, self.periodic
        )

    def merges(self) -> NDArray[np.int32]:
        """The two discs in contact at each merge, (K, 2), in the order of events."""
        k = int(self._st.si[cl.MERGES]) + 1
        return self._original[self._st.log_i[1:k]]

    def invariants(self) -> dict[str, float]:
        """Momentum error relative to the sum of |m v| at the start, impulses of the walls taken off; largest overlap
        of any two discs relative to the sum of their radii."""
        _, px, py, _ = totals(self._st)
        sf = self._st.sf
        return self._invariants(px, py, sf[cl.IMPULSE_X], sf[cl.IMPULSE_Y], self.frame().positions)

    def set(self, key: str, value: Any) -> None:
        """The event-driven method has no parameter that may change while it runs: InputError."""
        raise InputError(f"{key} cannot change while the event-driven method runs", key)

    def checkpoint(self) -> Checkpoint:
        """All arrays but the scratch ones, copied."""
        arrays: dict[str, NDArray[Any]] = {
            name: value.copy()
            for name, value in self._st._asdict().items()
            if name not in cl.SCRATCH and name not in cl.VIEWS
        }
        arrays["initial_clusters"] = np.array(self._initial_clusters)
        return self._checkpoint(arrays)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> EventDriven:
        """The simulation that `checkpoint` was taken of; it goes on bit for bit."""
        a = checkpoint.arrays
        new = cls.__new__(cls)
        new._restore(checkpoint, np.array([a["sf"][cl.LX], a["sf"][cl.LY]]), bool(a["si"][cl.PERIODIC]))
        n = new.count
        own = KEPT | {"initial_clusters"}
        fields: dict[str, Any] = {name: value.copy() for name, value in a.items() if name not in own}
        fields["nf"] = allocate_nodes(n)
        fields["nf"][:] = a["nf"]
        for name in ("cf", "ci", "bucket"):
            rows, columns = a[name].shape
            fields[name] = cl.aligned(rows, columns, a[name].dtype.type)
            fields[name][:] = a[name]
        for name, (of, dtype) in cl.VIEWS.items():
            fields[name] = fields[of].view(dtype)
        fields |= cl.scratch(n)
        new._st = cl.Clusters(**fields)
        new._initial_clusters = int(a["initial_clusters"])
        new._work_rate = WorkRate(_WORK)
        return new
