"""Compiling all kernels, or loading them from the cache, before they are needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

from engine.capabilities import counting, merging, packed, traceable
from engine.scenario import Scenario
from engine.simulation import Simulation
from engine.system import System, carries_on, system_of_kernels

Report = Callable[[int, int, str], None]

_EVENTS = 500  # a limit for runs that might not end by themselves


def warm_up(report: Report | None = None, kernels: str = "event-driven") -> float:
    """Compile a set of kernels, or load them from the cache, by running small simulations that use all of them.

    Parameters
    ----------
    report : called before each stage with the number of stages done, the number of all stages and a word for the next.
    kernels : the name of the set, as `System.kernels` gives it: ``event-driven``, ``time-stepping``, ``hard-discs``,
        ``jamming``, or one of a plug-in.

    Returns
    -------
    float
        The seconds that it took.

    Raises
    ------
    InputError
        No system has such a set of kernels.
    """
    from engine.initial import initial_state

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
        ("checkpoints", lambda: _restore(kind, simulations)),
        ("frames", lambda: _look(simulations)),
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
    from engine.merges import merge_tree

    for simulation in simulations:
        simulation.frame()
        simulation.history()
        simulation.invariants()
        counts, packs, merges = counting(simulation), packed(simulation), merging(simulation)
        if counts is not None:
            counts.measures()
        if packs is not None:
            packs.packing()
        if merges is not None:
            merge_tree(merges.merge_log())


def _restore(kind: System, simulations: Iterable[Simulation]) -> None:
    able = carries_on(kind)
    for simulation in simulations:
        kind.restore(simulation.checkpoint()).advance(max_events=_EVENTS)
        if able is not None:  # carrying on also uses the kernels for discs that are joined already
            able.create_continued(simulation, simulation.scenario).advance(max_events=_EVENTS)


def _measure(kind: System, simulations: Iterable[Simulation]) -> None:
    from engine.analysis import contact_counts, contact_pairs
    from engine.analysis.rims import count_to_two, look_up

    for simulation in simulations:
        frame, radii, box = simulation.frame(), simulation.radii, simulation.box
        kind.analyse(simulation, frame, problems={})
        contact_counts(frame.positions, radii, box, periodic=simulation.periodic)
        contact_pairs(frame.positions, radii, box, periodic=simulation.periodic)
        look = np.zeros(simulation.count, np.uint8)
        count_to_two(frame.cluster, look)
        look_up(frame.cluster, look, np.empty(simulation.count, np.float32))
