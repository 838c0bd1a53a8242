"""A run of jamming as plain arrays, and back; it goes on bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jamming.network import Network
from engine.jamming.packing import Iteration
from engine.jamming.run import JammingRun
from engine.jamming.section import Jamming

Arrays = dict[str, NDArray[Any]]

STATUSES = ("optimal", "stopped early")
"""Of the programs in a history; those that were interrupted or have failed are not in it."""

COLUMNS = len(Iteration.__dataclass_fields__)


def arrays_of(run: JammingRun) -> Arrays:
    """Copies: positions (N, 2), sizes (N,): the radii now; the contacts (`first`, `second`, `vectors`, `forces`),
    `loose`, `residual`; `ahead` (N, 2) or (0, 2); `rules` (2,); `fixed` (1,);
    `programs` (P, columns); `jammed` (1,); `reason` (bytes,)."""
    net = run.network
    rows = [[STATUSES.index(value) if isinstance(value, str) else value for value in astuple(e)] for e in run.history]
    return {
        "positions": run.positions.copy(),
        "sizes": run.radii.copy(),
        "first": net.first.astype(np.int32),
        "second": net.second.astype(np.int32),
        "vectors": net.vectors.copy(),
        "forces": net.forces.copy(),
        "loose": net.rattlers.astype(np.int32),
        "residual": net.residual.copy(),
        "ahead": np.zeros((0, 2)) if run._ahead is None else run._ahead.copy(),
        "rules": np.array(run._rules.memory(), np.float64),
        "fixed": np.array([run._fixed], np.int32),
        "programs": np.array(rows, np.float64).reshape(-1, COLUMNS),
        "jammed": np.array([run.jammed], np.int32),
        "reason": bytes_of(run.reason),
    }


def run_from(arrays: Mapping[str, NDArray[Any]], box: NDArray[np.float64], periodic: bool, keys: Jamming) -> JammingRun:
    """The run that `arrays_of` was given."""
    run = new_run(arrays["positions"], arrays["sizes"], box, periodic, keys)
    # as they were: not what the checks of a start make of them
    run.positions, run.radii = arrays["positions"].copy(), arrays["sizes"].copy()
    kept = {name: arrays[name].copy() for name in ("first", "second", "vectors", "forces", "residual")}
    run.network = Network(rattlers=arrays["loose"] != 0, **kept)
    run._rules.recall(tuple(arrays["rules"].tolist()))
    run._ahead = arrays["ahead"].copy() if len(arrays["ahead"]) else None
    run._fixed = int(arrays["fixed"][0])
    run.history = [_iteration(row) for row in arrays["programs"].tolist()]
    run.jammed = bool(arrays["jammed"][0])
    run.reason = text_of(arrays["reason"])
    return run


def new_run(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], periodic: bool, keys: Jamming
) -> JammingRun:
    """A run with the settings of a scenario. InputError for a state that cannot be jammed."""
    return JammingRun(
        positions,
        radii,
        box,
        periodic=periodic,
        rules=keys.rules,
        solver=keys.solver,
        tolerance_inflation=keys.tolerance_inflation,
        tolerance_displacement=keys.tolerance_displacement,
        max_iterations=keys.max_iterations,
    )


def bytes_of(text: str) -> NDArray[np.int32]:
    """A text as an array."""
    return np.array(list(text.encode()), np.int32)


def text_of(array: NDArray[Any]) -> str:
    """What `bytes_of` was given."""
    return bytes(array.tolist()).decode("utf-8", "replace")


def _iteration(row: list[float]) -> Iteration:
    values: dict[str, Any] = dict(zip(Iteration.__dataclass_fields__, row, strict=True))
    values["status"] = STATUSES[int(values["status"])]
    for name in ("number", "contacts", "isostatic_gap", "rattlers", "rows"):
        values[name] = int(values[name])
    return Iteration(**values)
