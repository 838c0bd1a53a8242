"""Power laws of small forces and gaps, pooled over packings: `python -m benchmarks.jamming_exponents --write`.

Bidisperse discs 1 : 1.4 in a periodic box from a volume fraction of 0.83, one packing for each seed. The exponents of
the literature are those of mean-field theory (gaps, extended forces) and of localised modes (forces of bucklers):
Charbonneau, Corwin, Parisi and Zamponi, Phys. Rev. Lett. 114, 125504 (2015).
"""

from __future__ import annotations

import argparse

from benchmarks.jamming import whole_run
from benchmarks.pages import put
from engine.analysis import analyse_packing, pool_packings
from engine.analysis.packing import FORCE_RANGE, GAP_RANGE
from engine.analysis.power_laws import power_law

LITERATURE = (("extended contacts, small forces", 0.423), ("bucklers, small forces", 0.174), ("small gaps", -0.413))
SHARES = (1.0, 0.1, 0.01)  # of the range that the program fits: exponents are those of the smallest values


def table(count: int, packings: int) -> str:
    """The pooled exponents beside the known ones."""
    samples = []
    for seed in range(1, packings + 1):
        _, run = whole_run(count, seed, "interior-point")
        samples.append(analyse_packing(run.packing()).samples)
        print(f"packing {seed} of {packings}", flush=True)
    pooled = pool_packings(samples)
    rows = ["| values | range | number | exponent | known |", "|---|---|---|---|---|"]
    kinds = (
        (pooled.samples.extended, FORCE_RANGE),
        (pooled.samples.bucklers, FORCE_RANGE),
        (pooled.samples.gaps, GAP_RANGE),
    )
    for (name, known), (values, high) in zip(LITERATURE, kinds, strict=True):
        for share in SHARES:
            fit = power_law(values, share * high)
            if fit is not None:
                found = f"{fit.exponent:.3f} ± {fit.error:.3f}"
                rows.append(f"| {name} | {fit.low:.1g}…{fit.high:.1g} | {fit.count} | {found} | {known} |")
    return f"{packings} packings of {count} discs.\n\n" + "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/jamming.md")
    parser.add_argument("--packings", type=int, default=40)
    parser.add_argument("--count", type=int, default=1024)
    arguments = parser.parse_args()
    made = table(arguments.count, arguments.packings)
    print(made)
    if arguments.write:
        put("jamming.md", "exponents", made)


if __name__ == "__main__":
    main()
