"""The trace of one time step, for a view that plays it slowly (the paper's figure 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.arrays import Stepping
from engine.boundary import Periodic
from engine.geometry.nearest import wrapped
from engine.records import along, columns
from engine.slices import OUT_OF_WORK


@dataclass(frozen=True)
class StepTrace:
    """One step. Discs are numbered as in a Frame.

    time, dt : start and length of the step; before, flown, after : (N, d) positions at the start, after free flight and
    walls, at the end; overlapping : (K, 2) pairs found after the flight; links : (L, 2) links before the step;
    new_links : (F, 2) all new links, those that the minimisation made included; velocities_before, velocities_after :
    (N, d); clusters_before, clusters_after : (N,);
    residual : (Q,) largest max |φ| / s of the groups at each iteration, the groups of a round side by side;
    round : (Q,) to which round an iteration belongs; tolerance : of max |φ| / s, below which a group has converged;
    converged : no group had to be projected; complete : every iteration was kept, else the ends of the groups alone.
    record_disc (T,), record_position (T, d), record_frame (T,): moved discs, their positions, and the iterations, in
    order of the groups.
    """

    time: float
    dt: float
    before: NDArray[np.float64]
    flown: NDArray[np.float64]
    after: NDArray[np.float64]
    overlapping: NDArray[np.int32]
    links: NDArray[np.int32]
    new_links: NDArray[np.int32]
    velocities_before: NDArray[np.float64]
    velocities_after: NDArray[np.float64]
    clusters_before: NDArray[np.int32]
    clusters_after: NDArray[np.int32]
    residual: NDArray[np.float64]
    round: NDArray[np.int64]
    tolerance: float
    converged: bool
    complete: bool
    record_disc: NDArray[np.int32]
    record_position: NDArray[np.float64]
    record_frame: NDArray[np.int64]

    def positions(self, iteration: int) -> NDArray[np.float64]:
        """(N, d) positions after `iteration` iterations, 0…Q; 0 is the free flight."""
        out = self.flown.copy()
        until = self.record_frame < iteration
        out[self.record_disc[until]] = self.record_position[until]
        return out


class _Recorder:
    """Records the groups of a step, one iteration after the other."""

    def __init__(self, max_records: int) -> None:
        self.discs: list[NDArray[np.int32]] = []
        self.places: list[NDArray[np.float64]] = []
        self.keys: list[tuple[int, int, float]] = []  # round, iteration within the group, residual
        self.left = max_records
        self.complete = True
        self._seen = 0

    def take(self, st: Stepping) -> None:
        """Record the current group, or the one that has just ended."""
        sim = st.sim[0]
        ended = sim["group_state"] >= ts.ENDED
        count = int(st.group["bodies"][0])
        discs = st.member[:count].copy()
        dimensions = st.pos.shape[1]
        shift = columns(st.bodies[:count], *along("d", dimensions))
        if sim["by_cluster"]:
            row = np.full(len(st.label), -1)
            row[discs] = np.arange(count)
            body = row[st.label]
            discs = np.flatnonzero(body >= 0).astype(np.int32)
            shift = shift[body[discs]]
        places = st.pos[discs]
        if not ended:
            places = places + shift
            box = np.array([sim[name] for name in along("box_", dimensions)])
            places = wrapped(places, box, Periodic.of_code(int(sim["periodic"]), dimensions))
        if self.left >= len(discs) or ended:
            self.left -= len(discs)
            self.discs.append(discs)
            self.places.append(places)
            self.keys.append((int(sim["step_rounds"]), self._seen, float(st.group["residual"][0])))
            self._seen += 1
        else:
            self.complete = False
        if ended:
            self._seen = 0

    def frames(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Frame of each key with the groups of a round side by side; residual and round of each frame."""
        if not self.keys:
            return np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64)
        rounds, iterations, residuals = (np.array(column) for column in zip(*self.keys, strict=True))
        longest = {r: int(iterations[rounds == r].max()) + 1 for r in np.unique(rounds).tolist()}
        offset, total = {}, 0
        for r, length in longest.items():
            offset[r] = total
            total += length
        frame = np.array([offset[r] for r in rounds.tolist()]) + iterations
        residual, of_round = np.zeros(total), np.repeat(list(longest), list(longest.values()))
        begin = np.flatnonzero(iterations == 0)
        for first, end in zip(begin, [*begin[1:], len(frame)], strict=True):
            # a finished group keeps its residual while others of its round continue
            residual[frame[first:end]] = np.maximum(residual[frame[first:end]], residuals[first:end])
            rest = slice(frame[end - 1] + 1, offset[int(rounds[first])] + longest[int(rounds[first])])
            residual[rest] = np.maximum(residual[rest], residuals[end - 1])
        return frame, residual, of_round


def trace(
    arrays: Callable[[], Stepping],
    continue_step: Callable[[int], int],
    settled: Callable[[], NDArray[np.float64]],
    original: NDArray[np.int32],
    max_records: int,
) -> StepTrace:
    """Run the next step of a simulation that is not used otherwise, and record it.

    arrays : its arrays, which may be replaced by longer ones; continue_step : see `TimeStepping`; settled : positions
        (N, d) at the last whole step, in the caller's order; original : (N,), the caller's number of each disc. All
        steps must be over all discs.
    """
    inverse = np.empty_like(original)
    inverse[original] = np.arange(len(original), dtype=np.int32)
    st = arrays()

    def now(positions: NDArray[np.float64]) -> NDArray[np.float64]:
        return positions[inverse]

    def moving() -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        label = arrays().label[inverse]
        return columns(arrays().clusters[label], *along("v", st.pos.shape[1])), original[label]

    before, time = settled(), float(st.sim[0]["time"])
    velocities_before, clusters_before = moving()
    made = st.links[: st.sim[0]["links"]]
    links = original[columns(made[made["slack"] == 0], "i", "j")]
    full = (ts.FRESH_FULL, ts.LINKS_FULL, ts.LOG_FULL)
    status = continue_step(0)
    while status in full:
        status = continue_step(0)
    st = arrays()
    steps = status == OUT_OF_WORK  # else nothing moves, or only one cluster is left
    flown = now(st.pos) if steps else before
    overlapping = original[columns(st.fresh[: st.sim[0]["fresh"] if steps else 0], "i", "j")]
    recorder = _Recorder(max_records)
    while status == OUT_OF_WORK or status in full:
        status = continue_step(1)
        st = arrays()
        if status == OUT_OF_WORK:
            recorder.take(st)
    after = settled()
    velocities_after, clusters_after = moving()
    new_links = original[columns(st.fresh[: st.sim[0]["fresh"] if steps else 0], "i", "j")]
    frame, residual, of_round = recorder.frames()
    sizes = [len(discs) for discs in recorder.discs]
    return StepTrace(
        time=time,
        dt=float(st.sim[0]["dt"]) if steps else 0.0,
        before=before,
        flown=flown,
        after=after,
        overlapping=overlapping,
        links=links,
        new_links=new_links,
        velocities_before=velocities_before,
        velocities_after=velocities_after,
        clusters_before=clusters_before,
        clusters_after=clusters_after,
        residual=residual,
        round=of_round,
        tolerance=float(st.group[0]["tolerance"]),
        converged=bool(st.sim[0]["step_failed"] == 0),
        complete=recorder.complete,
        record_disc=original[np.concatenate(recorder.discs)] if sizes else np.empty(0, np.int32),
        record_position=np.concatenate(recorder.places) if sizes else np.empty((0, st.pos.shape[1])),
        record_frame=np.repeat(frame, sizes),
    )
