"""The system of hard discs: elastic or granular, with gravity or growing radii."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Arrays
from engine.capabilities import counting
from engine.errors import InputError
from engine.hard_discs.fields import FIELDS, GasHistory
from engine.hard_discs.section import HardDiscs
from engine.indicators import Indicator
from engine.scenario import Scenario
from engine.scenario.section import a_number_an_axis, as_list
from engine.simulation import Checkpoint, Simulation
from engine.state import InitialState
from engine.system import Clock, Result, System

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
        Result("stabilising_events", "stabilising events"),
        Result("three_body_events", "three-body events"),
        Result("three_body_share", "three-body events per collision"),
        Result("overlapping_impacts", "share of impacts that overlap"),
        Result("impact_separations"),  # share of the impacts at each separation
        Result("plates"),  # a ball on plates, by each way of detection
        Result("collapsed"),
        Result("collapse", "collapsed at", lambda collapse: collapse["time"]),
    )
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
        if scenario.box.boundary == "periodic" and any(scenario.section(HardDiscs).gravity):
            raise InputError(
                "hard_discs.gravity needs walls: in a periodic box nothing stops the fall; set box.boundary to "
                f'"walls", or hard_discs.gravity to {[0] * scenario.dimensions}',
                "hard_discs.gravity",
            )

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
        from engine.hard_discs.plates import on_plates
        from engine.hard_discs.results import cooling, impacts, reduced_rate

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
        return {result.name: found[result.name] for result in self.results}

    def prepares(self, scenario: Scenario) -> bool:
        """Whether making the simulation moves the discs from their arrangement, as an equilibration does."""
        return scenario.section(HardDiscs).equilibration > 0.0

    def ends(self, scenario: Scenario) -> bool:
        """Whether a run ends by itself, as with growth."""
        return scenario.section(HardDiscs).growth_rate > 0.0
