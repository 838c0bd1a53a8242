"""Checkpoints from files: refused unless the kernels, which index without looking at bounds, can go on with them."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from engine.errors import InputError
from engine.files.limits import MAX_SCENARIO, plain
from engine.scenario import Scenario
from engine.simulation import Checkpoint

Arrays = dict[str, NDArray[Any]]


def check_checkpoint(checkpoint: Checkpoint) -> None:
    """InputError, one sentence, unless `restore` may be given this checkpoint; nothing in it is trusted.

    O(N log N). What passes either is a state that a simulation can be in, or differs from one in numbers that make a
    run wrong but not unsafe. `restore` itself trusts its arrays: checkpoints of this process need no check.
    """
    kind = (checkpoint.system, checkpoint.method)
    if kind not in _CHECKS:
        words = f"{plain(str(checkpoint.system))}, {plain(str(checkpoint.method))}"
        raise InputError(f"this version cannot restore a checkpoint of {words}")
    scenario = checked_scenario(checkpoint.scenario)
    if (scenario.system, scenario.method) != kind:
        raise InputError("the saved state is damaged: its scenario is one of another method")
    _CHECKS[kind](checkpoint.arrays, scenario)


def _check_events(arrays: Arrays, scenario: Scenario) -> None:
    from engine.aggregation.event_driven import checkpoint_checks

    checkpoint_checks.check_arrays(arrays)


def _check_steps(arrays: Arrays, scenario: Scenario) -> None:
    from engine.aggregation.time_stepping import checkpoint_checks

    checkpoint_checks.check_arrays(arrays, scenario)


def _check_gas(arrays: Arrays, scenario: Scenario) -> None:
    from engine.hard_discs import checkpoint_checks

    checkpoint_checks.check_arrays(arrays, scenario)


def _check_jamming(arrays: Arrays, scenario: Scenario) -> None:
    from engine.jamming import checkpoint_checks

    checkpoint_checks.check_arrays(arrays, scenario)


_CHECKS = {
    ("aggregation", "event-driven"): _check_events,
    ("aggregation", "time-stepping"): _check_steps,
    ("hard-discs", "event-driven"): _check_gas,
    ("jamming", "linear-programs"): _check_jamming,
}


def checked_scenario(text: str) -> Scenario:
    """The scenario of a text that may be anything; InputError where it is none."""
    if len(text) > MAX_SCENARIO:
        raise InputError("the scenario of the saved state is too long")
    try:
        return Scenario.from_toml(text, name="the scenario of the saved state")
    except InputError:
        raise
    except ValueError as error:  # numbers with thousands of digits
        words = plain(" ".join(str(error).split()))
        raise InputError(f"the scenario of the saved state is not valid: {words}") from None
