"""Jamming: discs that grow and make room for each other, by a chain of linear programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from typing import Any

from engine.indicators import Indicator
from engine.jamming.section import Jamming
from engine.scenario import Scenario
from engine.simulation import Checkpoint, JammingHistory, Progress, Simulation
from engine.state import InitialState
from engine.system import Arrays, Clock, System


class JammingSystem(System):
    """See `engine.system.System`."""

    name = "jamming"
    title = "Jamming"
    table = "jamming"
    section = Jamming
    clock = Clock("k", "iteration", "", True, "One iteration", "Pause, and solve the next linear program")
    history = JammingHistory
    methods = ("linear-programs",)
    moves = False
    has_forces = True

    def create(self, scenario: Scenario, state: InitialState) -> Simulation:
        """See `System.create`."""
        from engine.jamming.simulation import JammingPacking

        return JammingPacking(scenario, state)

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

    def share_done(self, simulation: Simulation, progress: Progress) -> float | None:
        """See `System.share_done`: by the logarithm of what the discs still grow."""
        history = simulation.history()
        if not isinstance(history, JammingHistory) or len(history.time) < 2:
            return None
        tolerance = simulation.scenario.section(Jamming).tolerance_inflation
        return log(max(float(history.inflation[-1]), tolerance)) / log(tolerance)
