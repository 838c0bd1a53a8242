"""The system of hard discs: elastic or granular, with gravity or growing radii; and what its runs tell of cooling
relative to Haff's law, and of separations at impact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Arrays
from engine.capabilities import counting
from engine.errors import InputError
from engine.hard_discs.fields import FIELDS, GasHistory
from engine.hard_discs.pressure import Stretch, haffs_law
from engine.hard_discs.section import HardDiscs
from engine.indicators import Indicator
from engine.scenario import Scenario
from engine.scenario.section import a_number_an_axis, as_list
from engine.simulation import Checkpoint, History, Simulation
from engine.state import InitialState
from engine.system import Clock, Result, System

if TYPE_CHECKING:
    from engine.capabilities import CollisionCounting
    from engine.hard_discs.measures import GasMeasures
    from engine.hard_discs.rheology import Rheology

CLUSTERED = 1.2
"""T over Haff's law above which discs count as clustered; before, the law holds to a few percent."""

EARLY = 20.0
"""Collisions per disc up to which Haff's law is expected to hold for nearly elastic, dilute discs."""

NEAR = 256
"""Range, in units in the last place on both sides, in which separations at impact are listed one by one."""

_POINTS = 200  # of the curve of the cooling

SPHERES = "hard-spheres"
"""The name of the set of kernels for three dimensions."""


class HardDiscSystem(System):
    """Discs that bounce, with or without loss, gravity and growth."""

    name = "hard-discs"
    title, title_in_space = "Hard discs", "Hard spheres"
    heading = "{Discs} that bounce"
    table = "hard_discs"
    section = HardDiscs
    clock = Clock("t", "time", "", False, "Single event", "Pause and go to the next collision")
    fields = FIELDS
    history = GasHistory
    methods = ("event-driven",)
    results = (
        Result("collision_rate", "collisions per {disc} and unit of time ω"),
        Result("compressibility", "compressibility Z"),
        Result("compressibility_error", "standard error of Z"),  # None if Z has none
        Result("reduced_collision_rate", "collision rate ω σ √(m / kT)"),
        Result("temperature", "temperature"),
        Result("collisions_per_disc", "collisions per {disc} C"),
        Result("temperature_over_haff", "temperature over Haff's law T/T_Haff"),
        Result("over_haff_after_20", "T/T_Haff after 20 collisions per {disc}"),
        Result("temperature_after_20", "T/T_0 after 20 collisions per {disc}"),
        Result("clustering_onset", "clusters from C"),
        Result("cooling"),  # T/T_Haff over C
        Result("energy_drift", "energy drift"),  # None if energy is not conserved
        Result("strain", "strain γ"),  # these, and shear, are None without a flow
        Result("viscosity", "viscosity η"),
        Result("viscosity_error", "standard error of η"),
        Result("reduced_viscosity", "viscosity η σ^(d-1) / √(m kT)"),
        Result("reduced_viscosity_error", "standard error of η σ^(d-1) / √(m kT)"),
        Result("shear"),
        Result("stabilising_events", "stabilising events"),
        Result("three_body_events", "three-body events"),
        Result("three_body_share", "three-body events per collision"),
        Result("overlapping_impacts", "share of impacts that overlap"),
        Result("impact_separations"),  # share of the impacts at each separation
        Result("wall_pressure"),  # on both walls across each axis that has any
        Result("plates"),  # a ball on plates, by each way of detection
        Result("collapsed"),
        Result("collapse", "collapsed at", lambda collapse: collapse["time"]),
    )
    shears = True
    rests_as_a_whole = True  # a cooling gas would keep the motion of its centre of mass forever
    endless = "collisions never end"
    dimensions = (2, 3)

    def create(self, scenario: Scenario, state: InitialState) -> Simulation:
        """Make the simulation of a scenario from a state, at time 0. InputError if it cannot be run."""
        from engine.hard_discs.simulation import HardDiscGas

        return HardDiscGas(scenario, state)

    def thrown(self, simulation: Simulation, state: InitialState, body: NDArray[np.intp]) -> Simulation:
        """Continue after the discs `body`, (K,), were moved or got another velocity."""
        from engine.hard_discs.simulation import HardDiscGas

        assert isinstance(simulation, HardDiscGas)
        return simulation.thrown(state, body)

    def restore(self, checkpoint: Checkpoint) -> Simulation:
        """Restore the simulation of a checkpoint, bit for bit. The arrays are not checked."""
        from engine.hard_discs.simulation import HardDiscGas

        return HardDiscGas.from_checkpoint(checkpoint)

    def check_checkpoint(self, arrays: Arrays, scenario: Scenario) -> None:
        """Raise InputError unless `restore` can safely be given these arrays, which may come from any file."""
        from engine.hard_discs.saved import check

        check(arrays, scenario)

    def check(self, scenario: Scenario) -> None:
        """Raise InputError if tables of a scenario are inconsistent: gravity needs walls and a number for each axis,
        and plates belong to the plane."""
        from engine.hard_discs.setup import check_fall

        own = scenario.section(HardDiscs)
        if any(own.gravity) and len(own.gravity) != scenario.dimensions:
            wanted, found = a_number_an_axis(scenario.dimensions), as_list(own.gravity)
            raise InputError(
                f"hard_discs.gravity must be {wanted} when dimensions = {scenario.dimensions}, not {found}",
                "hard_discs.gravity",
            )
        if own.plates and scenario.dimensions > 2:
            raise InputError(
                "hard_discs.plates must be 0 when dimensions = 3: the ball on plates falls in the plane",
                "hard_discs.plates",
            )
        check_fall(own.gravity, scenario.periodic)

    def gravity(self, scenario: Scenario) -> tuple[float, ...]:
        """The acceleration of all discs, a number for each axis; () for none."""
        own = scenario.section(HardDiscs)
        return own.gravity_in(scenario.dimensions) if any(own.gravity) else ()

    def rehearsals(self, kernels: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Small scenarios that use every kernel: falling between walls, growing in a periodic box."""
        forces: tuple[dict[str, Any], ...] = ({"hard_discs.gravity": [0.0, -1.0]}, {"hard_discs.growth_rate": 0.01}, {})
        if kernels == SPHERES:
            loose = {"system": self.name, "dimensions": 3, "discs.count": 40}
            yield "spheres that fall", {**loose, "hard_discs.gravity": [0.0, 0.0, -1.0]}
            loose |= {"discs.arrangement": "random", "discs.volume_fraction": 0.4, "box.boundary": "periodic"}
            yield "spheres that grow", {**loose, "hard_discs.growth_rate": 0.01}
            return
        for (name, values), more in zip(super().rehearsals(kernels), forces, strict=True):
            yield name, {**values, **more}

    def kernels(self, scenario: Scenario) -> str:
        """The name of the set of kernels: spheres have one of their own, compiled when the first of them run."""
        return SPHERES if scenario.dimensions > 2 else self.name

    def rare_kernel_sets(self) -> tuple[str, ...]:
        """The set of kernels for spheres, which most people never need."""
        return (SPHERES,)

    def indicators(self) -> tuple[Indicator, ...]:
        """The indicators that are measured: those of a gas too."""
        from engine.analysis import GAS

        return (*super().indicators(), *GAS)

    def results_of(self, simulation: Simulation) -> dict[str, Any]:
        """The present values of `results` by name, ready for JSON."""
        counts = counting(simulation)
        if counts is None:
            return {}
        from engine.hard_discs.ball import on_plates

        own = simulation.scenario.section(HardDiscs)
        measures = counts.measures()
        collapse = measures.collapse
        events = measures.pair_collisions
        found = vars(measures) | {
            "reduced_collision_rate": reduced_rate(measures, simulation.radii, simulation.masses),
            "collisions_per_disc": 2.0 * events / simulation.count,
            "three_body_share": measures.three_body_events / events if events else None,
            "plates": on_plates(own.plates, simulation.scenario.seed, own.wall_restitution) if own.plates else None,
            "collapsed": collapse is not None,
            "collapse": None if collapse is None else {"time": collapse.time, "discs": collapse.discs.tolist()},
        }
        history, dimensions = simulation.history(), simulation.scenario.dimensions
        found |= cooling(history, counts.stretches(), simulation.count, dimensions) | impacts(counts)
        found |= of_flow(measures.rheology)
        return {result.name: found[result.name] for result in self.results}

    def prepares(self, scenario: Scenario) -> bool:
        """Whether making the simulation moves the discs from their arrangement, as an equilibration does."""
        return scenario.section(HardDiscs).equilibration > 0.0

    def ends(self, scenario: Scenario) -> bool:
        """Whether a run ends by itself, as with growth."""
        return scenario.section(HardDiscs).growth_rate > 0.0


# further results of a run


def reduced_rate(measures: GasMeasures, radii: NDArray[np.float64], masses: NDArray[np.float64]) -> float | None:
    """ω ⟨σ⟩ √(⟨m⟩ / kT), a number without a unit; None if the temperature is not constant. radii, masses : (N,)."""
    if measures.energy_drift is None or not measures.temperature > 0.0:
        return None
    return measures.collision_rate * 2.0 * float(radii.mean()) * sqrt(float(masses.mean()) / measures.temperature)


def cooling(history: History, stretches: Sequence[Stretch], count: int, dimensions: int = 2) -> dict[str, Any]:
    """The temperature relative to Haff's law, ready for JSON; values are None if the law does not hold.

    Returns
    -------
    ``temperature_over_haff`` at the end; ``over_haff_after_20``, after `EARLY` collisions per disc, None before that;
    ``temperature_after_20``, the temperature then over that at the start; ``clustering_onset``, collisions per disc
    after which the ratio stays above `CLUSTERED`, None if it is not above at the end; ``cooling``, the ratio over the
    collisions per disc C.
    """
    names = ("temperature_over_haff", "over_haff_after_20", "temperature_after_20", "clustering_onset", "cooling")
    nothing = dict.fromkeys(names)
    law = haffs_law(stretches, history.time, dimensions)[1]
    if law is None or not isinstance(history, GasHistory):
        return nothing
    known = np.isfinite(law) & (law > 0.0)
    if not known.any():
        return nothing
    energy = history.thermal_energy[known]
    ratio = energy / law[known]
    each = 2.0 * history.collisions[known] / count
    below = np.flatnonzero(ratio <= CLUSTERED)
    last = int(below[-1]) if len(below) else -1
    kept = np.unique(np.linspace(0, len(each) - 1, min(len(each), _POINTS)).round().astype(np.int64))
    return {
        "temperature_over_haff": float(ratio[-1]),
        "over_haff_after_20": float(np.interp(EARLY, each, ratio)) if each[-1] >= EARLY else None,
        "temperature_after_20": float(np.interp(EARLY, each, energy) / energy[0]) if each[-1] >= EARLY else None,
        "clustering_onset": float(each[last + 1]) if last + 1 < len(each) else None,
        "cooling": {"collisions_per_disc": each[kept].tolist(), "over_haff": ratio[kept].tolist()},
    }


def of_flow(measured: Rheology | None) -> dict[str, Any]:
    """What was measured of a flow, ready for JSON; None without one.

    Returns
    -------
    ``shear``, all of it (`engine.hard_discs.rheology.Rheology.in_json`); ``strain``, ``viscosity``,
    ``reduced_viscosity`` and the errors of both, those in it that studies collect.
    """
    shear = None if measured is None else measured.in_json()
    names = ("strain", "viscosity", "viscosity_error", "reduced_viscosity", "reduced_viscosity_error")
    return {"shear": shear} | {name: None if shear is None else shear[name] for name in names}


def impacts(counts: CollisionCounting) -> dict[str, Any]:
    """Separations |r_ij| - σ at the impacts, in units in the last place of σ, ready for JSON; None if they were not
    counted.

    Returns
    -------
    ``overlapping_impacts``, the share of those below 0; ``impact_separations``, ``ulps`` from -`NEAR` to `NEAR` with
    the ``share`` of the impacts at each.
    """
    edges, found = counts.impact_histogram()
    total = int(found.sum())
    if not total:
        return {"overlapping_impacts": None, "impact_separations": None}
    middle = 0.5 * (edges[1:] + edges[:-1])
    near = np.abs(middle) <= NEAR
    return {
        "overlapping_impacts": float(found[middle < 0.0].sum() / total),
        "impact_separations": {"ulps": middle[near].tolist(), "share": (found[near] / total).tolist()},
    }
