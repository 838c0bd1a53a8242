"""Processor time of one run from start to end, and a digest of all that it computed, to compare two versions.

Two checkouts, in turns, pinned to one core, because other work on the machine changes the speed of everything::

    taskset -c 0 python benchmarks/processor_time.py lattice-2500 event-driven
    taskset -c 0 python benchmarks/processor_time.py gas-10000 --events 200000

prints the seconds, the clusters and a hash of positions, events and history. Compiling is not counted.
"""

from __future__ import annotations

import argparse
import hashlib
import time

import numpy as np

import engine


def main() -> None:
    """Run one scenario and print one line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario")
    parser.add_argument("method", nargs="?", choices=("event-driven", "time-stepping"), help="of aggregation")
    parser.add_argument("--clusters", type=int, default=1, help="stop at this number of clusters")
    parser.add_argument("--until", type=float, default=float("inf"), help="stop at this time")
    parser.add_argument("--events", type=int, help="stop after so many events; a gas has no other end")
    parser.add_argument("--repeat", type=int, default=1, help="runs; the time of the fastest one counts")
    given = parser.parse_args()
    scenario = engine.load_scenario(given.scenario)
    if given.method is not None:
        scenario = scenario.with_values({"aggregation.method": given.method})
    engine.create(scenario).advance(max_events=100)  # compiles
    best = float("inf")
    for _ in range(given.repeat):
        begin = time.process_time()
        simulation = engine.create(scenario)
        progress = simulation.advance(given.until, until_clusters=given.clusters, max_events=given.events)
        best = min(best, time.process_time() - begin)
    frame, history = simulation.frame(), simulation.history()
    digest = hashlib.sha256()
    for array in (frame.positions, frame.velocities, frame.cluster, *(getattr(history, one) for one in _COURSE)):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr((sorted(progress.events.items()), sorted(progress.steps.items()))).encode())
    print(f"{best:.4f} {progress.clusters} {digest.hexdigest()[:16]}")


_COURSE = ("time", "kinetic_energy", "clusters")


if __name__ == "__main__":
    main()
