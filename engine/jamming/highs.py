"""Linear programs by HiGHS: interior point with crossover, so that the answer is a vertex. Any dimension, any size."""

from __future__ import annotations

import time
from collections.abc import Callable

import highspy
import numpy as np

from engine.jamming.linear_program import LinearProgram, Solution, nothing_found
from engine.jamming.neighbours import Floats, Ints

_TOLERANCE = 1e-10
_OPTIONS = {
    "output_flag": False,
    "solver": "ipx",
    "run_crossover": "on",
    "threads": 1,
    "primal_feasibility_tolerance": _TOLERANCE,
    "dual_feasibility_tolerance": _TOLERANCE,
    "ipm_optimality_tolerance": _TOLERANCE,
}


class HighsSolver:
    """Unknowns are s / s_b and (Γ - 1) / s_b: with them contacts close to rounding, however small s_b is."""

    name = "highs"

    def solve(self, program: LinearProgram, stop: Callable[[], bool], *, loose: bool = False) -> Solution:
        """Solve for the vertex that HiGHS finds. `loose` changes nothing: without crossover its duals are of no use."""
        began = time.perf_counter()
        if stop():
            return nothing_found(program, "interrupted", 0.0)
        scale = program.bound if np.isfinite(program.bound) else 1.0
        model = highspy.Highs()
        for name, value in _OPTIONS.items():
            model.setOptionValue(name, value)
        model.passModel(_model(program, scale))

        def look(event: highspy.highs.HighsCallbackEvent) -> None:
            if stop():
                event.interrupt()

        model.cbIpmInterrupt += look
        model.cbSimplexInterrupt += look
        model.run()
        status = model.getModelStatus()
        seconds = time.perf_counter() - began
        if status == highspy.HighsModelStatus.kInterrupt or stop():
            return nothing_found(program, "interrupted", seconds)
        if status != highspy.HighsModelStatus.kOptimal:
            return nothing_found(program, f"failed: HiGHS says {model.modelStatusToString(status)}", seconds)
        found = model.getSolution()
        values = np.asarray(found.col_value)
        # HiGHS minimises: a row <= h has a dual <= 0 there, or >= 0 where it maximises
        duals = np.abs(np.asarray(found.row_dual))
        moved = values[:-1].reshape(program.shape) * scale
        return Solution(moved, float(values[-1]) * scale, duals, "optimal", time.perf_counter() - began, _TOLERANCE)


def _model(program: LinearProgram, scale: float) -> highspy.HighsLp:
    """Columns: N d displacements, then the growth; one row a pair or wall."""
    count, dimensions = program.shape
    rows = len(program.first)
    columns, values, start = _matrix(program)
    limit = 1.0 if np.isfinite(program.bound) else np.inf
    upper = np.full((count, dimensions), limit)
    if program.fixed >= 0:
        upper[program.fixed] = 0.0
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = count * dimensions + 1, rows
    gain = np.zeros(program.shape) if program.gain is None else program.gain
    model.col_cost_ = np.append(gain.ravel(), 1.0)
    model.col_lower_ = np.append(-upper.ravel(), 0.0)
    model.col_upper_ = np.append(upper.ravel(), program.most / scale)
    model.row_lower_ = np.full(rows, -np.inf)
    model.row_upper_ = np.maximum(program.slack, 0.0) / scale  # what overlaps by rounding counts as touching
    model.sense_ = highspy.ObjSense.kMaximize
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = start
    model.a_matrix_.index_ = columns
    model.a_matrix_.value_ = values
    return model


def _matrix(program: LinearProgram) -> tuple[Ints, Floats, Ints]:
    """The rows in compressed form: columns, values, start of each row."""
    count, dimensions = program.shape
    rows = len(program.first)
    axes = np.arange(dimensions)
    width = 2 * dimensions + 1
    columns = np.zeros((rows, width), np.int32)
    values = np.zeros((rows, width))
    present = np.ones((rows, width), bool)
    columns[:, :dimensions] = program.first[:, None] * dimensions + axes
    values[:, :dimensions] = -program.direction
    columns[:, dimensions:-1] = program.second[:, None] * dimensions + axes
    values[:, dimensions:-1] = program.direction
    present[:, dimensions:-1] = (program.second >= 0)[:, None]
    columns[:, -1] = count * dimensions
    values[:, -1] = program.inflation
    start = np.concatenate(([0], np.cumsum(present.sum(axis=1)))).astype(np.int32)
    return columns[present], values[present], start
