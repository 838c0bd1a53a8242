"""Every scenario of the gallery, small enough for a test, from its start to its end; and what two runs must share.

What is listed here follows from the bundled scenarios and from the fields of frames and histories: a new scenario,
system or field takes part without being named.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np

import engine
from aggviewer.systems.registry import Catalog
from engine import Scenario, load_scenario
from engine.system import method_of

SCENARIOS = tuple(one.name for one in Catalog().entries)
MOST = {"aggregation": 300, "hard-discs": 300, "jamming": 100}  # discs
OTHERS = 100  # of a system that is new
LONGEST = 30_000  # events after which a run that has no end is left

MEASURED = {"seconds"}  # time that the computer took: no two runs have the same
PASSING = {"aggregation": "frame.impacts."}
"""Of fields that begin so nothing is saved: `engine.aggregation.recent` is for those who look on,
and begins empty."""


def small(name: str, most: int | None = None) -> Scenario:
    """A bundled scenario, with at most so many discs; by default so few that a test runs it to its end in a second."""
    scenario = load_scenario(name)
    if scenario.discs.placed is not None and scenario.discs.placed.aggregated:
        return scenario  # it is at its end from the start, and fewer discs of this size may not fit its shape
    return scenario.with_values({"discs.count": min(scenario.discs.count, most or MOST.get(scenario.system, OTHERS))})


def one_of_each() -> list[str]:
    """The first scenario of several discs of every system, method and dimension, and of every start of discs that
    jam."""
    found: dict[tuple[object, ...], str] = {}
    for name in SCENARIOS:
        scenario = load_scenario(name)
        if scenario.discs.count > 1:
            kind = (scenario.system, method_of(scenario), scenario.dimensions, scenario.jamming.start)
            found.setdefault(kind, name)
    return list(found.values())


MOMENTS = ("start", "early", "middle", "end")


def at_moment(scenario: Scenario, moment: str) -> engine.simulation.Simulation:
    """The simulation of a scenario at its start, after a few milliseconds, half way, or at its end, which of a run
    without an end is after `LONGEST` events."""
    simulation = engine.create(scenario)
    if moment == "early":
        simulation.advance(budget=5e-3)  # amid the growth of discs that grow first, which events are not counted in
    elif moment != "start":
        happened = engine.copy(simulation).advance(max_events=LONGEST).happened
        simulation.advance(max_events=happened if moment == "end" else happened // 2)
    return simulation


def half_way(name: str, events: int) -> engine.simulation.Simulation:
    """A scenario after half of so many events."""
    simulation = engine.create(small(name))
    simulation.advance(max_events=events // 2)
    return simulation


def facts(simulation: engine.simulation.Simulation) -> dict[str, object]:
    """All that may be compared, bit for bit: state, history, counters, what it may still tell."""
    # of a copy: a step that is under way would go on, which a file does not hold
    progress = engine.restore(simulation.checkpoint()).advance(simulation.time, max_events=0)
    found: dict[str, object] = {
        "time": simulation.time,
        "scenario": simulation.scenario.to_toml(),
        "radii": simulation.radii.tobytes(),
        "masses": simulation.masses.tobytes(),
        "events": progress.events,
        "steps": progress.steps,
        "finished": (progress.finished, progress.stop_reason),
    }
    for what, value in (("frame", simulation.frame()), ("history", simulation.history())):
        _flatten(what, value, found)
    passing = PASSING.get(simulation.system)
    return {name: value for name, value in found.items() if passing is None or not name.startswith(passing)}


def _flatten(what: str, value: object, found: dict[str, object]) -> None:
    if is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            if part.name not in MEASURED:
                _flatten(f"{what}.{part.name}", getattr(value, part.name), found)
    elif isinstance(value, dict):
        for name, part in value.items():
            _flatten(f"{what}.{name}", part, found)
    elif isinstance(value, list | tuple):
        found[f"{what}.length"] = len(value)
        for number, part in enumerate(value):
            _flatten(f"{what}.{number}", part, found)
    else:
        found[what] = (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def assert_the_same(one: engine.simulation.Simulation, two: engine.simulation.Simulation) -> None:
    """Both are in the same state, to the last bit."""
    first, second = facts(one), facts(two)
    assert first.keys() == second.keys()
    different = [name for name in first if first[name] != second[name] and not _both_nan(first[name], second[name])]
    assert not different, different


def _both_nan(one: object, two: object) -> bool:
    return isinstance(one, float) and isinstance(two, float) and np.isnan(one) and np.isnan(two)
