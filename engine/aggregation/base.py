"""The common base of both aggregation methods: order of the discs, initial momentum, earlier history, frames.

Their checkpoints share the discs, the clusters, the earlier history and the merges.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from math import hypot
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.aggregation.recent import impacts_of
from engine.aggregation.section import METHODS
from engine.arrays import Arrays
from engine.boundary import Periodic
from engine.errors import InputError
from engine.frame import Frame
from engine.geometry.morton import morton_order
from engine.merges import MergeLog
from engine.overlaps import deepest_overlap
from engine.parting import MOST_BODIES, never_meet, velocities_part
from engine.records import Record, Records, along, columns, zeros
from engine.saved import (
    COUNTER,
    MASS,
    RADIUS,
    SINCE_START,
    SavedArray,
    check_radii,
    need,
    number_of,
    periodic_in,
    real,
    take,
    whole,
)
from engine.scenario import Scenario
from engine.simulation import Checkpoint, History, Progress, Stride, fewer, later, root_mean_square
from engine.slices import NOTHING_MOVES, OUT_OF_WORK, Sliced
from engine.state import TURNING, InitialState, representatives

FRAME_FIELDS: dict[str, DTypeLike] = {"cluster": np.dtype(np.int32), "last_merge": np.dtype(np.float64)}
"""The fields of each disc in a frame.

cluster : see `engine.frame.Frame.cluster`; last_merge : the time of the last merge of that cluster, or of the start if
    there was none. After a change of the method, the start is that of the present method.
"""


class Aggregating(Sliced):
    """Base of the simulations of ballistic aggregation.

    A method keeps its state in the arrays `_st`, a NamedTuple. Both have ``sim`` (1,), scalar values; ``clusters``
    (N,), of which those named by the first ``sim.clusters`` entries of ``live`` (N,) are valid; and the newest events,
    ``recent`` and ``recent_next``.
    """

    system = "aggregation"
    method: str
    tunable: frozenset[str] = frozenset()
    counters: ClassVar[tuple[dict[str, str], dict[str, str]]]
    """Names of events and steps in `Progress`, each with the field of ``sim`` that counts it."""
    room: ClassVar[dict[int, tuple[str, ...]]]
    """Statuses of the kernel that request longer arrays, with the arrays."""

    scenario: Scenario
    _original: NDArray[np.int32]  # (N,) the caller's number of each disc in the arrays
    _past: History | None  # of the simulation that this one continues
    _before: MergeLog  # the merges of the simulations that this one continues, and where the record begins
    _skipped: int  # merges of this simulation before the record begins
    _parted: tuple[int, bool] = (0, False)  # number of clusters at the last check whether any will meet; the result

    def _begin(self, scenario: Scenario, state: InitialState, time: float, past: History | None) -> InitialState:
        """Store what both methods need of the initial state, and return that state in the order of the arrays.

        Discs are ordered along a space-filling curve, and clusters are named by one of their discs.
        """
        self.scenario = scenario
        self._past = past
        self._begin_merge_log(representatives(state.cluster).astype(np.int32), time)
        self._adopt(state.radii, state.masses, state.box, state.periodic)
        momentum = state.masses[:, None] * state.velocities
        self._momentum = momentum.sum(axis=0)
        self._momentum_scale = max(float(np.linalg.norm(momentum, axis=1).sum()), 1e-300)
        order = morton_order(state.positions, state.box)
        place = np.argsort(order).astype(np.int32)
        self._original = order.astype(np.int32)
        return InitialState(
            state.positions[order],
            state.velocities[order],
            state.radii[order],
            state.masses[order],
            place[representatives(state.cluster)[order]],
            state.box,
            state.periodic,
            **{name: rows[order] for name in TURNING if (rows := getattr(state, name)) is not None},
        )

    @property
    def fields(self) -> dict[str, DTypeLike]:
        """The fields of each disc in a frame, see `engine.frame.Frame.lay_out`."""
        return FRAME_FIELDS

    @property
    def _sim(self) -> Record:
        """The record of scalar values, a view of the arrays."""
        return self._st.sim[0]

    def _clusters(self) -> Records:
        """A copy of the rows of the clusters that there are now."""
        rows: Records = self._st.clusters[self._st.live[: self._sim["clusters"]]]
        return rows

    def _begin_merge_log(self, leaves: NDArray[np.int32], time: float) -> None:
        """Start the record of merges at a time with these clusters (N,)."""
        self._before = MergeLog(np.zeros(0), np.zeros((0, 2), np.int32), leaves, time)
        self._skipped = 0

    @abstractmethod
    def _own_merges(self) -> Records:
        """The merges since this simulation began: `time`, and the discs `i` and `j` in the numbering of the arrays."""

    def merges(self) -> NDArray[np.int32]:
        """The two discs in contact at each merge since this simulation began, (K, 2), in the order of events."""
        pairs: NDArray[np.int32] = self._original[columns(self._own_merges(), "i", "j")]
        return pairs

    def merge_log(self) -> MergeLog:
        """The merges so far. In time stepping, a merge has the time of the end of its step."""
        own = self._own_merges()["time"][self._skipped :].copy()
        return self._before.followed_by(MergeLog(own, self.merges()[self._skipped :], self._before.leaves))

    def continue_merge_log(self, log: MergeLog) -> None:
        """Prepend the merges of an earlier run that this one continues."""
        self._before = log

    def _counted(self) -> tuple[int, int]:
        """Physical events are merges and wall reflections."""
        sim, (events, _) = self._sim, self.counters
        return int(sim["work"]), int(sim[events["merge"]] + sim[events["wall"]])

    def _handle_status(self, status: int) -> bool:
        """Double the arrays in which a kernel has run out of space."""
        names = self.room.get(status, ())
        longer: dict[str, NDArray[Any]] = {}
        for name in names:
            rows = getattr(self._st, name)
            longer[name] = zeros(2 * len(rows), rows.dtype)
            longer[name][: len(rows)] = rows
        self._st = self._st._replace(**longer)
        return bool(names)

    def _progress(self, status: int) -> Progress:
        sim = self._sim
        events, steps = ({name: int(sim[field]) for name, field in part.items()} for part in self.counters)
        clusters = int(sim["clusters"])
        finished = status == NOTHING_MOVES or clusters == 1
        reason = "nothing meets" if finished and self._parted == (clusters, True) else ""
        return Progress(self.time, clusters, events, steps, finished, reached=status != OUT_OF_WORK, stop_reason=reason)

    def meets_no_more(self) -> bool:
        """Whether no clusters will meet again: checked once for each number of clusters, when few are left.

        Not known as long as one of several discs turns, or may begin to do so at a wall.
        """
        clusters = int(self._sim["clusters"])
        if "spin" in self.fields and 1 < clusters <= MOST_BODIES and clusters < self.count:
            spin = self._clusters()["fastest" if len(self.box) > 2 else "spin"]
            if not self.periodic.all or bool(spin.any()):
                return False
        if self._parted[0] != clusters:
            few = 1 < clusters <= MOST_BODIES
            # a frame costs much more than the velocities, which nearly always say that something meets
            axes = along("v", len(self.box))
            may = few and velocities_part(columns(self._clusters(), *axes), self.box, self.periodic)
            self._parted = clusters, may and never_meet(self.frame(), cluster=True)
        return self._parted[1]

    def _next_look(self, until_clusters: int) -> int:
        return max(until_clusters, min(int(self._sim["clusters"]) - 1, MOST_BODIES))

    def stride(self, frames: float = 1.0) -> Stride:
        """How far to run until the next frame: a share of the remaining clusters and of the time passed.

        Time stepping checks these limits after whole steps, which may exceed them.
        """
        sim = self._sim
        speed = root_mean_square(float(sim["energy"]), float(self.masses.sum()))
        until = later(self.time, float(self.radii.mean()), speed, frames)
        return Stride(until, fewer(int(sim["clusters"]), frames))

    def frame(self, out: Frame | None = None) -> Frame:
        """The state at `time`: free flight since the last event or whole step. O(N), changes nothing.

        In time stepping walls are included, but clusters that will overlap at the end of the step may already do so.
        """
        out = Frame.empty(self.count, len(self.box)) if out is None else out
        out.discs = self.discs
        out.lay_out(self.fields)
        self._fill_frame(out)
        self._label(out, self.time)
        out.impacts = impacts_of(self._st.recent, self._st.recent_next, self._original, self.box, self.periodic)
        return out

    @abstractmethod
    def _fill_frame(self, out: Frame) -> None:
        """Write positions, velocities and fields at `time` into the arrays of `out`."""

    def _label(self, out: Frame, time: float) -> None:
        """Write time, number of clusters and kinetic energy into a frame."""
        out.time, out.clusters, out.kinetic_energy = time, int(self._sim["clusters"]), float(self._sim["energy"])

    def settled(self) -> Frame:
        """The latest state without overlaps; the exact method has none at any time."""
        return self.frame()

    def state(self) -> InitialState:
        """The settled state to start from, with either method: ``EventDriven(scenario, simulation.state())``."""
        frame = self.settled()
        given = (self.radii.copy(), self.masses.copy(), frame.cluster, self.box.copy(), self.periodic)
        found = InitialState(frame.positions, frame.velocities, *given)
        for name in TURNING:
            setattr(found, name, frame.fields.get(name))
        return found

    def _history(self, time: NDArray[Any], clusters: NDArray[Any], energy: NDArray[Any]) -> History:
        """The complete history: that before this simulation, and its own columns (K,), copies."""
        own = History(time.copy(), clusters.copy(), energy.copy(), stretches=((self.method, 0),))
        return own if self._past is None else self._past.followed_by(own)

    def invariants(self) -> dict[str, float]:
        """Momentum error relative to the sum of |m v| at the start, corrected for the impulses of the walls; largest
        overlap of any two discs of the settled state, relative to the sum of their radii."""
        sim = self._sim
        own = self._clusters()
        dimensions = len(self.box)
        now = [np.cumsum(own[name])[-1] for name in along("p", dimensions)]  # one by one, as kernels add them up
        error = hypot(*(now - self._momentum - [sim[name] for name in along("impulse_", dimensions)]))
        loose = np.arange(self.count, dtype=np.int32)
        overlap, _, _ = deepest_overlap(self.settled().positions, self.radii, loose, self.box, self.periodic)
        return {"momentum_error": error / self._momentum_scale, "max_overlap": float(overlap)}

    def set(self, key: str, value: Any) -> None:
        """Change one of `tunable`; InputError for others and for bad values."""
        if key not in self.tunable:
            raise InputError(f"{key} cannot change while the {self.method} method runs", key)
        self.scenario = self.scenario.with_values({key: value})

    @abstractmethod
    def _pack(self) -> dict[str, NDArray[Any]]:
        """The arrays of the method that determine the results, copied only if necessary."""

    @staticmethod
    @abstractmethod
    def _unpack(arrays: Mapping[str, NDArray[Any]], scenario: Scenario) -> Any:
        """The arrays of a run, from unchecked arrays of a checkpoint; nothing is shared."""

    def checkpoint(self) -> Checkpoint:
        """An exact copy of the state; in the middle of a step, that of the last whole step and the time shown."""
        return self.lend().own_copy()

    def lend(self) -> Checkpoint:
        """The state in arrays that the simulation continues to use."""
        arrays = self._pack()
        arrays["original"] = self._original
        arrays["radii"] = self.radii
        arrays["masses"] = self.masses
        arrays["momentum"] = np.array([*self._momentum, self._momentum_scale])
        if self._past is not None:
            arrays["past"] = past_array(self._past)
        before = self._before
        arrays["merge_leaves"] = before.leaves
        arrays["merges_before"] = merges = np.zeros(len(before.time), MERGED.dtype)
        merges["time"] = before.time
        merges["i"], merges["j"] = before.pairs.T
        arrays["merges_since"] = np.array([(before.since, self._skipped)], RECORD_BEGIN.dtype)
        return Checkpoint(self.system, self.method, self.scenario.to_toml(), arrays)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> Self:
        """Restore the simulation of `checkpoint`; it continues bit for bit."""
        a = checkpoint.arrays
        new = cls.__new__(cls)
        new.scenario = Scenario.from_toml(checkpoint.scenario)
        new._st = cls._unpack(a, new.scenario)
        new._past = past_of(a["past"]) if "past" in a else None
        sim = new._sim
        box = box_of(sim, new.scenario.dimensions)
        new._adopt(a["radii"].copy(), a["masses"].copy(), box, Periodic.of_code(int(sim["periodic"]), len(box)))
        new._original = a["original"].copy()
        new._momentum = a["momentum"][:-1].copy()
        new._momentum_scale = float(a["momentum"][-1])
        new._take_merge_log(a)
        return new

    def _take_merge_log(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over the record of merges from a checkpoint."""
        before, since = arrays["merges_before"], arrays["merges_since"][0]
        pairs = columns(before, "i", "j")
        self._before = MergeLog(before["time"].copy(), pairs, arrays["merge_leaves"].copy(), float(since["time"]))
        self._skipped = int(since["skipped"])


PAST = SavedArray(
    {"time": SINCE_START, "clusters": COUNTER, "kinetic_energy": real(), "method": whole(-1, len(METHODS) - 1)},
    ("past",),
    optional=True,
    fewest=1,
    rising="time",
)
"""A saved past, see `History`; method : its place in `METHODS`, -1 where it is not known."""

MERGED = SavedArray({"time": real(), "i j": number_of("discs")}, ("merges before",), rising="time")
"""The merges of the simulations that this one continues: their times and the two discs that touched, by the caller's
numbers."""

RECORD_BEGIN = SavedArray({"time": real(), "skipped": COUNTER}, (1,))
"""Where the record of merges begins: the time, and how many merges of this simulation lie before it."""

SHARED = {
    "original": SavedArray(number_of("discs"), ("discs",), once="all"),
    "radii": SavedArray(RADIUS, ("discs",)),
    "masses": SavedArray(MASS, ("discs",)),
    "momentum": SavedArray(real(), ("axes and 1",)),
    "past": PAST,
    "merge_leaves": SavedArray(number_of("discs"), ("discs",)),
    "merges_before": MERGED,
    "merges_since": RECORD_BEGIN,
    "label": SavedArray(number_of("discs"), ("discs",)),
    "live": SavedArray(number_of("discs"), ("clusters",), once="all"),
}
"""The arrays that both methods save.

original (N,) : the caller's number of each disc of the arrays, which keep discs in a spatial order; radii (N,),
masses (N,) : by the caller's numbers; momentum (d + 1,) : at the start, and the sum of |m v| then; past : of the
simulation that this one continues; merge_leaves (N,), merges_before, merges_since : see `engine.merges.MergeLog`;
label (N,) : the cluster of each disc, named by one of its discs; live (M,) : the clusters, in the order in which they
are gone through.
"""


def past_array(past: History) -> NDArray[np.void]:
    """The records of a past, (K,), for a checkpoint."""
    saved = np.empty(len(past.time), PAST.dtype)
    saved["time"], saved["clusters"], saved["kinetic_energy"] = past.time, past.clusters, past.kinetic_energy
    saved["method"] = -1
    for name, first in past.stretches:
        saved["method"][first:] = METHODS.index(name)
    return saved


def past_of(saved: NDArray[np.void]) -> History:
    """The history whose records, (K,), `past_array` has put into a checkpoint."""
    method = saved["method"]
    begins = np.flatnonzero(np.diff(method, prepend=-1))
    stretches = tuple((METHODS[method[first]], int(first)) for first in begins if method[first] >= 0)
    columns = (saved[name].copy() for name in ("time", "clusters", "kinetic_energy"))
    return History(*columns, stretches=stretches)


def box_of(sim: NDArray[Any], dimensions: int) -> NDArray[np.float64]:
    """The sides of the box, (d,), from a record of scalar values."""
    return np.array([sim[side] for side in along("box_", dimensions)])


def checked_arrays(arrays: Arrays, own: dict[str, SavedArray], dimensions: int) -> dict[str, NDArray[Any]]:
    """The arrays of both methods and those of one, `own`, from a checkpoint, in range. Raises InputError.

    `own` has ``sim`` with the sides of the box and ``clusters``, a row for each cluster in the order of ``live``.
    """
    return take(arrays, SHARED | own, {"axes and 1": dimensions + 1})


def check_clusters(found: Arrays, merges: int) -> None:
    """Check that discs fit into the box, and that each is in one cluster, named by one of its discs.

    found : the result of `checked_arrays`; merges : the number of merges so far, for which arrays have a row of each
        disc.
    """
    sim, label, live = found["sim"][0], found["label"], found["live"]
    dimensions = len(found["momentum"]) - 1
    check_radii(found["radii"], box_of(sim, dimensions), periodic=periodic_in(sim, dimensions))
    need(found["momentum"][-1] > 0.0, "the sum of |m v| in momentum must be above 0")
    named = np.flatnonzero(label == np.arange(len(label)))
    need(np.array_equal(np.sort(live), named), "live must name the clusters of label")
    need(bool((label[label] == label).all()), "label must name each cluster by one of its discs")
    need(merges + len(live) <= len(label), "there must be no more merges than clusters that are gone")
