"""What of the learner's doings is recognised."""

from __future__ import annotations

import pytest

from aggviewer.lessons.conditions import condition
from aggviewer.session import LaneStatus, Status
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
