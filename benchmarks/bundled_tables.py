"""Tables of what bundled scenarios end as, and of sets whose dimension is known, in docs/jamming.md and docs/model.md.

    python -m benchmarks.bundled_tables [--write]

`--write` puts the tables between their marks; without it, they are printed. Half a minute.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import engine
from benchmarks.pages import put
from engine import analysis
from engine.initial import initial_state

PACKINGS = {
    "jam-256": "between walls",
    "jam-1024": "periodic",
    "jam-dilute-512": "from 0.4",
    "jam-equal-1000": "grown",
    "jam-grown-1000": "grown",
    "jam-spheres-512": "spheres, grown",
    "jam-spheres-1024": "spheres, grown",
}
SIDES = (1.0, 5.0 / 3.0, 2.5)
"""The sides of the boxes in which a set is measured, over its own side."""


def packings() -> str:
    """What each bundled packing ends as."""
    lines = ["| scenario | ends as (seed 1) | iterations |", "|---|---|---|"]
    for name, how in PACKINGS.items():
        simulation = engine.create(engine.load_scenario(name))
        end = simulation.advance()
        what = end.stop_reason.partition(": ")[2]
        lines.append(f"| `{name}`, {how} | {what} | {end.events['program']} |")
    return "\n".join(lines)


def covers() -> str:
    """Box counting by the paper's mesh and by minimum cover, of sets in the middle of boxes of several sizes."""
    lines = [f"| set | D_f in its own box, {', '.join(f'{ratio:.3g}' for ratio in SIDES[1:])} times as wide | D_min |"]
    lines.append("|---|---|---|")
    square = np.stack(np.meshgrid(np.arange(64.0), np.arange(64.0)), axis=-1).reshape(-1, 2) + 0.5
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    triangle = np.zeros((1, 2))
    for generation in range(1, 7):
        triangle = np.concatenate([triangle + 120.0 / 2**generation * corner for corner in corners])
    sets = (("square of 64 × 64 touching discs", square, 0.5, 64.0), ("Sierpinski triangle", triangle, 1.0, 120.0))
    for name, places, radius, side in sets:
        found = [_dimensions(places + round((ratio - 1.0) * side / 2.0), radius, ratio * side) for ratio in SIDES]
        lines.append(f"| {name} | {' / '.join(d for d, _ in found)} | {' / '.join(d for _, d in found)} |")
    for name in ("lines-900", "sierpinski-729"):
        state = initial_state(engine.load_scenario(name), check=False)
        d_f, d_min = _dimensions(state.positions, float(state.radii[0]), float(state.box[0]))
        lines.append(f"| `{name}` | {d_f} | {d_min} |")
    return "\n".join(lines)


def _dimensions(places: NDArray[np.float64], radius: float, side: float) -> tuple[str, str]:
    """D_f and D_min of discs (N, 2) in a square box."""
    found = analysis.analyse(places, np.full(len(places), radius), np.full(2, side), periodic=False)
    return f"{found.fractal_dimension:.4g}", f"{found.minimum_cover_dimension:.4g}"


def main() -> None:
    """Print the tables, or write them into the pages."""
    for page, name, table in (("jamming.md", "packings", packings()), ("model.md", "covers", covers())):
        if "--write" in sys.argv[1:]:
            put(page, name, table)
        else:
            print(f"{page}, {name}\n{table}\n")


if __name__ == "__main__":
    main()
