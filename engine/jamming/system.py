"""Jamming: discs that grow and push each other aside, by a chain of linear programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Arrays
from engine.boundary import Periodic
from engine.capabilities import packed
from engine.indicators import Indicator
from engine.jamming.fields import FIELDS, JammingHistory
from engine.jamming.section import Jamming
from engine.scenario import Scenario
from engine.simulation import Checkpoint, Progress, Simulation
from engine.state import InitialState
from engine.system import Clock, Result, System
from engine.words import count, typeset

SPHERES = "jamming-spheres"
"""The name of the set of kernels for three dimensions."""


class JammingSystem(System):
    """Discs that jam by a chain of linear programs."""

    name = "jamming"
    title = "Jamming"
    heading = "{Discs} that jam"
    table = "jamming"
    section = Jamming
    clock = Clock("k", "iteration", "", True, "One iteration", "Pause and do the next iteration")
    fields = FIELDS
    history = JammingHistory
    results = (
        Result("iterations", "iterations"),
        Result("contacts", "contacts with a force"),
        Result("contacts_by_gap", "closed contacts"),
        Result("rattlers", "rattlers"),
        Result("rattler_share", "share of rattlers"),
        Result("coordination", "contacts of a stable {disc} z"),  # those that carry a force
        Result("excess_coordination", "z - z_iso"),  # 0 for an isostatic packing
        Result("isostatic", "isostatic", lambda value: "yes" if value else "no"),
        Result("self_stresses", "extra self-stresses"),  # in addition to the one that holds the packing
        Result("force_mismatch", "force mismatch"),
        Result("min_gap", "smallest gap"),
        Result("jammed"),
    )
    end = "jammed"
    methods = ("linear-programs",)
    forgives = 0.01  # the links of time stepping are short by its tolerance, 1e-3 by default
    moves = False
    has_forces = True
    dimensions = (2, 3)

    def create(self, scenario: Scenario, state: InitialState) -> Simulation:
        """Make the simulation of a scenario from a state, at time 0. InputError if it cannot be run."""
        from engine.jamming.simulation import JammingPacking

        return JammingPacking(scenario, state)

    def start_radii(self, state: InitialState) -> NDArray[np.float64]:
        """The initial radii (N,) of discs from a file: all are reduced in the same ratio if some overlap a little."""
        from engine.jamming.checks import without_overlap
        from engine.overlaps import OVERLAP_TOLERANCE

        around = np.array(Periodic.of(state.periodic, len(state.box)))
        inside = (around | ((state.positions >= 0.0) & (state.positions <= state.box))).all()
        if not inside or 2.0 * float(state.radii.max()) * (1.0 - self.forgives) > float(state.box.min()):
            return state.radii  # refused later, as for all systems
        radii = without_overlap(state.positions, state.radii, state.box, state.periodic, most=self.forgives)
        return radii if radii[0] < state.radii[0] * (1.0 - OVERLAP_TOLERANCE) else state.radii

    def restore(self, checkpoint: Checkpoint) -> Simulation:
        """Restore the simulation of a checkpoint, bit for bit. The arrays are not checked."""
        from engine.jamming.simulation import JammingPacking

        return JammingPacking.from_checkpoint(checkpoint)

    def check_checkpoint(self, arrays: Arrays, scenario: Scenario) -> None:
        """Raise InputError unless `restore` can safely be given these arrays, which may come from any file."""
        from engine.jamming.saved import check

        check(arrays, scenario)

    def rehearsals(self, kernels: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Small scenarios that use every kernel: discs that are grown first use all of them."""
        if kernels == SPHERES:
            loose = {"dimensions": 3, "discs.count": 40, "discs.arrangement": "random", "box.boundary": "periodic"}
            for name, fraction in (("random spheres", 0.2), ("dense spheres", 0.4)):
                yield name, {**loose, "system": self.name, "discs.volume_fraction": fraction, "jamming.start": "grown"}
            return
        for name, values in super().rehearsals(kernels):
            yield name, {**values, "jamming.start": "grown"}

    def kernels(self, scenario: Scenario) -> str:
        """The name of the set of kernels: spheres have one of their own, compiled when the first of them run."""
        return SPHERES if scenario.dimensions > 2 else self.name

    def rare_kernel_sets(self) -> tuple[str, ...]:
        """The set of kernels for spheres, which most people never need."""
        return (SPHERES,)

    def indicators(self) -> tuple[Indicator, ...]:
        """The indicators that are measured: those of a packing too."""
        from engine.analysis import PACKING

        return (*super().indicators(), *PACKING)

    def results_of(self, simulation: Simulation) -> dict[str, Any]:
        """The present values of `results` by name, ready for JSON."""
        from engine.jamming.packing import coordination

        packs = packed(simulation)
        if packs is None:
            return {}
        packing = packs.packing()
        own = coordination(packing) | {"contacts": len(packing.forces), "rattlers": int(packing.rattlers.sum())}
        return {
            result.name: own[result.name] if result.name in own else getattr(packing, result.name)
            for result in self.results
        }

    def words(self, progress: Progress, rate: float) -> str:
        """The progress of a run, for people: iterations of the chain, and before that the collisions of growing
        discs."""
        if "growth" in progress.events:
            return f"{count(progress.events['growth'])} collisions while discs grow"
        return f"iteration {count(progress.events['program'])}  {typeset(rate, '.2g')} iterations/s"

    def share_done(self, simulation: Simulation, progress: Progress) -> float | None:
        """The fraction of a run that is over, by the logarithm of the remaining growth."""
        history = simulation.history()
        if not isinstance(history, JammingHistory) or len(history.time) < 2:
            return None
        tolerance = simulation.scenario.section(Jamming).tolerance_inflation
        return log(max(float(history.inflation[-1]), tolerance)) / log(tolerance)
