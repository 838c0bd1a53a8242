"""Checkpoints of discs that jam, and restoring runs from them, which continue bit for bit.

Discs are at rest between two linear programs, so the whole state can be saved. While discs grow first, the arrays of
the gas are included, with names that begin with `GROWN`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Arrays
from engine.boundary import Periodic
from engine.errors import MAX_SIDE, SMALLEST
from engine.hard_discs import saved as hard_discs
from engine.jamming.checks import growing_scenario
from engine.jamming.linear_program import USABLE
from engine.jamming.packing import LOOSE, PUSHED, Iteration, StableNetwork
from engine.jamming.run import JammingRun
from engine.jamming.section import Jamming
from engine.saved import (
    ABOVE_0,
    COUNTER,
    MASS,
    MOST_COUNTED,
    RADIUS,
    SIDE,
    SINCE_START,
    SavedArray,
    Values,
    check_radii,
    need,
    number_of,
    real,
    take,
    whole,
)
from engine.scenario import Scenario

GROWN = "grow_"
"""Before the names of the arrays of the discs that grow, in a checkpoint."""

_STATUSES = (*USABLE, LOOSE, PUSHED)

_FLAG = whole(0, 1, "i4")
_BYTE = whole(32, 255, "i4")
_OF_ITERATION = real(-MOST_COUNTED, MOST_COUNTED)

ITERATIONS = SavedArray(
    {
        "number": whole(1, MOST_COUNTED),
        "status": whole(0, len(_STATUSES) - 1),
        "seconds cutoff bound inflation moved moved_stable": _OF_ITERATION,
        "volume_fraction": real(0.0, 1.0),
        "contacts": COUNTER,
        "isostatic_gap": whole(-MOST_COUNTED, MOST_COUNTED),
        "rattlers": COUNTER,
        "force_mismatch min_gap": _OF_ITERATION,
        "rows": COUNTER,
    },
    ("iterations",),
)
"""Each `Iteration`; its status is the number of one of `_STATUSES`: those that were interrupted or have failed are not
in a history."""


@cache
def saved(dimensions: int) -> dict[str, SavedArray]:
    """The arrays of a checkpoint in so many dimensions.

    initial_radii (N,), masses (N,), box (d,), clock (1,) : of the simulation; start (2,) : volume fraction and least
    gap at the start; failed : why the last iteration has failed; positions (N, d), radii (N,) : now; first, second,
    vectors, forces, rattlers, residual : the `StableNetwork`; gain (N, d) : of displacements, (0, d) where there is
    none; rules (2,) or (3,) : what the rule remembers; fixed (1,) : the disc at rest, -1 for none; jammed (1,);
    reason : why the run has ended.
    """
    return {
        "initial_radii": SavedArray(RADIUS, ("discs",)),
        "masses": SavedArray(MASS, ("discs",)),
        "box": SavedArray(SIDE, (dimensions,)),
        "clock": SavedArray(SINCE_START, (1,)),
        "start": SavedArray(real(), (2,)),
        "failed": SavedArray(_BYTE, ("bytes of the failure",)),
        "positions": SavedArray(real(0.0, MAX_SIDE), ("discs", dimensions)),
        "radii": SavedArray(RADIUS, ("discs",)),
        "first": SavedArray(number_of("discs"), ("contacts",)),
        "second": SavedArray(Values("i4", -2 * dimensions, "discs"), ("contacts",)),
        "vectors": SavedArray(real(), ("contacts", dimensions)),
        "forces": SavedArray(real(ABOVE_0), ("contacts",)),
        "rattlers": SavedArray(_FLAG, ("discs",)),
        "residual": SavedArray(real(), ("discs", dimensions)),
        "gain": SavedArray(real(), ("discs with a gain", dimensions)),
        "rules": SavedArray(real(ABOVE_0), ("values of the rule",), fewest=2),
        "fixed": SavedArray(number_of("discs", none=True), (1,)),
        "iterations": ITERATIONS,
        "jammed": SavedArray(_FLAG, (1,)),
        "reason": SavedArray(_BYTE, ("bytes of the reason",)),
    }


_OF_NETWORK = ("first", "second", "vectors", "forces", "residual")


def arrays_of(run: JammingRun) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint that are those of a run; some are its own."""
    rows = [
        tuple(_STATUSES.index(entry.status) if name == "status" else getattr(entry, name) for name in ITERATIONS.fields)
        for entry in run.history
    ]
    return {
        "positions": run.positions,
        "radii": run.radii,
        **{name: getattr(run.network, name) for name in _OF_NETWORK},
        "rattlers": run.network.rattlers.astype(np.int32),
        "gain": np.zeros((0, run.dimensions)) if run._gain is None else run._gain,
        "rules": np.array(run._rules.memory(), np.float64),
        "fixed": np.array([run._fixed], np.int32),
        "iterations": np.array(rows, ITERATIONS.dtype),
        "jammed": np.array([run.jammed], np.int32),
        "reason": bytes_of(run.reason),
    }


def bytes_of(text: str) -> NDArray[np.int32]:
    """A text as an array of the bytes of its UTF-8 form, (n,)."""
    return np.array(list(text.encode()), np.int32)


def text_of(array: NDArray[Any]) -> str:
    """The text of an array made by `bytes_of`, (n,)."""
    return bytes(array.tolist()).decode("utf-8", "replace")


def parted(arrays: Arrays) -> tuple[Arrays, Arrays]:
    """The arrays of a packing, and those of the discs that grow before, which are none if they have grown."""
    own = {name: array for name, array in arrays.items() if not name.startswith(GROWN)}
    return own, {name.removeprefix(GROWN): array for name, array in arrays.items() if name.startswith(GROWN)}


def check(arrays: Arrays, scenario: Scenario) -> None:
    """Raise InputError unless a run can safely continue with the result of `restored`. O(N log N)."""
    own, grown = parted(arrays)
    found = take(own, saved(scenario.dimensions), {})
    periodic = scenario.periodic
    check_radii(np.append(found["radii"], found["initial_radii"]), found["box"], periodic=False)
    need((found["positions"] <= found["box"]).all(), "positions must be in the box")
    restored(own, periodic, scenario.section(Jamming))  # it checks that discs do not overlap
    need(len(found["gain"]) in (0, len(found["radii"])), "gain must have a row of each disc, or none")
    length = np.linalg.norm(found["vectors"] / found["box"].max(), axis=1)
    need(((length > 0.1 * SMALLEST) & (length < 10.0)).all(), "vectors must lead from one disc to another")
    need(not found["jammed"][0] or len(found["first"]) > 0, "jammed must be 0 where there are no contacts")
    need((found["fixed"][0] >= 0) == periodic.all, "fixed must be a disc of a box that is periodic along all axes")
    if grown:
        need(scenario.section(Jamming).start == "grown", "its discs are not to grow")
        need(len(found["iterations"]) == 0, "iterations must be none while discs grow")
        hard_discs.check(grown, growing_scenario(scenario))
        need(
            np.array_equal(grown["radii"], found["initial_radii"]), "initial_radii must be those of the discs that grow"
        )


def restored(own: Arrays, periodic: Periodic, keys: Jamming) -> JammingRun:
    """The run that continues from the arrays of a packing, which `check` accepts; nothing is shared with them."""
    found = {name: array.copy() for name, array in take(own, saved(len(own["box"])), {}).items()}
    run = new_run(found["positions"], found["radii"], found["box"], periodic, keys)
    # initial states are wrapped into the box and freed of overlaps; these must stay unchanged
    run.positions, run.radii = found["positions"], found["radii"]
    run.network = StableNetwork(rattlers=found["rattlers"] != 0, **{name: found[name] for name in _OF_NETWORK})
    run._rules.recall(tuple(found["rules"].tolist()))
    run._gain = found["gain"] if len(found["gain"]) else None
    run._fixed = int(found["fixed"][0])
    run.history = [_iteration(row) for row in found["iterations"].tolist()]
    run.jammed = bool(found["jammed"][0])
    run.reason = text_of(found["reason"])
    return run


def new_run(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    periodic: Periodic | bool,
    keys: Jamming,
) -> JammingRun:
    """A run with the settings of a scenario. Raises InputError for a state that cannot be jammed.

    positions : (N, d); radii : (N,); box : (d,).
    """
    return JammingRun(positions, radii, box, periodic=periodic, **keys.model_dump(exclude={"start"}))


def _iteration(row: tuple[Any, ...]) -> Iteration:
    values: dict[str, Any] = dict(zip(ITERATIONS.fields, row, strict=True))
    return Iteration(**values | {"status": _STATUSES[values["status"]]})
