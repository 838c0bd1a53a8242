"""What of the learner's doings is recognised."""

from __future__ import annotations

import pytest

from aggviewer.lessons.conditions import condition
from aggviewer.session import LaneStatus, Status, TakenOut
from engine.errors import InputError
from engine.scenario import load_scenario
from tests.lessons.lesson_texts import Seen


def test_the_system_that_runs_is_known() -> None:
    jams = condition("system", "jamming")
    assert not jams.met(Seen())
    assert not jams.met(Seen(scenario=load_scenario("gas-10000")))
    assert jams.met(Seen(scenario=load_scenario("jam-256")))
    with pytest.raises(InputError, match=r"when\.system: it must be the name of a system: aggregation, hard-discs or"):
        condition("system", "sand")


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
    seen = Seen(Status(lanes=(LaneStatus(steps=steps),)))
    assert condition("iterations", "< 20").met(seen) is met


def test_no_run_has_no_iterations() -> None:
    assert not condition("iterations", "< 20").met(Seen())


@pytest.mark.parametrize(
    ("name", "value", "met", "not_met"),
    [
        ("time", ">= 3", Seen(Status(time=3.0)), Seen(Status(time=2.9))),
        ("clusters", "<= 1", Seen(Status(clusters=1)), Seen(Status(clusters=2))),
        ("events", ">= 5", Seen(events=5), Seen(events=4)),
        ("state", "held", Seen(Status(state="finished")), Seen(Status(state="running"))),
        ("state", "running", Seen(Status(state="running")), Seen(Status(state="paused"))),
        ("command", ["a", "b"], Seen(used={"b"}), Seen(used={"c"})),
        ("compare", True, Seen(Status(lanes=(LaneStatus(), LaneStatus()))), Seen(Status(lanes=(LaneStatus(),)))),
        ("compare", False, Seen(Status(lanes=(LaneStatus(),))), Seen(Status(lanes=(LaneStatus(), LaneStatus())))),
        ("view", {"color_by": "speed"}, Seen(view={"color_by": "speed"}), Seen(view={"color_by": "size"})),
        ("plot", "contacts", Seen(plots={"contacts", "coarsening"}), Seen(plots={"coarsening"})),
        ("past", True, Seen(Status(past=1.0)), Seen(Status())),
        ("own", {"a": "> 1", "b": "> 1"}, Seen(views={"a": 2.0, "b": 2.0}), Seen(views={"a": 2.0, "b": 0.0})),
        ("own", {"a": "> 1"}, Seen(views={"a": 2.0}), Seen()),
        ("taken_out", "rattler", Seen(taken_out=TakenOut(2, 0)), Seen(taken_out=TakenOut(2, 1))),
        ("taken_out", "held", Seen(taken_out=TakenOut(2, 1)), Seen(taken_out=TakenOut(2, 0))),
        ("taken_out", "held", Seen(taken_out=TakenOut(1, 1)), Seen()),
        ("taken_out", "any", Seen(taken_out=TakenOut(1, 0)), Seen()),
        (
            "values",
            {"discs.count": "<= 100"},
            Seen(scenario=load_scenario("lattice-100")),
            Seen(scenario=load_scenario("lattice-400")),
        ),
    ],
)
def test_each_condition_is_met_by_what_it_says_and_by_nothing_else(
    name: str, value: object, met: Seen, not_met: Seen
) -> None:
    one = condition(name, value)
    assert one.met(met)
    assert not one.met(not_met)


def test_what_can_be_taken_out_is_told() -> None:
    with pytest.raises(InputError, match=r"when\.taken_out: it must be rattler, held or any"):
        condition("taken_out", "wall")
