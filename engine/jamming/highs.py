"""Linear programs by HiGHS: interior point with crossover, so that the answer is a vertex. Any dimension, any size."""

from __future__ import annotations

import time
from collections.abc import Callable

import highspy
import numpy as np
import scipy.sparse as sparse

from engine.jamming.linear_program import LinearProgram, Solution, incidence, nothing_found

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
    """Linear programs by HiGHS; the unknowns are s / s_b and (Γ - 1) / s_b, with which contacts close to rounding,
    however small s_b is."""

    name = "highs"

    def solve(self, program: LinearProgram, stop: Callable[[], bool], *, loose: bool = False) -> Solution:
        """Solve for the vertex that HiGHS finds.

        `loose` changes nothing: only the crossover, its last step, gives dual variables that are forces.
        """
        began = time.perf_counter()
        if stop():
            return nothing_found(program, "interrupted", 0.0)
        scale = program.bound if np.isfinite(program.bound) else 1.0
        model = highspy.Highs()
        for name, value in _OPTIONS.items():
            model.setOptionValue(name, value)
        model.passModel(_model(program, scale))

        def interrupt(event: highspy.highs.HighsCallbackEvent) -> None:
            if stop():
                event.interrupt()

        model.cbIpmInterrupt += interrupt
        model.cbSimplexInterrupt += interrupt
        model.run()
        status = model.getModelStatus()
        if status == highspy.HighsModelStatus.kUnknown and not stop():  # the interior point has lost its way
            model.setOptionValue("solver", "simplex")
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
    """The linear program as HiGHS takes it: columns are N d displacements and the growth, rows those of the program."""
    count, dimensions = program.shape
    rows = len(program.first)
    moves = -incidence(program.first, program.second, program.direction, count)
    matrix = sparse.hstack((moves, program.inflation[:, None]), format="csr")
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
    model.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    model.a_matrix_.index_ = matrix.indices.astype(np.int32)
    model.a_matrix_.value_ = matrix.data
    return model
