"""The table in docs/hard-discs.md of how well Z and its ± are known in short runs: gases that start on a lattice.

    python -m benchmarks.pressure_errors [--write]

`--write` puts the table between its marks; without it, it is printed. Twenty seeds at each density; some minutes.
"""

from __future__ import annotations

import sys
from math import sqrt

import numpy as np

import engine
from benchmarks.pages import put
from engine.hard_discs.theory import REFERENCE_Z
from engine.system import system_of
from tests.reference.theory import SPHERES_Z, in_a_box

COUNTS = {2: 1024, 3: 1000}
EACH = (20, 40, 80, 160, 320)
"""Collisions per disc."""
SEEDS = range(1, 21)


def pressures(dimensions: int, fraction: float, seed: int) -> list[tuple[float, float | None]]:
    """Z and its error, as a run says them, after each number of collisions per disc."""
    values = {
        "system": "hard-discs",
        "dimensions": dimensions,
        "discs.count": COUNTS[dimensions],
        "discs.volume_fraction": fraction,
        "box.boundary": "periodic",
        "velocities.distribution": "maxwell",
        "seed": seed,
    }
    gas = engine.create(engine.Scenario().with_values(values))
    found, done = [], 0
    for each in EACH:
        gas.advance(max_events=each * gas.count // 2 - done)
        done = each * gas.count // 2
        said = system_of(gas.scenario).results_of(gas)
        found.append((said["compressibility"], said["compressibility_error"]))
    return found


def row(dimensions: int, fraction: float, z: float) -> str:
    """A line of the table: at each length the mean deviation, and that of the single ones over their ±."""
    want = in_a_box(z, fraction, COUNTS[dimensions], dimensions)
    runs = [pressures(dimensions, fraction, seed) for seed in SEEDS]
    cells = []
    for said in zip(*runs, strict=True):
        off = np.array([(mean - want) / error for mean, error in said if error is not None])
        mean = 100.0 * (np.mean([mean for mean, _ in said]) / want - 1.0)
        share = f", {sqrt(np.square(off).mean()):.2f} ({off.mean():+.2f})" if len(off) > 1 else ", –"
        cells.append(f"{mean:+.2f} %{share}")
    what = "plane" if dimensions == 2 else "space"
    return f"| {what} | {fraction:g} | {z:.5g} | {want:.5g} | {' | '.join(cells)} |".replace("-", "−")


def table() -> str:
    """The whole table."""
    lines = [f"| | φ | literature | in the box | {' | '.join(f'C = {each}' for each in EACH)} |"]
    lines.append(f"|---|---|---|---|{'---|' * len(EACH)}")
    lines += [row(3, fraction, z) for fraction, z in SPHERES_Z if fraction < 0.49]
    lines += [row(2, one.phi, one.z) for one in REFERENCE_Z[:3]]
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into the page."""
    if "--write" in sys.argv[1:]:
        put("hard-discs.md", "pressure errors", table())
    else:
        print(table())


if __name__ == "__main__":
    main()
