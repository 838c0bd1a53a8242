"""Processor time of one run from start to end, and a digest of all that it computed, to compare two versions.

Two checkouts, in turns, pinned to one core, because other work on the machine changes the speed of everything::

    taskset -c 0 python benchmarks/processor_time.py lattice-2500 event-driven

prints the seconds, the merges and a hash of positions, events and history. Compiling is not counted.
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
    parser.add_argument("method", choices=("event-driven", "time-stepping"))
    parser.add_argument("--clusters", type=int, default=1, help="stop at this number of clusters")
    parser.add_argument("--until", type=float, default=float("inf"), help="stop at this time")
    parser.add_argument("--repeat", type=int, default=1, help="runs; the time of the fastest one counts")
    given = parser.parse_args()
    engine.warm_up(method=given.method)
    scenario = engine.load_scenario(given.scenario).with_values({"aggregation.method": given.method})
    best = float("inf")
    for _ in range(given.repeat):
        begin = time.process_time()
        simulation = engine.create(scenario)
        progress = simulation.advance(given.until, until_clusters=given.clusters)
        best = min(best, time.process_time() - begin)
    frame, history = simulation.frame(), simulation.history()
    digest = hashlib.sha256()
    course = (history.time, history.kinetic_energy, history.clusters)
    for array in (frame.positions, frame.velocities, frame.fields["cluster"], *course):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr((sorted(progress.events.items()), sorted(progress.steps.items()))).encode())
    print(f"{best:.4f} {progress.clusters} {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
