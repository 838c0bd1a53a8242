"""What runs of time stepping end with, seed by seed, of two versions of the program: do they agree?

    python benchmarks/stepping_indicators.py run FILE [--seeds 200] [--count 400]
    python benchmarks/stepping_indicators.py compare FILE FILE

`run` in the folder of a version (`git worktree add`) measures that version. `compare` prints the mean of the first file
and how far the second is from it, with the standard error of the difference, for docs/time-stepping.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path.cwd()))  # the version in this folder, whatever is installed

from engine import Scenario, create
from engine.analysis import analyse

Row = dict[str, Any]


def measured(clusters: str, step: str | float, seed: int, count: int) -> dict[str, float]:
    """Indicators at the end of a run, and when M was a half … of N."""
    keys = {"clusters": clusters, "step": step, "fraction": 0.5}
    values = {"discs.count": count, "seed": seed, "aggregation.method": "time-stepping"}
    simulation = create(
        Scenario().with_values(values | {f"aggregation.time_stepping.{name}": value for name, value in keys.items()})
    )
    simulation.advance()
    state, history = simulation.state(), simulation.history()
    seen = analyse(state.positions, state.radii, state.box, periodic=False)
    assert seen.fractal_dimension is not None
    found = {"N_c": seen.contacts_relative, "D_f": seen.fractal_dimension}
    for reach in (4, 10, 20):
        near = np.interp(reach * state.radii[0], seen.pair_distribution["r"], seen.pair_distribution["p"])
        found[f"P({reach} R)"] = float(near)
    for row in (2, 4):
        found[f"N(ε_{row})"] = float(seen.box_counting["n"][row])
    for share in (0.5, 0.1, 0.02):
        found[f"t, M = {share:g} N"] = float(history.time[np.argmax(history.clusters <= share * count)])
    found["t, M = 1"] = float(history.time[np.argmax(history.clusters == 1)])
    return found


def run(file: Path, seeds: int, count: int) -> None:
    """Measure all kinds of runs of the version in the working directory."""
    fixed = 0.5 * float(np.sqrt(0.2 / (np.pi * count)))
    rows = [
        {"kind": f"{clusters}, {name}", "seed": seed, "found": measured(clusters, step, seed, count)}
        for clusters in ("deformable", "rigid")
        for name, step in (("adaptive", "adaptive"), ("fixed", fixed))
        for seed in range(seeds)
    ]
    file.write_text(json.dumps(rows), encoding="utf-8")


def compare(one: list[Row], two: list[Row]) -> list[str]:
    """The table: a line for each indicator, a column for each kind of run."""
    kinds = list(dict.fromkeys(row["kind"] for row in one))
    lines = ["| | " + " | ".join(kinds) + " |", "| --- " * (len(kinds) + 1) + "|"]
    for name in one[0]["found"]:
        cells = []
        for kind in kinds:
            first, second = (
                np.array([row["found"][name] for row in rows if row["kind"] == kind]) for rows in (one, two)
            )
            gap = 100.0 * (second - first) / first.mean()
            error = gap.std(ddof=1) / np.sqrt(len(gap))
            cells.append(f"{first.mean():.4g}, {gap.mean():+.3f}({error:.3f}) %")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Measure, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser("run")
    measure.add_argument("file", type=Path)
    measure.add_argument("--seeds", type=int, default=200)
    measure.add_argument("--count", type=int, default=400)
    both = commands.add_parser("compare")
    both.add_argument("files", type=Path, nargs=2)
    given = parser.parse_args()
    if given.command == "run":
        run(given.file, given.seeds, given.count)
    else:
        print("\n".join(compare(*(json.loads(file.read_text(encoding="utf-8")) for file in given.files))))


if __name__ == "__main__":
    main()
