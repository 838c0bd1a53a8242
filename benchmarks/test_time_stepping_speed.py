"""Time stepping: lattice, V_f = 0.2, unit velocities, f = 0.5, to one cluster, one core, compile time apart.

The targets are those of the project: 1 s at 10^4, 15 s at 10^5, 10^6 to the end within 2 GB, cost exponent at most 1.2.
Reported, not asserted.
"""

from __future__ import annotations

from itertools import count as numbers

import pytest

import engine
from benchmarks.conftest import Report, Timed
from benchmarks.test_event_driven_speed import in_a_process
from engine import Scenario
from engine.simulation import Simulation

ROUNDS = {2_500: 10, 10_000: 5, 100_000: 1, 1_000_000: 1}


def scenario(count: int, step: float | str = "adaptive") -> Scenario:
    """Discs on a lattice."""
    values = {"discs.count": count, "aggregation.method": "time-stepping", "aggregation.time_stepping.step": step}
    return Scenario().with_values(values)


@pytest.mark.parametrize("count", ROUNDS)
def test_to_one_cluster(timed: Timed, report: Report, count: int) -> None:
    def run(simulation: Simulation) -> Simulation:
        simulation.advance()
        return simulation

    done = timed(run, rounds=ROUNDS[count], fresh=lambda: engine.create(scenario(count)))
    progress, kept = done.advance(), done.invariants()
    assert progress.clusters == 1
    assert kept["momentum_error"] < 1e-13
    assert kept["max_overlap"] < 1.3e-4
    report(discs=count, steps=dict(progress.steps))


def test_step_without_collisions_at_a_million(timed: Timed) -> None:
    simulation = engine.create(scenario(1_000_000, 1e-6))
    simulation.advance(0.5e-6)  # the first step sorts the discs
    step = numbers(1)
    timed(lambda: simulation.advance((next(step) + 0.5) * 1e-6), rounds=20)
    assert simulation.advance(simulation.time).events["merge"] == 0


def test_memory_of_a_million(report: Report) -> None:
    """Peak memory of the whole process that runs 10^6 discs to one cluster."""
    report(**{"peak memory, MB": round(in_a_process(1_000_000, "time-stepping")[2])})
