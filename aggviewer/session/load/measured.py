"""Values of the run: those of ``aggviewer run --json``, and statistics of each field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.system import system_of

if TYPE_CHECKING:
    from aggviewer.session.run.lanes import Lane
    from aggviewer.session.run.run import Run
    from engine.frame import Frame

Measured = tuple[dict[str, Any], ...]
"""For each lane: the keys of ``run --json``; ``fields``, mapping each field to its mean, minimum, maximum and standard
deviation over the discs; and ``forces``, the same over contacts that carry forces."""


def measured(run: Run) -> Measured | InputError:
    """Measure the present state of each lane on the simulation's thread, or return the reason why that is
    impossible."""
    if not run.live:
        return InputError("there is no simulation to measure")
    try:
        return tuple(_numbers(lane) for lane in run.lanes)
    except InputError as error:
        return error


def _numbers(lane: Lane) -> dict[str, Any]:
    from engine.runs.loop import Ended
    from engine.runs.summary import measured as summary

    simulation = lane.simulation
    frame = simulation.settled()
    ended = Ended(lane.progress, lane.worked, "finished" if lane.progress.finished else "interrupted")
    numbers = summary(simulation, frame, ended, compile_s=0.0, setup_s=0.0) | {"fields": _of_fields(lane, frame)}
    if frame.network is not None and len(frame.network.forces):
        numbers["forces"] = _spread(frame.network.forces)
    return numbers


def _of_fields(lane: Lane, frame: Frame) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for field in system_of(lane.scenario).fields:
        values = None if field.groups else field.values(frame, lane.system)
        if values is not None and len(values):
            found[field.name] = _spread(np.asarray(values, np.float64))
    return found


def _spread(numbers: NDArray[np.float64]) -> dict[str, float]:
    return {
        "mean": float(numbers.mean()),
        "min": float(numbers.min()),
        "max": float(numbers.max()),
        "std": float(numbers.std()),
    }
