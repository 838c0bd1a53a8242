"""How long iterations and whole runs of jamming take with both solvers: `python -m benchmarks.jamming --write`.

Bidisperse discs 1 : 1.4, relaxed to a volume fraction of 0.83, and spheres 1 : 1.4 placed at random to 0.3, periodic.
Both solvers solve the same linear programs, one after the other, in this process; the seconds are those of the
processor, since others may work beside it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from math import pi, sqrt
from statistics import median

import numpy as np

from benchmarks.pages import put
from engine.arrangements.relaxation import relax
from engine.geometry.neighbours import DenseState
from engine.jamming.linear_program import LinearProgram, build_program
from engine.jamming.run import JammingRun, make_solver
from tests.reference.jamming import scattered

Start = Callable[[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]
SOLVERS = ("interior-point", "highs")
RUNS = {256: (10, 3), 1024: (10, 1), 4096: (10, 0), 10000: (1, 0)}  # seeds of whole runs, by solver
SPHERES = {256: (3, 1), 512: (3, 1)}  # the same in three dimensions


def relaxed(count: int, seed: int, fraction: float = 0.83) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, radii and box."""
    rng = np.random.default_rng(seed)
    radii = np.where(np.arange(count) < count // 2, 1.4, 1.0)
    box = np.full(2, sqrt(pi * float((radii**2).sum()) / fraction))
    positions = None
    while positions is None:  # a few discs may jam before
        positions = relax(rng.random((count, 2)) * box, radii, box, True)
    return positions, radii, box


def early_program(count: int, seed: int = 1) -> LinearProgram:
    """The first linear program of a run by the trust region, in which nothing is known of the growth."""
    positions, radii, box = relaxed(count, seed)
    return _program(positions, radii, box, 0.25, 0.2)


def late_program(positions: np.ndarray, radii: np.ndarray, box: np.ndarray) -> LinearProgram:
    """A linear program near the end: the jammed state with radii smaller by 1e-6."""
    return _program(positions, radii * (1.0 - 1e-6), box, 1e-3, 1e-4)


def _program(positions: np.ndarray, radii: np.ndarray, box: np.ndarray, bound: float, most: float) -> LinearProgram:
    state = DenseState(positions, radii, box, True)
    return build_program(state, cutoff=0.0, bound=bound * float(radii.max()), most=most, fixed=len(radii) - 1)


def solve_seconds(program: LinearProgram, solver: str, rounds: int) -> float:
    """Median of the processor's seconds for one linear program."""
    chosen, taken = make_solver(solver), []
    for _ in range(rounds):
        began = time.process_time()
        solution = chosen.solve(program, lambda: False)
        taken.append(time.process_time() - began)
        assert solution.status == "optimal"
    return median(taken)


def spheres(count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, radii and box in three dimensions."""
    return scattered(count, 3, 0.3, True, np.random.default_rng(seed), 1.4)


def whole_run(count: int, seed: int, solver: str, start: Start = relaxed) -> tuple[float, JammingRun]:
    """The processor's seconds to a jammed packing, and the run."""
    run = JammingRun(*start(count, seed), solver=solver)
    began = time.process_time()
    while not run.reason:
        run.step()
    packing = run.packing()
    seconds = time.process_time() - began
    assert packing.jammed
    assert packing.min_gap > -1e-12
    return seconds, run


def table(counts: list[int]) -> str:
    """The figures as two tables."""
    for solver in SOLVERS:
        whole_run(64, 1, solver)  # compiled and loaded
        whole_run(16, 1, solver, spheres)
    programs = ["| N | iteration | rows | interior-point, s | HiGHS, s | ratio |", "|---|---|---|---|---|---|"]
    runs = ["| N | d | solver | runs | iterations | seconds | phi |", "|---|---|---|---|---|---|---|"]
    for count in counts:
        end = _runs(runs, count, 2, RUNS[count], relaxed)
        for name, program in (
            ("early", early_program(count)),
            ("late", late_program(end.positions, end.radii, end.box)),
        ):
            own, other = (solve_seconds(program, solver, 3 if count > 1024 else 5) for solver in SOLVERS)
            programs.append(
                f"| {count} | {name} | {len(program.first)} | {own:.3f} | {other:.3f} | {other / own:.1f} |"
            )
            print(programs[-1], flush=True)
    for count, seeds in SPHERES.items():
        _runs(runs, count, 3, seeds, spheres)
    return "\n".join([*programs, "", *runs])


def _runs(lines: list[str], count: int, dimensions: int, seeds: tuple[int, ...], start: Start) -> JammingRun:
    """Adds a line for each solver; returns the first run."""
    ends = []
    for solver, number in zip(SOLVERS, seeds, strict=True):
        results = [whole_run(count, seed, solver, start) for seed in range(1, number + 1)]
        if not results:
            continue
        steps = median(len(run.history) for _, run in results)
        fractions = [run.volume_fraction for _, run in results]
        lines.append(
            f"| {count} | {dimensions} | {solver} | {number} | {steps:g} | {median(s for s, _ in results):.2f} | "
            f"{min(fractions):.4f}–{max(fractions):.4f} |"
        )
        print(lines[-1], flush=True)
        ends.append(results[0][1])
    return ends[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/jamming.md")
    parser.add_argument("--counts", default=",".join(map(str, RUNS)), help="some of " + ", ".join(map(str, RUNS)))
    arguments = parser.parse_args()
    made = table([int(count) for count in arguments.counts.split(",")])
    if arguments.write:
        put("jamming.md", "speed", made)


if __name__ == "__main__":
    main()
