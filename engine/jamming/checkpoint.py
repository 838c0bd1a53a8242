"""A run of jamming as plain arrays, and a run from such arrays; it goes on bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.jamming.linear_program import USABLE
from engine.jamming.network import StableNetwork
from engine.jamming.packing import Iteration
from engine.jamming.run import JammingRun
from engine.jamming.section import Jamming

Arrays = dict[str, NDArray[Any]]

_OF_NETWORK = ("first", "second", "vectors", "forces", "residual")  # its arrays, kept as they are

ITERATION = np.dtype([(field.name, "f8" if field.type == "float" else "i8") for field in fields(Iteration)], align=True)
"""An `Iteration` as a record; its status is the number of one of `USABLE`; iterations that were interrupted
or have failed are not in a history."""


def arrays_of(run: JammingRun) -> Arrays:
    """Copies: `positions` (N, 2), `radii` (N,), those now; the arrays of the `StableNetwork` by their names; the `gain`
    of displacements (N, 2), or (0, 2) where there is none; `rules` (2,) or (3,), what the rule remembers; `fixed` (1,);
    `iterations` (P,); `jammed` (1,); `reason` (bytes,)."""
    rows = [
        tuple(USABLE.index(value) if isinstance(value, str) else value for value in astuple(entry))
        for entry in run.history
    ]
    return {
        "positions": run.positions.copy(),
        "radii": run.radii.copy(),
        **{name: getattr(run.network, name).copy() for name in _OF_NETWORK},
        "rattlers": run.network.rattlers.astype(np.int32),
        "gain": np.zeros((0, 2)) if run._gain is None else run._gain.copy(),
        "rules": np.array(run._rules.memory(), np.float64),
        "fixed": np.array([run._fixed], np.int32),
        "iterations": np.array(rows, ITERATION),
        "jammed": np.array([run.jammed], np.int32),
        "reason": bytes_of(run.reason),
    }


def run_from(arrays: Mapping[str, NDArray[Any]], box: NDArray[np.float64], periodic: bool, keys: Jamming) -> JammingRun:
    """The run that `arrays_of` has made these arrays of."""
    run = new_run(arrays["positions"], arrays["radii"], box, periodic, keys)
    # a start is wrapped into the box and freed of overlaps; these stay as they were
    run.positions, run.radii = arrays["positions"].copy(), arrays["radii"].copy()
    run.network = StableNetwork(rattlers=arrays["rattlers"] != 0, **{name: arrays[name].copy() for name in _OF_NETWORK})
    run._rules.recall(tuple(arrays["rules"].tolist()))
    run._gain = arrays["gain"].copy() if len(arrays["gain"]) else None
    run._fixed = int(arrays["fixed"][0])
    run.history = [_iteration(row) for row in arrays["iterations"].tolist()]
    run.jammed = bool(arrays["jammed"][0])
    run.reason = text_of(arrays["reason"])
    return run


def new_run(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], periodic: bool, keys: Jamming
) -> JammingRun:
    """A run with the settings of a scenario. InputError for a state that cannot be jammed."""
    return JammingRun(positions, radii, box, periodic=periodic, **keys.model_dump(exclude={"start"}))


def bytes_of(text: str) -> NDArray[np.int32]:
    """A text as an array."""
    return np.array(list(text.encode()), np.int32)


def text_of(array: NDArray[Any]) -> str:
    """The text that `bytes_of` was given."""
    return bytes(array.tolist()).decode("utf-8", "replace")


def _iteration(row: tuple[Any, ...]) -> Iteration:
    values: dict[str, Any] = dict(zip(ITERATION.names or (), row, strict=True))
    return Iteration(**values | {"status": USABLE[values["status"]]})
