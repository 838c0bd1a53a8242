"""Simulations that aggregate in time steps, and the stories of their steps."""

from __future__ import annotations

import json
from dataclasses import replace

from aggviewer.extensions.stepping.story import StepStory
from engine import create
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.scenario import Scenario

_SCENARIO = """
format = 1
seed = 5
[box]
boundary = {boundary}
[discs]
count = {count}
volume_fraction = 0.2
[aggregation]
method = "time-stepping"
[aggregation.time_stepping]
fraction = {fraction}
clusters = "{clusters}"
"""


def simulation(
    count: int = 225,
    time: float = 1.0,
    *,
    boundary: str | tuple[str, ...] = "walls",
    fraction: float = 1.0,
    clusters: str = "deformable",
) -> TimeStepping:
    """Discs that aggregate in steps, at a time."""
    text = _SCENARIO.format(boundary=json.dumps(boundary), count=count, fraction=fraction, clusters=clusters)
    made = create(Scenario.from_toml(text))
    assert isinstance(made, TimeStepping)
    made.advance(time)
    return made


def story_of(made: TimeStepping, **changes: object) -> StepStory:
    """The story of the next step. changes : fields of its trace with other values."""
    return StepStory(replace(made.trace_step(), **changes), made.radii, made.box, made.periodic)
