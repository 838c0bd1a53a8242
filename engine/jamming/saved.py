"""Checkpoints of discs that jam, and restoring runs from them, which continue bit for bit.

Discs are at rest between two linear programs, so the whole state can be saved. While discs grow first, the arrays of
the gas are included, with names that begin with `GROWN`.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.geometry.neighbours import DenseState, widest_growth
from engine.hard_discs import saved as hard_discs
from engine.jamming.checks import OVERLAP_TOLERANCE, fewest
from engine.jamming.growth import growing_scenario
from engine.jamming.linear_program import USABLE
from engine.jamming.network import StableNetwork
from engine.jamming.packing import LOOSE, PUSHED, Iteration
from engine.jamming.rules import volume_fraction
from engine.jamming.run import JammingRun
from engine.jamming.section import Jamming
from engine.limits import MAX_SIDE, SMALLEST, fault_of_box
from engine.saved import (
    ABOVE_0,
    COUNTER,
    MASS,
    MOST_COUNTED,
    RADIUS,
    SIDE,
    SINCE_START,
    Arrays,
    SavedArray,
    Values,
    disc_count,
    need,
    number_of,
    real,
    take,
    whole,
)
from engine.scenario import Scenario

GROWN = "grow_"
"""Before the names of the arrays of the discs that grow, in a checkpoint."""

_LONGEST = 2000
"""Bytes of a reason."""

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

SAVED = {
    "initial_radii": SavedArray(RADIUS, ("discs",)),
    "masses": SavedArray(MASS, ("discs",)),
    "box": SavedArray(SIDE, ("axes",)),
    "clock": SavedArray(SINCE_START, (1,)),
    "start": SavedArray(real(), (2,)),
    "failed": SavedArray(_BYTE, ("bytes of the failure",)),
    "positions": SavedArray(real(0.0, MAX_SIDE), ("discs", "axes")),
    "radii": SavedArray(RADIUS, ("discs",)),
    "first": SavedArray(number_of("discs"), ("contacts",)),
    "second": SavedArray(Values("i4", -6, "discs"), ("contacts",)),
    "vectors": SavedArray(real(), ("contacts", "axes")),
    "forces": SavedArray(real(ABOVE_0), ("contacts",)),
    "rattlers": SavedArray(_FLAG, ("discs",)),
    "residual": SavedArray(real(), ("discs", "axes")),
    "gain": SavedArray(real(), ("discs with a gain", "axes")),
    "rules": SavedArray(real(ABOVE_0), ("values of the rule",)),
    "fixed": SavedArray(number_of("discs", none=True), (1,)),
    "iterations": ITERATIONS,
    "jammed": SavedArray(_FLAG, (1,)),
    "reason": SavedArray(_BYTE, ("bytes of the reason",)),
}
"""The arrays of a checkpoint.

initial_radii (N,), masses (N,), box (d,), clock (1,) : of the simulation; start (2,) : volume fraction and least gap at
the start; failed : why the last iteration has failed; positions (N, d), radii (N,) : now; first, second, vectors,
forces, rattlers, residual : the `StableNetwork`; gain (N, d) : of displacements, (0, d) where there is none; rules
(2,) or (3,) : what the rule remembers; fixed (1,) : the disc at rest, -1 for none; jammed (1,); reason : why the run
has ended.
"""

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
    """A text as an array."""
    return np.array(list(text.encode()), np.int32)


def text_of(array: NDArray[Any]) -> str:
    """The text that `bytes_of` was given."""
    return bytes(array.tolist()).decode("utf-8", "replace")


def parted(arrays: Arrays) -> tuple[Arrays, Arrays]:
    """The arrays of a packing, and those of the discs that grow before, which are none if they have grown."""
    own = {name: array for name, array in arrays.items() if not name.startswith(GROWN)}
    return own, {name.removeprefix(GROWN): array for name, array in arrays.items() if name.startswith(GROWN)}


def taken(own: Arrays, dimensions: int) -> dict[str, NDArray[Any]]:
    """The declared arrays of a packing, in range. Raises InputError."""
    return take(own, SAVED, {"discs": disc_count(own), "axes": dimensions})


def check(arrays: Arrays, scenario: Scenario) -> None:
    """Raise InputError unless a run can safely continue with the result of `restored`. O(N log N)."""
    own, grown = parted(arrays)
    found = taken(own, scenario.dimensions)
    count = len(found["radii"])
    need(count >= fewest(scenario.box.boundary == "periodic"), "it has too few discs to jam")
    _check_discs(found, scenario)
    _check_network(found, scenario.box.boundary == "periodic")
    _check_past(found)
    need(len(found["rules"]) in (2, 3), "the rules are out of range")
    at_rest = found["fixed"][0] >= 0
    need(at_rest == (scenario.box.boundary == "periodic"), "the disc at rest is out of range")
    if grown:
        need(scenario.section(Jamming).start == "grown", "its discs are not to grow")
        need(len(found["iterations"]) == 0, "its discs grow although there were iterations")
        hard_discs.check(grown, growing_scenario(scenario))
        need(np.array_equal(grown["radii"], found["initial_radii"]), "the discs that grow are not its discs")


def _check_discs(found: Arrays, scenario: Scenario) -> None:
    """Check that the discs have grown in the same ratio, fit into the box, and do not overlap."""
    box, positions, radii = found["box"], found["positions"], found["radii"]
    need(not fault_of_box(box), "its box is too long and narrow")
    need((positions <= box).all(), "a disc is outside the box")
    for each in (radii, found["initial_radii"]):
        low, high = 0.5 * SMALLEST * box.max(), box.min() * (1.0 + OVERLAP_TOLERANCE)
        need(((each >= low) & (2.0 * each <= high)).all(), "a radius is out of range")
    growth = radii / found["initial_radii"]
    need(growth.max() <= growth.min() * (1.0 + 1e-6), "its discs have not grown alike")
    need(volume_fraction(radii, box) < 1.0, "its discs do not fit into the box")
    factor, _ = widest_growth(DenseState(positions, radii, box, scenario.box.boundary == "periodic"))
    need(factor >= 1.0 - OVERLAP_TOLERANCE, "its discs overlap")


def _check_network(found: Arrays, periodic: bool) -> None:
    """Check that contacts are between discs that are near each other, or a disc and its own image."""
    own = found["vectors"][found["first"] == found["second"]] / found["box"]
    sides = np.rint(own)
    images = (np.abs(own - sides) <= OVERLAP_TOLERANCE).all(axis=1) & sides.any(axis=1)
    need(len(own) == 0 or (periodic and bool(images.all())), "a disc touches itself")
    need((found["second"] >= -2 * len(found["box"])).all(), "second is out of range")
    need(len(found["gain"]) in (0, len(found["radii"])), "the gain of its displacements does not fit its discs")
    length = reduce(np.hypot, found["vectors"].T / float(found["box"].max()))
    need(((length > 0.1 * SMALLEST) & (length < 10.0)).all(), "the way between two discs is out of range")


def _check_past(found: Arrays) -> None:
    """Check that the iterations are complete and consistent with the clock."""
    iterations = found["iterations"]
    solved = len(iterations)
    need((iterations["number"] == np.arange(1, solved + 1)).all(), "its history is not complete")
    filled = np.append(iterations["volume_fraction"], found["start"][0])
    need(((filled > 0.0) & (filled < 1.0)).all(), "its history has impossible volume fractions")
    need(solved <= found["clock"][0] < solved + 1.0, "its time is not that of its history")
    need(not found["jammed"][0] or len(found["first"]) > 0, "it is jammed without contacts")
    need(max(len(found["reason"]), len(found["failed"])) <= _LONGEST, "its reason is too long")


def restored(own: Arrays, periodic: bool, keys: Jamming) -> JammingRun:
    """The run that continues from the arrays of a packing, which `check` accepts; nothing is shared with them."""
    found = {name: array.copy() for name, array in taken(own, len(own["box"])).items()}
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
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], periodic: bool, keys: Jamming
) -> JammingRun:
    """A run with the settings of a scenario. InputError for a state that cannot be jammed."""
    return JammingRun(positions, radii, box, periodic=periodic, **keys.model_dump(exclude={"start"}))


def _iteration(row: tuple[Any, ...]) -> Iteration:
    values: dict[str, Any] = dict(zip(ITERATIONS.fields, row, strict=True))
    return Iteration(**values | {"status": _STATUSES[values["status"]]})
