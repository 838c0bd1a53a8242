"""Ballistic aggregation by time steps: the paper's section 3.

One step: free flight of length Δt, walls, overlaps between clusters become links, the link energy is minimised under
non-overlap (`arrow_hurwicz`) until no new contact appears, clusters are joined and get their mean velocity. Larger
steps make denser clusters, a property of the method. For design and cost see docs/time-stepping.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.aggregation.base import Aggregating
from engine.aggregation.section import Aggregation
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import loop
from engine.aggregation.time_stepping.calendar_arrays import Calendar, empty_calendar
from engine.aggregation.time_stepping.frame import Convergence, FrameScratch, convergence, fill_frame
from engine.aggregation.time_stepping.saved import arrays_of, restored
from engine.aggregation.time_stepping.trace import StepTrace, trace
from engine.aggregation.turning.bodies import put_columns, turning_fields
from engine.aggregation.turning.simulation import FIELDS, together, turning_of
from engine.frame import Frame
from engine.geometry.bucket_grid import BUCKET
from engine.records import Records, along, columns, own_arrays, zeros
from engine.scenario import Scenario, tunable
from engine.simulation import History
from engine.slices import NO_LIMIT
from engine.state import InitialState, moments_of_inertia, sums_of_rows


class TimeStepping(Aggregating):
    """Simulation (see `engine.simulation.Simulation`) of ballistic aggregation by time steps.

    Limits on clusters and events are checked after whole steps, in which several may happen.
    """

    method = "time-stepping"
    turns = False
    """Whether clusters turn."""
    tunable = tunable("aggregation", Aggregation)
    work_guess = 5e7
    counters = (
        {"merge": "merges", "wall": "walls"},
        {
            "step": "steps",
            "iterations": "iterations",
            "minimisations": "minimisations",
            "not_converged": "not_converged",
            "restarts": "restarts",
            "undone": "undone",
            "rounds": "rounds",
        },
    )
    room: ClassVar = {
        ts.FRESH_FULL: ("fresh", "keys"),
        ts.LINKS_FULL: ("links", "group_links", "wake"),
        ts.LOG_FULL: ("log",),
    }

    def __init__(
        self, scenario: Scenario, state: InitialState, *, time: float = 0.0, past: History | None = None
    ) -> None:
        """Start from `state`; discs with the same cluster number are joined and share their mean velocity. Those of
        them that touch within twice the tolerance are linked.

        time, past : of the simulation that this one continues, if any.
        """
        ordered = self._begin(scenario, state, time, past)
        self._st = ts.allocate(ordered, turns=self.turns)
        ts.take_settings(self._st, scenario)
        self._sim["time"] = self._sim["now"] = time
        self._st.merged[:] = time
        loop.start(self._st)
        self._begin_turning(ordered)
        while not loop.link_start(self._st):
            self._handle_status(ts.LINKS_FULL)

    def _begin_turning(self, state: InitialState) -> None:
        """Give clusters that turn what they need besides a velocity. state : in the order of the arrays."""

    def _handle_status(self, status: int) -> bool:
        cal = self._calendar
        if status == ts.NO_CALENDAR:
            clusters = np.sort(self._st.live[: self._sim["clusters"]])
            self._calendar = empty_calendar(self.count, clusters, len(self.box))._replace(control=cal.control)
        elif status == ts.BUCKETS_FULL:
            longer = zeros(2 * len(cal.buckets), BUCKET)
            longer[: len(cal.buckets)] = cal.buckets
            self._calendar = cal._replace(buckets=longer)
        else:
            return super()._handle_status(status)
        return True

    @cached_property
    def _calendar(self) -> Calendar:
        return empty_calendar(0, np.zeros(0, np.int32), len(self.box))

    @cached_property
    def _scratch(self) -> FrameScratch:
        return FrameScratch.of(self.count, len(self.box), self.turns)

    @property
    def time(self) -> float:
        """Simulation time reached: the last whole step, or a time in the free flight after it."""
        return float(self._sim["now"])

    def _run(self, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
        limits = (until_time, until_clusters, max_events, max_work)
        return int(loop.run(self._st, self._calendar, *limits, False, NO_LIMIT))

    def _stand_still(self, until_time: float) -> None:
        self._sim["time"] = self._sim["now"] = until_time

    def _fill_frame(self, out: Frame) -> None:
        self._fill_at(self._sim["now"], out)

    def _fill_at(self, time: float, out: Frame) -> None:
        """Write the state at a time of the free flight after the last whole step into a frame."""
        fields = (out.positions, out.velocities, out.fields["cluster"], out.fields["last_merge"])
        turning = tuple(out.fields[name] for name in FIELDS[len(self.box)]) if self.turns else ()
        fill_frame(self._st, self._scratch, time, *fields, self._original, turning)

    def settled(self) -> Frame:
        """The state at the last whole step, with its time."""
        out = Frame.empty(self.count, len(self.box))
        out.discs = self.discs
        out.lay_out(self.fields)
        self._fill_at(self._sim["time"], out)
        self._label(out, float(self._sim["time"]))
        return out

    def links(self) -> NDArray[np.int32]:
        """The discs of every link, (K, 2), in the order in which they were made."""
        links = self._st.links[: self._sim["links"]]
        pairs: NDArray[np.int32] = self._original[columns(links[links["slack"] == 0], "i", "j")]
        return pairs

    def history(self) -> History:
        """One entry per step, the first one for the start, after the past's. The arrays are copies."""
        log = self._st.log[: self._sim["logged"]]
        return self._history(log["time"], log["clusters"], log["kinetic_energy"])

    def _own_merges(self) -> Records:
        joins: Records = self._st.joins[: self._sim["merges"]]
        return joins

    def convergence(self) -> Convergence:
        """Convergence of the minimisations of the last 256 steps."""
        return convergence(self._st)

    def trace_step(self, max_records: int = 2_000_000) -> StepTrace:
        """Trace the next step on a copy; the simulation is not changed. If a step is already under way, it is the one
        after it. At most `max_records` positions of single discs are kept."""
        other = type(self).from_checkpoint(self.lend())
        if self._sim["phase"] != ts.REST:
            while other._sim["steps"] == self._sim["steps"]:
                other._continue_step(NO_LIMIT)
        # a trace keeps the positions of all discs
        other._calendar.control["on"] = 0
        return trace(
            lambda: other._st, other._continue_step, lambda: other.settled().positions, other._original, max_records
        )

    def _continue_step(self, iterations: int) -> int:
        """Continue to the end of a step, or for this many iterations of a group."""
        status = loop.run(self._st, self._calendar, inf, 1, NO_LIMIT, NO_LIMIT, True, iterations)
        self._handle_status(status)
        return status

    def set(self, key: str, value: Any) -> None:
        """Change one of `tunable`; InputError for others and for bad values. A current step is restarted."""
        super().set(key, value)
        if self._sim["phase"] != ts.REST:
            self._begin_step_anew()
        ts.take_settings(self._st, self.scenario)

    def _begin_step_anew(self) -> None:
        """Return to the last whole step, as a checkpoint does."""
        st, control = self._st, self._calendar.control[0]
        work = int(self._sim["work"])
        self._st = restored(self.lend().arrays, self.scenario)._replace(recent=st.recent, recent_next=st.recent_next)
        self._sim["work"] = work
        self._calendar = empty_calendar(0, np.zeros(0, np.int32), len(self.box))
        for name in ("on", "share", "late"):
            self._calendar.control[name] = control[name]

    def copy(self) -> Self:
        """A copy in the same state, in the middle of the same step, that continues bit for bit."""
        new = super().copy()
        new._calendar = own_arrays(self._calendar)
        return new

    def _pack(self) -> dict[str, NDArray[Any]]:
        return arrays_of(self._st)

    @staticmethod
    def _unpack(arrays: Mapping[str, NDArray[Any]], scenario: Scenario) -> ts.Stepping:
        return restored(arrays, scenario)


class TurningSteps(TimeStepping):
    """`TimeStepping` of clusters that turn about their centres of mass in a flight, in space as free tops.

    The minimisation is the same. What joins gets the sum of the angular momenta before it, and ω = I⁻¹ L after it.
    """

    turns = True
    counters = (
        TimeStepping.counters[0] | {"spanning": "spanning"},
        TimeStepping.counters[1] | {"reshaped": "reshaped"},
    )

    @property
    def fields(self) -> dict[str, DTypeLike]:
        """The fields of each disc in a frame, see `engine.frame.Frame.lay_out`."""
        return super().fields | FIELDS[len(self.box)]

    @property
    def raised_energy(self) -> float:
        """The kinetic energy that reshaping at the same angular momentum has added so far, less what it has taken."""
        return float(self._sim["raised"])

    def _begin_turning(self, state: InitialState) -> None:
        places, spans = together(state)
        spin, turned = turning_of(state)
        clusters, label, discs, masses = self._st.clusters, self._st.label, self._st.discs, state.masses
        dimensions = places.shape[1]

        def of_clusters(values: NDArray[np.float64]) -> NDArray[np.float64]:
            """The sums over the discs of each cluster, (N, k), in the row of the disc that names it."""
            return sums_of_rows(label, values, len(label))

        total = of_clusters(masses[:, None])
        total[total == 0.0] = 1.0  # discs that name no cluster
        b = places - places[label]
        middle = of_clusters(masses[:, None] * b) / total
        r = b - middle[label]
        # as Σ m r = 0, the same as with the velocities themselves; 0 without rounding where these are the same
        v = state.velocities - state.velocities[label]
        own = moments_of_inertia(masses, state.radii, dimensions)
        twist, moments = _about_centres(r, v, spin, masses, own)
        fields = turning_fields(dimensions)
        put_columns(clusters, fields.momentum, of_clusters(twist))
        put_columns(clusters, fields.inertia, of_clusters(moments))
        put_columns(clusters, fields.of_disc, turned)
        put_columns(clusters, along("centre_", dimensions), middle)
        clusters["spans"] = np.bincount(label, spans, len(label)) > 0.0
        if dimensions > 2:
            clusters["q_w"] = 1.0
        for name, places_along, at in zip(along("", dimensions), b.T, middle.T, strict=True):
            discs[name] = places_along
            clusters[name] += at
        loop.build_lists(self._st, self._st.links[:0])
        self._st.log["kinetic_energy"][0] = self._sim["energy"]


def _about_centres(
    r: NDArray[np.float64],
    v: NDArray[np.float64],
    spin: NDArray[np.float64],
    masses: NDArray[np.float64],
    own: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The angular momentum (N, 1) or (N, 3) of each disc, and its moment of inertia, (N, 1) or (N, 6), about the centre
    of mass of its cluster. r, v : (N, d), from there and relative to it; own : (N,), about its own centre."""
    if r.shape[1] == 2:
        x, y = r.T
        twist = masses * (x * v[:, 1] - y * v[:, 0]) + own * spin
        return twist[:, None], (masses * (x * x + y * y) + own)[:, None]
    x, y, z = r.T
    squares = [masses * one + own for one in (y * y + z * z, x * x + z * z, x * x + y * y)]
    products = [-masses * one for one in (y * z, x * z, x * y)]
    return masses[:, None] * np.cross(r, v) + own[:, None] * spin, np.stack(squares + products, axis=1)
