"""Whether a run of jamming can go on from a checkpoint: nothing in it is trusted."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.hard_discs import checkpoint_checks as hard_discs
from engine.jamming.checkpoint import ITERATION
from engine.jamming.checks import OVERLAP_TOLERANCE
from engine.jamming.growth import growing_scenario
from engine.jamming.linear_program import USABLE
from engine.jamming.neighbours import DenseState, widest_growth
from engine.jamming.rules import volume_fraction
from engine.jamming.section import Jamming
from engine.jamming.simulation import GROWN
from engine.limits import MAX_SIDE, MIN_SIDE, SMALLEST
from engine.saved import (
    MOST_COUNTED,
    Arrays,
    Shape,
    disc_count,
    finite,
    need,
    need_shapes,
    within,
)
from engine.scenario import Scenario

_LONGEST = 2000  # bytes of a reason
_COUNTED = ("number", "contacts", "rattlers", "rows")


def check_arrays(arrays: Arrays, scenario: Scenario) -> None:
    """InputError unless a run can go on with `arrays`. O(N log N)."""
    own = {name: value for name, value in arrays.items() if not name.startswith(GROWN)}
    grown = {name.removeprefix(GROWN): value for name, value in arrays.items() if name.startswith(GROWN)}
    count = disc_count(own)
    need(count > 2, "it has too few discs to jam")
    need_shapes(own, _shapes(count))
    _check_discs(own, scenario)
    _check_network(own, count)
    _check_past(own)
    need(len(own["rules"]) in (2, 3), "the rules are out of range")
    need((own["rules"] > 0.0).all() and np.isfinite(own["rules"]).all(), "the rules are out of range")
    fixed = int(own["fixed"][0])
    need(0 <= fixed < count if scenario.box.boundary == "periodic" else fixed == -1, "the disc at rest is out of range")
    if grown:
        _check_growing(grown, own, scenario)


def _shapes(count: int) -> dict[str, tuple[type[np.generic] | np.dtype[Any], Shape]]:
    whole, real = np.int32, np.float64
    return {
        "initial_radii": (real, (count,)),
        "masses": (real, (count,)),
        "box": (real, (2,)),
        "clock": (real, (1,)),
        "start": (real, (2,)),
        "failed": (whole, (None,)),
        "positions": (real, (count, 2)),
        "radii": (real, (count,)),
        "first": (whole, (None,)),
        "second": (whole, (None,)),
        "vectors": (real, (None, 2)),
        "forces": (real, (None,)),
        "rattlers": (whole, (count,)),
        "residual": (real, (count, 2)),
        "gain": (real, (None, 2)),
        "rules": (real, (None,)),
        "fixed": (whole, (1,)),
        "iterations": (ITERATION, (None,)),
        "jammed": (whole, (1,)),
        "reason": (whole, (None,)),
    }


def _check_discs(a: Arrays, scenario: Scenario) -> None:
    box, periodic = a["box"], scenario.box.boundary == "periodic"
    need(((box >= MIN_SIDE) & (box <= MAX_SIDE)).all(), "the sides of its box are out of range")
    finite(a["positions"], "a position")
    need(((a["positions"] >= 0.0) & (a["positions"] <= box)).all(), "a disc is outside the box")
    for name in ("radii", "initial_radii"):
        low, high = 0.5 * SMALLEST * box.max(), box.min() * (1.0 + OVERLAP_TOLERANCE)
        need(((a[name] >= low) & (2.0 * a[name] <= high)).all(), "a radius is out of range")
    growth = a["radii"] / a["initial_radii"]
    need(growth.max() <= growth.min() * (1.0 + 1e-6), "its discs have not grown alike")
    need(((a["masses"] > 1e-100) & (a["masses"] < 1e100)).all(), "a mass is out of range")
    need(volume_fraction(a["radii"], box) < 1.0, "its discs do not fit into the box")
    factor, _ = widest_growth(DenseState(a["positions"], a["radii"], box, periodic))
    need(factor >= 1.0 - OVERLAP_TOLERANCE, "its discs overlap")


def _check_network(a: Arrays, count: int) -> None:
    contacts = len(a["first"])
    need(len(a["second"]) == len(a["vectors"]) == len(a["forces"]) == contacts, "its contacts do not fit together")
    within(a["first"], 0, count, "a contact")
    within(a["second"], -4, count, "a contact")
    need((a["first"] != a["second"]).all(), "a disc touches itself")
    need(len(a["gain"]) in (0, count), "the gain of its displacements does not fit its discs")
    within(a["rattlers"], 0, 2, "a rattler")
    for name in ("vectors", "forces", "residual", "gain"):
        finite(a[name], f"one of the {name}")
    need((a["forces"] > 0.0).all(), "a force is not above 0")
    box = float(a["box"].max())
    length = np.hypot(*(a["vectors"].T / box))
    need(((length > 0.1 * SMALLEST) & (length < 10.0)).all(), "the way between two discs is out of range")


def _check_past(a: Arrays) -> None:
    columns = a["iterations"]
    solved = len(columns)
    for name in ITERATION.names or ():
        finite(columns[name], "its history")
        need(((columns[name] > -MOST_COUNTED) & (columns[name] < MOST_COUNTED)).all(), "its history is out of range")
    need((columns["number"] == np.arange(1, solved + 1)).all(), "its history is not complete")
    need(np.isin(columns["status"], range(len(USABLE))).all(), "its history has an unknown status")
    need(all((columns[name] >= 0.0).all() for name in _COUNTED), "its history counts below 0")
    filled = np.append(columns["volume_fraction"], a["start"][0])
    need(((filled > 0.0) & (filled < 1.0)).all(), "its history has impossible volume fractions")
    finite(a["start"], "its start")
    clock = float(a["clock"][0])
    need(solved <= clock < solved + 1.0, "its time is not that of its history")
    within(a["jammed"], 0, 2, "whether it is jammed")
    need(not a["jammed"][0] or len(a["first"]) > 0, "it is jammed without contacts")
    for name in ("reason", "failed"):
        need(len(a[name]) <= _LONGEST, "its reason is too long")
        within(a[name], 32, 256, "its reason")


def _check_growing(grown: Arrays, own: Arrays, scenario: Scenario) -> None:
    need(scenario.section(Jamming).start == "grown", "its discs are not to grow")
    need(len(own["iterations"]) == 0, "its discs grow although there were iterations")
    hard_discs.check_arrays(grown, growing_scenario(scenario))
    need(np.array_equal(grown["radii"], own["initial_radii"]), "the discs that grow are not its discs")
