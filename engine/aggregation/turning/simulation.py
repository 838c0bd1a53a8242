"""Ballistic aggregation of clusters that turn, event-driven and exact.

A cluster is a rigid body that flies straight and turns at a constant rate. See `contact` for finding the next event,
`events` for what happens then, and docs/event-driven.md for the design and its cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.event_driven.simulation import EventDriven
from engine.aggregation.turning import bodies, loop
from engine.aggregation.turning.saved import arrays_of, restored
from engine.analysis.clusters import layouts
from engine.analysis.state import disc_state
from engine.frame import Frame
from engine.scenario import Scenario
from engine.simulation import History
from engine.state import InitialState, representatives

FIELDS = {"angle": np.dtype(np.float64), "spin": np.dtype(np.float64)}
"""The fields of each disc in a frame, in addition to those of all clusters: how far it is turned, from -π to π, and ω
of its cluster."""


class TurningEvents(EventDriven):
    """Simulation (see `engine.simulation.Simulation`) of ballistic aggregation of clusters that turn."""

    counters = (
        {
            "merge": "merges",
            "wall": "wall_events",
            "horizon": "horizon_events",
            "stale": "stale_events",
            "spanning": "span_events",
        },
        {},
    )
    fields = EventDriven.fields | FIELDS

    def __init__(
        self, scenario: Scenario, state: InitialState, *, time: float = 0.0, past: History | None = None
    ) -> None:
        """Start from `state`; discs with the same cluster number are joined: their cluster has their momentum and
        angular momentum.

        time, past : of the simulation that this one continues, if any.
        """
        ordered = self._begin(scenario, state, time, past)
        spin = np.zeros(len(state.radii)) if ordered.spin is None else ordered.spin
        ordered.positions, spans = together(ordered)
        self._st = bodies.allocate(ordered, spin, spans)
        self._sim["time"] = time
        loop.start(self._st)

    def _run(self, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
        return int(loop.run(self._st, until_time, until_clusters, max_events, max_work))

    def _fill_frame(self, out: Frame) -> None:
        own = out.fields
        loop.fill_frame(
            self._st, out.positions, out.velocities, own["cluster"], own["last_merge"], own["angle"], own["spin"],
            self._original, self._last_merges(),
        )  # fmt: skip

    def _pack(self) -> dict[str, NDArray[Any]]:
        return arrays_of(self._st)

    @staticmethod
    def _unpack(arrays: Mapping[str, NDArray[Any]], scenario: Scenario) -> ClusterArrays:
        return restored(arrays)


def together(state: InitialState) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The positions (N, d) of discs in one image of their cluster each, and (N,) which discs belong to a cluster that
    touches an image of itself, or whose discs are not connected."""
    names = representatives(state.cluster)
    none = np.zeros(len(names), np.bool_)
    if not state.periodic or (names == np.arange(len(names))).all():
        return state.positions, none
    which, sizes = np.unique(names, return_inverse=True, return_counts=True)[1:]
    periods, whole = layouts(
        disc_state(state.positions, state.radii, state.box, periodic=True), which.astype(np.int64), sizes
    )
    return state.positions + periods * state.box, ~whole[which]
