"""Agreement of the time-stepping method with the exact one over seeds (the paper's section 4.2), as a table.

    python -m benchmarks.agreement [--seeds K] [--counts 100,400,2500,10000] [--write]

For each volume fraction and count, both methods run to one cluster from the same initial states. `--write` puts the
table between the markers of docs/time-stepping.md; without it, it is printed. Some minutes with the defaults.
"""

from __future__ import annotations

import argparse

import numpy as np

import engine
from benchmarks.pages import put
from engine import Scenario
from engine.analysis import analyse

FRACTIONS = (0.25, 0.5, 1.0)
VOLUME_FRACTIONS = (0.1, 0.2, 0.3)
RIGID_AT = 0.2  # the volume fraction at which rigid clusters are compared as well


def indicators(values: dict[str, object]) -> tuple[float, float, float | None, float | None]:
    """N_c, P(10 R), D_f and A_r of the last cluster."""
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance()
    frame = simulation.frame()
    found = analyse(frame.positions, simulation.radii, simulation.box, periodic=False, cluster=frame.cluster)
    r, p = (np.asarray(found.pair_distribution[name]) for name in ("r", "p"))
    middle = float(np.interp(10 * simulation.radii[0], r, p))
    return found.contacts_relative, middle, found.fractal_dimension, found.aspect_ratio


def methods(*, rigid: bool) -> dict[str, dict[str, object]]:
    """What is compared, the exact method first; with `rigid` clusters as well as deformable ones."""
    found: dict[str, dict[str, object]] = {"exact": {"aggregation.method": "event-driven"}}
    for clusters in ("deformable", "rigid") if rigid else ("deformable",):
        for fraction in FRACTIONS:
            found[f"f = {fraction:g}{', rigid' if clusters == 'rigid' else ''}"] = {
                "aggregation.method": "time-stepping",
                "aggregation.time_stepping.fraction": fraction,
                "aggregation.time_stepping.clusters": clusters,
            }
    return found


def rows(counts: list[int], seeds: int) -> list[str]:
    """The lines of the table."""
    lines = [
        "| V_f | N | seeds | method | N_c | P(10 R) | D_f | D_f against exact | A_r |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    off: dict[str, list[float]] = {}
    for fill in VOLUME_FRACTIONS:
        for count in counts:
            # small systems scatter more
            repeats = max(seeds, min(20 * seeds, seeds * 2500 // count))
            base = {"discs.count": count, "discs.volume_fraction": fill}
            exact: float | None = None
            for name, method in methods(rigid=fill == RIGID_AT).items():
                found = np.array([indicators({**base, **method, "seed": seed}) for seed in range(repeats)])
                contacts, pairs, dimension, aspect = found.mean(axis=0)
                against: float | None = None if exact is None else dimension / exact - 1
                if against is None:
                    exact = dimension
                else:
                    off.setdefault(name, []).append(abs(against))
                lines.append(
                    f"| {fill:g} | {count} | {repeats} | {name} | {contacts:.3f} | {pairs:.2f} | {dimension:.3f} | "
                    f"{'' if against is None else f'{against:+.1%}'} | {aspect:.2f} |"
                )
    lines.append("")
    lines.extend(
        f"{name}: D_f is off by {max(values):.1%} at most, by {np.mean(values):.1%} on average."
        for name, values in off.items()
    )
    return lines


def main() -> None:
    """Make the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--counts", default="100,400,2500,10000")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    table = "\n".join(rows([int(n) for n in given.counts.split(",")], given.seeds))
    if given.write:
        put("time-stepping.md", "agreement", table)
    else:
        print(table)


if __name__ == "__main__":
    main()
