"""Event-driven aggregation: lattice, V_f = 0.2, unit velocities, to one cluster, one core, compile time apart.

The targets are those of the project: 0.1 s, 1.3 s, 10 s at 10^4, 10^5, 10^6 discs, 5 min and 8 GB at 10^7, cost
exponent at most 1.15, a thousand times faster than the all-pairs method at N = 2 500. They are reported, not asserted:
machines differ.
"""

from __future__ import annotations

import json
import subprocess
import sys

import psutil
import pytest

from benchmarks.conftest import Report, Timed, seconds
from engine import Scenario
from engine.aggregation.event_driven.simulation import EventDriven
from engine.initial import initial_state
from tests.reference.all_pairs import run_all_pairs

CHILD = """
import json, sys, time
import engine
def made(count):
    return engine.create(engine.Scenario().with_values({"discs.count": count, "aggregation.method": sys.argv[2]}))
made(400).advance()
began = time.perf_counter()
simulation = made(int(sys.argv[1]))
ready = time.perf_counter()
simulation.advance()
done = time.perf_counter()
status = dict(line.split(":", 1) for line in open("/proc/self/status"))  # ru_maxrss is at least that of the parent
print(json.dumps([ready - began, done - ready, int(status["VmHWM"].split()[0]) / 1e3]))
"""

ROUNDS = {2_500: 20, 10_000: 10, 100_000: 3, 1_000_000: 1}


def scenario(count: int) -> Scenario:
    """Discs on a lattice."""
    return Scenario().with_values({"discs.count": count})


def in_a_process(count: int, method: str) -> tuple[float, float, float]:
    """Seconds that a run of its own process takes to be made and to get to one cluster, and its peak memory in MB."""
    arguments = [sys.executable, "-c", CHILD, str(count), method]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    start, run, peak = json.loads(done.stdout)
    return start, run, peak


@pytest.mark.parametrize("count", ROUNDS)
def test_to_one_cluster(timed: Timed, report: Report, count: int) -> None:
    def run(simulation: EventDriven) -> EventDriven:
        simulation.advance()
        return simulation

    chosen = scenario(count)
    done = timed(run, rounds=ROUNDS[count], fresh=lambda: EventDriven(chosen, initial_state(chosen)))
    progress, kept = done.advance(), done.invariants()
    merges = progress.events["merge"]
    assert merges == count - 1
    assert kept["momentum_error"] < 1e-13
    assert kept["max_overlap"] < 1e-9
    per_merge = {name: round(number / merges, 4) for name, number in progress.events.items()}
    work = {name: round(number / merges, 3) for name, number in done.statistics().items()}
    report(**{"discs": count, "events per merge": per_merge, "work per merge": work})


def test_all_pairs_reference_at_2500(report: Report) -> None:
    """The paper's method, compiled as well, in the same run. It is timed on its first 100 events; each costs the same,
    so the whole takes as many times longer as there are events."""
    start, events = initial_state(scenario(2_500)), 100
    each = seconds(lambda: run_all_pairs(start, max_events=events)) / events
    found = EventDriven(scenario(2_500), start).advance().events
    whole = each * (found["merge"] + found["wall"])
    fast = seconds(lambda: EventDriven(scenario(2_500), start).advance())
    report(**{"all-pairs run, s": whole, "times faster": whole / fast})


def test_memory_of_a_million(report: Report) -> None:
    """Peak memory of the whole process that runs 10^6 discs to one cluster."""
    report(**{"peak memory, MB": round(in_a_process(1_000_000, "event-driven")[2])})


@pytest.mark.slow
@pytest.mark.skipif(psutil.virtual_memory().available < 10e9, reason="needs 10 GB of free memory")
def test_ten_million(report: Report) -> None:
    """10^7 discs to one cluster, once, in a process of its own: minutes. The targets for all of it: 5 min and 8 GB."""
    start, run, peak = in_a_process(10_000_000, "event-driven")
    report(**{"to one cluster, s": run, "from nothing, s": start + run, "peak memory, MB": round(peak)})
