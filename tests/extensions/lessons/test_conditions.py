"""What of the learner's doings is recognised."""

from __future__ import annotations

from pathlib import Path

import pytest

from aggviewer.extensions.lessons.conditions import Situation, condition
from aggviewer.session import LaneStatus, Status
from aggviewer.session.log import Log, LogEntry
from aggviewer.systems.jamming.starting import TakeOut
from engine.errors import InputError
from engine.scenario import load_scenario
from engine.selection import Selection
from tests.extensions.lessons.lesson_texts import situation


def test_the_system_that_runs_is_known() -> None:
    jams = condition("system", "jamming")
    assert not jams.met(situation())
    assert not jams.met(situation(scenario=load_scenario("gas-10000")))
    assert jams.met(situation(scenario=load_scenario("jam-256")))
    with pytest.raises(InputError, match=r"when\.system: it must be the name of a system: aggregation, hard-discs or"):
        condition("system", "sand")


def removed(count: int, held: int) -> Log:
    """The log of a packing without so many discs, of which some were held."""
    command = TakeOut(Path("start.gsd"), Selection.discs(list(range(count)), 9), held)
    return Log((), (LogEntry(command, (0,), 0.0, "begins", ""),))


@pytest.mark.parametrize(
    ("steps", "met"),
    [
        ({"iterations": 150, "minimisations": 10}, True),
        ({"iterations": 250, "minimisations": 10}, False),
        ({"iterations": 0, "minimisations": 0}, False),
        ({}, False),
    ],
)
def test_the_mean_iterations_of_a_minimisation_are_recognised(steps: dict[str, int], met: bool) -> None:
    seen = situation(Status(lanes=(LaneStatus(steps=steps),)))
    assert condition("iterations", "< 20").met(seen) is met


@pytest.mark.parametrize(
    ("name", "value", "met", "not_met"),
    [
        ("time", ">= 3", situation(Status(time=3.0)), situation(Status(time=2.9))),
        ("clusters", "<= 1", situation(Status(clusters=1)), situation(Status(clusters=2))),
        ("events", ">= 5", situation(events=5), situation(events=4)),
        ("state", "held", situation(Status(state="finished")), situation(Status(state="running"))),
        ("state", "running", situation(Status(state="running")), situation(Status(state="paused"))),
        ("command", ["a", "b"], situation(used={"b"}), situation(used={"c"})),
        (
            "compare",
            True,
            situation(Status(lanes=(LaneStatus(), LaneStatus()))),
            situation(Status(lanes=(LaneStatus(),))),
        ),
        (
            "compare",
            False,
            situation(Status(lanes=(LaneStatus(),))),
            situation(Status(lanes=(LaneStatus(), LaneStatus()))),
        ),
        ("view", {"color_by": "speed"}, situation(view={"color_by": "speed"}), situation(view={"color_by": "size"})),
        ("changed", "turn", situation(changed={"turn"}), situation(changed={"slab"})),
        ("changed", ["turn", "slab"], situation(changed={"turn", "slab"}), situation(changed={"turn"})),
        ("plot", "contacts", situation(plots={"contacts", "coarsening"}), situation(plots={"coarsening"})),
        ("past", True, situation(Status(past=1.0)), situation(Status())),
        ("own", {"a": "> 1", "b": "> 1"}, situation(views={"a": 2.0, "b": 2.0}), situation(views={"a": 2.0, "b": 0.0})),
        ("own", {"a": "> 1"}, situation(views={"a": 2.0}), situation()),
        ("taken_out", "rattler", situation(log=removed(2, 0)), situation(log=removed(2, 1))),
        ("taken_out", "held", situation(log=removed(2, 1)), situation(log=removed(2, 0))),
        ("taken_out", "held", situation(log=removed(1, 1)), situation()),
        ("taken_out", "any", situation(log=removed(1, 0)), situation()),
        (
            "values",
            {"discs.count": "<= 100"},
            situation(scenario=load_scenario("lattice-100")),
            situation(scenario=load_scenario("lattice-400")),
        ),
    ],
)
def test_each_condition_is_met_by_what_it_says_and_by_nothing_else(
    name: str, value: object, met: Situation, not_met: Situation
) -> None:
    one = condition(name, value)
    assert one.met(met)
    assert not one.met(not_met)


@pytest.mark.parametrize("value", ["tilt", [], ["turn", 3], 3])
def test_a_wrong_changed_condition_is_refused_with_the_fields_that_are_allowed(value: object) -> None:
    with pytest.raises(
        InputError, match=r"when\.changed: it must be a field of the view, or a list .*: color_by,.*turn"
    ):
        condition("changed", value)
