"""What both methods of aggregation keep beside their arrays: order of the discs, momentum at the start, past."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.geometry.morton import morton_order
from engine.overlaps import deepest_overlap
from engine.scenario import Scenario
from engine.simulation import Checkpoint, History, Stride
from engine.slices import Advancing
from engine.state import InitialState, representatives
from engine.strides import fewer, later, root_mean_square

KEPT = frozenset({"original", "radii", "masses", "momentum", "past"})
"""Arrays of a checkpoint that are not those of the method."""


METHODS = ("event-driven", "time-stepping")
"""A saved past has the place of a method in here, -1 where that is not known."""

PAST = np.dtype([("time", "f8"), ("clusters", "i8"), ("kinetic_energy", "f8"), ("method", "i8")])
"""An entry of a saved past; see `History`."""


def past_array(past: History) -> NDArray[np.void]:
    """The records of a past, (K,), for a checkpoint."""
    saved = np.empty(len(past.time), PAST)
    saved["time"], saved["clusters"], saved["kinetic_energy"] = past.time, past.clusters, past.kinetic_energy
    saved["method"] = -1
    for name, first in past.stretches:
        saved["method"][first:] = METHODS.index(name)
    return saved


def past_of(saved: NDArray[np.void]) -> History:
    """What `past_array` was given."""
    method = saved["method"]
    begins = np.flatnonzero(np.diff(method, prepend=-1))
    stretches = tuple((METHODS[method[first]], int(first)) for first in begins if method[first] >= 0)
    columns = (saved[name].copy() for name in ("time", "clusters", "kinetic_energy"))
    return History(*columns, stretches=stretches)


class Aggregating(Advancing):
    """Base of the simulations of ballistic aggregation."""

    system = "aggregation"
    method: str
    scenario: Scenario
    _original: NDArray[np.int32]  # (N,) the caller's number of each disc of the arrays
    _past: History | None  # of the simulation that this one carries on

    def _begin(self, scenario: Scenario, state: InitialState, past: History | None) -> InitialState:
        """Keep what both methods need of the initial state, and return that state in the order of the arrays.

        Discs are ordered along a curve that fills the box, and clusters are named by one of their discs.
        """
        self.scenario = scenario
        self._past = past
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
        )

    def _with_past(self, own: History) -> History:
        """The history since this simulation began, after that of the past."""
        own = replace(own, stretches=((self.method, 0),))
        return own if self._past is None else self._past.followed_by(own)

    def _stride(self, time: float, clusters: int, energy: float, frames: float) -> Stride:
        """See `Simulation.stride`: a share of the clusters that are left, and of the time that has passed."""
        speed = root_mean_square(energy, float(self.masses.sum()))
        return Stride(later(time, float(self.radii.mean()), speed, frames), fewer(clusters, frames))

    def _invariants(
        self, px: float, py: float, impulse_x: float, impulse_y: float, positions: NDArray[np.float64]
    ) -> dict[str, float]:
        """From the momentum now, the impulses of the walls, and positions (N, 2) in the caller's order."""
        error = np.hypot(px - self._momentum[0] - impulse_x, py - self._momentum[1] - impulse_y)
        loose = np.arange(self.count, dtype=np.int32)
        overlap, _, _ = deepest_overlap(positions, self.radii, loose, self.box, self.periodic)
        return {"momentum_error": float(error) / self._momentum_scale, "max_overlap": float(overlap)}

    def _checkpoint(self, arrays: dict[str, NDArray[Any]]) -> Checkpoint:
        """The checkpoint of the method's arrays, already copied, and of what is kept here."""
        arrays["original"] = self._original.copy()
        arrays["radii"] = self.radii.copy()
        arrays["masses"] = self.masses.copy()
        arrays["momentum"] = np.array([*self._momentum, self._momentum_scale])
        if self._past is not None:
            arrays["past"] = past_array(self._past)
        return Checkpoint(self.system, self.method, self.scenario.to_toml(), arrays)

    def _restore(self, checkpoint: Checkpoint, box: NDArray[np.float64], periodic: bool) -> None:
        """Set what `_checkpoint` has kept."""
        a = checkpoint.arrays
        self.scenario = Scenario.from_toml(checkpoint.scenario)
        self._past = past_of(a["past"]) if "past" in a else None
        self._adopt(a["radii"].copy(), a["masses"].copy(), box, periodic)
        self._original = a["original"].copy()
        self._momentum = a["momentum"][:2].copy()
        self._momentum_scale = float(a["momentum"][2])
