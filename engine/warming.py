"""Compiling all kernels, or loading them from the cache, before the first person waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

from engine.capabilities import counting, packed, traceable
from engine.initial import initial_state
from engine.scenario import Scenario
from engine.simulation import Simulation
from engine.system import System, carries_on, system_of_kernels

Report = Callable[[int, int, str], None]

_EVENTS = 500  # of what might go on for ever


def warm_up(report: Report | None, kernels: str) -> float:
    """See `engine.warm_up`. InputError where no system has such a set of kernels."""
    began = time.perf_counter()
    kind = system_of_kernels(kernels)
    simulations: list[Simulation] = []
    rehearsals = tuple(kind.rehearsals(kernels))

    def create() -> None:
        scenario = Scenario().with_values(rehearsals[len(simulations)][1])
        simulations.append(kind.create(scenario, initial_state(scenario)))

    stages: list[tuple[str, Callable[[], None]]] = [(name, create) for name, _ in rehearsals]
    stages += [
        ("events", lambda: _run(simulations)),
        ("frames", lambda: _look(simulations)),
        ("checkpoints", lambda: _restore(kind, simulations)),
        ("indicators", lambda: _measure(kind, simulations)),
    ]
    for done, (what, stage) in enumerate(stages):
        if report is not None:
            report(done, len(stages), what)
        stage()
    if report is not None:
        report(len(stages), len(stages), "ready")
    return time.perf_counter() - began


def _run(simulations: Iterable[Simulation]) -> None:
    for simulation in simulations:
        simulation.advance(max_events=1)
        traced = traceable(simulation)
        if traced is not None:
            traced.trace_step()
        simulation.advance(budget=1e-3)
        simulation.advance(max_events=_EVENTS)


def _look(simulations: Iterable[Simulation]) -> None:
    for simulation in simulations:
        simulation.frame()
        simulation.history()
        simulation.invariants()
        counts, packs = counting(simulation), packed(simulation)
        if counts is not None:
            counts.measures()
        if packs is not None:
            packs.packing()


def _restore(kind: System, simulations: Iterable[Simulation]) -> None:
    able = carries_on(kind)
    for simulation in simulations:
        kind.restore(simulation.checkpoint()).advance(max_events=_EVENTS)
        if able is not None:  # carried on, a simulation starts from discs that are joined already
            state, settled = simulation.state(), simulation.settled()
            able.carry_on(simulation.scenario, state, settled.time, simulation.history()).advance(max_events=_EVENTS)


def _measure(kind: System, simulations: Iterable[Simulation]) -> None:
    from engine.analysis import contact_counts, contact_pairs
    from engine.analysis.near_clusters import near_clusters

    for simulation in simulations:
        frame, radii, box = simulation.frame(), simulation.radii, simulation.box
        kind.analyse(simulation, frame)
        contact_counts(frame.positions, radii, box, periodic=simulation.periodic)
        contact_pairs(frame.positions, radii, box, periodic=simulation.periodic)
        ranks = np.zeros(simulation.count, np.int8)
        near_clusters(frame.positions, radii, frame.cluster, ranks, box, simulation.periodic, 1.0)
