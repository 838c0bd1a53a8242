"""Ballistic aggregation: discs that stick, computed by one of two methods, and how fast their clusters grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.fields import CLUSTER_DIRECTION, CLUSTER_SPEED, SPIN, TURNING_CLUSTERS
from engine.aggregation.section import METHODS, Aggregation
from engine.arrays import Arrays
from engine.capabilities import merging
from engine.errors import InputError
from engine.fields import AGE, ARRANGEMENT, CLUSTER, SIZE
from engine.indicators import Indicator
from engine.scenario import Scenario
from engine.selection.clusters import CLUSTER_FIELDS
from engine.simulation import Checkpoint, History, Progress, Simulation
from engine.state import InitialState
from engine.system import Clock, Result, System

if TYPE_CHECKING:
    from engine.aggregation.event_driven.simulation import EventDriven
    from engine.aggregation.time_stepping.simulation import TimeStepping
    from engine.aggregation.turning.simulation import TurningEvents

_METHOD, _SEARCH = "aggregation.method", "aggregation.event_driven.search"
_ROTATION = "aggregation.rotation"
_KERNELS: dict[str, dict[str, Any]] = {
    "event-driven": {_METHOD: "event-driven", _SEARCH: "trees"},
    "all-pairs": {_METHOD: "event-driven", _SEARCH: "all-pairs"},
    "time-stepping": {_METHOD: "time-stepping"},
}
"""The sets of kernels in the plane, each with the scenario settings that need it."""

SPHERES = {"event-driven": "sticking-spheres", "time-stepping": "stepping-spheres"}
"""The set of kernels for three dimensions of each method."""

TURNING = {
    ("event-driven", 2): "turning-discs",
    ("event-driven", 3): "turning-spheres",
    ("time-stepping", 2): "turning-steps",
    ("time-stepping", 3): "turning-sphere-steps",
}
"""The sets of kernels for clusters that turn, by method and number of dimensions."""


class AggregationSystem(System):
    """Discs that stick at contact. A run can continue with the other method (`engine.system.CarriesOn`), and its
    clusters can be thrown (`engine.system.Throws`)."""

    name = "aggregation"
    title = "Ballistic aggregation"
    heading = "{Discs} that stick"
    table = "aggregation"
    section = Aggregation
    clock = Clock("t", "time", "", False, "Single event", "Pause and go to the next merge or wall reflection")
    fields = (CLUSTER, SIZE, CLUSTER_SPEED, CLUSTER_DIRECTION, SPIN, AGE, *ARRANGEMENT)
    results = (
        Result("mean_cluster_mass", "mean cluster mass ⟨m⟩"),
        Result("weighted_cluster_mass", "mean cluster mass, by mass ⟨m²⟩/⟨m⟩"),
        Result("size_distribution"),
        Result("coarsening_exponent", "exponent ξ of M ~ t^-ξ"),
    )
    cluster_fields = (*CLUSTER_FIELDS, *TURNING_CLUSTERS)
    methods = METHODS
    method_key = _METHOD
    joins = True
    end = "one cluster is left"
    dimensions = (2, 3)

    def method(self, scenario: Scenario) -> str:
        """The method with which a scenario is computed: "event-driven" or "time-stepping"."""
        return scenario.section(Aggregation).method

    def turns(self, scenario: Scenario) -> bool:
        """Whether clusters turn."""
        return scenario.section(Aggregation).rotation

    def check(self, scenario: Scenario) -> None:
        """Raise InputError where clusters that turn are asked for with what cannot turn them."""
        settings = scenario.section(Aggregation)
        if not settings.rotation:
            return
        if settings.method == "event-driven" and settings.event_driven.search != "trees":
            raise InputError(f'{_SEARCH} must be "trees" where clusters turn', _SEARCH)

    def kernels(self, scenario: Scenario) -> str:
        """The set of kernels that a scenario needs: each method has its own, and the search over all pairs. For
        spheres each method has one more, which is compiled when the first of them run."""
        if self.turns(scenario):
            return TURNING[self.method(scenario), scenario.dimensions]
        if scenario.dimensions > 2:
            return SPHERES[self.method(scenario)]
        return next(
            name for name, own in _KERNELS.items() if all(scenario.value(key) == value for key, value in own.items())
        )

    def kernel_sets(self) -> tuple[str, ...]:
        """The names of the sets of kernels."""
        return tuple(_KERNELS)

    def rare_kernel_sets(self) -> tuple[str, ...]:
        """The sets of kernels for spheres and for clusters that turn, which most people never need."""
        return (*SPHERES.values(), *TURNING.values())

    def create(self, scenario: Scenario, state: InitialState) -> Simulation:
        """Make the simulation of a scenario from a state, at time 0. InputError if it cannot be run."""
        return _simulation(scenario)(scenario, state, time=0.0, past=None)

    def create_continued(self, simulation: Simulation, scenario: Scenario) -> Simulation:
        """Make a simulation that continues from the state of this one with the method of the scenario, keeping history
        and merges."""
        return self._from_state(simulation, scenario, simulation.state(), simulation.history())

    def _from_state(self, before: Simulation, scenario: Scenario, state: InitialState, past: History) -> Simulation:
        made = _simulation(scenario)(scenario, state, time=before.settled().time, past=past)
        merges = merging(before)
        if merges is not None:
            made.continue_merge_log(merges.merge_log())
        return made

    def thrown(self, simulation: Simulation, state: InitialState, body: NDArray[np.intp]) -> Simulation:
        """Continue with the same method after the discs `body`, (K,), were moved or got another velocity. The history
        has the energies before and after."""
        settled, past = simulation.settled(), simulation.history()
        columns = (settled.time, settled.clusters, settled.kinetic_energy)
        before = History(*(np.array([one]) for one in columns))
        return self._from_state(simulation, simulation.scenario, state, past.followed_by(before))

    def restore(self, checkpoint: Checkpoint) -> Simulation:
        """Restore the simulation of a checkpoint, bit for bit. The arrays are not checked."""
        return _simulation(Scenario.from_toml(checkpoint.scenario)).from_checkpoint(checkpoint)

    def check_checkpoint(self, arrays: Arrays, scenario: Scenario) -> None:
        """Raise InputError unless `restore` can safely be given these arrays, which may come from any file."""
        if self.method(scenario) == "time-stepping":
            from engine.aggregation.time_stepping.saved import check

            check(arrays, scenario)
        elif self.turns(scenario):
            from engine.aggregation.turning.saved import check as check_turning

            check_turning(arrays, scenario.dimensions)
        else:
            from engine.aggregation.event_driven.saved import check as check_events

            check_events(arrays, scenario.dimensions)

    def rehearsals(self, kernels: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Small scenarios that use every kernel: first rigid, then deformable clusters; of spheres both searches."""
        loose: dict[str, Any] = {"system": self.name, "dimensions": 3, "discs.count": 30}
        if kernels == SPHERES["event-driven"]:
            yield "spheres", loose
            yield "all pairs of spheres", {**loose, "box.boundary": "periodic", **_KERNELS["all-pairs"]}
            return
        if kernels == SPHERES["time-stepping"]:
            loose |= _KERNELS["time-stepping"]
            yield "spheres", {**loose, "aggregation.time_stepping.clusters": "rigid"}
            yield "periodic spheres", {**loose, "box.boundary": "periodic"}
            return
        for (method, dimensions), name in TURNING.items():
            if kernels == name:
                loose |= {_METHOD: method, _ROTATION: True, "dimensions": dimensions}
                for boundary in ("walls", "periodic"):
                    yield boundary, {**loose, "box.boundary": boundary}
                return
        clusters = ("rigid", "deformable", "deformable")
        for (name, values), how in zip(super().rehearsals(kernels), clusters, strict=True):
            own = {**_KERNELS[kernels], "aggregation.time_stepping.clusters": how}
            yield name, {**values, **own}

    def indicators(self) -> tuple[Indicator, ...]:
        """Those of moving discs, and of clusters that turn."""
        from engine.analysis import ROTATION

        return (*super().indicators(), *ROTATION)

    def results_of(self, simulation: Simulation) -> dict[str, Any]:
        """The present values of `results` by name, ready for JSON."""
        found = growth(simulation.frame().cluster, simulation.masses)
        return found | {"coarsening_exponent": coarsening_exponent(simulation.history())}

    def share_done(self, simulation: Simulation, progress: Progress) -> float | None:
        """The fraction of a run that is over, by log M from N to 1."""
        return 1.0 - log(progress.clusters) / log(simulation.count) if simulation.count > 1 else 1.0


def _simulation(scenario: Scenario) -> type[EventDriven] | type[TimeStepping] | type[TurningEvents]:
    settings = scenario.section(Aggregation)
    if settings.method == "time-stepping":
        from engine.aggregation.time_stepping.simulation import TimeStepping, TurningSteps

        return TurningSteps if settings.rotation else TimeStepping
    if settings.rotation:
        from engine.aggregation.turning.simulation import TurningEvents

        return TurningEvents
    from engine.aggregation.event_driven.simulation import EventDriven

    return EventDriven


FIRST_SHARE = 0.25
"""The power law of M(t) begins when M is this share of N: then lattice and initial speeds no longer matter."""

LAST_CLUSTERS = 20
"""It ends when this many clusters are left: with fewer, fluctuations dominate."""

_LEVELS = 20  # values of M, at equal ratios, between both ends


def coarsening_exponent(history: History) -> float | None:
    """ξ of M ~ t^-ξ, from a line fit of ln t against ln M; None if M has not fallen by a factor of two in the range.

    Values of M at equal ratios are used, each with the first time at which it is reached, so that the many early merges
    do not dominate.
    """
    first = FIRST_SHARE * float(history.clusters[0])
    last = max(float(LAST_CLUSTERS), float(history.clusters[-1]))
    if last > 0.5 * first:
        return None
    levels = np.geomspace(first, last, _LEVELS)
    rows = np.searchsorted(-history.clusters, -levels, side="left")
    rows = np.unique(np.minimum(rows, len(history.clusters) - 1))
    time, clusters = history.time[rows], history.clusters[rows]
    moved = time > 0.0
    if np.count_nonzero(moved) < 3:
        return None
    x, y = np.log(clusters[moved]), np.log(time[moved])
    slope = float(np.polyfit(x, y, 1)[0])
    return -1.0 / slope if slope < 0.0 else None


def growth(cluster: NDArray[np.int32], masses: NDArray[np.float64]) -> dict[str, Any]:
    """Mean masses and size distribution of clusters, ready for JSON.

    Parameters
    ----------
    cluster : (N,), discs with the same number belong together; masses : (N,).

    Returns
    -------
    ``mean_cluster_mass``, and ``weighted_cluster_mass`` (weighted by mass), both over the mean mass of a disc;
    ``size_distribution``: ``edges`` of bins at powers of two up to N, and ``density``, the share of the clusters for
    each size s in discs.
    """
    of_disc = np.unique(cluster, return_inverse=True)[1]
    size = np.bincount(of_disc)
    mass = np.bincount(of_disc, weights=masses) / float(masses.mean())
    edges = 2 ** np.arange(len(cluster).bit_length() + 1)
    counts = np.histogram(size, edges)[0]
    return {
        "mean_cluster_mass": float(mass.mean()),
        "weighted_cluster_mass": float(np.square(mass).sum() / mass.sum()),
        "size_distribution": {"edges": edges.tolist(), "density": (counts / (len(size) * np.diff(edges))).tolist()},
    }
