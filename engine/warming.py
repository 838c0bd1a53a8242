"""Compiling all kernels, or loading them from the cache, before the first person waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable

import engine
from engine.scenario import Scenario
from engine.simulation import Simulation

Report = Callable[[int, int, str], None]

# between them they go through every kernel: walls and periodic, lattice, adsorption and relaxation, rigid clusters
_SYSTEMS = (
    {"discs.count": 9, "aggregation.time_stepping.clusters": "rigid"},
    {"discs.count": 30, "discs.arrangement": "random", "box.boundary": "periodic"},
    {"discs.count": 30, "discs.arrangement": "random", "discs.volume_fraction": 0.55},
)


def warm_up(report: Report | None, method: str) -> float:
    """See `engine.warm_up`."""
    from engine.aggregation.time_stepping import TimeStepping
    from engine.analysis import analyse, contact_counts, contact_pairs

    began = time.perf_counter()
    simulations: list[Simulation] = []

    def create() -> None:
        system = _SYSTEMS[len(simulations)] | {"aggregation.method": method}
        simulations.append(engine.create(Scenario().with_values(system)))

    def run() -> None:
        for simulation in simulations:
            simulation.advance(max_events=1)
            if isinstance(simulation, TimeStepping):
                simulation.trace_step()
            simulation.advance(budget=1e-3)
            simulation.advance()

    def look() -> None:
        for simulation in simulations:
            simulation.frame()
            simulation.history()
            simulation.invariants()

    def restore() -> None:
        for simulation in simulations:
            engine.restore(simulation.checkpoint()).advance()
            # carried on, a simulation starts from discs that are joined already
            engine.carry_on(simulation, simulation.scenario).advance()

    def measure() -> None:
        for simulation in simulations:
            frame, radii, box = simulation.frame(), simulation.radii, simulation.box
            analyse(frame.positions, radii, box, periodic=simulation.periodic, cluster=frame.cluster)
            contact_counts(frame.positions, radii, box, periodic=simulation.periodic)
            contact_pairs(frame.positions, radii, box, periodic=simulation.periodic)

    stages = (
        ("lattice", create),
        ("random discs", create),
        ("dense discs", create),
        ("events", run),
        ("frames", look),
        ("checkpoints", restore),
        ("indicators", measure),
    )
    for done, (what, stage) in enumerate(stages):
        if report is not None:
            report(done, len(stages), what)
        stage()
    if report is not None:
        report(len(stages), len(stages), "ready")
    return time.perf_counter() - began
