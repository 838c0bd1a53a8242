"""Ballistic aggregation by time steps: the paper's section 3.

One step: free flight of length Δt, walls, overlaps between clusters become links, the link energy is minimised under
non-overlap (`arrow_hurwicz`) until no new contact appears, clusters are joined and get their mean velocity. Larger
steps make denser clusters: that belongs to the method. How it is laid out and what it costs: docs/time-stepping.md.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.base import Aggregating
from engine.aggregation.fields import FRAME_FIELDS
from engine.aggregation.recent import impacts_of
from engine.aggregation.section import Aggregation
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import loop
from engine.aggregation.time_stepping.arrow_hurwicz import Coefficients
from engine.aggregation.time_stepping.checkpoint import pack, unpack
from engine.aggregation.time_stepping.frame import Convergence, FrameScratch, convergence, fill_frame, momentum
from engine.aggregation.time_stepping.trace import StepTrace, pairs_of, trace
from engine.errors import InputError
from engine.interrupts import HeldSignals
from engine.records import Record
from engine.scenario import Scenario, tunable
from engine.simulation import Checkpoint, Frame, History, Progress, Stride
from engine.slices import NO_LIMIT, Limits, WorkRate, in_slices
from engine.state import InitialState


class TimeStepping(Aggregating):
    """Simulation (see `engine.simulation.Simulation`) of ballistic aggregation by time steps."""

    method = "time-stepping"
    tunable: frozenset[str] = tunable("aggregation", Aggregation)

    def __init__(
        self, scenario: Scenario, state: InitialState, *, time: float = 0.0, past: History | None = None
    ) -> None:
        """Start from `state`; discs with the same cluster number are joined and share their mean velocity. Those of
        them that touch within twice the tolerance are linked.

        time, past : of the simulation that this one carries on, if it does.
        """
        rigid = scenario.section(Aggregation).time_stepping.clusters == "rigid"
        self._st = ts.allocate(self._begin(scenario, state, past), rigid=rigid)
        self._prepare()
        self._use_coefficients()
        self._sim["time"] = self._sim["now"] = time
        loop.start(self._st)
        while not loop.link_start(self._st):
            self._grow(ts.LINKS_FULL)

    @property
    def _sim(self) -> Record:
        """What there is once, one row of `arrays.SIMULATION`; what is written into it is written into the arrays."""
        return self._st.sim[0]

    def _prepare(self) -> None:
        """What a checkpoint does not keep."""
        self._work_rate = WorkRate(5e7)
        self._scratch: FrameScratch | None = None

    def _use_coefficients(self) -> None:
        """Bring the parameters of the scenario into the arrays."""
        stepping, damping = self.scenario.section(Aggregation).time_stepping, self.scenario.section(Aggregation).damping
        sim = self._sim
        sim["fixed_step"] = 0.0 if stepping.step == "adaptive" else stepping.step
        sim["fraction"] = stepping.fraction
        Coefficients(
            alpha=damping.alpha,
            beta=damping.beta,
            gamma=damping.gamma,
            c=damping.c,
            damped=damping.scheme == "damped",
            adaptive=damping.adaptive,
            tolerance=damping.tolerance,
            max_iterations=damping.max_iterations,
        ).write(self._st.group)

    @property
    def time(self) -> float:
        """Simulation time reached: the last whole step, or a time in the free flight after it."""
        return float(self._sim["now"])

    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        """Physical events are merges and wall reflections; limits on clusters and events are looked at after whole
        steps, in which several may happen."""
        until_time = limits.until_time
        goal = min(limits.until_clusters, self.count)

        def run(events: int, work: int) -> int:
            return int(loop.run(self._st, until_time, goal, events, work, False, NO_LIMIT))

        status = in_slices(self._work_rate, limits, signals, run, self._counted, self._grow, ts.OUT_OF_WORK)
        if status == ts.NOTHING_MOVES and isfinite(until_time):
            sim = self._sim
            sim["time"] = sim["now"] = max(sim["now"], until_time)
        return self._progress(status)

    def _counted(self) -> tuple[int, int]:
        """Work and physical events so far."""
        sim = self._sim
        return int(sim["work"]), int(sim["merges"] + sim["walls"])

    def _grow(self, status: int) -> bool:
        """Make room where a kernel has run out of it."""
        names = {
            ts.FRESH_FULL: ("fresh",),
            ts.LINKS_FULL: ("links", "group_links", "wake"),
            ts.LOG_FULL: ("log",),
        }.get(status)
        if names is not None:
            self._st = ts.grow(self._st, *names)
        return names is not None

    def _progress(self, status: int) -> Progress:
        sim = self._sim
        return Progress(
            time=self.time,
            clusters=int(sim["clusters"]),
            events={"merge": int(sim["merges"]), "wall": int(sim["walls"])},
            steps={
                "step": int(sim["steps"]),
                "iterations": int(sim["iterations"]),
                "minimisations": int(sim["minimisations"]),
                "not_converged": int(sim["not_converged"]),
                "restarts": int(sim["restarts"]),
                "undone": int(sim["undone"]),
                "rounds": int(sim["rounds"]),
            },
            finished=status == ts.NOTHING_MOVES or int(sim["clusters"]) == 1,
            reached=status != ts.OUT_OF_WORK,
        )

    def stride(self, frames: float = 1.0) -> Stride:
        """See `Simulation.stride`; looked at after whole steps, each of which may go further."""
        return self._stride(self.time, int(self._sim["clusters"]), float(self._sim["energy"]), frames)

    def frame(self, out: Frame | None = None) -> Frame:
        """The state at `time`. Between whole steps that is free flight from the last one, walls included: clusters that
        will be found to overlap at the end of the step may already do so. O(N), changes nothing."""
        out = Frame.empty(self.count) if out is None else out
        out.lay_out(FRAME_FIELDS)
        if self._scratch is None:
            self._scratch = FrameScratch.of(self.count)
        fill_frame(self._st, self._scratch, out.positions, out.velocities, out.fields["cluster"], self._original)
        out.time = self.time
        out.clusters = int(self._sim["clusters"])
        out.kinetic_energy = float(self._sim["energy"])
        out.impacts = impacts_of(self._st.recent, self._st.recent_next, self._original, self.box, self.periodic)
        return out

    def settled(self) -> Frame:
        """The state at the last whole step, with its time."""
        state = self.state()
        return Frame(
            float(self._sim["time"]),
            state.positions,
            state.velocities,
            {"cluster": state.cluster},
            int(self._sim["clusters"]),
            float(self._sim["energy"]),
        )

    def state(self) -> InitialState:
        """The last whole step as a state to start from, with either method: `EventDriven(scenario, ts.state())`."""
        st = self._st
        order = self._original
        positions, velocities = np.empty((self.count, 2)), np.empty((self.count, 2))
        cluster = np.empty(self.count, np.int32)
        positions[order] = st.pos[self._sim["which"]]
        own = st.clusters[st.label]
        velocities[order] = np.stack([own["vx"], own["vy"]], axis=1)
        cluster[order] = order[st.label]
        return InitialState(
            positions, velocities, self.radii.copy(), self.masses.copy(), cluster, self.box.copy(), self.periodic
        )

    def links(self) -> NDArray[np.int32]:
        """The discs of every link, (K, 2), in the order in which they were made."""
        links = self._st.links[: self._sim["links"]]
        pairs: NDArray[np.int32] = self._original[pairs_of(links[links["slack"] == 0])]
        return pairs

    def history(self) -> History:
        """One entry per step, the first one for the start, after the past's. The arrays are copies."""
        log = self._st.log[: self._sim["logged"]]
        own = History(log["time"].copy(), log["clusters"].copy(), log["kinetic_energy"].copy())
        return self._with_past(own)

    def convergence(self) -> Convergence:
        """How the minimisations of the last 256 steps went."""
        return convergence(self._st)

    def invariants(self) -> dict[str, float]:
        """Momentum error relative to the sum of |m v| at the start, impulses of the walls taken off; largest overlap
        of any two discs at the last whole step, relative to the sum of their radii."""
        px, py = momentum(self._st)
        sim = self._sim
        return self._invariants(px, py, sim["impulse_x"], sim["impulse_y"], self.state().positions)

    def trace_step(self, max_records: int = 2_000_000) -> StepTrace:
        """What happens inside the next step, taken from a copy; the simulation stays as it is. Where a step is under
        way already, it is the one after it. At most `max_records` positions of single discs are kept."""
        other = TimeStepping.from_checkpoint(self.checkpoint())
        while other._sim["phase"] != ts.REST:
            other._carry_on(NO_LIMIT)
        return trace(lambda: other._st, other._carry_on, other._original, max_records)

    def _carry_on(self, iterations: int) -> int:
        """Go on to the end of a step, or for so many iterations of a group."""
        status = loop.run(self._st, inf, 1, NO_LIMIT, NO_LIMIT, True, iterations)
        self._grow(status)
        return status

    def set(self, key: str, value: Any) -> None:
        """Change one of `tunable`, from the next step or iteration on; InputError for others and for bad values."""
        if key not in self.tunable:
            raise InputError(f"{key} cannot change while the time-stepping method runs", key)
        self.scenario = self.scenario.with_values({key: value})
        self._use_coefficients()

    def checkpoint(self) -> Checkpoint:
        """All arrays, copied, as far as they are in use; also in the middle of a step."""
        return self._checkpoint(pack(self._st))

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> TimeStepping:
        """The simulation that `checkpoint` was taken of; it goes on bit for bit."""
        new = cls.__new__(cls)
        new._st = unpack(checkpoint.arrays)
        sim = new._sim
        new._restore(checkpoint, np.array([sim["box_x"], sim["box_y"]]), bool(sim["periodic"]))
        new._prepare()
        return new
