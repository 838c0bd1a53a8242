"""What a session file holds, as plain data, and how it is taken from what runs and brought to run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engine.errors import InputError
from engine.system import system_of

if TYPE_CHECKING:
    from aggviewer.session.engine_face import EngineFace, Report
    from aggviewer.session.run.lane import Lane
    from aggviewer.session.saved.packing_pool import KeptPacking
    from aggviewer.session.view import ViewModel
    from engine.scenario import Scenario
    from engine.simulation import Checkpoint, Simulation

SavedAs = Literal["running", "paused", "finished"]


@dataclass
class SessionState:
    """All that is needed to go on tomorrow where one stopped today.

    lanes : one exact checkpoint, two in a comparison; scenarios : the scenario of each as TOML, as the person sees it
    (keys that the method of the checkpoint has no use for may have other values); time : simulation time, clusters,
    count : of the first lane, for lists of files; view : the fields of `ViewModel`; speed : simulation time per second,
    inf for no pace, then `fast` where it goes frame by frame and else as fast as it can; plots : ids of the plots
    that are shown, None for all; plot_alone : number of the one that is alone; variant : what is different in the
    second lane; packings : those that can be pooled, the oldest first; saved_as : whether it ran, and opens running
    again, None where nobody knows: by an earlier version, or without a window.
    """

    lanes: list[Checkpoint]
    scenarios: list[str]
    time: float
    clusters: int
    count: int
    view: dict[str, Any] = field(default_factory=dict)
    speed: float = 1.0
    fast: bool = False
    plots: list[str] | None = None
    plot_alone: int | None = None
    variant: dict[str, Any] | None = None
    packings: list[KeptPacking] = field(default_factory=list)
    saved_as: SavedAs | None = None
    program: str = ""  # version that has written the file
    saved_at: float = 0.0  # seconds since 1970

    def describe(self) -> str:
        """One line for a person who has to choose."""
        methods = [lane.method for lane in self.lanes]
        return describe(self.count, self.clusters, self.time, methods, self.lanes[0].system, len(self.packings))


def describe(count: int, clusters: int, time: float, methods: Sequence[str], system: str, packings: int = 0) -> str:
    """What a session file holds, in one line. packings : that can be pooled."""
    words = [_number(count, "disc")]
    if system == "jamming":
        words.append(f"jamming, program {time:.0f}")
    else:
        words += [" and ".join(dict.fromkeys(methods)), f"t = {time:.4g}"]
    if system == "aggregation":
        words.append(_number(clusters, "cluster"))
    if packings:
        words.append(f"{_number(packings, 'packing')} to be pooled")
    return ", ".join(words)


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def take_state(
    lanes: Sequence[Lane], variant: Mapping[str, Any] | None, view: ViewModel, speed: float, fast: bool = False
) -> SessionState:
    """A copy of what runs. On the simulation's thread, between two slices."""
    first = lanes[0]
    return SessionState(
        lanes=[lane.simulation.checkpoint() for lane in lanes],
        scenarios=[lane.scenario.to_toml() for lane in lanes],
        time=first.time,
        clusters=first.progress.clusters,
        count=first.simulation.count,
        view=view.model_dump(),
        speed=speed,
        fast=fast,
        variant=dict(variant) if variant is not None else None,
    )


def resume(state: SessionState, engine: EngineFace, report: Report) -> list[tuple[Scenario, Simulation]]:
    """The simulations of a state that `read_session` gave, with their scenarios, as `Builder.build` gives them.

    On the simulation's thread; loads kernels. InputError where the two of a comparison do not belong together.
    """
    from engine.checkpoint_checks import checked_scenario

    scenarios = [checked_scenario(text) for text in state.scenarios]
    simulations = []
    for scenario, checkpoint in zip(scenarios, state.lanes, strict=True):
        engine.warm_up(report, system_of(scenario).kernels(scenario))
        simulations.append(engine.restore(checkpoint))
    first = simulations[0]
    for other in simulations[1:]:
        same = np.array_equal(other.radii, first.radii) and np.array_equal(other.box, first.box)
        if not same or other.periodic != first.periodic:
            raise InputError("the saved state is damaged: its two simulations are not of the same discs")
    return list(zip(scenarios, simulations, strict=True))
