"""Jamming: one iteration and whole runs over N, both solvers, one core. Reported, not asserted.

The goals are those of the project: one iteration within 0.06 s at 1024 and 0.6 s at 4096, at least three times faster
than HiGHS from 1024 on; a whole run from a volume fraction of 0.83 within 6 s at 1024 and 70 s at 4096.
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.jamming import early_program, late_program, solve_seconds, whole_run
from engine.jamming.run import JammingRun, make_solver

medians: dict[tuple[int, str], float] = {}


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    whole_run(64, 1, "interior-point")
    whole_run(64, 1, "highs")


@pytest.mark.parametrize("solver", ["highs", "interior-point"])
@pytest.mark.parametrize("count", [256, 1024, 4096])
def test_one_program(benchmark: BenchmarkFixture, count: int, solver: str) -> None:
    program = early_program(count)
    chosen = make_solver(solver)
    solution = benchmark.pedantic(chosen.solve, (program, lambda: False), rounds=5, warmup_rounds=1)
    assert solution.status == "optimal"
    medians[count, solver] = benchmark.stats.stats.median
    benchmark.extra_info["rows"] = len(program.first)
    if solver == "interior-point" and (count, "highs") in medians:
        ratio = medians[count, "highs"] / medians[count, solver]
        benchmark.extra_info["times faster than HiGHS"] = round(ratio, 1)


@pytest.mark.parametrize(("count", "rounds"), [(256, 5), (1024, 5), (4096, 1)])
def test_whole_run(benchmark: BenchmarkFixture, count: int, rounds: int) -> None:
    seeds = iter(range(1, rounds + 1))
    runs: list[tuple[float, JammingRun]] = []

    def once() -> None:
        runs.append(whole_run(count, next(seeds), "interior-point"))

    benchmark.pedantic(once, rounds=rounds)
    benchmark.extra_info["processor time, s"] = [round(seconds, 2) for seconds, _ in runs]
    benchmark.extra_info["programs"] = [len(run.history) for _, run in runs]
    benchmark.extra_info["volume fraction"] = [round(run.volume_fraction, 5) for _, run in runs]
    _, end = runs[0]
    program = late_program(end.positions, end.radii, end.box)
    seconds = {solver: solve_seconds(program, solver, 3) for solver in ("interior-point", "highs")}
    benchmark.extra_info["late program, s"] = {name: round(value, 4) for name, value in seconds.items()}
