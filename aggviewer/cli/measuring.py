"""What is measured of the last state of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aggviewer.cli.starting import Started
from aggviewer.cli.summary import summary
from engine.state import volume_fraction
from engine.system import system_of

if TYPE_CHECKING:
    from engine.simulation import Frame, Progress


def measured(started: Started, frame: Frame, reached: Progress, wall_s: float, stop_reason: str) -> dict[str, Any]:
    """The JSON of `run`: of `frame`, the last state of a simulation that has stopped at `reached` for `stop_reason`."""
    simulation, scenario = started.simulation, started.scenario
    kind = system_of(scenario)
    return summary(
        system=simulation.system,
        method=simulation.method,
        count=simulation.count,
        seed=scenario.seed,
        sim_time=frame.time,
        clusters=frame.clusters,
        events=reached.events,
        steps=reached.steps,
        wall_s=wall_s,
        compile_s=started.compile_s,
        setup_s=started.setup_s,
        stop_reason=stop_reason,
        stop_detail=reached.stop_reason or None,
        kinetic_energy=frame.kinetic_energy if kind.moves else None,
        volume_fraction=volume_fraction(simulation.radii * frame.radius_factor, simulation.box),
        box=simulation.box.tolist(),
        boundary=scenario.box.boundary,
        indicators=kind.analyse(simulation, frame),
        **simulation.invariants() | kind.results_of(simulation),
    )
