"""A gas of hard discs, event-driven and exact: elastic or granular, with gravity or growing radii.

Between events discs fly freely. Events are found by the stable rule of Bannerman et al. (2014) (`prediction`) among the
discs of a neighbour list (`shells`) and wait in a calendar (`queue`); docs/hard-discs.md explains the reasons and the
speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from math import hypot, inf, nan, nextafter, sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.frame import Frame, Remark
from engine.hard_discs import discs as d
from engine.hard_discs import loop
from engine.hard_discs.discs import DiscArrays, axes_of, box_of, periodic_of
from engine.hard_discs.endings import Endings
from engine.hard_discs.epoch import begin_epoch
from engine.hard_discs.fields import GasHistory
from engine.hard_discs.log import begin_log, fraction_now, growth_now, half_freedom, strain_now, totals
from engine.hard_discs.measures import GasMeasures, Snapshot, fill_frame, measure, snapshot
from engine.hard_discs.pressure import (
    Counted,
    Stretch,
    conserves_energy,
    first_rate,
    law_restitution,
    mean_pressure,
    next_stretch,
    settled,
)
from engine.hard_discs.rheology import FLOW_COLUMNS, FlowHistory, FlowingDiscs, Rheology, rheology
from engine.hard_discs.room import longer_lists
from engine.hard_discs.saved import STRETCHES, arrays_of, restored, saved
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.setup import allocate, apply_settings, check_settings, requeued
from engine.overlaps import deepest_overlap
from engine.parting import MOST_BODIES, never_meet
from engine.scenario import Scenario, ShearSection, tunable
from engine.simulation import Checkpoint, Progress, Stride, further, later, root_mean_square
from engine.slices import AT_TIME, NOTHING_MOVES, OUT_OF_WORK, HeldSignals, Limits, Sliced
from engine.state import InitialState
from engine.words import body_names

_STANDS = 1e-9  # relative to the time: the clock has not advanced since a collapse if not by more than this
_SLICE = 0.05  # seconds between possible interruptions of an equilibration


class HardDiscGas(Sliced):
    """A simulation (see `engine.simulation.Simulation`) of hard discs that bounce."""

    system = "hard-discs"
    method = "event-driven"
    tunable: frozenset[str] = tunable("hard_discs", HardDiscs) | tunable("shear", ShearSection)
    work_guess = 1e6
    _st: DiscArrays
    _beginning: Iterator[DiscArrays] | None = None
    """The remaining steps of the beginning of an epoch, in which no event happens; None if there are none."""

    def __init__(self, scenario: Scenario, state: InitialState) -> None:
        """Start from `state`, or from what it becomes in the equilibration that the scenario asks for.

        Raises InputError if these discs cannot run with the settings of the scenario.
        """
        self._st = allocate(state)
        check_settings(scenario, self._st, state.radii)
        settled_before = (0.0, 0)
        if scenario.section(HardDiscs).equilibration > 0.0:
            state, settled_before = equilibrated(scenario, state)
            self._st = allocate(state)
        self.scenario = scenario
        self._adopt(state.radii, state.masses, state.box, state.periodic)
        self._endings = Endings()
        apply_settings(scenario, self._st)
        self.count_impacts = scenario.section(HardDiscs).count_impacts
        self._time = 0.0
        self._new_epoch()
        self._since = snapshot(self._st, 0.0, scenario.section(HardDiscs).equilibration)
        begin_log(self._st)
        self._stretches = [self._stretch(settled_before)]

    @property
    def time(self) -> float:
        """Simulation time reached."""
        return self._time

    @property
    def count_impacts(self) -> bool:
        """Whether separations at impact are counted for `impact_histogram`; it costs a little."""
        return bool(self._st.state.count_impacts)

    @count_impacts.setter
    def count_impacts(self, on: bool) -> None:
        self._st.state.count_impacts = int(on)

    def _advance(self, limits: Limits, signals: HeldSignals) -> Progress:
        self._endings.reason = ""
        return super()._advance(limits, signals)

    def _run(self, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
        """Discs never join, so their number is no limit. Steps of the beginning of an epoch come before all events."""
        if self._beginning is not None:
            self._begin_more()
            return OUT_OF_WORK
        status = loop.run(self._st, self._in_epoch(until_time), max_events, max_work)
        if status == AT_TIME:
            self._time = until_time
        else:
            self._time = max(self._time, min(self._clock(), until_time))
        return int(status)

    def meets_no_more(self) -> bool:
        """Whether no discs will meet again. Common motion of all discs is detected for any number of discs."""
        motion, state = self._st.motion, self._st.state
        if not self.periodic.all or state.growing or state.sheared or self._beginning is not None:
            return False  # at walls there are always further events
        alike = all(motion[f"v{axis}"][0] == motion[f"v{axis}"][-1] for axis in axes_of(self._st))
        return (alike or self.count <= MOST_BODIES) and never_meet(self.frame(), cluster=False)

    def _stand_still(self, until_time: float) -> None:
        self._st.state.now = max(self._st.state.now, self._in_epoch(until_time))
        self._time = until_time

    def _clock(self) -> float:
        """The simulation time at which the arrays are: the first that is not before the present time of the epoch."""
        state = self._st.state
        time = float(state.epoch + (state.epoch_rest + state.now))
        return time if self._in_epoch(time) >= state.now else nextafter(time, inf)

    def _in_epoch(self, time: float) -> float:
        """A simulation time relative to the beginning of the epoch."""
        return float((time - self._st.state.epoch) - self._st.state.epoch_rest)

    def _at_time(self) -> DiscArrays:
        """Arrays of the present state with their clock at `time`, where a run up to that time would have left it.

        After an event their own clock is some parts of a unit in the last place behind: `time` is rounded up.
        """
        state = self._st.state.copy()
        state.now = max(state.now, self._in_epoch(self._time))
        return self._st._replace(state=state)

    def _counted(self) -> tuple[int, int]:
        """Events of any kind, and physical events (collisions and impacts at walls), so far."""
        state = self._st.state
        return int(state.work), int(state.pair_collisions + state.wall_collisions)

    def _begin_more(self) -> None:
        """Take one step of the beginning of an epoch."""
        assert self._beginning is not None
        st = next(self._beginning, None)
        if st is None:
            self._beginning = None
        else:
            self._st = st

    def _complete_epoch(self) -> None:
        """Take all steps that are left of the beginning of an epoch."""
        while self._beginning is not None:
            self._begin_more()

    def _begin_epoch(self) -> None:
        """Begin a new epoch at `time`; `_begin_more` takes the steps of that."""
        self._st.state.now = max(self._st.state.now, self._in_epoch(self._time))
        self._beginning = begin_epoch(self._st, self.radii, self._time)

    def _new_epoch(self) -> None:
        """Begin a new epoch now and complete all steps of its beginning at once."""
        self._begin_epoch()
        self._complete_epoch()

    def _handle_status(self, status: int) -> bool:
        """Handle the status of the kernel; returns whether it must be called again."""
        st, ends = self._st, self._endings
        if status == loop.LISTS_FULL:
            self._st = longer_lists(st)
            return True
        if status == loop.QUEUE_FULL:
            self._st = requeued(st)
            return True
        if status == loop.STALLED:
            return not ends.stalled(st, self._time, self.scenario.section(HardDiscs).on_collapse == "stop")
        if status == loop.LOOK_AT_PRESSURE:
            over = ends.compressed(st, self.scenario.section(HardDiscs).growth_to_pressure)
        elif status == loop.EPOCH_OVER:
            over = ends.grown(st, self.scenario.section(HardDiscs).growth_to_fraction) or ends.at_rest(st)
        else:
            return False
        if over or status == loop.EPOCH_OVER:
            self._begin_epoch()
        return not over

    def _progress(self, status: int) -> Progress:
        """The progress after a call of `advance`."""
        state = self._st.state
        counts = {
            "collision": int(state.pair_collisions),
            "wall": int(state.wall_collisions),
            "stale": int(state.stale_events),
            "shell": int(state.shell_events),
            "stabilising": int(state.stabilising_events),
            "three-body": int(state.three_body_events),
        }
        reason, names = self._endings.reason, body_names(len(self.box))
        if status == NOTHING_MOVES:
            reason = (
                f"all {names.discs} are at rest" if state.kinetic_energy == 0.0 or state.gravity else "nothing meets"
            )
        return Progress(
            time=self._time,
            clusters=self.count,
            events=counts,
            steps={},
            finished=bool(reason),
            reached=status != OUT_OF_WORK,
            stop_reason=reason,
        )

    def stride(self, frames: float = 1.0) -> Stride:
        """How far to run until the next frame: some collisions per disc, a share of those so far, and of the time.

        Discs that fall from rest count with the speed that they reach after falling by a radius. O(N) under gravity.
        """
        state, radius = self._st.state, float(self.radii.mean())
        kinetic = float(totals(self._st)[2]) if state.gravity else float(state.kinetic_energy)
        speed = root_mean_square(kinetic, float(self.masses.sum()))
        fallen = hypot(*self.scenario.section(HardDiscs).gravity) * radius
        until = later(self._time, radius, sqrt(speed * speed + fallen), frames)
        return Stride(until, events=further(int(state.pair_collisions + state.wall_collisions), self.count, frames))

    def frame(self, out: Frame | None = None) -> Frame:
        """The exact state at `time`, O(N); the simulation itself does not change."""
        if out is None or out.dimensions != len(self.box):
            out = Frame.empty(self.count, len(self.box))
        out.discs = self.discs
        fill_frame(self._at_time(), out)
        out.time = self._time
        collapse = self._endings.collapse
        stands = collapse is not None and self._time <= collapse.time * (1.0 + _STANDS)
        out.remark = Remark(collapse.text, collapse.discs) if collapse is not None and stands else None
        return out

    def settled(self) -> Frame:
        """The present frame: nothing overlaps at any time."""
        return self.frame()

    def history(self) -> GasHistory:
        """Rows at equal numbers of collisions, the first one for the start; in a flow a `FlowHistory`. The
        arrays are copies."""
        log, flows = self._st.log[: int(self._st.state.rows)], bool(self._st.state.sheared)
        more: dict[str, Any] = {name: log[name].copy() for name in FLOW_COLUMNS} if flows else {}
        return (FlowHistory if flows else GasHistory)(
            log["time"].copy(),
            np.full(len(log), self.count, np.int64),
            log["kinetic_energy"].copy(),
            log["collisions"].astype(np.int64),
            log["virial"].copy(),
            log["volume_fraction"].copy(),
            log["thermal_energy"].copy(),
            log["heat"].copy(),
            **more,
        )

    def rheology(self) -> Rheology | None:
        """The measurement of the flow since the start, the last change of a setting or `reset_measures`; None
        without a flow."""
        discs = self.flowing_discs()
        if discs is None:
            return None
        history = self.history()
        assert isinstance(history, FlowHistory)
        found = rheology(history, discs, self._since.time)
        # the last row of the history is a little before the present
        return found and replace(found, strain=strain_now(self._at_time().state))

    def flowing_discs(self) -> FlowingDiscs | None:
        """What is needed of the discs to measure the flow; None without a flow."""
        if not self._st.state.sheared:
            return None
        radii = self.radii * growth_now(self._st.state)
        return FlowingDiscs(
            self.count, 2.0 * float(radii.mean()), float(self.masses.mean()), float(self.box.prod()), len(self.box),
            fraction_now(self._st), self.scenario.section(HardDiscs).restitution,
            bool((radii == radii[0]).all() and (self.masses == self.masses[0]).all()),
        )  # fmt: skip

    def measures(self) -> GasMeasures:
        """What has been measured since the start, the last change of a setting or `reset_measures`. O(N)."""
        conserved = conserves_energy(self.scenario.section(HardDiscs), self.periodic) and not self._st.state.sheared
        st = self._at_time()
        now = snapshot(st, self._time)
        return measure(st, self._since, now, self._pressure(now), self._endings.collapse, conserved, self.rheology())

    def _pressure(self, now: Snapshot) -> tuple[float, float]:
        """Z since `_since` and its error, from the rows of the history there; nan where it has none."""
        st, since = self._st, self._since
        if not self.periodic.all or st.state.gravity or now.time <= since.time or self.count < 2:
            return nan, nan
        log, fraction = st.log[: int(st.state.rows)], fraction_now(st)
        log = log[(log["collisions"] > since.pairs) & (log["collisions"] < now.pairs)]
        counted = Counted(
            np.concatenate([[since.pairs], log["collisions"].astype(np.int64), [now.pairs]]),
            np.concatenate([[since.virial], log["virial"], [now.virial]]),
            np.concatenate([[since.kinetic_time], log["heat"], [now.kinetic_time]]),
        )
        grown = bool(st.state.growing) or bool((log["volume_fraction"] != fraction).any())
        mean = mean_pressure(counted, self.count, None if grown else fraction, len(self.box), since.before)
        return mean.z, mean.error

    def reset_measures(self) -> None:
        """Measure from now on; discs remember where they were placed for as long as they would have without that."""
        met = 2.0 * (int(self._st.state.pair_collisions) - self._since.pairs) / self.count
        self._since = snapshot(self._at_time(), self._time, self._since.before + met)
        self._st.impacts[:] = 0

    def impact_histogram(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Separations at impact, |r_ij| - σ in units in the last place of σ: edges of intervals, (K + 1,), and counts,
        (K,).

        The first and the last interval hold all that lies beyond.
        """
        return np.arange(-d.HISTOGRAM - 0.5, d.HISTOGRAM + 1.0), self._st.impacts.copy()

    def state(self) -> InitialState:
        """The present state as a start: discs with their present radii."""
        frame = self.frame()
        radii = self.radii * frame.radius_factor
        return InitialState(
            frame.positions, frame.velocities, radii, self.masses, frame.cluster, self.box, self.periodic,
            strain=frame.strain, shear_rate=frame.shear_rate,
        )  # fmt: skip

    def invariants(self) -> dict[str, float]:
        """`momentum_error` relative to Σ |m v|, along periodic axes; `max_overlap` of two discs over R_i + R_j."""
        state = self.state()
        overlap, _, _ = deepest_overlap(state.positions, state.radii, state.cluster, self.box, state.around)
        return {"momentum_error": self.measures().momentum_error, "max_overlap": float(overlap)}

    def set(self, key: str, value: Any) -> None:
        """Change one of `tunable` at the present time. InputError for any other key and for invalid values."""
        if key not in self.tunable:
            raise InputError(f"{key} cannot change while hard discs run", key)
        scenario = self.scenario.with_values({key: value})
        check_settings(scenario, self._st, self.radii)
        self.advance(until_time=self._time)  # an epoch may be over, and the clock of the arrays behind
        with HeldSignals():
            self.scenario = scenario
            self._complete_epoch()
            self._new_epoch()
            apply_settings(scenario, self._st)
            self._new_epoch()
            self._since = snapshot(self._st, self._time)
            if law_restitution(scenario, self.periodic) != self._stretches[-1].restitution:
                history, last = self.history(), self._stretches[-1]
                before = 0.0 if last.time > 0.0 else scenario.section(HardDiscs).equilibration
                found = (0.0, 0)
                if last.restitution == 1.0:
                    found = settled(history, self.count, len(self.box), last.time, before)
                self._stretches = next_stretch(self._stretches, self._stretch(found))

    def thrown(self, state: InitialState, body: NDArray[np.intp]) -> Self:
        """A gas that continues from `state`: the present one, except for the positions and velocities of the discs
        `body`, (K,). All events are predicted again. The history has the energies before and after, and conserved
        quantities are measured from now on; this gas is not changed."""
        new = self.copy()
        new.advance(until_time=new._time)  # an epoch may be over, and the clock of the arrays behind
        with HeldSignals():
            new._complete_epoch()
            new._new_epoch()
            begin_log(new._st)
            st = new._st
            rows = np.flatnonzero(np.isin(st.original, body))
            discs = st.original[rows]
            ahead = np.round((state.positions[discs, 1] - st.motion["y"][rows]) / self.box[1]) * state.strain
            for axis, name in enumerate(axes_of(st)):
                if self.periodic[axis]:  # across an edge it continues in the next image
                    moved = state.positions[discs, axis] - st.motion[name][rows]
                    if axis == 0:
                        moved -= ahead * self.box[1]
                    st.entry[f"image_{name}"][rows] -= np.round(moved / self.box[axis]).astype(np.int32)
                st.motion[name][rows] = state.positions[discs, axis]
                st.motion[f"v{name}"][rows] = state.velocities[discs, axis]
            st.motion["flags"] &= ~d.HELD  # discs that rested on it may now fall
            st.entry["last_contact"][rows] = -inf
            apply_settings(new.scenario, st)
            st.state.wanted_kinetic = st.state.kinetic_energy
            new._new_epoch()
            begin_log(new._st)
            new._since = snapshot(new._st, new._time)
            new._stretches = next_stretch(new._stretches, new._stretch((0.0, 0)))
        new._endings = Endings()
        return new

    def _stretch(self, settled_before: tuple[float, int]) -> Stretch:
        """A stretch that begins now. settled_before : what `pressure.settled` says of the gas up to now."""
        energy = max(float(self._st.state.kinetic_energy - self._st.state.kinetic_com), 0.0)
        radii, temperature = self.radii * growth_now(self._st.state), energy / half_freedom(self._st)
        rate = first_rate(radii, self.masses, self.box, temperature, settled_before)
        return Stretch(self._time, law_restitution(self.scenario, self.periodic), energy, rate)

    def stretches(self) -> tuple[Stretch, ...]:
        """The parts of the run with the same restitution, in order; the first one begins at t = 0."""
        return tuple(self._stretches)

    def copy(self) -> Self:
        """A gas in the same state that continues bit for bit. Completes the beginning of an epoch."""
        self._complete_epoch()
        new = super().copy()
        new._endings = copy(self._endings)
        return new

    def checkpoint(self) -> Checkpoint:
        """An exact copy of what nothing else determines. Completes the beginning of an epoch."""
        return self.lend().own_copy()

    def lend(self) -> Checkpoint:
        """The state in arrays that the simulation continues to use. Completes the beginning of an epoch."""
        self._complete_epoch()
        arrays = arrays_of(self._st)
        arrays["radii"] = self.radii
        arrays["masses"] = self.masses
        arrays["clock"] = np.array([self._time])
        since = saved(len(self.box))["since"]
        arrays["since"] = np.array([self._since[: len(since.fields)]], since.dtype)
        arrays["stretches"] = np.array(self._stretches, STRETCHES.dtype)
        collapse = self._endings.collapse
        arrays["collapse_time"] = np.array([] if collapse is None else [collapse.time])
        arrays["collapse_discs"] = np.array([] if collapse is None else collapse.discs, np.int32)
        return Checkpoint(self.system, self.method, self.scenario.to_toml(), arrays)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> HardDiscGas:
        """The simulation of which `checkpoint` was taken; it continues bit for bit."""
        a = checkpoint.arrays
        new = cls.__new__(cls)
        new.scenario = Scenario.from_toml(checkpoint.scenario)
        new._st, since = restored(a, new.scenario)
        new._adopt(a["radii"].copy(), a["masses"].copy(), box_of(new._st), periodic_of(new._st))
        new._time = float(a["clock"][0])
        new._since = Snapshot(*since)
        new._stretches = [Stretch(*row) for row in a["stretches"][list(STRETCHES.fields)].tolist()]
        new._endings = Endings()
        if len(a["collapse_time"]):
            new._endings.remember(new._st, float(a["collapse_time"][0]), a["collapse_discs"].copy())
        return new


def equilibrated(scenario: Scenario, state: InitialState) -> tuple[InitialState, tuple[float, int]]:
    """The state after the equilibration of a scenario, and the result of `pressure.settled` for it.

    Collisions are elastic, without gravity and growth, so the kinetic energy is conserved.
    """
    quiet = {
        "hard_discs.restitution": 1.0,
        "hard_discs.wall_restitution": 1.0,
        "hard_discs.gravity": [0.0] * len(state.box),
        "hard_discs.growth_rate": 0.0,
        "hard_discs.contact_time": 0.0,
        "hard_discs.equilibration": 0.0,
        "shear.rate": 0.0,
    }
    gas = HardDiscGas(scenario.with_values(quiet), state)
    wanted = int(0.5 * scenario.section(HardDiscs).equilibration * gas.count)
    done, over = 0, False
    while done < wanted and not over:
        progress = gas.advance(budget=_SLICE, max_events=wanted - done)
        done, over = progress.happened, progress.finished
    return gas.state(), settled(gas.history(), gas.count, len(state.box))
