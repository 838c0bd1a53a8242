"""Checking checkpoints from files. Kernels index arrays without bounds checks, so nothing may be out of range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.checks import MAX_SCENARIO, plain
from engine.scenario import Scenario
from engine.simulation import Checkpoint
from engine.system import find


def check_checkpoint(checkpoint: Checkpoint) -> None:
    """Check that `restore` can safely be given this checkpoint. Takes O(N log N).

    A checkpoint that passes is a state that a simulation can be in, or differs from one only in values that make
    results wrong but cannot crash the program. Checkpoints of this process need no check.

    Raises
    ------
    InputError
        The checkpoint is damaged, or not one of this version.
    """
    if _is_early(checkpoint.arrays):
        raise InputError("the saved state is of an early version 0.2.0, and this version cannot continue from it")
    known = find(checkpoint.system)
    if known is None or checkpoint.method not in known.methods:
        words = f"{plain(str(checkpoint.system))}, {plain(str(checkpoint.method))}"
        raise InputError(f"this version cannot restore a checkpoint of {words}")
    scenario = checked_scenario(checkpoint.scenario)
    if (scenario.system, known.method(scenario)) != (checkpoint.system, checkpoint.method):
        raise InputError("the saved state is damaged: its scenario is one of another method")
    known.check_checkpoint(checkpoint.arrays, scenario)


def _is_early(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Whether a state was written before 28 November 2026 by a version 0.2.0 that had arrays of today not yet, or some
    more: of event-driven runs, of time stepping, of hard discs."""
    log = arrays["log"].dtype.names or () if "log" in arrays else ()
    return "watches" in arrays or "head" in arrays or ("virial" in log and "heat" not in log)


def checked_scenario(text: str) -> Scenario:
    """The scenario in a text that may come from anywhere. Raises InputError if it is not a valid scenario."""
    if len(text) > MAX_SCENARIO:
        raise InputError("the scenario of the saved state is too long")
    try:
        return Scenario.from_toml(text, name="the scenario of the saved state")
    except InputError:
        raise
    except ValueError as error:  # numbers with thousands of digits
        words = plain(" ".join(str(error).split()))
        raise InputError(f"the scenario of the saved state is not valid: {words}") from None
