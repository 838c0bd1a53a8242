"""Power laws of small forces and gaps, pooled over packings: `python -m benchmarks.jamming_exponents --write`.

Bidisperse discs 1 : 1.4 in a periodic box from a volume fraction of 0.83, one packing for each seed. The exponents of
the literature are those of mean-field theory (gaps, extended forces) and of localised modes (forces of bucklers):
Charbonneau, Corwin, Parisi and Zamponi, Phys. Rev. Lett. 114, 125504 (2015).
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.jamming import whole_run
from benchmarks.pages import put
from engine.analysis import analyse_packing, pool_packings
from engine.analysis.packing import BUCKLER_RANGE, FORCE_RANGE, GAP_RANGE
from engine.analysis.pooling import PooledPackings
from engine.analysis.power_laws import power_law

LITERATURE = (("extended contacts, small forces", 0.423), ("bucklers, small forces", 0.174), ("small gaps", -0.413))
SHARES = (1.0, 0.3, 0.1, 0.03)  # of the range that the program fits: exponents are those of the smallest values
PACKINGS = {1024: 60, 4096: 12}


def pooled(count: int, packings: int) -> PooledPackings:
    """The distributions of packings from the seeds 1 to `packings`."""
    samples = []
    for seed in range(1, packings + 1):
        _, run = whole_run(count, seed, "interior-point")
        samples.append(analyse_packing(run.packing()).samples)
        print(f"packing {seed} of {packings}, {count} discs", flush=True)
    return pool_packings(samples)


def table(packings: dict[int, int]) -> str:
    """The pooled exponents beside the known ones, a column for each number of discs."""
    pools = [pooled(count, number) for count, number in packings.items()]
    heads = [f"{number} packings of {count}" for count, number in packings.items()]
    rows = ["| values | range | " + " | ".join(heads) + " | known |", "|---|---|" + "---|" * len(heads) + "---|"]
    ranges = (FORCE_RANGE, BUCKLER_RANGE, GAP_RANGE)
    for (name, known), values, high in zip(LITERATURE, zip(*map(_values, pools), strict=True), ranges, strict=True):
        for share in SHARES:
            fits = [power_law(some, share * high) for some in values]
            found = ["–" if fit is None else f"{fit.exponent:.3f} ± {fit.error:.3f} ({fit.count})" for fit in fits]
            rows.append(f"| {name} | up to {share * high:.2g} | " + " | ".join(found) + f" | {known} |")
    return "\n".join(rows)


def _values(pool: PooledPackings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return pool.samples.extended, pool.samples.bucklers, pool.samples.gaps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/jamming.md")
    parser.add_argument(
        "--counts", default=",".join(map(str, PACKINGS)), help="some of " + ", ".join(map(str, PACKINGS))
    )
    arguments = parser.parse_args()
    made = table({int(count): PACKINGS[int(count)] for count in arguments.counts.split(",")})
    print(made)
    if arguments.write:
        put("jamming.md", "exponents", made)


if __name__ == "__main__":
    main()
