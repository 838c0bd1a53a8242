"""Compiling all kernels, or loading them from the cache, before the first person waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import engine
from engine.scenario import Scenario
from engine.simulation import Simulation

Report = Callable[[int, int, str], None]

# between them they go through every kernel: walls and periodic, lattice, adsorption and relaxation, rigid clusters,
# gravity and growth
_SYSTEMS = (
    {"discs.count": 9, "aggregation.time_stepping.clusters": "rigid", "hard_discs.gravity": [0.0, -1.0]},
    {"discs.count": 30, "discs.arrangement": "random", "box.boundary": "periodic", "hard_discs.growth_rate": 0.01},
    {"discs.count": 30, "discs.arrangement": "random", "discs.volume_fraction": 0.55},
)
_EVENTS = 500  # of a system that goes on for ever


def warm_up(report: Report | None, method: str) -> float:
    """See `engine.warm_up`."""
    from engine.aggregation.time_stepping.simulation import TimeStepping
    from engine.analysis import analyse, analyse_gas, analyse_packing, contact_counts, contact_pairs
    from engine.analysis.near_clusters import near_clusters
    from engine.hard_discs.simulation import HardDiscGas
    from engine.jamming.simulation import JammingPacking

    began = time.perf_counter()
    simulations: list[Simulation] = []
    bounces, jams = method == "hard-discs", method == "jamming"
    kind = {"system": method} if bounces or jams else {"aggregation.method": method}
    if jams:
        kind |= {"jamming.start": "grown"}
    events = _EVENTS if bounces else None

    def create() -> None:
        system = _SYSTEMS[len(simulations)] | kind
        simulations.append(engine.create(Scenario().with_values(system)))

    def run() -> None:
        for simulation in simulations:
            simulation.advance(max_events=1)
            if isinstance(simulation, TimeStepping):
                simulation.trace_step()
            simulation.advance(budget=1e-3)
            simulation.advance(max_events=events)

    def look() -> None:
        for simulation in simulations:
            simulation.frame()
            simulation.history()
            simulation.invariants()
            if isinstance(simulation, HardDiscGas):
                simulation.measures()
            if isinstance(simulation, JammingPacking):
                simulation.packing()

    def restore() -> None:
        for simulation in simulations:
            engine.restore(simulation.checkpoint()).advance(max_events=events)
            if not (bounces or jams):  # carried on, a simulation starts from discs that are joined already
                engine.carry_on(simulation, simulation.scenario).advance()

    def measure() -> None:
        for simulation in simulations:
            frame, radii, box = simulation.frame(), simulation.radii, simulation.box
            analyse(frame.positions, radii, box, periodic=simulation.periodic, cluster=frame.cluster)
            contact_counts(frame.positions, radii, box, periodic=simulation.periodic)
            contact_pairs(frame.positions, radii, box, periodic=simulation.periodic)
            ranks = np.zeros(simulation.count, np.int8)
            near_clusters(frame.positions, radii, frame.cluster, ranks, box, simulation.periodic, 1.0)
            if isinstance(simulation, JammingPacking):
                analyse_packing(simulation.packing())
            if bounces:
                analyse_gas(
                    *(frame.positions, frame.velocities, radii, simulation.masses, box),
                    periodic=simulation.periodic,
                    images=frame.images,
                    start=frame.positions,
                )

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
