"""What a run ends with: a dictionary with the stable names of the JSON of `aggviewer run` and `analyse`."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from engine.indicators import Problems
from engine.state import volume_fraction
from engine.system import System, system, system_of
from engine.version import __version__

if TYPE_CHECKING:
    from engine.frame import Frame, Start
    from engine.runs.loop import Ended
    from engine.simulation import Simulation

KEYS = (
    "version",
    "system",
    "method",
    "dimensions",  # 2 for discs, 3 for spheres
    "count",
    "seed",
    "sim_time",
    "clusters",
    "events",
    "steps",
    "wall_s",  # making the simulation and advancing it, nothing else
    "compile_s",  # importing and compiling the kernels, or loading them from the cache
    "setup_s",  # making and checking the initial state
    "stop_reason",
    "stop_detail",  # a sentence, if the word is not enough
    "momentum_error",
    "kinetic_energy",
    "max_overlap",
    "volume_fraction",  # of the state that is summed up
    "box",
    "boundary",
    "indicators",
    "problems",  # a sentence for each indicator that has failed, by its name; null if none has
)
"""Of every system."""

TIMES = ("wall_s", "compile_s", "setup_s")
"""Those that another run of the same scenario does not repeat."""


def keys_of(kind: System | None) -> tuple[str, ...]:
    """All keys of the summary of a system; None: of a state of which nobody knows the system."""
    return KEYS if kind is None else KEYS + tuple(result.name for result in kind.results)


def summary(**values: Any) -> dict[str, Any]:
    """All keys in their order; those that are not given are None."""
    keys = keys_of(system(values["system"]) if "system" in values else None)
    unknown = values.keys() - set(keys)
    if unknown:
        raise TypeError(f"not part of a summary: {sorted(unknown)}")
    return {name: __version__ if name == "version" else values.get(name) for name in keys}


def measured(
    simulation: Simulation,
    frame: Frame,
    ended: Ended,
    *,
    compile_s: float,
    setup_s: float,
    indicators: Collection[str] | None = None,
    start: Start | None = None,
) -> dict[str, Any]:
    """The summary of a run that has ended in `frame`.

    Parameters
    ----------
    simulation : that has run, with the scenario that it ran with.
    compile_s, setup_s : see `KEYS`.
    indicators : names of those that are wanted, None for all.
    start : of the run, as `System.start` gives it; without it, indicators that compare with it are None.
    """
    scenario, reached, problems = simulation.scenario, ended.reached, Problems()
    kind = system_of(scenario)
    return summary(
        system=simulation.system,
        method=simulation.method,
        dimensions=len(simulation.box),
        count=simulation.count,
        seed=scenario.seed,
        sim_time=frame.time,
        clusters=frame.clusters,
        events=reached.events,
        steps=reached.steps,
        wall_s=ended.wall_s,
        compile_s=compile_s,
        setup_s=setup_s,
        stop_reason=ended.reason,
        stop_detail=reached.stop_reason or None,
        kinetic_energy=frame.kinetic_energy if kind.moves else None,
        volume_fraction=volume_fraction(simulation.radii * frame.radius_factor, simulation.box),
        box=simulation.box.tolist(),
        boundary=simulation.periodic.boundary,
        indicators=kind.analyse(simulation, frame, indicators, start, problems),
        problems=problems or None,
        **simulation.invariants() | kind.results_of(simulation),
    )


def to_json(value: Any, indent: int | None = None) -> str:
    """Strict JSON: NaN and infinity become null."""
    return json.dumps(json_value(value), indent=indent, allow_nan=False)


def json_value(value: Any) -> Any:
    """A value as strict JSON can hold it: numbers that are not finite are None, keys are texts."""
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None
