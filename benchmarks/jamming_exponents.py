"""Power laws of small forces and gaps, pooled over packings: `python -m benchmarks.jamming_exponents --write`.

Bidisperse discs 1 : 1.4 in a periodic box, one packing for each seed: relaxed to a volume fraction of 0.83, or grown
slowly until they are nearly jammed. The exponents of the literature are those of mean-field theory (gaps, extended
forces) and of localised modes (forces of bucklers):
Charbonneau, Corwin, Parisi and Zamponi, Phys. Rev. Lett. 114, 125504 (2015).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.jamming import whole_run
from benchmarks.pages import put
from engine import create, load_scenario
from engine.analysis import PooledPackings, analyse_packing, pool_packings
from engine.analysis.packing import BUCKLER_RANGE, FORCE_RANGE, GAP_RANGE
from engine.analysis.power_laws import power_law
from engine.jamming import Packing
from engine.jamming.simulation import JammingPacking

LITERATURE = (("extended contacts, small forces", 0.423), ("bucklers, small forces", 0.174), ("small gaps", -0.413))
SHARES = (1.0, 0.3, 0.1, 0.03)  # of the range that the program fits: exponents are those of the smallest values
PACKINGS = {1024: 60, 4096: 12}
GROWN = 120  # packings of `jam-grown-1000`: discs that bounce while they grow, before the first iteration


def relaxed(count: int, seed: int) -> Packing:
    """From discs relaxed to a volume fraction of 0.83."""
    return whole_run(count, seed, "interior-point")[1].packing()


def grown(seed: int) -> Packing:
    """From discs that have grown until Z > 1000."""
    simulation = create(load_scenario("jam-grown-1000").with_values({"seed": seed}))
    assert isinstance(simulation, JammingPacking)
    simulation.advance(1000.0)  # iterations: more than any needs
    packing = simulation.packing()
    assert packing.jammed
    return packing


def pooled(name: str, made: Iterator[Packing]) -> PooledPackings:
    """The distributions of all of them together."""
    samples = []
    for packing in made:
        samples.append(analyse_packing(packing).samples)
        print(f"packing {len(samples)}, {name}", flush=True)
    return pool_packings(samples)


def table(packings: dict[int, int], grown_packings: int) -> str:
    """The pooled exponents beside the known ones, a column for each number of discs, and one for those that grew."""
    parts = {
        f"{number} packings of {count}": map(partial(relaxed, count), range(1, number + 1))
        for count, number in packings.items()
    }
    parts[f"{grown_packings} packings of 1000, grown"] = map(grown, range(1, grown_packings + 1))
    pools, heads = [pooled(name, made) for name, made in parts.items()], list(parts)
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
    made = table({int(count): PACKINGS[int(count)] for count in arguments.counts.split(",")}, GROWN)
    print(made)
    if arguments.write:
        put("jamming.md", "exponents", made)


if __name__ == "__main__":
    main()
