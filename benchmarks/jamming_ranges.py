"""What exponents of small forces and gaps depend on: `python -m benchmarks.jamming_ranges`.

Grown packings 1 : 1.4 of several sizes (scenario `jam-grown-1000`), and power laws of all packings of a size together,
by maximum likelihood between two ends, for many ranges, with errors of a bootstrap over packings. The packings behind
docs/jamming.md, "Exponents", are ``--packings 128:240 256:630 512:390 1024:300 4096:30``, half an hour of processor
time; ``--write`` puts the table of gaps there. What is made is kept in build/packings, so that a call goes on where the
last one was stopped; the default is small.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from math import exp, log, nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from benchmarks.pages import put
from engine import create, load_scenario
from engine.analysis.packing import FORCE_RANGE, GAP_RANGE, Samples, analyse_packing
from engine.jamming.simulation import JammingPacking

FOLDER = Path(__file__).parents[1] / "build" / "packings"
ALL = 1e-12
"""A lower end below all values."""

RANGES: dict[str, tuple[tuple[float, float], ...]] = {
    "gaps": ((ALL, GAP_RANGE), (1e-4, 0.03), (3e-4, 0.03), (1e-3, 0.03), (1e-3, 0.1), (3e-3, 0.1), (0.03, 0.1)),
    "extended": ((ALL, FORCE_RANGE), (ALL, 0.1), (ALL, 0.03), (0.01, 0.3), (0.03, 0.3)),
    "bucklers": ((ALL, 0.1), (ALL, 0.03), (ALL, 0.01), (1e-3, 0.1), (0.01, 0.1)),
}
"""The values of `Samples`, with the ranges in which each is fitted."""

_FEWEST = 20  # values behind a fit
_DRAWS = 100  # of the bootstrap

Floats = NDArray[np.float64]


def exponent_between(values: Floats, low: float, high: float) -> float:
    """θ of P(x) ~ x^θ for low <= x <= high, of maximum likelihood; nan of fewer than 20 values."""
    chosen = values[(values >= low) & (values <= high)]
    if len(chosen) < _FEWEST:
        return nan
    width = log(high / low)
    mean = float(np.log(chosen / low).mean()) / width

    # with k = (θ + 1) ln(high / low), ln(x / low) / width has the mean 1 / (1 - e^-k) - 1 / k, which rises with k
    def off(k: float) -> float:
        return (0.5 + k / 12.0 if abs(k) < 1e-6 else 1.0 / (1.0 - exp(-k)) - 1.0 / k) - mean

    return float(brentq(off, -200.0, 200.0)) / width - 1.0


def with_error(packings: Sequence[Floats], low: float, high: float) -> tuple[float, float]:
    """The exponent of all packings together, and its standard error of as many packings that are drawn anew."""
    rng = np.random.default_rng(0)
    drawn = [rng.integers(0, len(packings), len(packings)) for _ in range(_DRAWS)]
    slopes = [exponent_between(np.concatenate([packings[k] for k in one]), low, high) for one in drawn]
    found = exponent_between(np.concatenate(packings), low, high)
    return found, float(np.nanstd(slopes)) if found == found else nan


def make(count: int, seed: int) -> None:
    """Make a packing and keep its forces and gaps; one that does not jam is kept without any."""
    path = FOLDER / f"{count}-{seed}.npz"
    if path.exists():
        return
    changes = {"seed": seed, "discs.count": count, "discs.spread": 1.4}
    simulation = create(load_scenario("jam-grown-1000").with_values(changes))
    assert isinstance(simulation, JammingPacking)
    simulation.advance(1000.0)
    packing = simulation.packing()
    kept = vars(analyse_packing(packing).samples) if packing.jammed else {}
    whole = path.with_suffix(f".{os.getpid()}.npz")
    np.savez(whole, **kept)
    whole.replace(path)


def samples(count: int, packings: int) -> list[Samples]:
    """Of the first seeds, those that have jammed."""
    found = []
    for seed in range(1, packings + 1):
        with np.load(FOLDER / f"{count}-{seed}.npz") as kept:
            if kept.files:
                found.append(Samples(**kept))
    return found


def table(of: dict[int, list[Samples]], values: str) -> list[str]:
    """Rows of Markdown: a row for each range, a column for each number of discs."""
    rows = [f"| {values} between | " + " | ".join(map(str, of)) + " |", "|---" * (len(of) + 1) + "|"]
    for low, high in RANGES[values]:
        cells = []
        for packings in of.values():
            found, error = with_error([getattr(one, values) for one in packings], low, high)
            cells.append(f"{found:.3f}({1000.0 * error:.0f})" if found == found else "")
        rows.append(f"| {0 if low == ALL else low:g} and {high:g} | " + " | ".join(cells) + " |")
    return rows


def main() -> None:
    """Make the packings that are missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packings", nargs="+", default=["128:40", "256:40"], metavar="N:HOW_MANY")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true", help="the table of gaps into docs/jamming.md")
    asked = parser.parse_args()
    wanted = {int(count): int(many) for count, many in (one.split(":") for one in asked.packings)}
    FOLDER.mkdir(parents=True, exist_ok=True)
    runs = [(count, seed) for count, many in wanted.items() for seed in range(1, many + 1)]
    with ProcessPoolExecutor(asked.workers) as pool:
        list(pool.map(make, *zip(*runs, strict=True)))
    of = {count: samples(count, many) for count, many in wanted.items()}
    print("Packings:", ", ".join(f"{len(found)} of {count} discs" for count, found in of.items()))
    for values in RANGES:
        print("", *table(of, values), sep="\n")
    if asked.write:
        put("jamming.md", "ranges", "\n".join(table(of, "gaps")))


if __name__ == "__main__":
    main()
