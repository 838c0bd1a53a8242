"""What each indicator costs while a run of discs that stick goes on, and how much of it would be the same as before.

    python -m benchmarks.indicators_by_stage 100000

prints a table: for each number of clusters the share of the pairs within 20 R, and of the contacts, whose discs are in
one cluster (their distance does not change as long as it flies), and the processor time of the indicators in
milliseconds, each measured alone, with what all need (the sorted cells) in a column of its own.
"""

from __future__ import annotations

import argparse
import time
from math import inf

import numpy as np
from scipy.spatial import cKDTree

import engine
from engine import analysis
from engine.scenario import Scenario
from engine.simulation import Simulation
from engine.system import system

NAMES = (
    *("contacts_relative", "pair_distribution", "box_counting", "cluster_size_distribution"),
    *("aspect_ratio", "structure_factor", "cluster_profile", "velocity_correlation"),
)
_RANGE = 20.0  # mean radii, of P(r)
_SEEN = 4000  # discs whose pairs are looked at
_REPEATS = 3


def main() -> None:
    """Run to one cluster, and print a row for each half of a power of ten."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--boundary", choices=("walls", "periodic"), default="walls")
    given = parser.parse_args()
    engine.warm_up(method="event-driven")
    scenario = Scenario().with_values({"discs.count": given.count, "box.boundary": given.boundary})
    simulation = engine.create(scenario)
    print("| clusters | pairs in one cluster | contacts in one cluster | cells |", " | ".join(NAMES), "| all |")
    print("| --- " * (len(NAMES) + 5) + "|")
    left = float(given.count)
    while left > 1.0:
        left = max(1.0, left / np.sqrt(10.0))
        simulation.advance(inf, until_clusters=round(left))
        print(_row(simulation), flush=True)


def _row(simulation: Simulation) -> str:
    frame = simulation.frame()
    found = analysis.Sample(
        frame.positions,
        simulation.radii,
        simulation.box,
        periodic=simulation.periodic,
        cluster=frame.cluster,
        velocities=frame.velocities,
        masses=simulation.masses,
    )
    shares = (f"{100.0 * share:.1f} %" for share in (_pairs(found), _contacts(found)))
    indicators = system("aggregation").indicators()
    chosen = [[one for one in indicators if one.name == name] for name in NAMES]
    times = [_milliseconds(found, ones) for ones in ([], *chosen, list(indicators))]
    return f"| {frame.clusters} | {' | '.join(shares)} | {' | '.join(f'{one:.1f}' for one in times)} |"


def _milliseconds(sample: analysis.Sample, indicators: list[analysis.Indicator]) -> float:
    """Of the fastest of some repetitions; without indicators the cells, else without them."""
    least = inf
    for _ in range(_REPEATS):
        began = time.thread_time()
        fresh = analysis.Sample(
            sample.positions,
            sample.radii,
            sample.box,
            periodic=sample.periodic,
            cluster=sample.cluster,
            velocities=sample.velocities,
            masses=sample.masses,
        )
        began = time.thread_time() if indicators else began
        analysis.measure(fresh, indicators)
        least = min(least, time.thread_time() - began)
    return 1000.0 * least


def _pairs(sample: analysis.Sample) -> float:
    """Share of the pairs within 20 R that are of one cluster, from some discs with all around them."""
    assert sample.cluster is not None
    seen = np.random.default_rng(1).choice(sample.count, min(_SEEN, sample.count), replace=False)
    tree = cKDTree(sample.positions, boxsize=sample.box if sample.periodic else None)
    around = tree.query_ball_point(sample.positions[seen], _RANGE * sample.state.mean_radius)
    alike = sum(
        int((sample.cluster[near] == sample.cluster[i]).sum()) - 1 for i, near in zip(seen, around, strict=True)
    )
    return alike / max(1, sum(map(len, around)) - len(seen))


def _contacts(sample: analysis.Sample) -> float:
    """Share of the contacts that are between discs of one cluster."""
    assert sample.cluster is not None
    labels = sample.cluster[sample.state.grid.order[sample.contact_list.pairs]]
    return float((labels[:, 0] == labels[:, 1]).mean()) if len(labels) else 0.0


if __name__ == "__main__":
    main()
