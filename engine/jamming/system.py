"""Jamming: discs that grow and make room for each other, by a chain of linear programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.capabilities import packed
from engine.indicators import Indicator
from engine.jamming.fields import FIELDS
from engine.jamming.history import JammingHistory
from engine.jamming.section import Jamming
from engine.scenario import Scenario
from engine.simulation import Checkpoint, Progress, Simulation
from engine.state import InitialState
from engine.system import Arrays, Clock, Result, System


class JammingSystem(System):
    """See `engine.system.System`."""

    name = "jamming"
    title = "Jamming"
    heading = "Discs that jam"
    table = "jamming"
    section = Jamming
    clock = Clock("k", "iteration", "", True, "One iteration", "Pause, and do the next iteration")
    fields = FIELDS
    history = JammingHistory
    results = (
        Result("iterations", "iterations"),
        Result("contacts", "contacts with a force"),
        Result("contacts_by_gap", "contacts closed"),
        Result("rattlers", "rattlers"),
        Result("rattler_share", "share of rattlers"),
        Result("coordination", "contacts of a stable disc z"),  # those that carry a force
        Result("excess_coordination", "z - z_iso"),  # 0 for an isostatic packing
        Result("isostatic", "isostatic", lambda value: "yes" if value else "no"),
        Result("self_stresses", "further self-stresses"),  # beyond the one that holds the packing
        Result("force_mismatch", "force mismatch"),
        Result("min_gap", "smallest gap"),
        Result("jammed"),
    )
    methods = ("linear-programs",)
    forgives = 0.01  # the links of time stepping are short by its tolerance, 1e-3 by default
    moves = False
    has_forces = True

    def create(self, scenario: Scenario, state: InitialState) -> Simulation:
        """See `System.create`."""
        from engine.jamming.simulation import JammingPacking

        return JammingPacking(scenario, state)

    def start_radii(self, state: InitialState) -> NDArray[np.float64]:
        """See `System.start_radii`: all reduced in the same ratio if discs overlap each other or a wall a little."""
        from engine.jamming.checks import OVERLAP_TOLERANCE, without_overlap

        inside = state.periodic or bool(((state.positions >= 0.0) & (state.positions <= state.box)).all())
        if not inside or 2.0 * float(state.radii.max()) * (1.0 - self.forgives) > float(state.box.min()):
            return state.radii  # refused later, as in all systems
        radii = without_overlap(state.positions, state.radii, state.box, state.periodic, most=self.forgives)
        return radii if radii[0] < state.radii[0] * (1.0 - OVERLAP_TOLERANCE) else state.radii

    def restore(self, checkpoint: Checkpoint) -> Simulation:
        """See `System.restore`."""
        from engine.jamming.simulation import JammingPacking

        return JammingPacking.from_checkpoint(checkpoint)

    def check_checkpoint(self, arrays: Arrays, scenario: Scenario) -> None:
        """See `System.check_checkpoint`."""
        from engine.jamming.checkpoint_checks import check_arrays

        check_arrays(arrays, scenario)

    def rehearsals(self, kernels: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """See `System.rehearsals`: discs that are grown first go through everything."""
        for name, values in super().rehearsals(kernels):
            yield name, {**values, "jamming.start": "grown"}

    def indicators(self) -> tuple[Indicator, ...]:
        """See `System.indicators`: those of a packing too."""
        from engine.analysis import PACKING

        return (*super().indicators(), *PACKING)

    def results_of(self, simulation: Simulation) -> dict[str, Any]:
        """See `System.results_of`."""
        from engine.jamming.network import coordination

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
        """See `System.words`: iterations of the chain, and before that the collisions of discs that grow."""
        if "growth" in progress.events:
            return f"{progress.events['growth']} collisions while discs grow"
        return f"iteration {progress.events['program']}  {rate:.2g} iterations/s"

    def share_done(self, simulation: Simulation, progress: Progress) -> float | None:
        """See `System.share_done`: by the logarithm of what the discs still grow."""
        history = simulation.history()
        if not isinstance(history, JammingHistory) or len(history.time) < 2:
            return None
        tolerance = simulation.scenario.section(Jamming).tolerance_inflation
        return log(max(float(history.inflation[-1]), tolerance)) / log(tolerance)
